#!/bin/bash
# A command that fails leaves every file as it was, and its own status is the exit status.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"
manifest "$P" >"$TMP/before"
cd "$P" || exit 1
status 3 agentctl run -- sh -c 'rm -rf .git src build empty; chmod 777 .; echo x > Makefile; exit 3' \
	2>"$TMP/talk"
cd / || exit 1
manifest "$P" >"$TMP/after"
same_tree "$TMP/before" "$TMP/after"
has ' aborted: ' "$TMP/talk"
# the check decides as well
cd "$P" || exit 1
status 120 agentctl run --check 'test -e nothing' -- touch made 2>"$TMP/talk"
has 'check failed' "$TMP/talk"
[ ! -e made ] || fail 'published in spite of the check'
agentctl run --check 'test -e made' -- touch made 2>/dev/null || fail 'a good check fails'
[ -e made ] || fail 'not published'
