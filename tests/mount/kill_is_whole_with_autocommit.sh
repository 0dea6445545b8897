#!/bin/bash
# P2: kill -9 of the daemon while the main view's own changes are committed by themselves: the
# base is whole, what was fsynced is there, each file is old or new, never a mix.
# timeout: 40
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B"
for round in 1 2 3; do
	mount_ws "$B" "$M" -o interval=0.05
	pid=$(daemon_pid "$M")
	echo 0 >"$TMP/synced"
	(wait_for 10 grep -q '[1-9]' "$TMP/synced" && sleep 0.$((round * 2)) && kill -9 "$pid") &
	python3 - "$M" "$TMP/synced" <<-'END'
		import os, sys
		n = 0
		try:
		    while True:
		        n += 1
		        p = f"{sys.argv[1]}/f{n % 20}"
		        fd = os.open(p + ".tmp", os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o644)
		        os.write(fd, (f"{n} " * 2000).encode())
		        if n % 10 == 0:
		            os.fsync(fd)
		        os.close(fd)
		        os.rename(p + ".tmp", p)
		        if n % 10 == 0:
		            fd = os.open(sys.argv[1], os.O_RDONLY)
		            os.fsync(fd)
		            os.close(fd)
		            open(sys.argv[2], "w").write(str(n))
		except OSError:
		    pass
	END
	wait
	wait_for 10 gone "$M"
	txfs mount --store "$TMP/store-mnt" "$B" "$M" 2>"$TMP/talk" || { cat "$TMP/talk" >&2 && fail 'next mount'; }
	python3 - "$M" "$B" "$TMP/synced" <<-'END' || fail "round $round"
		import os, sys
		seen = 0
		for top in sys.argv[1:3]:
		    for name in os.listdir(top):
		        words = open(f"{top}/{name}").read().split()
		        assert len(set(words)) <= 1 and len(words) in (0, 2000), (name, len(words), set(words))
		        assert words or name.endswith(".tmp"), name
		        seen = max(seen, int(words[0])) if words else seen
		synced = int(open(sys.argv[3]).read())
		assert seen >= synced, f"{synced} was synced, newest is {seen}"
	END
	txfs umount "$M" || fail umount
	rm -f "$B"/*
done
