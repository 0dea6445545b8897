#!/bin/bash
# P12: what was said and done is kept, joined to the transaction, for its owner only, with
# secrets masked and control characters shown, not sent.
. "$TESTS/lib.sh"
# shellcheck source=tests/tools/modelserver.sh
. "$TESTS/tools/modelserver.sh"
requires_fuse
P=$TMP/project
make_project "$P"
cd "$P" || exit 1
model_serves <<'END'
{"say": "red \u001b[31m and a bell \u0007", "run": "echo token=abcdef0123456789 > made; echo 'AKIAABCDEFGHIJKLMNOP'; printf '\\033[2J'"}
{"run": "rm -rf ~"}
{"run": "false"}
{"finish": "made it"}
END
model_task 'make it; password=hunter22' || fail "$(cat "$TMP/talk")"
tx=$(event_of "$TMP/events" end tx)
agentctl transcript "$tx" >"$TMP/out" 2>"$TMP/talk" || fail "$(cat "$TMP/talk")"
for want in 'task: make it' "tx $tx in $P" '$ echo token=***' 'refused: delete-home' '  exit status 1' \
	'test: made it' 'committed, exit status 0' 'red \x1B[31m and a bell \x07'; do
	has "$want" "$TMP/out"
done
! grep -qE 'abcdef0123456789|AKIAABCDEFGHIJKLMNOP|hunter22' "$TMP/out" || fail 'a secret'
! grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$TMP/out" || fail 'control characters'
! grep -rqE 'abcdef0123456789|AKIAABCDEFGHIJKLMNOP|hunter22' "$TXFS_STATE_DIR/transcripts" || fail 'a secret on disk'
eq 700 "$(stat -c %a "$TXFS_STATE_DIR/transcripts")"
eq 600 "$(stat -c %a "$TXFS_STATE_DIR"/transcripts/*-"$tx.jsonl")"
agentctl transcript --json "$tx" | python3 -c 'import json, sys
rows = [json.loads(line) for line in sys.stdin]
assert [r["ev"] for r in rows][:3] == ["task", "begin", "say"] and rows[-1]["ev"] == "end", rows
assert all("time" in r for r in rows)
assert str(rows[-1]["tx"]) == sys.argv[1]' "$tx" || fail 'json'
# the same id finds the record's verdicts
agentctl audit --tx "$tx" | grep -q 'delete-home' || fail 'not joined to the record'
# what a person is told while it works cannot drive the terminal either
model_serves <<<'{"say": "bell \u0007 \u001b[2J \u202e", "finish": "\u001b]0;title\u0007"}'
agentctl task --model "$MODEL_URL" --name $'na\033[31mme' 'x' >"$TMP/out" 2>&1 || fail "$(cat "$TMP/out")"
! grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae' "$TMP/out" || fail 'control characters'
# a second one, aborted; the list
echo '{"run": "false"}' >"$TMP/script"
status 1 agentctl task --script "$TMP/script" 'another' 2>/dev/null
agentctl transcript >"$TMP/list"
eq 3 "$(wc -l <"$TMP/list")"
has 'committed' "$TMP/list"
has 'another' "$TMP/list"
eq 3 "$(agentctl transcript --workspace "$P" --json | wc -l)"
eq 0 "$(agentctl transcript --workspace / --json | wc -l)"
status 1 agentctl transcript 999 2>"$TMP/talk"
status 2 agentctl transcript 1 2 2>"$TMP/talk"
# inside of a sandbox there is none
status 2 agentctl run --no-keep -- ls "$TXFS_STATE_DIR/transcripts" 2>"$TMP/talk"
