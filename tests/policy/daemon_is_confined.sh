#!/bin/bash
# The running daemon has given up its rights, takes a socket that systemd opened, and its
# units are in order.
. "$TESTS/lib.sh"
requires python3
PYTHONPATH=$TESTS/policy python3 - "$BIN/policyd" "$TMP" <<'PY' || fail 'see above'
import json, os, socket, subprocess, sys, time
from daemon import BASE, Daemon
d = Daemon(sys.argv[1], sys.argv[2])
assert d.check("ls") == "allow"
tasks = os.listdir("/proc/%d/task" % d.proc.pid)
assert len(tasks) >= 4, tasks  # the loop, the links, the rules, the record
program = open(sys.argv[1], "rb").read()
sanitized = b"__asan_init" in program or b"__tsan_init" in program
for t in tasks:
    status = dict(l.rstrip("\n").split(":\t", 1) for l in open("/proc/%d/task/%s/status" % (d.proc.pid, t)) if ":\t" in l)
    assert status["NoNewPrivs"] == "1", t
    assert sanitized or status["Seccomp"] == "2", t
limits = open("/proc/%d/limits" % d.proc.pid).read()
assert "Max core file size        0 " in limits
fds = [os.readlink("/proc/%d/fd/%s" % (d.proc.pid, f)) for f in os.listdir("/proc/%d/fd" % d.proc.pid)] \
    if os.access("/proc/%d/fd" % d.proc.pid, os.R_OK) else []
assert not any(f.startswith("/dev/") and f not in ("/dev/null", "/dev/cpu_dma_latency") and "pts" not in f for f in fds), fds
d.stop()

# a socket from systemd: served, and not removed
path = os.path.join(sys.argv[2], "given.sock")
l = socket.socket(socket.AF_UNIX)
l.bind(path)
l.listen()
pid = os.fork()
if pid == 0:
    os.dup2(l.fileno(), 3)
    os.set_inheritable(3, True)
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", TXFS_STATE_DIR=os.path.join(sys.argv[2], "state"))
    os.execv(sys.argv[1], ["policyd"])
s = socket.socket(socket.AF_UNIX)
s.settimeout(10)
s.connect(path)
s.sendall(json.dumps(dict(BASE, command="ls")).encode() + b"\n")
assert json.loads(s.makefile().readline())["decision"] == "allow"
os.kill(pid, 15)
assert os.waitpid(pid, 0)[1] == 0
assert os.path.exists(path)
# what is not a listening Unix socket is refused
pid = os.fork()
if pid == 0:
    u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    os.dup2(u.fileno(), 3)
    os.set_inheritable(3, True)
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", TXFS_STATE_DIR=os.path.join(sys.argv[2], "state"))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    os.execv(sys.argv[1], ["policyd"])
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
PY
command -v systemd-analyze >/dev/null || exit 0
mkdir "$TMP/units"
cp "$SRC/policyd/systemd/policyd.socket" "$TMP/units"
sed "s|@BINDIR@|$BIN|" "$SRC/policyd/systemd/policyd.service.in" >"$TMP/units/policyd.service"
out=$(systemd-analyze verify --man=no "$TMP/units/policyd.service" "$TMP/units/policyd.socket" 2>&1 | grep "$TMP/units\|policyd\." || :)
[ -z "$out" ] || fail "$out"
