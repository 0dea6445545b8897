#!/usr/bin/env python3
"""Print everything that makes two directory trees "the same", one line a file.

    manifest.py [--no-times] [--no-owner] [--only-content] [--skip NAME]... DIR

A line: path, type, mode, uid:gid, size, mtime in ns, hard-link group, device number or
link target, xattrs, SHA-256 of the content; separated by tabs, sorted by path. Sizes of
directories and access times are left out: they are not promised. A hard-link group is
named by its first path, and shows links that leave the tree by their count.
--only-content prints path, type, mode, target and hash.
"""

import argparse
import hashlib
import os
import stat

KINDS = {
    stat.S_IFREG: "file", stat.S_IFDIR: "dir", stat.S_IFLNK: "link", stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket", stat.S_IFCHR: "char", stat.S_IFBLK: "block",
}


def show(raw):
    """Bytes as printable text without tabs or newlines; reversible."""
    return "".join(chr(b) if 32 < b < 127 and b != 92 else f"\\x{b:02x}" for b in raw)


def digest(path):
    total = hashlib.sha256()
    with open(path, "rb") as f:
        while piece := f.read(1 << 20):
            total.update(piece)
    return total.hexdigest()


def xattrs(path):
    try:
        names = sorted(os.listxattr(path, follow_symlinks=False))
    except OSError:
        return "-"
    rows = []
    for name in names:
        try:
            rows.append(f"{name}={os.getxattr(path, name, follow_symlinks=False).hex()}")
        except OSError as error:
            rows.append(f"{name}!{error.errno}")
    return ",".join(rows) or "-"


class Manifest:
    def __init__(self, options):
        self.options = options
        self.groups = {}

    def links(self, name, st):
        if stat.S_ISDIR(st.st_mode) or st.st_nlink == 1:
            return "-"
        first = self.groups.setdefault((st.st_dev, st.st_ino), name)
        return f"{st.st_nlink}@{show(first)}"

    def line(self, path, name):
        st = os.lstat(path)
        kind = KINDS[stat.S_IFMT(st.st_mode)]
        special = "-"
        if kind == "link":
            special = show(os.readlink(path))
        elif kind in ("char", "block"):
            special = f"{os.major(st.st_rdev)}:{os.minor(st.st_rdev)}"
        content = digest(path) if kind == "file" else "-"
        mode = f"{stat.S_IMODE(st.st_mode):04o}"
        if self.options.only_content:
            return "\t".join((show(name), kind, mode, special, content))
        owner = "-" if self.options.no_owner else f"{st.st_uid}:{st.st_gid}"
        mtime = "-" if self.options.no_times else str(st.st_mtime_ns)
        size = "-" if kind == "dir" else str(st.st_size)
        return "\t".join((show(name), kind, mode, owner, size, mtime,
                          self.links(name, st), special, xattrs(path), content))

    def walk(self, path, name):
        yield self.line(path, name)
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            return
        for child in sorted(os.listdir(path)):
            if os.fsdecode(child) in self.options.skip:
                continue
            yield from self.walk(os.path.join(path, child), name.rstrip(b"/") + b"/" + child)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-times", action="store_true")
    parser.add_argument("--no-owner", action="store_true")
    parser.add_argument("--only-content", action="store_true")
    parser.add_argument("--skip", action="append", default=[])
    parser.add_argument("dir")
    options = parser.parse_args()
    for row in Manifest(options).walk(os.fsencode(options.dir), b"."):
        print(row)


if __name__ == "__main__":
    main()
