#!/bin/bash
# The client against a mock of the OpenAI protocol that others wrote, from npm: a task of 20
# steps, then again while every second answer is an error, rubbish, a rate limit or a broken
# connection. Each step is done exactly once.
# timeout: 400
. "$TESTS/lib.sh"
# shellcheck source=tests/tools/modelserver.sh
. "$TESTS/tools/modelserver.sh"
requires_fuse
requires npm node
mkdir "$TMP/npm" && cd "$TMP/npm" || exit 1
npm_config_cache=$TMP/cache timeout 120 npm install --ignore-scripts --no-audit --no-fund \
	@copilotkit/aimock@1.43.0 >"$TMP/log" 2>&1 || skip "npm cannot install the server: $(tail -n 1 "$TMP/log")"
python3 - >fixtures.json <<'END'
import json
fixtures = [
    {"match": {"userMessage": "count", "turnIndex": i},
     "response": {"toolCalls": [{"name": "run", "arguments": {"command": f"echo {i} >> log"}}]}}
    for i in range(20)]
fixtures.append({"match": {"userMessage": "count", "turnIndex": 20},
                 "response": {"toolCalls": [{"name": "finish", "arguments": {"message": "counted"}}]}})
print(json.dumps({"fixtures": fixtures}))
END
P=$TMP/project
make_project "$P"

serves() { # PORT OPTION...
	AIMOCK_STRICT_TURN_INDEX=1 node "$TMP/npm/node_modules/.bin/llmock" -p "$1" -f "$TMP/npm/fixtures.json" \
		--chunk-size 5 "${@:2}" >"$TMP/server-$1" 2>&1 &
	at_exit "kill $! 2>/dev/null; wait $! 2>/dev/null"
	wait_for 20 bash -c ": <>/dev/tcp/127.0.0.1/$1" 2>/dev/null
	MODEL_URL=http://127.0.0.1:$1/v1
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

counted() {
	rm -f "$P/log"
	model_task --workspace "$P" --check 'test "$(wc -l < log)" = 20' "$@" 'count' ||
		fail "$*: $(tail -n 3 "$TMP/talk" "$TMP/server-"*)"
	seq 0 19 | cmp - "$P/log" || fail "$*: not each step once"
}

cd "$P" || exit 1
serves "$(free_port)"
counted
counted --no-stream
serves "$(free_port)" --chaos-drop 0.1 --chaos-malformed 0.15 --chaos-disconnect 0.15 --chaos-ratelimit 0.1
counted --retries 20
[ "$(texts trouble | wc -l)" -ge 5 ] || fail "only so much trouble: $(texts trouble)"
texts trouble | sed 's/; asking.*//' | sort | uniq -c >&2
