#!/bin/bash
# P2: what a transaction made, of every type and with all metadata, is in the base after its
# commit, and equals what the same work makes on plain ext4.
# timeout: 30
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B" "$TMP/plain"
mount_ws "$B" "$M"
begin_private "$M"
make_every_kind "$VIEW/tree"
make_every_kind "$TMP/plain/tree"
# The content is random: the same in both.
cat "$TMP/plain/tree/dir/deep/blob" >"$VIEW/tree/dir/deep/blob"
manifest "$VIEW" >"$TMP/view"
commit_tx "$M" "$ID"
manifest "$B" >"$TMP/base.m"
same_tree "$TMP/view" "$TMP/base.m" 'base and view differ'
manifest "$M" >"$TMP/main"
same_tree "$TMP/view" "$TMP/main" 'main view and private view differ'
manifest --no-times "$TMP/plain" >"$TMP/plain.m"
manifest --no-times "$B" >"$TMP/base.m"
same_tree "$TMP/plain.m" "$TMP/base.m" 'plain ext4 and base differ'
txfs umount "$M" && mount_ws "$B" "$M"
manifest "$M" >"$TMP/main"
same_tree "$TMP/view" "$TMP/main" 'the next mount shows another tree'
