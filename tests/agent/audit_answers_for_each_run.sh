#!/bin/bash
# Every run ends with the head of the record; what was vetted is found by its transaction;
# a record that was touched is found out.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"
cd "$P" || exit 1

status 0 agentctl run -- touch made 2>"$TMP/talk"
tx=$(grep -o 'tx [0-9]*' "$TMP/talk" | grep -o '[0-9]*' | head -n 1)
head=$(grep -o 'head [0-9a-f]*' "$TMP/talk" | cut -d' ' -f2)
eq 64 "${#head}" 'the head'
agentctl audit --tx "$tx" >"$TMP/out" || fail 'audit'
has 'touch made' "$TMP/out"
has 'begin' "$TMP/out"
has 'committed' "$TMP/out"
status 0 agentctl audit --verify --head "$head" >"$TMP/out"
has 'the record holds' "$TMP/out"

status 126 agentctl run -- rm -rf "$HOME" 2>"$TMP/talk"
has 'record: ' "$TMP/talk"
status 1 agentctl run --json -- false >"$TMP/json" 2>/dev/null
eq 64 "$(event_of "$TMP/json" end audit | grep -o '[0-9a-f]\{64\}' | wc -c | awk '{print $1 - 1}')" 'head in JSON'
printf '%s\n' '{"run":"echo hi > hello"}' '{"run":"rm -rf ~"}' '{"done":"made"}' >"$TMP/script"
status 0 agentctl task --script "$TMP/script" 'say hello' 2>"$TMP/talk"
tx=$(grep -o 'tx [0-9]*' "$TMP/talk" | grep -o '[0-9]*' | tail -n 1)
agentctl audit --tx "$tx" --decision deny >"$TMP/out"
has 'rm -rf ~' "$TMP/out"

# looking things up
agentctl audit --text touch --json >"$TMP/lines"
eq 1 "$(wc -l <"$TMP/lines")" 'by text'
agentctl audit --since 1h --until 2999 --decision deny --last 1 >"$TMP/lines"
eq 1 "$(wc -l <"$TMP/lines")" 'by time and decision'
agentctl audit --until 2001-01-01 >"$TMP/lines"
eq 0 "$(wc -l <"$TMP/lines")" 'long ago'
status 2 agentctl audit --decision perhaps 2>/dev/null
status 2 agentctl audit --head abc 2>/dev/null
status 2 agentctl audit --since yesterday 2>/dev/null

# secrets and control characters
status 0 agentctl run -- echo "$(printf 'a\033[2Jb\nc')" --token s3cr3tvalue https://u:hunter2@h/ >/dev/null 2>&1
grep -q -e s3cr3tvalue -e hunter2 "$TXFS_STATE_DIR"/audit*.jsonl && fail 'a secret is in the record'
agentctl audit --text echo >"$TMP/out"
grep -q "$(printf '\033')" "$TMP/out" && fail 'a control character is shown'

# touched
log=$TXFS_STATE_DIR/audit.jsonl
stop_policyd
sed -i '3s/"pid":/"pid": /' "$log"
status 1 agentctl audit --verify >"$TMP/out"
has 'audit.jsonl:3' "$TMP/out"
sed -i 1,3d "$log"
status 1 agentctl audit --verify --head "$head" >"$TMP/out"
