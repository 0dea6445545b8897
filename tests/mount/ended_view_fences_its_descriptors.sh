#!/bin/bash
# P4: a private view that ends takes its descriptors along: ESTALE, mappings SIGBUS, and
# nothing written through them afterwards lands anywhere.
# timeout: 40
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B/dir"
head -c 65536 /dev/zero | tr '\0' a >"$B/mapped"
echo text >"$B/file"
mount_ws "$B" "$M"
hold_start
for end in abort commit; do
	begin_private "$M"
	say ok open 0 rw "$VIEW/file"
	say ok open 1 rw "$VIEW/mapped"
	say ok map 1 65536
	say 'ok a' peek 1 0
	say ok poke 1 0 b
	say ok msync 1
	say ok open 2 rw+c "$VIEW/made"
	say 'ok 5' write 2 0 hello
	say ok open 3 r+D "$VIEW/dir"
	manifest "$VIEW" >"$TMP/view"
	manifest "$B" >"$TMP/before"
	"${end}_tx" "$M" "$ID"
	say ESTALE read 0 0 4
	say ESTALE write 0 0 evil
	say ESTALE write 2 0 evil
	say ESTALE read 2 0 4
	hold poke 1 5 Z >/dev/null
	hold poke 1 40000 Z >/dev/null
	hold fsync 1 >/dev/null
	[ "$SAID" = ESTALE ] || [ "$SAID" = EIO ] || fail "$end: fsync of a fenced file says $SAID"
	hold stat 0 >/dev/null
	[ "$SAID" = ESTALE ] || fail "$end: fstat of a fenced file says $SAID"
	say ok munmap 1
	for i in 0 1 2 3; do hold close $i >/dev/null; done
	txfs -C "$M" sync || fail sync
	manifest "$B" >"$TMP/now"
	if [ "$end" = abort ]; then
		same_tree "$TMP/before" "$TMP/now" 'something landed after abort'
	else
		same_tree "$TMP/view" "$TMP/now" 'something landed after commit'
	fi
	manifest "$M" >"$TMP/main"
	same_tree "$TMP/now" "$TMP/main" "$end: main view and base differ"
done
