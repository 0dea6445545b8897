#!/bin/bash
# P3: a base mounted at another place shows the same tree, takes changes, and after umount
# the base holds them.
# timeout: 30
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
make_every_kind "$B"
manifest "$B" >"$TMP/before"
mount_ws "$B" "$M"
mountpoint -q "$M" || fail 'not a mount point'
manifest "$M" >"$TMP/through"
same_tree "$TMP/before" "$TMP/through" 'the mount shows another tree'
manifest "$B" >"$TMP/after"
same_tree "$TMP/before" "$TMP/after" 'looking changed the base'
[ -z "$(find "$M" -maxdepth 1 -name .txfs)" ] || fail '.txfs is listed'
echo new >"$M/new"
rm "$M/dir/x.o"
manifest "$M" >"$TMP/view"
txfs umount "$M" || fail 'umount'
mountpoint -q "$M" && fail 'still mounted'
manifest "$B" >"$TMP/after"
same_tree "$TMP/view" "$TMP/after" 'umount lost something'
