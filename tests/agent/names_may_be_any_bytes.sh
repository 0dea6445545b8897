#!/bin/bash
# Names that are not UTF-8, in the workspace's path and in the command, are judged and run.
. "$TESTS/lib.sh"
requires_fuse
export HOME=$TMP/home
W=$TMP/$'w\xff x'
mkdir -p "$HOME" "$W"
cd "$W" || fail cd
agentctl run --no-keep --workspace "$W" -- touch $'new\xfe' || fail 'a harmless command'
[ -e $'new\xfe' ] || fail 'the file is not there'
agentctl run --no-keep --workspace "$W" -- rm -rf $'/etc/\xff' 2>"$TMP/err"
eq 126 $? 'a deletion outside'
grep -q 'outside the workspace' "$TMP/err" || fail "the reason: $(cat "$TMP/err")"
