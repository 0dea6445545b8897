#!/bin/bash
# A command that succeeds is published whole, and the run leaves no mount behind.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"
cd "$P" || exit 1
agentctl run -- sh -c 'echo new > added && chmod 640 Makefile && rm src/main.c && mkdir -p a/b/c' \
	2>"$TMP/talk" || fail "run failed: $(cat "$TMP/talk")"
eq new "$(cat added)"
eq 640 "$(stat -c %a Makefile)"
[ ! -e src/main.c ] || fail 'src/main.c is still there'
[ -d a/b/c ] || fail 'a/b/c is missing'
eq 'not tracked' "$(cat 'note with blanks.txt')"
has ' committed: ' "$TMP/talk"
has 'commit ' "$TMP/talk"
if awk '{ print $5 }' /proc/self/mountinfo | grep -qF "$TMP"; then fail 'a mount is left'; fi
# from a directory inside; and a second run sees the first one's work
cd a/b && agentctl run -- sh -c 'pwd > here && cat ../../added' >"$TMP/out" 2>>"$TMP/talk" ||
	fail "second run failed: $(cat "$TMP/talk")"
eq "$P/a/b" "$(cat here)"
eq new "$(cat "$TMP/out")"
