#!/usr/bin/env python3
"""fuzzops.py SEED STEPS PLAIN VIEW: do the same random operations in two directories.

Each operation must answer the same errno in both; every 50 steps and at the end the two
trees must be equal in names, types, modes, sizes, content, links, xattrs and targets.
Prints the first difference and exits 1.
"""
import errno, hashlib, os, random, stat, sys

NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'long-' + 'n' * 60, 'ü']
XATTRS = ['user.one', 'user.two']


def dirs_of(top):
    out = ['.']
    for d, subs, _ in os.walk(top):
        out += [os.path.relpath(os.path.join(d, s), top) for s in subs]
    return out


def state(top):
    rows, seen = {}, {}
    for d, subs, files in os.walk(top):
        for n in subs + files + ([''] if d == top else []):
            p = os.path.join(d, n) if n else top
            r = os.path.relpath(p, top)
            st = os.lstat(p)
            row = [stat.S_IFMT(st.st_mode), stat.S_IMODE(st.st_mode), st.st_uid, st.st_gid]
            if stat.S_ISREG(st.st_mode):
                with open(p, 'rb') as f:
                    row += [st.st_size, hashlib.sha1(f.read()).hexdigest()]
            if stat.S_ISLNK(st.st_mode):
                row.append(os.readlink(p))
            if stat.S_ISDIR(st.st_mode):
                row.append(sorted(os.listdir(p)))
            # ext4 itself loses count of a directory's links where a directory and a file are
            # exchanged, so for directories the count is what the entries say.
            row.append(st.st_nlink if not stat.S_ISDIR(st.st_mode) else 0)
            if not stat.S_ISDIR(st.st_mode) and st.st_nlink > 1:
                seen.setdefault(st.st_ino, []).append(r)
            row.append([(x, os.getxattr(p, x, follow_symlinks=False))
                        for x in sorted(os.listxattr(p, follow_symlinks=False))])
            rows[r] = row
    groups = sorted(sorted(g) for g in seen.values())
    return rows, groups


def write_at(p, off, data):
    fd = os.open(p, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.ENXIO, 'x')
        os.pwrite(fd, data, off)
    finally:
        os.close(fd)


def create(p, data, flags):
    fd = os.open(p, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | flags, 0o644)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.ENXIO, 'x')
        os.write(fd, data)
    finally:
        os.close(fd)


def truncate(p, size):
    if stat.S_ISLNK(os.lstat(p).st_mode) or stat.S_ISFIFO(os.lstat(p).st_mode):
        raise OSError(errno.EINVAL, 'x')
    os.truncate(p, size)


def mmap_write(p, off, data):
    import mmap
    if not stat.S_ISREG(os.lstat(p).st_mode) or os.lstat(p).st_size < off + len(data):
        raise OSError(errno.EINVAL, 'x')
    with open(p, 'r+b') as f, mmap.mmap(f.fileno(), 0) as m:
        m[off:off + len(data)] = data


def punch(p, off, n, mode):
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    if not stat.S_ISREG(os.lstat(p).st_mode):
        raise OSError(errno.EINVAL, 'x')
    fd = os.open(p, os.O_RDWR | os.O_NOFOLLOW)
    try:
        if libc.fallocate(fd, mode, ctypes.c_long(off), ctypes.c_long(n)) < 0:
            raise OSError(ctypes.get_errno(), 'fallocate')
    finally:
        os.close(fd)


def exchange(a, b):
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(-100, os.fsencode(a), -100, os.fsencode(b), 2) < 0:
        raise OSError(ctypes.get_errno(), 'renameat2')


def pick(rng, plain):
    """An operation as a function of the top directory, chosen by what the plain tree has."""
    ds = dirs_of(plain)
    path = lambda: os.path.normpath(os.path.join(rng.choice(ds), rng.choice(NAMES)))
    p, q = path(), path()
    size = rng.choice([0, 1, 100, 4095, 4096, 4097, 9000, 70000, 300000])
    off = rng.choice([0, 1, 50, 4090, 4096, 8192, 66000, 131072, 250000])
    data = rng.randbytes(rng.choice([1, 10, 4096, 5000, 40000, 140000]))
    mode = rng.choice([0o600, 0o644, 0o755, 0o4755, 0o2750, 0o400])
    x, v = rng.choice(XATTRS), rng.randbytes(rng.choice([0, 5, 300]))
    fm = rng.choice([0, 1, 3, 16, 17])
    j = os.path.join
    return rng.choice([
        lambda t: create(j(t, p), data, os.O_TRUNC), lambda t: create(j(t, p), data, 0),
        lambda t: create(j(t, p), data, os.O_APPEND), lambda t: create(j(t, p), data, os.O_EXCL),
        lambda t: write_at(j(t, p), off, data), lambda t: write_at(j(t, p), off, data),
        lambda t: truncate(j(t, p), size), lambda t: mmap_write(j(t, p), off, data[:200]),
        lambda t: punch(j(t, p), off, size + 1, fm),
        lambda t: os.mkdir(j(t, p), 0o755), lambda t: os.mkdir(j(t, p), 0o755),
        lambda t: os.rmdir(j(t, p)), lambda t: os.unlink(j(t, p)),
        lambda t: os.rename(j(t, p), j(t, q)), lambda t: os.rename(j(t, p), j(t, q)),
        lambda t: exchange(j(t, p), j(t, q)),
        lambda t: os.link(j(t, p), j(t, q), follow_symlinks=False),
        lambda t: os.symlink('target/' + os.path.basename(q), j(t, p)),
        lambda t: os.mkfifo(j(t, p), 0o640),
        lambda t: os.chmod(j(t, p), mode) if not os.path.islink(j(t, p)) else None,
        lambda t: os.chown(j(t, p), mode & 7, mode & 3, follow_symlinks=False),
        lambda t: os.setxattr(j(t, p), x, v, follow_symlinks=False),
        lambda t: os.removexattr(j(t, p), x, follow_symlinks=False),
        lambda t: os.utime(j(t, p), ns=(10**18 + size, 10**18 + off), follow_symlinks=False),
    ]), (p, q)


def attempt(op, top):
    try:
        op(top)
        return 0
    except OSError as e:
        return e.errno
    except ValueError:
        return -1


def main():
    seed, steps, plain, view = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    rng = random.Random(seed)
    for i in range(steps):
        op, names = pick(rng, plain)
        a, b = attempt(op, plain), attempt(op, view)
        if a != b:
            print('seed %d step %d %s: plain %s, view %s (line %d)' % (
                seed, i, names, errno.errorcode.get(a, a), errno.errorcode.get(b, b),
                op.__code__.co_firstlineno), op.__code__.co_names)
            return 1
        if i % 50 == 49 or i == steps - 1:
            (x, gx), (y, gy) = state(plain), state(view)
            if x != y or gx != gy:
                for r in sorted(set(x) | set(y)):
                    if x.get(r) != y.get(r):
                        print('seed %d step %d %s:\n plain %s\n view  %s' % (
                            seed, i, r, x.get(r), y.get(r)))
                        break
                else:
                    print('seed %d step %d: link groups %s %s' % (seed, i, gx, gy))
                return 1
    return 0


sys.exit(main())
