#!/bin/bash
# A model behind the OpenAI protocol drives a task in a mount: commands, a refusal, a failed
# command and its roll-back, the last words, the check. With streams and without, calls in
# pieces and several in one answer; and by both generations of Minimind's server, whose
# deviations are in the server's own comment.
. "$TESTS/lib.sh"
# shellcheck source=tests/tools/modelserver.sh
. "$TESTS/tools/modelserver.sh"
requires_fuse
P=$TMP/project
make_project "$P"
cd "$P" || exit 1

script() { # KIND
	python3 - "$1" <<-'END'
		import json, sys
		steps = [
		    {"think": "what <tool_call> is there?", "say": "I look.", "run": "ls"},
		    {"run": ["echo one > one", "cat one"]},
		    {"run": "rm -rf ~"},
		    {"run": "echo broken > one; false"},
		    {"rollback": 0},
		    {"run": "cat one; printf 'umlaut: ä, bad: \\xff\\n'"},
		    {"finish": "One is made."},
		]
		for s in steps:
		    print(json.dumps(dict(s, **{"as": sys.argv[1]})))
	END
}

for kind in openai text whole minimind3 minimind2; do
	for option in --retries=5 --no-stream; do
		rm -f one
		model_serves < <(script $kind)
		model_task --check 'grep -q one one' "$option" 'make one' || fail "$kind: $(cat "$TMP/talk")"
		eq committed "$(event_of "$TMP/events" end outcome)" "$kind"
		eq 'One is made.' "$(event_of "$TMP/events" end text)" "$kind"
		eq one "$(cat one)" "$kind"
		texts result >"$TMP/results"
		eq 7 "$(wc -l <"$TMP/results")" "$kind: results"
		eq '"exit status 0\none\n"' "$(sed -n 3p "$TMP/results")" "$kind"
		sed -n 4p "$TMP/results" | grep -q 'Refused by the policy, nothing was run' || fail "$kind: refusal"
		sed -n 5p "$TMP/results" | grep -q 'exit status 1' || fail "$kind: failure"
		sed -n 6p "$TMP/results" | grep -q 'what step 5 and all after it changed is undone' || fail "$kind: roll-back"
		asked 0 'len(m) == 2 and m[0]["role"] == "system" and m[1] == {"role": "user", "content": "make one"}'
		asked 0 '"transaction" in m[0]["content"] and "grep -q one one" in m[0]["content"]'
		asked 0 '[t["function"]["name"] for t in q["tools"]] == ["run", "finish", "rollback"]'
		asked 0 'q["stream"] is '"$([ "$option" = --no-stream ] && echo False || echo True)"
		# thoughts never come back; the history is that of single calls, each answered
		asked -1 '"what" not in json.dumps(m[2:4]).replace("what step", "")'
		asked -1 'm[2]["content"] == "I look." and m[2]["tool_calls"][0]["function"]["name"] == "run"'
		asked -1 'all(x["role"] != "assistant" or len(x["tool_calls"]) == 1 for x in m)'
		asked -1 'all(y["tool_call_id"] == x["tool_calls"][0]["id"] for x, y in zip(m, m[1:]) if y["role"] == "tool")'
		asked -1 '"umlaut: \u00e4, bad: \ufffd" in m[-1]["content"]'
	done
done
has '"ev":"usage","answers":7' "$TMP/events"
