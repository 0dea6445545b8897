#!/bin/bash
# P7: requests that reach the daemon: none for a warm stat, open, read, close and listing; at
# most 5 for a small file created, written and closed; at most 2 for an unlink (the second asks
# for the attributes of the directory, which the kernel forgets).
# timeout: 30
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B/dir" "$B/out"
for i in $(seq 50); do seq "$i" 200 >"$B/dir/f$i"; done
mount_ws "$B" "$M" -o interval=600
count() { # NAME LIMIT N CODE: python on VIEW, N times
	local before after empty
	before=$(requests "$M")
	after=$(requests "$M")
	empty=$((after - before))
	before=$after
	python3 -I -c "import os
os.chdir('$VIEW')
$4" || fail "$1"
	after=$(($(requests "$M") - before - empty))
	# The interpreter's own way to the directory is not what is counted.
	echo "$1: $after requests for $3"
	[ "$((after - 12))" -le $(($2 * $3)) ] || fail "$1: $after requests for $3, at most $2 each"
}
begin_private "$M"
cat "$VIEW"/dir/* >/dev/null
ls -l "$VIEW/dir" "$VIEW/out" >/dev/null
# The first read of a file makes its access time unknown to the kernel; stat asks once more.
stat "$VIEW"/dir/* >/dev/null
count 'stat' 0 50 "for i in range(1, 51): os.stat(f'dir/f{i}')"
count 'open, read, close' 0 50 "for i in range(1, 51):
    fd = os.open(f'dir/f{i}', os.O_RDONLY)
    os.read(fd, 9000)
    os.close(fd)"
count 'listing' 0 50 "for i in range(1, 51): os.listdir('dir')"
count 'missing name' 0 49 "for i in range(1, 51):
    os.path.exists('dir/none')"
count 'create, write, close' 5 100 "for i in range(100):
    fd = os.open(f'out/n{i}', os.O_CREAT | os.O_WRONLY | os.O_EXCL)
    os.write(fd, b'x' * 1000)
    os.close(fd)"
count 'append' 3 50 "for i in range(50):
    fd = os.open(f'out/n{i}', os.O_APPEND | os.O_WRONLY)
    os.write(fd, b'x' * 1000)
    os.close(fd)"
count 'unlink' 2 100 "for i in range(100): os.unlink(f'out/n{i}')"
abort_tx "$M" "$ID"
