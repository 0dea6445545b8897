#!/bin/bash
# P1, P2: pages dirtied through mappings before a boundary belong to its old side, later ones
# to the new side: at begin, savepoint, rollback, abort and commit, with files open, closed but
# mapped, with one worker, with two and with many pages.
# timeout: 60
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
for workers in 1 2 8; do
	rm -rf "$B" && mkdir -p "$B"
	head -c 3M /dev/zero | tr '\0' o >"$B/big"
	head -c 9000 /dev/zero | tr '\0' o >"$B/small"
	mount_ws "$B" "$M" -o "workers=$workers,interval=600"
	hold_start
	for f in big small; do
		len=9000
		[ $f = small ] || len=3000000
		say ok open 0 rw "$M/$f"
		say ok map 0 $len
		say ok close 0
		say ok dirty 0 0 $len p
		begin_main "$M" --force
		eq p "$(head -c $len "$B/$f" | tr -s p)" "$f: dirtied before begin, not in the base"
		say ok dirty 0 0 $len q
		txfs -C "$M" savepoint s || fail savepoint
		say ok dirty 0 0 $len r
		eq r "$(head -c $len "$M/$f" | tr -s r)"
		txfs -C "$M" rollback s || fail rollback
		eq q "$(head -c $len "$M/$f" | tr -s q)" "$f: dirtied before the savepoint"
		hold dirty 0 0 $len Z >/dev/null
		eq q "$(head -c $len "$M/$f" | tr -s q)" "$f: written through a mapping that was rolled back"
		hold munmap 0 >/dev/null
		say ok open 0 rw "$M/$f"
		say ok map 0 $len
		say ok dirty 0 0 $len t
		commit_tx "$M"
		eq t "$(head -c $len "$B/$f" | tr -s t)" "$f: dirtied before commit"
		begin_main "$M" --force
		say ok dirty 0 0 $len u
		abort_tx "$M"
		eq t "$(head -c $len "$M/$f" | tr -s t)" "$f: dirtied before abort, still there"
		hold dirty 0 0 $len Z >/dev/null
		hold munmap 0 >/dev/null
		hold close 0 >/dev/null
		txfs -C "$M" sync || fail sync
		eq t "$(head -c $len "$B/$f" | tr -s t)" "$f: written after abort"
	done
	begin_private "$M"
	say ok open 0 rw "$VIEW/big"
	say ok map 0 3000000
	say ok dirty 0 0 3000000 v
	commit_tx "$M" "$ID"
	eq v "$(head -c 3000000 "$B/big" | tr -s v)" 'dirtied before commit of a private view'
	hold dirty 0 0 3000000 Z >/dev/null
	hold munmap 0 >/dev/null
	hold close 0 >/dev/null
	txfs -C "$M" sync
	eq v "$(head -c 3000000 "$B/big" | tr -s v)" 'dirtied after commit of a private view'
	cmp "$M/big" "$B/big" || fail 'view and base differ'
	kill "$HOLD_PID" && wait "$HOLD_PID" 2>/dev/null
	txfs umount "$M" || fail umount
done
