#!/bin/bash
# What works here is said by trying it; what is missing is said honestly.
. "$TESTS/lib.sh"
requires_fuse
agentctl doctor >"$TMP/out" 2>"$TMP/talk" || fail "$(cat "$TMP/out" "$TMP/talk")"
has 'not contained yet' "$TMP/out"
has 'network' "$TMP/out"
grep -q '^ok  *models' "$TMP/out" || fail "$(cat "$TMP/out")"
agentctl doctor --json >"$TMP/json" || fail 'json'
python3 -c 'import json, sys; [json.loads(l) for l in sys.stdin]' <"$TMP/json" || fail 'no JSON'
for verb in mcp serve; do
	status 2 agentctl "$verb" nonsense 2>"$TMP/talk"
	has "usage: agentctl $verb" "$TMP/talk"
done
status 2 agentctl nonsense 2>"$TMP/talk"
has 'unknown verb' "$TMP/talk"
agentctl --help >"$TMP/out" || fail 'help'
has 'agentctl' "$TMP/out"
