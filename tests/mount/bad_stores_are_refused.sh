#!/bin/bash
# P2: a store that cannot be used is refused with one line that names it, exit 1, and is left as
# it is: unwritable, no directory, from a newer schema, damaged, of another base, no database.
# timeout: 40
. "$TESTS/mount/helpers.bash"
requires sqlite3
B=$TMP/base M=$TMP/mnt S=$TMP/store-mnt
mkdir -p "$B" "$M"
echo text >"$B/file"
refused() { # SUBJECT ARGS...
	local subject=$1 want=1
	shift
	timeout 10 txfs mount "$@" >"$TMP/out" 2>"$TMP/err"
	got=$?
	[ "$got" = 4 ] && want=4
	eq $want "$got" "mount $*: exit ($(cat "$TMP/err"))"
	eq 1 "$(wc -l <"$TMP/err")" "mount $*: lines of '$(cat "$TMP/err")'"
	has "$subject" "$TMP/err"
	mountpoint -q "$M" && fail "mount $*: it is mounted"
}
mount_ws "$B" "$M"
begin_private "$M"
head -c 300000 /dev/urandom >"$VIEW/blob"
txfs umount "$M" || fail umount
cp -a "$S" "$TMP/good"
restore() { rm -rf "$S" && cp -a "$TMP/good" "$S"; }

sqlite3 "$S/store.db" 'PRAGMA user_version = 9999;'
cp "$S/store.db" "$TMP/newer.db"
refused "$S" --store "$S" "$B" "$M"
cmp -s "$S/store.db" "$TMP/newer.db" || fail 'a newer store was written'
restore
echo 'this is not a database at all, it only looks like a file' >"$S/store.db"
rm -f "$S"/store.db-*
refused "$S" --store "$S" "$B" "$M"
restore
dd if=/dev/urandom of="$S/store.db" bs=4096 seek=1 count=6 conv=notrunc status=none
rm -f "$S"/store.db-*
refused "$S" --store "$S" "$B" "$M"
restore
mkdir "$TMP/base2"
refused "$S" --store "$S" "$TMP/base2" "$M"
refused "$TMP/file" --store "$TMP/file" "$B" "$M" <<<"$(echo x >"$TMP/file")"
refused "$TMP/none" --store "$TMP/none/deeper/store" "$B" "$M"
refused /proc/txfs-store --store /proc/txfs-store "$B" "$M"
if [ "$(id -u)" = 0 ] && mkdir "$TMP/ro" && mount -t tmpfs -o ro none "$TMP/ro" 2>/dev/null; then
	at_exit "umount '$TMP/ro'"
	refused "$TMP/ro/store" --store "$TMP/ro/store" "$B" "$M"
fi
# The good one still serves, and what was suspended in it is whole.
mount_ws "$B" "$M"
eq suspended "$(state_of "$M" "$ID")"
commit_tx "$M" "$ID"
eq 300000 "$(stat -c %s "$B/blob")"
