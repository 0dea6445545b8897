#!/usr/bin/env python3
"""txfs in a private transaction beside native ext4, fuse-overlayfs and a floor.

    quick.py BINDIR [--json] [--rounds N]

A round runs the same work on each system, line by line in turn, with a fresh private view
(a fresh upper layer for fuse-overlayfs), so that slow moments of the machine hit all of
them. What is printed are medians over the rounds, their spread, and ratios to ext4. Writes end with
fsync on every side. The commit of the round's transaction stands on a line of its own:
nothing else has one. Then the times of the transaction calls on two sizes of workspace,
and the numbers of requests that the daemon served.

Exit 1: a line is slower than fuse-overlayfs; begin, savepoint or abort depend on the size
of the workspace; more requests than allowed. 2: it could not be measured.
"""

import argparse
import contextlib
import json
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

SMALL_FILES = 5000
TREE_FILES = 1500
STREAM = 64 << 20
CALL_SIZES = (1000, 100000)
CALL_TURNS = 3
REPEATS = 3  # of the short lines within a round: a wake-up costs 5 or 50 us here, by luck
BUDGET_S = 125  # of the rounds; at least two, and none begins that would end later
# Of created files, their directory costs a few more in all.
LIMITS = {"warm stat": 0, "warm open, read, close": 0, "created small file": 5.1}


