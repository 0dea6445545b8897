#!/usr/bin/env python3
"""Run the scripts of one suite, and let none of them outlive its turn.

    watchdog.py BINDIR SUITE [NAME...]

Each script gets a scratch directory TMP, the programs in BIN (also first in PATH), a
private HOME, TMPDIR, XDG_RUNTIME_DIR and TXFS_STATE_DIR inside TMP, and a process group.
Exit 0 passes, 77 skips (the last line of output is the reason), all else fails. A line
`# timeout: SECONDS` in a script replaces the default; SLOW multiplies either.

This process is a child subreaper: whatever a script starts, daemons too, stays its
descendant, so "every process of the test" is a question about /proc and needs no
cgroup. FUSE connections are known by the device number of the mounts below TMP. At the
end, on time-out and on interruption alike: abort those connections, kill what is left,
detach the mounts, free loop devices, remove TMP. A script that left any of it fails, and
one of whose processes a sanitizer reported anything: daemons too, which have no standard
error.
Nothing below TMP is touched before the connections are aborted, as a dead mount blocks.
"""

import ctypes
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

SLOW = int(os.environ.get("SLOW", "1"))
TIMEOUT = int(os.environ.get("TEST_TIMEOUT", "120"))
GRACE = 3.0 * SLOW
CONNECTIONS = "/sys/fs/fuse/connections"
SCRATCH = ("/tmp", "/var/tmp", "/dev/shm")
PREFIX = "txfs-test."

libc = ctypes.CDLL(None, use_errno=True)
stop = []  # the signal that asked us to end


def mounts(pid="self"):
    """Mounts of a process as (device, mount point, type, source), in mount order."""
    rows = []
    try:
        with open(f"/proc/{pid}/mountinfo", encoding="utf-8", errors="surrogateescape") as f:
            for line in f:
                left, right = line.split(" - ", 1)
                fields, tail = left.split(), right.split()
                where = re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), fields[4])
                rows.append((fields[2], where, tail[0], tail[1]))
    except OSError:
        pass
    return rows


def below(path, top):
    return path == top or path.startswith(top + "/")


