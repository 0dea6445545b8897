#!/usr/bin/env python3
"""Prove the layering: each #include points down, and each outside library has one owner.

MAY lists for a folder the folders it may include besides itself. Everybody may include
common/ and include/txfs/ (public headers), except that common/ knows neither. Tests and
benchmarks may include what they test. The main.c of a program may include all of it.
Run at the root of the tree; looks at the files that git tracks.
"""

import os
import re
import subprocess
import sys

MAY = {
    "fs/cmd": ["fs/fuse", "fs/tx", "fs/tree", "fs/block", "fs/store", "fs/base", "fs/client"],
    "fs/fuse": ["fs/tx", "fs/tree", "fs/block", "fs/store", "fs/base"],
    "fs/tx": ["fs/tree", "fs/block", "fs/store", "fs/base"],
    "fs/tree": ["fs/block", "fs/store", "fs/base"],
    "fs/block": ["fs/store", "fs/base"],
    "fs/store": [], "fs/base": [], "fs/client": [],
    "policyd/server": ["policyd/rules", "policyd/shell", "policyd/audit"],
    "policyd/rules": ["policyd/shell", "policyd/audit"],
    "policyd/shell": [], "policyd/audit": [], "policyd/client": [],
    "agentctl/serve": ["agentctl/provider"],
    "agentctl/repl": ["agentctl/mcp", "agentctl/serve", "agentctl/loop", "agentctl/tool", "agentctl/provider", "agentctl/sandbox"],
    "agentctl/mcp": ["agentctl/loop", "agentctl/sandbox"],
    "agentctl/loop": ["agentctl/tool", "agentctl/provider", "agentctl/sandbox"],
    "agentctl/tool": ["agentctl/provider", "agentctl/sandbox"],
    "agentctl/provider": [], "agentctl/sandbox": [],
    "common": [],
}
OWNER = {
    "sqlite3.h": ["fs/store", "tests"],
    "yaml.h": ["policyd/rules"],
    "pcre2.h": ["policyd/rules"],
    "curl/curl.h": ["agentctl/provider"],
    "histedit.h": ["agentctl/repl"],
    "microhttpd.h": ["agentctl/serve"],
    "fuse_lowlevel.h": ["fs/fuse", "tests"],
    "fuse3/fuse_lowlevel.h": ["fs/fuse", "tests"],
}
PROGRAMS = ("fs", "policyd", "agentctl")
FREE = ("tests/", "benchmarks/")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(["<])([^">]+)[">]', re.M)


def folder(path):
    """fs/tx/tx.c -> fs/tx; fs/main.c -> fs; common/list.h -> common."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] in PROGRAMS and len(parts) > 2 else parts[0]


def allowed(path, target):
    """May the file `path` include the file `target` of this tree?"""
    here, there = folder(path), folder(target)
    if path.startswith(FREE) or here == there:
        return True
    if here == "include":
        return False
    if there in ("include", "common"):
        return here != "common" or there == "common"
    if here in PROGRAMS:  # main.c
        return there.startswith(here + "/")
    return there in MAY.get(here, [])


def resolve(path, name):
    """The file of this tree that an include means, or None."""
    for candidate in (name, "include/" + name, os.path.join(os.path.dirname(path), name)):
        if os.path.exists(candidate):
            return os.path.normpath(candidate)
    return None


def problems(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if path.startswith(PROGRAMS) and folder(path) not in PROGRAMS and folder(path) not in MAY:
        yield f"{path}: folder '{folder(path)}' has no place among the layers"
    for found in INCLUDE.finditer(text):
        quoted, name = found[1] == '"', found[2]
        line = text.count("\n", 0, found.start()) + 1
        if name in OWNER:
            if not any(path.startswith(o + "/") for o in OWNER[name]):
                yield f"{path}:{line}: {name} belongs to {', '.join(OWNER[name])}"
            continue
        target = resolve(path, name) if quoted else None
        if target is None:
            continue
        if "/" not in name:
            yield f"{path}:{line}: include '{name}' by its path from the root"
        if not allowed(path, target):
            yield f"{path}:{line}: {folder(path)} may not include {target}"


def main():
    listed = subprocess.run(["git", "ls-files", "-z", "*.c", "*.h"], check=True, capture_output=True)
    bad = 0
    for path in os.fsdecode(listed.stdout).split("\0"):
        if path and os.path.exists(path):
            for text in problems(path):
                print(text)
                bad += 1
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