def run(*args, cwd=None, timeout=60, check=True):
    p = subprocess.run(args, cwd=cwd, timeout=timeout, stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if check and p.returncode:
        raise RuntimeError(f"{' '.join(map(str, args))}: exit {p.returncode}: {p.stderr.strip()}")
    return p.stdout


class System:
    """Where one of the compared systems lets a round work."""

    def __init__(self, bench, name):
        self.bench, self.name = bench, name
        self.top = f"{bench.top}/{name}"
        os.makedirs(self.top)


class Ext4(System):
    def enter(self):
        self.dir = f"{self.top}/work"
        self.bench.copy_project(self.dir)
        return self.dir

    def fresh(self):
        return self.dir

    def leave(self):
        shutil.rmtree(self.dir)


class Txfs(System):
    def __init__(self, bench, name):
        super().__init__(bench, name)
        self.base, self.mnt = f"{self.top}/base", f"{self.top}/mnt"
        bench.copy_project(self.base)
        os.mkdir(self.mnt)
        self.mounted = False

    def txfs(self, *args, **kw):
        return run(self.bench.bin + "/txfs", *args, **kw)

    def requests(self):
        return json.loads(self.txfs("-C", self.mnt, "status", "--json"))["requests"]

    def mount(self):
        self.txfs("mount", "--store", f"{self.top}/store", self.base, self.mnt)
        self.mounted = True

    def enter(self):
        if not self.mounted:
            self.mount()
        self.id, view = self.txfs("-C", self.mnt, "begin", "--private").split("\n")[:2]
        return view

    def fresh(self):
        self.txfs("-C", self.mnt, "abort", "--tx", self.id)
        return self.enter()

    def commit(self):
        self.txfs("-C", self.mnt, "commit", "--tx", self.id)

    def leave(self):
        """The next round starts from the project again."""
        self.close()
        shutil.rmtree(self.base)
        shutil.rmtree(f"{self.top}/store", ignore_errors=True)
        self.bench.copy_project(self.base)

    def close(self):
        if self.mounted:
            with contextlib.suppress(RuntimeError, subprocess.TimeoutExpired):
                self.txfs("umount", self.mnt, timeout=30)
            detach(self.mnt)
            self.mounted = False


class Overlay(System):
    """fuse-overlayfs over the project."""

    def enter(self):
        for d in ("upper", "work", "mnt"):
            os.makedirs(f"{self.top}/{d}")
        run("fuse-overlayfs", "-o", f"lowerdir={self.bench.project},upperdir={self.top}/upper,"
            f"workdir={self.top}/work", f"{self.top}/mnt")
        return f"{self.top}/mnt"

    def fresh(self):
        self.leave()
        return self.enter()

    def leave(self):
        self.close()
        for d in ("upper", "work", "mnt"):
            shutil.rmtree(f"{self.top}/{d}")

    def close(self):
        if os.path.ismount(f"{self.top}/mnt"):
            run("umount", f"{self.top}/mnt", check=False)
        detach(f"{self.top}/mnt")


class Floor(System):
    """The do-nothing daemon: has no project, so only some of the work."""

    def enter(self):
        os.makedirs(f"{self.top}/mnt", exist_ok=True)
        run(self.bench.tools + "/floor", f"{self.top}/mnt")
        return f"{self.top}/mnt"

    def leave(self):
        self.close()

    def close(self):
        if os.path.ismount(f"{self.top}/mnt"):
            run("umount", f"{self.top}/mnt", check=False)
        detach(f"{self.top}/mnt")


def detach(path):
    """End a mount that may hang: its connection first, then the mount itself."""
    with open("/proc/self/mountinfo", encoding="utf-8") as f:
        rows = [line.split() for line in f]
    for row in rows:
        if row[4] != path:
            continue
        with contextlib.suppress(OSError), \
                open(f"/sys/fs/fuse/connections/{row[2].split(':')[1]}/abort", "w", encoding="ascii") as f:
            f.write("1")
        subprocess.run(["umount", "-l", path], check=False, stderr=subprocess.DEVNULL)


class Bench:
    def __init__(self, options):
        self.bin, self.options = options.bindir, options
        self.tools = os.path.normpath(self.bin + "/../tests/tools")
        self.top = tempfile.mkdtemp(prefix="bench-quick.")
        os.environ["TXFS_STATE_DIR"] = self.top + "/state"
        os.environ.update(GIT_CONFIG_NOSYSTEM="1", HOME=self.top, LC_ALL="C.UTF-8",
                          GIT_AUTHOR_NAME="b", GIT_AUTHOR_EMAIL="b@example.org",
                          GIT_COMMITTER_NAME="b", GIT_COMMITTER_EMAIL="b@example.org")
        os.mkdir(self.top + "/state", 0o700)
        self.project = self.top + "/project"
        self.tarball = self.top + "/tree.tar"
        self.took = {}   # line -> system -> list of seconds
        self.lines = []  # in the order in which txfs, which has all of them, does them
        self.systems = []

    # --- input --------------------------------------------------------------------------
    def make_project(self):
        """A git project of C sources with a history, and a tarball of small files."""
        p = self.project
        os.makedirs(p)
        run("git", "init", "-q", cwd=p)
        run("git", "config", "gc.auto", "0", cwd=p)
        for i in range(TREE_FILES):
            d = f"{p}/lib{i % 60}"
            os.makedirs(d, exist_ok=True)
            with open(f"{d}/text{i}.txt", "w", encoding="ascii") as f:
                f.write(f"text {i}: nothing to see here\n" * (10 + i % 150))
        os.mkdir(p + "/src")
        for i in range(16):
            with open(f"{p}/src/f{i}.c", "w", encoding="ascii") as f:
                f.write("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n")
                for k in range(60):
                    f.write(f"int f{i}_{k}(int a) {{ char b[64]; snprintf(b, sizeof(b), \"%d\", a * {k});"
                            f" return (int)strlen(b) + {i}; }}\n")
        with open(p + "/Makefile", "w", encoding="ascii") as f:
            f.write("OBJ = $(patsubst %.c,%.o,$(wildcard src/*.c))\nall.a: $(OBJ)\n\tar rcs $@ $^\n"
                    "src/%.o: src/%.c\n\tcc -O1 -c -o $@ $<\n")
        with open(p + "/big.bin", "wb") as f:
            f.write(os.urandom(1 << 20) * 50)
        with open(p + "/.gitignore", "w", encoding="ascii") as f:
            f.write("*.o\n*.a\n/big.bin\n/new/\n/tree/\n/clone/\n/stream\n")
        run("git", "add", ".", cwd=p)
        run("git", "commit", "-qm", "first", cwd=p)
        for i in range(0, TREE_FILES, 5):
            with open(f"{p}/lib{i % 60}/text{i}.txt", "a", encoding="ascii") as f:
                f.write("second version\n")
        run("git", "commit", "-qam", "second", cwd=p)
        run("git", "status", "--short", cwd=p)
        tree = self.top + "/tree"
        for i in range(2000):
            d = f"{tree}/a{i % 10}/b{i % 100}"
            os.makedirs(d, exist_ok=True)
            with open(f"{d}/{i}", "w", encoding="ascii") as f:
                f.write("line of a small file\n" * (i % 200))
        run("tar", "-cf", self.tarball, "-C", self.top, "tree")
        shutil.rmtree(tree)

    def copy_project(self, to):
        """Git's index names inode numbers and ctimes: a copy wants one of its own."""
        run("cp", "-a", self.project, to)
        run("git", "status", "--short", cwd=to)

    # --- one round on one system --------------------------------------------------------
    def timed(self, system, line, *command, cwd=None):
        began = time.monotonic()
        run(*command, cwd=cwd, check=command[0] != "grep")
        self.note(system, line, time.monotonic() - began)

    def note(self, system, line, seconds):
        if isinstance(system, Txfs) and line not in self.lines:
            self.lines.append(line)
        self.took.setdefault(line, {}).setdefault(system.name, []).append(seconds)

    def tool(self, system, line, d, *args):
        ns = int(run(self.tools + "/work", *map(str, args), cwd=d))
        self.note(system, line, ns / 1e9)

    def first_pass(self, system, d):
        t = lambda line, *command: self.timed(system, line, *command, cwd=d)  # noqa: E731
        yield t("find, first pass", "find", ".", "-path", "./.git", "-prune", "-o", "-size", "+1000k")
        yield t("git status, first pass", "git", "status", "--short")
        yield t("grep -r, first pass", "grep", "-rn", "--exclude=big.bin", "not to be found", ".")

    def second_pass(self, system, d):
        t = lambda line, *command: self.timed(system, line, *command, cwd=d)  # noqa: E731
        # A first read leaves the access time unknown to the kernel, which asks once more.
        run("grep", "-rn", "--exclude=big.bin", "not to be found", ".", cwd=d, check=False)
        yield t("find, warm", "find", ".", "-path", "./.git", "-prune", "-o", "-size", "+1000k")
        yield t("git status, warm", "git", "status", "--short")
        yield t("grep -r, warm", "grep", "-rn", "--exclude=big.bin", "not to be found", ".")

    def git_and_make(self, system, d):
        t = lambda line, *command: self.timed(system, line, *command, cwd=d)  # noqa: E731
        yield t("git checkout of an old commit", "git", "checkout", "-q", "HEAD~1")
        yield t("git checkout back", "git", "checkout", "-q", "-")
        yield t("git clone, local", "git", "clone", "-q", "--no-hardlinks", ".", "clone")
        for _ in range(REPEATS):
            run("sh", "-c", "rm -f all.a src/*.o", cwd=d)
            yield t("C build, make -j2", "make", "-s", "-j2")

    def work(self, system):
        """Yields after each thing that was timed."""
        d = system.enter()
        t = lambda line, *command: self.timed(system, line, *command, cwd=d)  # noqa: E731
        tool = lambda line, *args: self.tool(system, line, d, *args)  # noqa: E731
        whole = not isinstance(system, Floor)
        before = system.requests() if isinstance(system, Txfs) else 0
        for i in range(REPEATS * whole):
            if i:
                d = system.fresh()
            yield from self.first_pass(system, d)
        if whole:
            yield from self.second_pass(system, d)
        os.mkdir(d + "/new")
        yield tool(f"create {SMALL_FILES} files of 1 KiB", "create", "new", SMALL_FILES, 1024, "sync")
        yield t("untar 2,000 files", "tar", "-xf", self.tarball)
        if whole:
            yield from self.git_and_make(system, d)
            yield tool("one byte's block in a 50 MiB file", "random", "big.bin", 1, "sync")
        yield tool("write 64 MiB", "write", "stream", STREAM, "sync")
        for _ in range(REPEATS * whole):
            yield tool("1,000 random 4 KiB writes in 50 MiB", "random", "big.bin", 1000, "sync")
        for _ in range(3 * REPEATS):
            yield tool("read 64 MiB, cached", "readall", "stream")
        yield t("rm -rf 2,000 files", "rm", "-rf", "tree")
        if isinstance(system, Txfs):
            self.served.append(system.requests() - before)
            began = time.monotonic()
            system.commit()
            self.note(system, "commit of all of it", time.monotonic() - began)

    def round(self, systems):
        """One line after the other, each on every system in turn; another one begins each time."""
        running = [self.work(s) for s in systems]
        try:
            while running:
                running = [w for w in running if next(w, self) is not self]
                running = running[1:] + running[:1]
        finally:
            for s in systems:
                s.leave()

    def rounds(self):
        self.served = []
        classes = [("ext4", Ext4), ("txfs", Txfs), ("floor", Floor)]
        if shutil.which("fuse-overlayfs"):
            classes.insert(2, ("fuse-overlayfs", Overlay))
        compared = [c(self, name) for name, c in classes]
        self.systems += compared
        began, n = time.monotonic(), 0
        while n < self.options.rounds and (n < 2 or (time.monotonic() - began) * (n + 1) / n < BUDGET_S):
            self.round(compared)
            n += 1
        self.count = n

    # --- transaction calls and requests ---------------------------------------------------
    def workspace_of(self, size):
        s = Txfs(self, f"calls{size}")
        self.systems.append(s)
        shutil.rmtree(s.base)
        os.mkdir(s.base)
        run(self.tools + "/work", "create", s.base, str(size), "100", timeout=120)
        s.mount()
        run("find", s.mnt, "-type", "f", "-size", "+1", timeout=120)
        return s

    def calls(self):
        """size -> call -> seconds, the sizes in turn."""
        spaces = {size: self.workspace_of(size) for size in CALL_SIZES}
        rows = {size: {} for size in CALL_SIZES}
        for _ in range(CALL_TURNS):
            for size, s in spaces.items():
                for line in run(self.tools + "/txtime", s.mnt, "7", "100", timeout=120).splitlines():
                    name, *ns = line.split()
                    rows[size].setdefault(name, []).extend(int(x) / 1e9 for x in ns)
        for s in spaces.values():
            s.close()
        return rows

    def requests(self):
        """Requests a file, for things done to 100 files by a process that stands in the view
        (each walk down to it by its whole path asks once whether it is still there)."""
        s = Txfs(self, "requests")
        self.systems.append(s)
        d = s.enter()
        work = lambda *a: run(self.tools + "/work", *map(str, a), cwd=d)  # noqa: E731
        for name in ("req", "made"):
            os.mkdir(f"{d}/{name}")
        work("create", "req", 100, 1024)
        work("read", "req", 100)
        work("stat", "req", 100)
        # What asking, and starting a program there, costs by itself.
        counts = []
        for _ in range(3):
            counts.append(s.requests())
            work("stat", "req", 1)
        idle = counts[2] - counts[1]
        out = {}
        for name, args in (("warm stat", ("stat", "req", 100)),
                           ("warm open, read, close", ("read", "req", 100)),
                           ("created small file", ("create", "made", 100, 1024))):
            before = s.requests()
            work(*args)
            out[name] = max(0, s.requests() - before - idle) / 100
        s.leave()
        return out

    def close(self):
        for s in self.systems:
            if hasattr(s, "close"):
                with contextlib.suppress(Exception):
                    s.close()
        shutil.rmtree(self.top, ignore_errors=True)


# --- what is said ---------------------------------------------------------------------------
def ms(seconds):
    return f"{seconds * 1e3:.2f}" if seconds < 0.1 else f"{seconds * 1e3:.0f}"


def spread(values):
    return f"{ms(min(values))}..{ms(max(values))}"


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
                  if line.startswith("model name")), "unknown CPU")
    return f"{os.cpu_count()} x {model}, kernel {platform.release()}"


