#!/bin/bash
# P6: fallocate (plain, keep-size, punch, zero), SEEK_HOLE and SEEK_DATA, sparse copies: the
# same bytes, sizes and holes as on ext4, before and after commit.
# timeout: 20
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt P=$TMP/plain
mkdir -p "$B" "$P"
head -c 200000 /dev/zero | tr '\0' d >"$B/base"
truncate -s 1M "$B/sparse" && printf data | dd of="$B/sparse" bs=1 seek=500000 conv=notrunc status=none
cp -a --sparse=always "$B/." "$P"
mount_ws "$B" "$M"
play() { # DIR: commands on its files; answers to stdout
	"$TOOLS/hold" <<-END
		open 0 rw $1/base
		fallocate 0 punch 5000 100000
		stat 0
		read 0 4990 20
		seek 0 hole 0
		seek 0 data 8192
		seek 0 data 190000
		seek 0 data 200001
		seek 0 hole 199999
		fallocate 0 zero 120000 1000
		read 0 119998 5
		fallocate 0 keep 300000 50000
		fallocate 0 plain 200000 20000
		read 0 210000 3
		write 0 250000 tail
		seek 0 hole 230000
		seek 0 data 230000
		open 1 rw+c $1/new
		truncate 1 400000
		seek 1 data 0
		seek 1 hole 0
		write 1 200000 middle
		seek 1 data 0
		seek 1 hole 200000
		seek 1 data 300000
		open 2 rw $1/sparse
		seek 2 data 0
		seek 2 hole 500000
		write 2 800000 more
		seek 2 data 600000
		fallocate 2 punch 499712 8192
		seek 2 data 0
	END
}
play "$P" | sed 's/ino=.*//' >"$TMP/want"
play "$M" | sed 's/ino=.*//' >"$TMP/got"
diff "$TMP/want" "$TMP/got" >&2 || fail 'ext4 (<) and the mount (>) answer differently'
for d in "$P" "$M"; do cp --sparse=always "$d/new" "$d/copy" && cp "$d/sparse" "$d/copy2"; done
txfs -C "$M" sync || fail sync
for f in base new sparse copy copy2; do
	cmp "$P/$f" "$M/$f" || fail "$f differs in the mount"
	cmp "$P/$f" "$B/$f" || fail "$f differs in the base"
done
[ "$(stat -c %b "$B/copy")" -lt 100 ] || fail 'a sparse copy is not sparse in the base'
[ "$(stat -c %b "$B/new")" -lt 100 ] || fail 'a sparse file is not sparse in the base'
