#!/bin/bash
# P1, P2: while others write, create and rename all the time, savepoints and rollbacks give
# exact states: a commit cuts each writer's sequence at one point.
# timeout: 40
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B"
mount_ws "$B" "$M" -o interval=600
writer() { # NAME: file N+1 only after file N, each whole
	local i=0
	while [ ! -e "$TMP/stop" ]; do
		i=$((i + 1))
		echo "$1 $i" >"$M/$1.tmp" 2>/dev/null && mv "$M/$1.tmp" "$M/$1.$i" 2>/dev/null
	done
}
writer a & pa=$!
writer b & pb=$!
at_exit "touch '$TMP/stop'; wait $pa $pb"
last=0
for _ in 1 2 3 4 5; do
	begin_main "$M" --force
	sleep 0.1
	commit_tx "$M"
	python3 - "$B" <<-'END' || fail 'a commit is not a prefix of what was written'
		import os, sys
		for w in "ab":
		    have = sorted(int(n.split(".")[1]) for n in os.listdir(sys.argv[1]) if n.startswith(w + ".") and not n.endswith("tmp"))
		    assert have == list(range(1, len(have) + 1)), (w, have[-3:], len(have))
		    for n in have[-20:]:
		        assert open(f"{sys.argv[1]}/{w}.{n}").read() == f"{w} {n}\n", (w, n)
	END
	now=$(find "$B" -name '*.[0-9]*' | wc -l)
	[ "$now" -gt "$last" ] || fail 'nothing was committed'
	last=$now
done
touch "$TMP/stop"
wait "$pa" "$pb"
txfs -C "$M" sync || fail sync
manifest "$M" >"$TMP/m" && manifest "$B" >"$TMP/b"
same_tree "$TMP/m" "$TMP/b" 'view and base differ'
