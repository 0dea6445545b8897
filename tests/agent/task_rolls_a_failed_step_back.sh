#!/bin/bash
# --rollback-failed: the savepoint before a command that failed is what comes after it.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"
cd "$P" || exit 1
cat >"$TMP/script" <<'END'
{"run": "echo one > one"}
{"run": "echo broken > one; rm Makefile; echo two > two; exit 3"}
{"run": "cat one; test -e Makefile && test ! -e two && echo intact"}
{"run": "sleep 30"}
{"run": "echo three > three"}
{"done": "so"}
END
agentctl task --script "$TMP/script" --rollback-failed --timeout 0.5 --json 'x' >"$TMP/events" 2>"$TMP/talk" ||
	fail "$(cat "$TMP/talk" "$TMP/events")"
grep -q 'exit status 3; what it changed was rolled back' "$TMP/events" || fail 'not told'
grep -q 'one\\nintact' "$TMP/events" || fail 'not rolled back'
grep -q 'timed out and was killed' "$TMP/events" || fail 'no time-out'
eq one "$(cat one)"
eq three "$(cat three)"
[ -e Makefile ] && [ ! -e two ] || fail 'not rolled back in the base'
