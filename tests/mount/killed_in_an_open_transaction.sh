#!/bin/bash
# P2: kill -9 of the daemon with an open transaction: the base is untouched, the next mount
# takes over the dead one by itself, and all that was done up to the last fsync is suspended.
# timeout: 40
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
make_every_kind "$B"
manifest "$B" >"$TMP/before"
for place in elsewhere in-place; do
	[ $place = elsewhere ] || M=$B
	mount_ws "$B" "$M"
	begin_private "$M"
	for i in $(seq 50); do echo "$i" >"$VIEW/n$i"; done
	head -c 3M /dev/urandom >"$TMP/blob"
	cp "$TMP/blob" "$VIEW/blob"
	rm -r "$VIEW/dir"
	python3 -c 'import os, sys; os.fsync(os.open(sys.argv[1], os.O_RDWR))' "$VIEW/blob"
	for i in $(seq 51 90); do echo "$i" >"$VIEW/n$i"; done
	cd "$M" || exit 1
	kill_daemon "$M"
	ls "$M" >/dev/null 2>&1 && fail 'the mount answers without a daemon'
	mount_ws "$B" "$M" 2>"$TMP/talk"
	cd / || exit 1
	eq 1 "$(grep -c " $M fuse" /proc/self/mounts)" "$place: mounts on top of each other"
	manifest "$M" >"$TMP/now"
	same_tree "$TMP/before" "$TMP/now" "$place: the main view after the kill"
	eq suspended "$(state_of "$M" "$ID")"
	txfs -C "$M" diff --tx "$ID" >"$TMP/diff" || fail diff
	[ "$(grep -c '^+ n' "$TMP/diff")" -ge 50 ] || fail "$place: lost what was before an fsync"
	has '- dir/short' "$TMP/diff"
	# What is there is a prefix of what was done.
	eq "$(grep -c '^+ n' "$TMP/diff")" "$(grep '^+ n' "$TMP/diff" | sort -V | tail -n 1 | tr -d '+ n')" 'a gap'
	commit_tx "$M" "$ID"
	cmp "$TMP/blob" "$B/blob" || fail "$place: data"
	[ ! -e "$M/dir" ] || fail "$place: dir is still there"
	txfs umount "$M" || fail umount
	rm -rf "$B" "$TMP"/store-*
	make_every_kind "$B"
	manifest "$B" >"$TMP/before"
done
