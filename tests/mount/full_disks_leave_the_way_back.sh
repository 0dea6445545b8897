#!/bin/bash
# P2, P8: no room in the base: the commit fails, says so, changes nothing and can be tried
# again. No room for the store: writers get ENOSPC, what is there can be read, committed,
# rolled back and aborted, and work goes on when there is room.
# timeout: 40
. "$TESTS/mount/helpers.bash"
requires_root
M=$TMP/mnt
small_disk() { # DIR MIB
	mkdir -p "$1"
	mount -t tmpfs -o size="$2"m tmpfs "$1" || skip 'needs tmpfs'
	at_exit "umount '$1' 2>/dev/null || umount -l '$1'"
}

# --- the base
B=$TMP/small/base
small_disk "$TMP/small" 16
mkdir "$B"
head -c 8M /dev/urandom >"$B/big"
echo kept >"$B/note"
manifest "$B" >"$TMP/before"
mount_ws "$B" "$M"
begin_private "$M"
head -c 12M /dev/urandom >"$VIEW/more" || fail 'the store has room'
echo changed >"$VIEW/note"
status 1 txfs -C "$M" commit --tx "$ID" 2>"$TMP/err"
has 'no space left' "$TMP/err"
has 'try again' "$TMP/err"
manifest "$B" >"$TMP/after"
same_tree "$TMP/before" "$TMP/after" 'the base after a refused commit'
eq '' "$(find "$TMP/small" -name 's[0-9]*-[0-9]*')" 'left in staging'
rm "$VIEW/more"
commit_tx "$M" "$ID"
eq changed "$(cat "$B/note")"
txfs umount "$M" || fail umount

# --- the store
B=$TMP/roomy
mkdir "$B"
echo kept >"$B/note"
small_disk "$TMP/store-mnt" 24
mount_ws "$B" "$M"
full_store() { # fills it with a private transaction's data, then to the last byte
	begin_private "$M"
	txfs -C "$M" savepoint --tx "$ID" early || fail savepoint
	head -c 40M /dev/zero | tr '\0' x >"$VIEW/much" 2>/dev/null && fail 'there was room for 40 MiB in 24'
	echo small >"$VIEW/small"
	dd if=/dev/zero of="$TMP/store-mnt/ballast" bs=64k 2>/dev/null
	for i in $(seq 2000); do echo "$i" >"$VIEW/f$i" || break; done 2>/dev/null
	echo x 2>/dev/null >"$VIEW/last" && fail 'there is still room'
	[ -s "$VIEW/note" ] || fail 'cannot read'
	[ "$(stat -c %s "$VIEW/much")" -gt 8000000 ] || fail 'much'
}
full_store
txfs -C "$M" ls >"$TMP/out" || fail ls
has open "$TMP/out"
txfs -C "$M" diff --tx "$ID" >"$TMP/out" || fail diff
txfs -C "$M" abort --tx "$ID" >"$TMP/out" 2>&1 || { cat "$TMP/out"; fail abort; }
rm "$TMP/store-mnt/ballast"
eq kept "$(cat "$B/note")"
begin_private "$M"
wait_for 5 touch "$VIEW/note"
echo again >"$VIEW/note" || fail 'no work after the abort'
commit_tx "$M" "$ID"
eq again "$(cat "$B/note")"

full_store
eq again "$(cat "$B/note")"
txfs -C "$M" rollback --tx "$ID" early >/dev/null || fail rollback
rm "$TMP/store-mnt/ballast"
wait_for 5 touch "$VIEW/after"
[ ! -e "$VIEW/much" ] || fail 'not rolled back'
commit_tx "$M" "$ID"
eq 'after note' "$(cd "$B" && echo *)"

pool_is_empty() { [ -z "$(ls "$TMP/store-mnt/pool")" ]; }
wait_for 5 pool_is_empty

# Killed while full: suspended, and can be aborted.
full_store
kill_daemon "$M"
rm "$TMP/store-mnt/ballast"
mount_ws "$B" "$M"
eq suspended "$(state_of "$M" "$ID")"
abort_tx "$M" "$ID"
eq 'after note' "$(cd "$B" && echo *)"
