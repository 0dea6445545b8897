#!/bin/bash
# P6: shared mappings, read and write show each other's bytes at once, in a base file, in a
# changed one and in a new one; what is mapped reaches the base.
# timeout: 20
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B"
head -c 100000 /dev/zero | tr '\0' b >"$B/base"
cp "$B/base" "$B/changed"
mount_ws "$B" "$M"
printf c | dd of="$M/changed" bs=1 seek=50000 conv=notrunc status=none
cp "$B/base" "$M/new"
hold_start
hold_start TWO
for f in base changed new; do
	say ok open 0 rw "$M/$f"
	say ok map 0 100000
	say ok @TWO open 0 rw "$M/$f"
	say 'ok b' peek 0 10
	say 'ok 3' @TWO write 0 10 XYZ
	say 'ok Y' peek 0 11
	say ok poke 0 12 P
	say 'ok XYP' @TWO read 0 10 3
	say ok poke 0 99999 E
	say ok msync 0
	say 'ok bE' @TWO read 0 99998 9
	say ok @TWO truncate 0 8192
	say SIGBUS peek 0 9000
	say ok @TWO truncate 0 100000
	say 'ok .' peek 0 9000
	say ok poke 0 9001 n
	say ok munmap 0
	say ok close 0
	say ok @TWO close 0
done
txfs -C "$M" sync || fail sync
for f in base changed new; do
	eq bXYPb "$(tail -c +10 "$B/$f" | head -c 5)" "$f"
	eq n "$(tail -c +9002 "$B/$f" | head -c 1)" "$f"
	cmp "$B/$f" "$M/$f" || fail "$f differs"
done
