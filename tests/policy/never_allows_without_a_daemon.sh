#!/bin/bash
# The socket: missing, stale, of somebody else, open to everybody; the daemon: stopped, killed
# in the middle. No answer is never permission.
. "$TESTS/lib.sh"
requires python3
mkdir -p "$TMP/project" && cd "$TMP/project" || exit 1
good='{"hook_event_name":"PreToolUse","cwd":"'$PWD'","tool_name":"Bash","tool_input":{"command":"ls"}}'
export TXFS_POLICYD_SOCKET=$TMP/run2/policyd.sock

# a folder that others may write in is refused
mkdir -p "$TMP/run2" && chmod 777 "$TMP/run2"
status 1 policyd 2>"$TMP/err"
has 'writable only by' "$TMP/err"
status 2 agentctl hook codex <<<"$good" 2>/dev/null
chmod 700 "$TMP/run2"
# something else than a socket in its place is not removed
echo mine >"$TXFS_POLICYD_SOCKET"
status 1 policyd 2>"$TMP/err"
has 'cannot listen' "$TMP/err"
eq mine "$(cat "$TXFS_POLICYD_SOCKET")"
rm "$TXFS_POLICYD_SOCKET"
# a stale one is replaced
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$TXFS_POLICYD_SOCKET"
status 0 agentctl hook codex <<<"$good" >/dev/null

PYTHONPATH=$TESTS/policy python3 - "$BIN/policyd" "$TMP/d" <<'PY' || fail 'see above'
import json, os, signal, socket, subprocess, sys, time
from daemon import BASE, Daemon
os.makedirs(sys.argv[2])
d = Daemon(sys.argv[1], sys.argv[2])
event = json.dumps({"hook_event_name": "PreToolUse", "cwd": "/tmp", "tool_name": "Bash",
                    "tool_input": {"command": "ls"}})
def hook(path):
    begun = time.monotonic()
    p = subprocess.run(["agentctl", "hook", "codex"], input=event, text=True, capture_output=True,
                       env=dict(os.environ, TXFS_POLICYD_SOCKET=path, TXFS_STATE_DIR=d.state))
    assert time.monotonic() - begun < 8
    return p.returncode
assert hook(d.path) == 0

# stopped: no answer in time
d.proc.send_signal(signal.SIGSTOP)
assert hook(d.path) == 2
# killed in the middle of a request
s = d.connect()
s.sendall(json.dumps(dict(BASE, command="ls")).encode()[:-1])
s2 = d.connect()
s2.sendall(json.dumps(dict(BASE, command="ls")).encode() + b"\n")
d.kill()
for x in (s, s2):
    try:
        assert x.recv(65536) == b""
    except OSError:
        pass
# it is started anew, on demand
assert hook(d.path) == 0
s = d.connect()
import struct
pid = struct.unpack("3i", s.getsockopt(1, 17, 12))[0]
os.kill(pid, signal.SIGTERM)
time.sleep(0.3)
if os.geteuid() == 0:
    # somebody else serves there, and says yes to all
    there = os.path.join(sys.argv[2], "other")
    os.mkdir(there)
    os.chmod(there, 0o777)
    os.chmod(sys.argv[2], 0o755)
    os.chmod(os.path.dirname(sys.argv[2]), 0o755)
    path = os.path.join(there, "p.sock")
    child = os.fork()
    if child == 0:
        os.setgid(65534)
        os.setuid(65534)
        l = socket.socket(socket.AF_UNIX)
        l.bind(path)
        os.chmod(path, 0o777)
        l.listen()
        c, _ = l.accept()
        c.recv(65536)
        c.sendall(b'{"v":1,"id":1,"decision":"allow"}\n')
        os._exit(0)
    while not os.path.exists(path):
        time.sleep(0.01)
    time.sleep(0.1)
    assert hook(path) == 2
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    # our own socket, open to all: only we and root are answered
    e = Daemon(sys.argv[1], sys.argv[2])
    os.chmod(e.path, 0o777)
    os.chmod(os.path.dirname(e.path), 0o755)
    child = os.fork()
    if child == 0:
        os.setgid(65534)
        os.setuid(65534)
        os._exit(0 if e.check("ls") == "closed" else 1)
    assert os.waitpid(child, 0)[1] == 0
    e.stop()
PY
# the one that the stale socket's hook started
pid=$(python3 -c '
import socket, struct, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
print(struct.unpack("3i", s.getsockopt(1, 17, 12))[0])' "$TXFS_POLICYD_SOCKET") && kill "$pid"