def descendants():
    """Pids of all processes below this one, without zombies of our own."""
    parent, state, name = {}, {}, {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as f:
                text = f.read()
        except OSError:
            continue
        head, tail = text.rsplit(")", 1)
        pid = int(entry)
        name[pid] = head.split("(", 1)[1]
        state[pid], parent[pid] = tail.split()[0], int(tail.split()[1])
    found, me = {}, os.getpid()
    for pid in parent:
        up = pid
        while up in parent and up != me:
            up = parent[up]
        if up == me and pid != me and state[pid] != "Z":
            found[pid] = name[pid]
    return found


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def loops(tmp):
    """Loop devices whose backing file lies below tmp."""
    found = []
    for name in os.listdir("/sys/block"):
        try:
            with open(f"/sys/block/{name}/loop/backing_file", encoding="utf-8") as f:
                if below(f.read().strip().removesuffix(" (deleted)"), tmp):
                    found.append("/dev/" + name)
        except OSError:
            continue
    return found


def strays():
    """Files of ours in the shared scratch directories, but for the runners' own."""
    found = set()
    for top in SCRATCH:
        try:
            names = os.listdir(top)
        except OSError:
            continue
        for name in names:
            if re.search("txfs|policyd|agentctl", name) and not re.match("txfs-(test|unit|demo)", name):
                found.add(f"{top}/{name}")
    return found


class Script:
    """One script on its way from start to verdict."""

    def __init__(self, path, bindir, tests):
        self.path, self.bindir, self.tests = path, bindir, tests
        self.name = os.path.basename(path).removesuffix(".sh")
        self.connections = set()
        self.problems = []
        self.timeout = TIMEOUT
        with open(path, encoding="utf-8") as f:
            found = re.search(r"^# timeout: (\d+)", f.read(), re.M)
        if found:
            self.timeout = int(found[1])
        self.timeout *= SLOW

    def environment(self):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("TXFS_", "GIT_", "MAKE"))}
        reports = self.tmp + "/reports"
        env.update(
            SLOW=str(SLOW), ASAN_OPTIONS=f"log_path={reports}/asan",
            UBSAN_OPTIONS=f"print_stacktrace=1:log_path={reports}/ubsan",
            TSAN_OPTIONS=f"atexit_sleep_ms=20:log_path={reports}/tsan",
            TMP=self.tmp, BIN=self.bindir, TESTS=self.tests, SRC=os.path.dirname(self.tests),
            HOME=self.tmp + "/home", TMPDIR=self.tmp + "/tmp", XDG_RUNTIME_DIR=self.tmp + "/run",
            XDG_STATE_HOME=self.tmp + "/xdg", TXFS_STATE_DIR=self.tmp + "/state",
            PATH=self.bindir + ":" + os.environ.get("PATH", "/usr/bin:/bin"), LC_ALL="C.UTF-8",
            GIT_CONFIG_NOSYSTEM="1", GIT_AUTHOR_NAME="Test", GIT_AUTHOR_EMAIL="test@example.org",
            GIT_COMMITTER_NAME="Test", GIT_COMMITTER_EMAIL="test@example.org")
        return env

    def start(self):
        self.before = strays()
        self.tmp = tempfile.mkdtemp(prefix=PREFIX, dir=os.environ.get("TMPDIR", "/tmp"))
        os.chmod(self.tmp, 0o755)
        for name in ("home", "tmp", "run", "state"):
            os.mkdir(f"{self.tmp}/{name}", 0o700)
        os.mkdir(self.tmp + "/reports")
        os.chmod(self.tmp + "/reports", 0o1777)  # other users' processes report too
        self.log = tempfile.TemporaryFile()
        self.began = time.monotonic()
        self.child = subprocess.Popen(
            ["bash", self.path], cwd=self.tmp, env=self.environment(), stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True)

    def watch(self):
        """Wait for the script; note FUSE mounts on the way, one may be detached later."""
        nap = 0.01
        while self.child.poll() is None:
            if stop:
                self.problems.append("interrupted")
                return
            if time.monotonic() - self.began > self.timeout:
                self.problems.append(f"timed out after {self.timeout} s")
                return
            self.note_connections(["self"])
            time.sleep(nap)
            nap = min(nap * 1.5, 0.2)

    def note_connections(self, pids):
        for pid in pids:
            for dev, where, kind, _ in mounts(pid):
                if kind.startswith("fuse") and kind != "fusectl" and below(where, self.tmp):
                    self.connections.add(dev.split(":")[1])

    def my_mounts(self):
        return [m[1] for m in mounts() if below(m[1], self.tmp)]

    def settle(self):
        """After a clean exit: what is still there once the grace is over?"""
        end = time.monotonic() + GRACE
        while time.monotonic() < end and descendants():
            reap()
            time.sleep(0.02)
        for pid, name in sorted(descendants().items()):
            self.problems.append(f"left a process: {pid} {name}")
        self.problems += [f"left a mount: {m}" for m in self.my_mounts()]
        self.problems += [f"left a loop device: {d}" for d in loops(self.tmp)]

    def abort_connections(self):
        self.note_connections(["self", *descendants()])
        for number in self.connections:
            try:
                with open(f"{CONNECTIONS}/{number}/abort", "w", encoding="ascii") as f:
                    f.write("1")
            except OSError:
                pass

    def kill_all(self):
        end = time.monotonic() + 10
        while time.monotonic() < end:
            left = descendants()
            reap()
            if not left:
                return
            self.abort_connections()
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            time.sleep(0.02)
        self.problems.append(f"cannot kill: {sorted(descendants().items())}")

    def reports(self):
        """What sanitizers wrote: the lines to show."""
        lines = []
        for name in sorted(os.listdir(self.tmp + "/reports")):
            with open(f"{self.tmp}/reports/{name}", encoding="utf-8", errors="replace") as f:
                lines += f.read().splitlines()
        if lines:
            self.problems.append("a sanitizer reported")
        return lines

    def detach(self):
        for where in reversed(self.my_mounts()):
            if libc.umount2(os.fsencode(where), 2 | 8) != 0:
                subprocess.run(["fusermount3", "-uz", where], check=False, capture_output=True)
        for device in loops(self.tmp):
            subprocess.run(["losetup", "-d", device], check=False, capture_output=True)
        left = self.my_mounts()
        if left:
            self.problems.append(f"cannot unmount: {left}")
        return not left

    def remove(self):
        subprocess.run(["chmod", "-R", "u+rwX", self.tmp], check=False, capture_output=True)
        gone = subprocess.run(["rm", "-rf", "--one-file-system", self.tmp], check=False, capture_output=True)
        if gone.returncode:
            self.problems.append("cannot remove scratch files: " + gone.stderr.decode(errors="replace").strip())
        self.problems += [f"left a scratch file: {p}" for p in sorted(strays() - self.before)]

    def run(self):
        """Returns (verdict, seconds, detail)."""
        self.start()
        try:
            self.watch()
            if not self.problems:
                self.settle()
        finally:
            self.kill_all()
            self.child.poll()
            reports = self.reports()
            if self.detach():
                self.remove()
        seconds = time.monotonic() - self.began
        self.log.seek(0)
        lines = self.log.read().decode("utf-8", "replace").splitlines()
        status = self.child.returncode
        if status not in (0, 77) and not self.problems:
            self.problems.append(f"exit status {status}")
        if self.problems:
            return "FAIL", seconds, reports[:200] + lines[-40:] + [f"-- {p}" for p in self.problems]
        if status == 77:
            return "skip", seconds, lines[-1:]
        return "ok", seconds, []


