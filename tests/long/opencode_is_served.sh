#!/bin/bash
# opencode from npm, pointed at `agentctl serve` with the embedded model: it gets answers, runs the
# command that it is told, and shows the last words. AGENTS=DIR takes it from DIR/node_modules.
# timeout: 900
. "$TESTS/lib.sh"
requires npm node
agents=${AGENTS:-$TMP/agents}
if [ -z "${AGENTS:-}" ]; then
	mkdir "$agents"
	npm_config_cache=$TMP/cache timeout 600 npm install --no-audit --no-fund --prefix "$agents" opencode-ai@1.18.33 \
		>"$TMP/log" 2>&1 || skip "npm cannot install opencode: $(tail -n 1 "$TMP/log")"
	(cd "$agents/node_modules" && node opencode-ai/postinstall.mjs) >>"$TMP/log" 2>&1
fi
at_exit "chmod -R u+w '$TMP' 2>/dev/null"
agentctl serve --listen 127.0.0.1:0 2>"$TMP/serve.log" &
SERVER=$!
at_exit "kill $SERVER 2>/dev/null; wait $SERVER 2>/dev/null"
wait_for 10 grep -q serving "$TMP/serve.log"
URL=$(sed -n 's/.* at \(http.*\)/\1/p' "$TMP/serve.log")
export HOME=$TMP/home OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_AUTOUPDATE=1
mkdir -p "$HOME" "$TMP/p" && cd "$TMP/p" && git init -q
printf 'a\nb\nc\nd\n' >notes.txt
cat >opencode.json <<JSON
{"provider":{"txfs":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"$URL","apiKey":"x"},
 "models":{"embedded":{}}}},"model":"txfs/embedded","permission":{"bash":"allow","edit":"allow"}}
JSON
PATH=$agents/node_modules/.bin:$PATH timeout -s KILL 240 opencode run 'Create hello.txt with "hi there"' >"$TMP/out" 2>&1 </dev/null
eq 'hi there' "$(cat hello.txt 2>&1)" "$(tail -n 5 "$TMP/out")"
has Done. "$TMP/out"
PATH=$agents/node_modules/.bin:$PATH timeout -s KILL 240 opencode run 'How many lines does notes.txt have?' >"$TMP/out" 2>&1 </dev/null
grep -q '\b4\b' "$TMP/out" || fail "no answer: $(tail -n 5 "$TMP/out")"
