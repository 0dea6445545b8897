#!/bin/bash
# P6: one list of calls on a mount and on ext4: the same answers, errors and bytes: exchange,
# noreplace, O_DIRECT, copy_file_range, names too long, loops, types.
# timeout: 20
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt P=$TMP/plain
for d in "$B" "$P"; do
	mkdir -p "$d/dir/sub" "$d/empty"
	echo one >"$d/one" && echo two >"$d/two"
	ln -s one "$d/soft" && ln -s loop "$d/loop"
	head -c 100000 /dev/zero | tr '\0' B >"$d/big"
done
mount_ws "$B" "$M"
cat >"$TMP/calls.py" <<'END'
import errno, os, stat, sys
top = sys.argv[1]
os.chdir(top)
def show(what, f):
    try:
        r = f()
    except OSError as e:
        r = errno.errorcode[e.errno]
    print(what, r)
def make(p):
    os.close(os.open(p, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o640))
def direct():
    import mmap
    fd = os.open("odirect", os.O_CREAT | os.O_RDWR | os.O_DIRECT, 0o600)
    m = mmap.mmap(-1, 8192)
    m.write(b"D" * 8192)
    n = os.write(fd, m)
    os.lseek(fd, 0, 0)
    r = os.readv(fd, [m])
    os.close(fd)
    return n, r, os.path.getsize("odirect")
def copied():
    a, b = os.open("big", os.O_RDONLY), os.open("copied", os.O_CREAT | os.O_RDWR, 0o644)
    n = os.copy_file_range(a, b, 70000, 100, 5000)
    return n, os.fstat(b).st_size, os.pread(b, 3, 5000)
def names(n):
    return sorted(os.listdir(n))
long = "n" * 255
show("long name", lambda: make(long))
show("longer name", lambda: make(long + "n"))
show("bytes", lambda: make(b"\xff\x01"))
show("dot", lambda: os.rmdir("dir/."))
show("exists", lambda: make("one"))
show("mkdir exists", lambda: os.mkdir("one"))
show("not a directory", lambda: make("one/x"))
show("missing parent", lambda: make("none/x"))
show("is a directory", lambda: os.open("dir", os.O_WRONLY))
show("unlink directory", lambda: os.unlink("dir"))
show("rmdir file", lambda: os.rmdir("one"))
show("rmdir full", lambda: os.rmdir("dir"))
show("rmdir missing", lambda: os.rmdir("none"))
show("unlink missing", lambda: os.unlink("none"))
show("loop", lambda: os.stat("loop"))
show("nofollow", lambda: os.open("soft", os.O_RDONLY | os.O_NOFOLLOW))
show("readlink of file", lambda: os.readlink("one"))
show("rename into itself", lambda: os.rename("dir", "dir/sub/dir"))
show("rename dir over file", lambda: os.rename("dir", "one"))
show("rename file over dir", lambda: os.rename("one", "dir"))
show("rename over full dir", lambda: os.rename("empty", "dir"))
show("rename missing", lambda: os.rename("none", "other"))
show("link of directory", lambda: os.link("dir", "dirlink"))
show("link exists", lambda: os.link("one", "two"))
show("link symlink", lambda: os.link("soft", "soft2", follow_symlinks=False))
show("links of symlink", lambda: os.lstat("soft2").st_nlink)
show("truncate directory", lambda: os.truncate("dir", 0))
show("negative truncate", lambda: os.truncate("one", -1))
show("huge truncate", lambda: os.truncate("one", 1 << 60))
show("read directory", lambda: os.read(os.open("dir", os.O_RDONLY), 10))
show("write on read-only", lambda: os.write(os.open("one", os.O_RDONLY), b"x"))
show("xattr", lambda: os.setxattr("one", "user.a", b"value"))
show("xattr create", lambda: os.setxattr("one", "user.a", b"value", os.XATTR_CREATE))
show("xattr replace", lambda: os.setxattr("one", "user.none", b"value", os.XATTR_REPLACE))
show("xattr get", lambda: os.getxattr("one", "user.a"))
show("xattr missing", lambda: os.getxattr("one", "user.none"))
show("xattr remove", lambda: os.removexattr("one", "user.a"))
show("xattr list", lambda: os.listxattr("one"))
show("xattr on symlink", lambda: os.setxattr("soft", "user.a", b"1", follow_symlinks=False))
show("xattr of no space", lambda: os.setxattr("one", "other.a", b"1"))
show("xattr empty", lambda: os.setxattr("one", "user.e", b""))
show("xattr list", lambda: os.listxattr("one"))
show("xattr long name", lambda: os.setxattr("one", "user." + "n" * 251, b"1"))
show("direct", direct)
show("copied", copied)
show("stat links", lambda: (os.stat("dir").st_nlink, os.stat("dir/sub").st_nlink))
show("mkdir links", lambda: (os.mkdir("dir/more"), os.stat("dir").st_nlink))
show("symlink size", lambda: os.lstat("soft").st_size)
show("long symlink", lambda: os.symlink("t" * 4000, "longlink"))
show("long symlink size", lambda: os.lstat("longlink").st_size)
show("longer symlink", lambda: os.symlink("t" * 4096, "longerlink"))
show("empty symlink", lambda: os.symlink("", "emptylink"))
show("fifo", lambda: os.mkfifo("fifo", 0o600))
show("fifo mode", lambda: oct(os.lstat("fifo").st_mode))
show("access", lambda: os.access("one", os.X_OK))
show("utime omit", lambda: os.utime("one", ns=(1, 1999999999999999999)))
show("mtime", lambda: os.stat("one").st_mtime_ns)
show("old time", lambda: os.utime("one", (-100, -100)))
show("old mtime", lambda: os.stat("one").st_mtime_ns)
show("isatty", lambda: os.isatty(os.open("one", os.O_RDWR)))
show("pathconf", lambda: os.pathconf("one", "PC_NAME_MAX"))
show("fsync dir", lambda: os.fsync(os.open("dir", os.O_RDONLY)))
show("names", lambda: names("."))
END
for d in "$P" "$M"; do
	python3 "$TMP/calls.py" "$d" >"$TMP/$(basename "$d").out" 2>&1
	"$TOOLS/hold" >>"$TMP/$(basename "$d").out" <<-END
		chdir $d
		swap one two
		swap one dir
		swap one none
		noreplace two dir
		noreplace one three
		exists three
		open 0 rw+x+c three
	END
done
diff "$TMP/plain.out" "$TMP/mnt.out" >&2 || fail 'ext4 (<) and the mount (>) answer differently'
txfs -C "$M" sync || fail sync
manifest --no-times "$P" >"$TMP/want" && manifest --no-times "$B" >"$TMP/got"
same_tree "$TMP/want" "$TMP/got" 'ext4 and base differ'
