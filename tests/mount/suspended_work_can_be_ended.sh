#!/bin/bash
# P2: an open transaction that lost its mount, by umount or by death of the daemon, is
# suspended: the main view shows the committed state; it can be listed, committed or aborted.
# timeout: 40
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
make_every_kind "$B"
mount_ws "$B" "$M"
manifest "$B" >"$TMP/before"
begin_private "$M" --label kept
echo kept >"$VIEW/file" && rm "$VIEW/nothing" && mkdir "$VIEW/new" && mv "$VIEW/dir" "$VIEW/new/dir"
manifest "$VIEW" >"$TMP/kept"
KEPT=$ID
begin_private "$M" --label dropped
echo dropped >"$VIEW/dropped" && rm -rf "$VIEW/.git"
DROPPED=$ID
begin_main "$M" --label main
echo main >"$M/main"
MAIN=$ID
txfs umount "$M" || fail umount
manifest "$B" >"$TMP/now"
same_tree "$TMP/before" "$TMP/now" 'the base after umount'
mount_ws "$B" "$M"
manifest "$M" >"$TMP/now"
same_tree "$TMP/before" "$TMP/now" 'the main view shows suspended work'
for id in "$KEPT" "$DROPPED" "$MAIN"; do eq suspended "$(state_of "$M" "$id")"; done
[[ $(txfs -C "$M" status) == *' 3 suspended'* ]] || fail 'status does not count them'
txfs -C "$M" diff --tx dropped >"$TMP/diff" || fail 'diff of a suspended transaction'
has '+ dropped' "$TMP/diff"
abort_tx "$M" "$DROPPED"
manifest "$M" >"$TMP/now"
same_tree "$TMP/before" "$TMP/now" 'abort of a suspended transaction'
kill_daemon "$M"
mount_ws "$B" "$M"
eq suspended "$(state_of "$M" "$KEPT")"
eq aborted "$(state_of "$M" "$DROPPED")"
commit_tx "$M" kept
manifest "$M" >"$TMP/now"
same_tree "$TMP/kept" "$TMP/now" 'commit of a suspended transaction, main view'
manifest "$B" >"$TMP/now"
same_tree "$TMP/kept" "$TMP/now" 'commit of a suspended transaction, base'
eq committed "$(state_of "$M" "$KEPT")"
commit_tx "$M" "$MAIN"
eq main "$(cat "$B/main")"
eq "" "$(txfs -C "$M" ls)"
