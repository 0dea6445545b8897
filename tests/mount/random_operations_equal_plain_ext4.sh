#!/bin/bash
# P1, P2, P6: random operations answer and leave in a view what they do on plain ext4; rollback,
# commit and abort keep to it, with every kind of metadata. SEEDS: which ones.
# timeout: 60
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt P=$TMP/plain
ops() { # SEED STEPS PLAIN VIEW
	python3 "$TESTS/tools/fuzzops.py" "$@" || fail "seed $1"
}
tree() { # DIR FILE
	python3 "$TESTS/manifest.py" "$1" >"$TMP/m.$2" || fail "manifest of $1"
}
same() { # FILE FILE WHAT
	cmp -s "$TMP/m.$1" "$TMP/m.$2" || {
		diff "$TMP/m.$1" "$TMP/m.$2" | cut -c1-200 | head -6 >&2
		fail "seed $seed: $3"
	}
}
for seed in ${SEEDS:-$(seq 3)}; do
	rm -rf "$B" "$P" "$TMP/twin" "$TMP/store-mnt" && mkdir -p "$B" "$TMP/twin"
	ops "$seed" 150 "$B" "$TMP/twin"
	cp -a "$B" "$P"
	mount_ws "$B" "$M"
	begin_private "$M"
	tree "$B" before
	ops "$((seed + 1000))" 150 "$P" "$VIEW"
	txfs -C "$M" savepoint --tx "$ID" here || fail savepoint
	tree "$VIEW" saved
	cp -a "$VIEW" "$TMP/twin/view"
	ops "$((seed + 2000))" 100 "$TMP/twin/view" "$VIEW"
	rm -rf "$TMP/twin"
	txfs -C "$M" rollback --tx "$ID" here || fail rollback
	tree "$VIEW" rolled
	same saved rolled 'a rollback gives the tree at the savepoint back'
	ops "$((seed + 3000))" 100 "$P" "$VIEW"
	tree "$B" untouched
	same before untouched 'the base does not change before the commit'
	tree "$VIEW" view
	commit_tx "$M" "$ID"
	tree "$B" base
	same view base 'the base after the commit equals the view before it'
	tree "$M" main
	same view main 'the main view shows the commit'
	txfs -C "$M" begin >/dev/null 2>&1 || fail begin
	ops "$((seed + 4000))" 100 "$P" "$M"
	txfs -C "$M" abort >/dev/null 2>&1 || fail abort
	tree "$M" aborted
	same main aborted 'an abort gives the tree at begin back'
	txfs umount "$M" || fail umount
	tree "$B" after
	same base after 'the base after the abort'
done