def filesystem(path):
    return run("stat", "-f", "-c", "%T", path).strip().replace("ext2/ext3", "ext4")


def judge(bench, calls, requests):
    wrong = []
    for line, by in bench.took.items():
        if "fuse-overlayfs" in by and "txfs" in by:
            ours, theirs = statistics.median(by["txfs"]), statistics.median(by["fuse-overlayfs"])
            # Half a millisecond and a tenth are what two runs of the same thing differ by.
            if ours > theirs * 1.1 + 0.0005:
                wrong.append(f"{line}: slower than fuse-overlayfs ({ms(ours)} against {ms(theirs)} ms)")
    small, large = (calls[n] for n in CALL_SIZES)
    for name in ("begin", "savepoint", "abort"):
        a, b = statistics.median(small[name]), statistics.median(large[name])
        if b > a * 1.2 + 0.0001:
            wrong.append(f"{name}: {ms(b)} ms on {CALL_SIZES[1]} files, {ms(a)} on {CALL_SIZES[0]}")
    for name, limit in LIMITS.items():
        if requests[name] > limit:
            wrong.append(f"{name}: {requests[name]} requests, at most {limit}")
    return wrong


def show(bench, calls, requests, wrong):
    print(f"machine    {machine()}, scratch on {filesystem(bench.top)}")
    print(f"command    {' '.join(sys.argv)}")
    print(f"runs       {bench.count} rounds, interleaved; medians in ms (spread), x: ratio to ext4")
    print(f"requests   {statistics.median(bench.served):.0f} served in a round\n")
    names = [s for s in ("ext4", "txfs", "fuse-overlayfs", "floor")
             if any(s in by for by in bench.took.values())]
    print(f"{'':38}" + "".join(f"{n:>30}" for n in names))
    for line in bench.lines:
        by, row = bench.took[line], f"{line:38}"
        native = statistics.median(by["ext4"]) if "ext4" in by else None
        for n in names:
            if n not in by:
                row += f"{'-':>30}"
                continue
            m = statistics.median(by[n])
            ratio = f" x{m / native:.2f}" if native and n != "ext4" else ""
            row += f"{ms(m) + ' (' + spread(by[n]) + ')' + ratio:>30}"
        print(row)
    print(f"\n{'transaction calls, 100 files changed':38}" + "".join(f"{f'{n:,} files':>30}" for n in CALL_SIZES))
    for name in calls[CALL_SIZES[0]]:
        print(f"{name.replace('_', ' '):38}" + "".join(
            f"{ms(statistics.median(calls[n][name])) + ' (' + spread(calls[n][name]) + ')':>30}" for n in CALL_SIZES))
    print("\nrequests a file: " + ", ".join(f"{k} {v:g}" for k, v in requests.items()))
    for w in wrong:
        print(f"WRONG      {w}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bindir")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(130))
    bench = Bench(options)
    try:
        bench.make_project()
        calls = bench.calls()
        requests = bench.requests()
        bench.rounds()
        wrong = judge(bench, calls, requests)
        if options.json:
            print(json.dumps({
                "machine": machine(), "rounds": bench.count, "served": bench.served,
                "seconds": bench.took, "calls": calls, "requests": requests, "wrong": wrong}))
        else:
            show(bench, calls, requests, wrong)
        return int(bool(wrong))
    except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
        print(f"quick: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    finally:
        bench.close()


if __name__ == "__main__":
    sys.exit(main())
