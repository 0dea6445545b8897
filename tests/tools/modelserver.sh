# shellcheck shell=bash
# modelserver.sh: what tests of models share. Source it after lib.sh.
#
#	model_serves [OPTION...] <<< LINES   start tests/tools/modelserver.py with a new script;
#	                                     sets MODEL_URL and MODEL_OUT
#	model_task OPTION... TEXT            agentctl task at that server, --json; its events in
#	                                     $TMP/events, talk in $TMP/talk; its exit status
#	asked N PYTHON                       an expression about the N-th request `q`, from 0
#	texts EVENT                          the texts of all events of a kind, a line each
unset OPENAI_API_KEY http_proxy https_proxy all_proxy no_proxy HTTPS_PROXY ALL_PROXY NO_PROXY

model_count=0
model_serves() {
	local pid
	model_count=$((model_count + 1))
	MODEL_OUT=$TMP/model-$model_count
	mkdir "$MODEL_OUT"
	cat >"$MODEL_OUT/script"
	python3 "$TESTS/tools/modelserver.py" "$MODEL_OUT/script" "$MODEL_OUT" "$@" 2>"$MODEL_OUT/log" &
	pid=$!
	at_exit "kill $pid 2>/dev/null; wait $pid 2>/dev/null"
	wait_for 10 test -e "$MODEL_OUT/port"
	MODEL_URL=http://127.0.0.1:$(cat "$MODEL_OUT/port")/v1
}

model_task() {
	local status=0
	agentctl task --model "$MODEL_URL" --name test --json "$@" >"$TMP/events" 2>"$TMP/talk" </dev/null || status=$?
	return "$status"
}

asked() {
	python3 - "$MODEL_OUT/requests" "$1" "$2" <<-'END' || fail "request $1: not so: $2"
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
		r = rows[int(sys.argv[2])]
		q = r["body"]
		m = q["messages"]
		if not eval(sys.argv[3]):
		    print(json.dumps(r, indent=1)[:4000], file=sys.stderr)
		    sys.exit(1)
	END
}

texts() {
	python3 - "$TMP/events" "$1" <<-'END'
		import json, sys
		for line in open(sys.argv[1], encoding="utf-8"):
		    r = json.loads(line)
		    if r["ev"] == sys.argv[2]:
		        print(json.dumps(r.get("text", "")))
	END
}
