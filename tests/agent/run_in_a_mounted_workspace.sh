#!/bin/bash
# In a workspace that is mounted, in place or elsewhere: the view is at its own path, the
# mount stays, and what others do in the main view goes on beside it.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"
mount_ws "$P"
cd "$P" || exit 1
agentctl run -- sh -c 'test ! -e .txfs/ctl && echo in-place > made && pwd' >"$TMP/out" 2>"$TMP/talk" ||
	fail "$(cat "$TMP/talk")"
eq "$P" "$(cat "$TMP/out")"
eq in-place "$(cat made)"
mountpoint -q "$P" || fail 'unmounted'
status 5 agentctl run -- sh -c 'echo lost > made; exit 5' 2>/dev/null
eq in-place "$(cat made)"
make_project "$TMP/other"
mount_ws "$TMP/other" "$TMP/mnt"
cd "$TMP/mnt" || exit 1
agentctl run -- sh -c 'echo elsewhere > made && pwd' >"$TMP/out" 2>"$TMP/talk" || fail "$(cat "$TMP/talk")"
eq "$TMP/mnt" "$(cat "$TMP/out")"
eq elsewhere "$(cat "$TMP/mnt/made")"
eq elsewhere "$(cat "$TMP/other/made")"
cd / || exit 1
