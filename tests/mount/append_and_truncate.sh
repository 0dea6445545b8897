#!/bin/bash
# P6: O_APPEND writes at the end whoever else wrote, O_TRUNC and ftruncate do what ext4 does,
# times move when ext4 moves them, also truncate to the same size.
# timeout: 20
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B"
printf base >"$B/log"
mount_ws "$B" "$M"
hold_start
hold_start TWO
say ok open 0 rw+a "$M/log"
say ok @TWO open 0 rw+a "$M/log"
say 'ok 1' write 0 -1 1
say 'ok 1' @TWO write 0 -1 2
say 'ok 1' write 0 -1 3
say ok @TWO truncate 0 5
say 'ok 1' write 0 -1 4
say 'ok base14' read 0 0 99
# Many appenders at once lose nothing.
for i in $(seq 8); do
	(for j in $(seq 50); do echo "$i $j" >>"$M/many"; done) &
	pids[i]=$!
done
wait "${pids[@]}"
eq 400 "$(sort -u "$M/many" | wc -l)" 'lines of eight appenders'
python3 - "$M/log" <<'END' || fail 'times'
import os, sys, time
p = sys.argv[1]
def moved(what, f):
    os.utime(p, ns=(1000000007, 2000000009))
    before = os.stat(p)
    assert (before.st_mtime_ns, before.st_size) == (2000000009, before.st_size), before
    time.sleep(0.01)
    f()
    after = os.stat(p)
    assert (after.st_mtime_ns != 2000000009) == what, (what, after)
    assert after.st_ctime_ns > before.st_ctime_ns, "ctime stands still"
size = os.stat(p).st_size
moved(True, lambda: os.truncate(p, size))
moved(True, lambda: os.close(os.open(p, os.O_WRONLY | os.O_TRUNC)))
moved(True, lambda: open(p, "w").write("x"))
moved(False, lambda: os.chmod(p, 0o640))
moved(False, lambda: os.setxattr(p, "user.a", b"1"))
moved(False, lambda: os.link(p, p + "2"))
moved(False, lambda: os.rename(p + "2", p + "3"))
d = os.path.dirname(p)
os.utime(d, ns=(5, 6))
open(d + "/n", "w").close()
assert os.stat(d).st_mtime_ns != 6, "mtime of a directory"
os.utime(d, ns=(5, 6))
open(d + "/n", "w").write("x")
assert os.stat(d).st_mtime_ns == 6, "a write moves the directory's mtime"
END
