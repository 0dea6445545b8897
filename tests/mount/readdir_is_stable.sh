#!/bin/bash
# P6: a directory that changes while it is read shows every name that stays exactly once; d_ino
# equals st_ino; very many names can be made, listed and removed (100,000 in tests/long).
# timeout: 60
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B/few"
(cd "$B/few" && seq -f 'stay%g' 1500 | xargs touch)
mount_ws "$B" "$M" -o interval=600
begin_private "$M"
cat >"$TMP/read.py" <<'END'
import os, sys
top, n = sys.argv[1] + "/few", 0
os.chdir(top)
want = {f"stay{i}" for i in range(1, 1501)}
with os.scandir(".") as it:
    seen = []
    for e in it:
        seen.append(e.name)
        n += 1
        if n % 7 == 0:
            open(f"new{n}", "w").close()
        if n % 11 == 0 and os.path.exists(f"new{n - n % 7}"):
            os.unlink(f"new{n - n % 7}")
        if n > 20000:
            sys.exit("a listing without end")
stay = [s for s in seen if s in want]
assert len(stay) == len(set(stay)) == 1500, ("main", len(stay), len(set(stay)))
for e in os.scandir("."):
    assert e.inode() == e.stat(follow_symlinks=False).st_ino, ("d_ino", e.name)
fd = os.open(".", os.O_RDONLY)
for e in os.listdir("."):
    os.unlink(e)
assert os.listdir(".") == []
END
python3 "$TMP/read.py" "$M" || fail 'main view'
python3 "$TMP/read.py" "$VIEW" || fail 'private view'
abort_tx "$M" "$ID"
begin_private "$M"
python3 - "$VIEW" "${MANY:-20000}" <<'END' || fail 'many names'
import os, sys
os.chdir(sys.argv[1])
many = int(sys.argv[2])
os.mkdir("many")
for i in range(many):
    os.mknod(f"many/{i}")
names = os.listdir("many")
assert len(names) == len(set(names)) == many, (len(names), len(set(names)))
for i in range(0, many, 2):
    os.unlink(f"many/{i}")
names = os.listdir("many")
assert len(names) == len(set(names)) == many // 2 and all(int(n) % 2 for n in names)
for n in names:
    os.unlink(f"many/{n}")
os.rmdir("many")
END
eq '' "$(txfs -C "$VIEW" diff)" 'a diff of nothing'
abort_tx "$M" "$ID"
