#!/bin/bash
# --keep leaves the transaction to a person, who takes it later with txfs.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"
cd "$P" || exit 1
agentctl run --keep --json --label mine -- sh -c 'echo kept > made' >"$TMP/events" 2>"$TMP/talk" ||
	fail "$(cat "$TMP/talk")"
eq kept "$(event_of "$TMP/events" end outcome)"
tx=$(event_of "$TMP/events" end tx)
[ ! -e made ] || fail 'published'
txfs -C "$P" diff --tx "$tx" >"$TMP/diff" || fail 'no diff'
has 'made' "$TMP/diff"
txfs -C "$P" commit --tx "$tx" || fail 'cannot commit later'
eq kept "$(cat "$P/made")"
cd / && mnt=$(awk -v t="$TMP/state/" 'index($5, t) == 1 { print $5 }' /proc/self/mountinfo)
[ -n "$mnt" ] || fail 'the mount of a kept transaction is gone'
txfs umount "$mnt" || fail "cannot unmount $mnt"
