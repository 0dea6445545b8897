#!/bin/bash
# P2: outside of a transaction changes reach the base by themselves: within the interval, at
# fsync, by `txfs sync` and by umount.
# timeout: 30
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B"
echo old >"$B/file"
mount_ws "$B" "$M" -o interval=0.3

echo one >"$M/by-interval"
mkdir "$M/dir"
[ ! -e "$B/by-interval" ] || echo 'note: committed at once'
in_base() { [ "$(cat "$B/$1" 2>/dev/null)" = "$2" ]; }
wait_for 5 in_base by-interval one
wait_for 5 test -d "$B/dir"
txfs umount "$M" || fail umount

mount_ws "$B" "$M" -o interval=600
hold_start
say ok open 0 rw+c "$M/by-fsync"
say 'ok 4' write 0 0 data
say ok fsync 0
eq data "$(cat "$B/by-fsync")" 'fsync returned before the base had it'
say 'ok 4' write 0 4 more
say ok fdatasync 0
eq datamore "$(cat "$B/by-fsync")" 'fdatasync returned before the base had it'
say ok close 0

echo two >"$M/by-sync"
sleep 0.5
[ ! -e "$B/by-sync" ] || fail 'the interval is not kept'
[[ $(txfs -C "$M" status) == *' changes pending'* ]] || fail 'status does not say what is pending'
txfs -C "$M" sync || fail sync
eq two "$(cat "$B/by-sync")"

echo three >"$M/file"
mv "$M/by-sync" "$M/dir/moved"
rm "$M/by-interval"
manifest "$M" >"$TMP/view"
txfs umount "$M" || fail umount
manifest "$B" >"$TMP/base.m"
same_tree "$TMP/view" "$TMP/base.m" 'umount lost something'
