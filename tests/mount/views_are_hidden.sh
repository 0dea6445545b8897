#!/bin/bash
# P9: state changes need the token that begin returned: with another state directory, or when
# the token is gone, commit, abort and savepoints exit 4 and change nothing; a view has no
# .txfs; that of the main view is not listed and belongs to its owner alone.
# timeout: 30
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B"
echo text >"$B/file"
mount_ws "$B" "$M"
begin_private "$M"
echo change >"$VIEW/file"
[ ! -e "$VIEW/.txfs" ] || fail 'a private view has .txfs'
eq 700 "$(stat -c %a "$M/.txfs")"
eq "$(id -u)" "$(stat -c %u "$M/.txfs")"
[[ "$(find "$M" -maxdepth 1)" != *.txfs* ]] || fail '.txfs is listed'
rmdir "$M/.txfs" 2>/dev/null && fail ".txfs can be removed"
mv "$M/.txfs" "$M/x" 2>/dev/null && fail '.txfs can be renamed'
mkdir "$M/.txfs" 2>/dev/null && fail '.txfs can be made'
[ -e "$M/.txfs/ctl" ] || fail '.txfs is gone'
mkdir -p "$TMP/other/workspaces" && chmod 700 "$TMP/other" && cp -a "$TXFS_STATE_DIR/workspaces/." "$TMP/other/workspaces"
for verb in commit abort 'savepoint s' 'rollback s' 'release s'; do
	# shellcheck disable=SC2086
	TXFS_STATE_DIR=$TMP/other txfs -C "$M" $verb --tx "$ID" >"$TMP/out" 2>"$TMP/err"
	eq 4 $? "$verb without the token"
	eq 1 "$(wc -l <"$TMP/err")" "lines of the message of $verb"
done
# A token of another transaction is as good as none.
mv "$TXFS_STATE_DIR/tokens" "$TMP/tokens"
ours=$VIEW
id=$ID
begin_private "$M"
for f in "$TMP"/tokens/*; do
	for g in "$TXFS_STATE_DIR"/tokens/*; do cp "$g" "$TXFS_STATE_DIR/tokens/$(basename "$f")"; done
done
txfs -C "$M" abort --tx "$id" >"$TMP/out" 2>"$TMP/err"
eq 4 $? 'abort with the token of another'
abort_tx "$M" "$ID"
eq change "$(cat "$ours/file")"
eq text "$(cat "$B/file")"
rm -r "$TXFS_STATE_DIR/tokens" && mv "$TMP/tokens" "$TXFS_STATE_DIR/tokens"
commit_tx "$M" "$id"
eq change "$(cat "$B/file")"
