#!/bin/bash
# A scripted provider: its steps run in one transaction, denials and failures come back in
# plain words, the end is a commit or an abort.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"
cd "$P" || exit 1
cat >"$TMP/good" <<'END'
# a remark
{"say": "first", "run": "echo one > one"}
{"run": "cat one; false"}
{"run": "rm -rf ~"}
{"run": "echo two > two && cd src && pwd"}
{"run": "pwd"}
{"done": "finished"}
END
agentctl task --script "$TMP/good" --json --check 'test -e one && test -e two' 'make files' \
	>"$TMP/events" 2>"$TMP/talk" || fail "$(cat "$TMP/talk")"
python3 - "$TMP/events" "$P" <<'END' || fail 'events'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
assert rows[0]["ev"] == "task" and rows[0]["provider"] == "scripted", rows[0]
texts = [r["text"] for r in rows if r["ev"] == "result"]
assert texts[0].startswith("exit status 0"), texts
assert texts[1] == "exit status 1\none\n", texts
assert texts[2].startswith("Refused by the policy, nothing was run: "), texts
assert texts[3] == f"exit status 0\n{sys.argv[2]}/src\n", texts
assert texts[4] == f"exit status 0\n{sys.argv[2]}\n", texts
end = rows[-1]
assert end["ev"] == "end" and end["outcome"] == "committed" and end["text"] == "finished", end
END
eq two "$(cat two)"
# text mode calls the provider what it is
agentctl task --script "$TMP/good" 'make files' >"$TMP/out" 2>"$TMP/talk" || fail "$(cat "$TMP/talk")"
has 'provider: scripted' "$TMP/talk"
has 'scripted: finished' "$TMP/talk"
manifest "$P" >"$TMP/before"
# not finished, and a failed check: nothing stays
echo '{"run": "rm -rf src"}' >"$TMP/unfinished"
status 1 agentctl task --script "$TMP/unfinished" 'x' 2>/dev/null
status 120 agentctl task --script "$TMP/good" --check false 'x' 2>/dev/null
status 1 agentctl task --script "$TMP/good" --max-steps 2 'x' 2>/dev/null
status 125 agentctl task --script "$TMP/none" 'x' 2>/dev/null
status 1 agentctl task 'x' 2>/dev/null # not understood
status 2 agentctl task --script "$TMP/good" 2>/dev/null
manifest "$P" >"$TMP/after"
same_tree "$TMP/before" "$TMP/after"
