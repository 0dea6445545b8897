#!/bin/bash
# P7: begin, savepoint, rollback and abort take as long on 10,000 files as on 100 (medians of
# 15, within a factor of three, since a loaded machine jitters).
# timeout: 60
. "$TESTS/mount/helpers.bash"
medians() { # MNT: begin savepoint rollback abort in us, for one changed file
	python3 - "$1" <<-'END'
		import os, statistics, subprocess, sys, time
		mnt, took = sys.argv[1], {}
		def txfs(*args):
		    began = time.monotonic()
		    out = subprocess.run(["txfs", "-C", mnt, *args], check=True, capture_output=True, text=True).stdout
		    took.setdefault(args[0], []).append(time.monotonic() - began)
		    return out
		for i in range(15):
		    tx, view = txfs("begin", "--private").split("\n")[:2]
		    open(view + "/d1/f1", "a").write("x")
		    txfs("savepoint", "--tx", tx, "s")
		    open(view + "/d1/f2", "a").write("x")
		    txfs("rollback", "--tx", tx, "s")
		    txfs("abort", "--tx", tx)
		print(*(int(statistics.median(took[k]) * 1e6) for k in ("begin", "savepoint", "rollback", "abort")))
	END
}
us100=() us10000=()
for n in 100 10000; do
	python3 - "$TMP/base$n" "$n" <<-'END'
		import os, sys
		for i in range(int(sys.argv[2])):
		    d = f"{sys.argv[1]}/d{i // 100 + 1}"
		    os.makedirs(d, exist_ok=True)
		    open(f"{d}/f{i % 100 + 1}", "w").write("x" * 100)
	END
	mount_ws "$TMP/base$n" "$TMP/mnt$n"
	find "$TMP/mnt$n" -type f -exec cat {} + >/dev/null
	read -r -a "us$n" <<<"$(medians "$TMP/mnt$n")"
done
echo "begin savepoint rollback abort: ${us100[*]} us on 100 files, ${us10000[*]} us on 10,000"
for i in 0 1 2 3; do
	[ "${us10000[i]}" -lt $((3 * us100[i] + 1000)) ] || fail 'it grows with the workspace'
done