def on_signal(number, _frame):
    stop.append(number)


def fusectl():
    """Connections can only be aborted where fusectl is mounted: usual, but not certain."""
    if os.geteuid() == 0 and os.path.isdir(CONNECTIONS) and not os.path.ismount(CONNECTIONS):
        subprocess.run(["mount", "-t", "fusectl", "fusectl", CONNECTIONS], check=False, capture_output=True)


def select(tests, suite, names):
    folder = os.path.join(tests, suite)
    every = sorted(n for n in os.listdir(folder) if n.endswith(".sh")) if os.path.isdir(folder) else []
    if names:
        names = [os.path.basename(n).removesuffix(".sh") + ".sh" for n in names]
        missing = [n for n in names if n not in every]
        if missing:
            sys.exit(f"no such test in {folder}: {' '.join(missing)}")
        every = names
    return [os.path.join(folder, n) for n in every]


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: watchdog.py BINDIR SUITE [NAME...]")
    bindir, suite = os.path.abspath(sys.argv[1]), sys.argv[2]
    tests = os.path.dirname(os.path.abspath(__file__))
    libc.prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, on_signal)
    fusectl()
    count = {"ok": 0, "FAIL": 0, "skip": 0}
    for path in select(tests, suite, sys.argv[3:]):
        script = Script(path, bindir, tests)
        verdict, seconds, detail = script.run()
        count[verdict] += 1
        reason = f": {detail[0]}" if verdict == "skip" and detail else ""
        print(f"{verdict:4} {seconds:6.1f}s  {suite}/{script.name}{reason}", flush=True)
        if verdict == "FAIL":
            print("".join(f"     | {line}\n" for line in detail), end="", flush=True)
        if stop:
            break
    skipped = f", {count['skip']} skipped" if count["skip"] else ""
    print(f"{count['ok']} passed, {count['FAIL']} failed{skipped}", flush=True)
    sys.exit(128 + stop[0] if stop else int(count["FAIL"] > 0))


if __name__ == "__main__":
    main()
