#!/bin/bash
# Who reads the events may go away: the work goes on to its end, and no transaction is left
# open. A command inside has its own SIGPIPE.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"
cd "$P" || exit 1
printf '%s\n' '{"run": "echo 1 > one; sleep 0.5"}' '{"run": "yes | head -n 1; echo ${PIPESTATUS[0]} > two"}' \
	'{"done": "so"}' >"$TMP/script"
agentctl task --script "$TMP/script" --json 'x' 2>"$TMP/talk" | head -n 1 >"$TMP/out"
eq '0 0' "${PIPESTATUS[*]}"
eq 1 "$(cat one)"
eq 141 "$(cat two)"
agentctl run --no-keep --json -- sh -c 'echo words; sleep 0.5; echo 3 > three' 2>"$TMP/talk" | head -n 1 >"$TMP/out"
eq '0 0' "${PIPESTATUS[*]}"
eq 3 "$(cat three)"
