#!/bin/bash
# The daemon on its socket: modes, a second instance, rubbish, a client that never reads,
# reload, stop. Whatever happens, nothing is ever allowed by mistake.
set -eu
: "${BIN:=${1:-build/bin}}"
: "${TMP:=$(mktemp -d)}"
command -v python3 >/dev/null || { echo "skip: no python3"; exit 77; }
export TXFS_STATE_DIR=$TMP/state
sock=$TMP/run/policyd.sock
rules=$TMP/rules.yaml
printf 'version: 1\nrules: []\n' >"$rules"

fail() { echo "$*" >&2; exit 1; }
"$BIN/policyd" --socket "$sock" --rules "$rules" 2>"$TMP/err" &
pid=$!
trap 'kill $pid 2>/dev/null || :' EXIT
for _ in $(seq 100); do [ -S "$sock" ] && break; sleep 0.05; done
[ "$(stat -c %a "$sock")" = 600 ] || fail "socket mode $(stat -c %a "$sock")"
[ "$(stat -c %a "$TMP/run")" = 700 ] || fail "folder mode"
if "$BIN/policyd" --socket "$sock" 2>"$TMP/second"; then fail "a second daemon started"; fi
grep -q "another policyd" "$TMP/second" || fail "the second daemon did not say why"

python3 - "$sock" "$rules" "$pid" <<'PY'
import json, os, signal, socket, sys, time
sock, rules, pid = sys.argv[1], sys.argv[2], int(sys.argv[3])
base = {"v": 1, "id": 1, "op": "check", "cwd": "/w", "workspace": "/w", "home": "/h"}

def connect():
    s = socket.socket(socket.AF_UNIX)
    s.connect(sock)
    s.settimeout(10)
    return s

def line(s):
    data = b""
    while not data.endswith(b"\n"):
        more = s.recv(65536)
        if not more:
            break
        data += more
    return json.loads(data) if data else {"decision": "closed"}

def ask(raw, s=None):
    s = s or connect()
    try:
        s.sendall(raw + b"\n")
    except OSError:
        pass
    return line(s)

def check(command, **more):
    return ask(json.dumps(dict(base, command=command, **more)).encode())["decision"]

assert check("ls") == "allow"
assert check("rm a.c") == "tx"
assert check("rm -rf ~") == "deny"
bad = [b"", b"\0", b"\xff\xfe", b"[" * 100000, b'{"a":' * 100000, b"x" * 10_000_000,
       json.dumps(dict(base, command="$(" * 60000)).encode(),
       json.dumps(dict(base, command="a " * 65000)).encode(),
       json.dumps(dict(base, command="x" * 10_000_000)).encode(),
       json.dumps(dict(base, command="ls", more=1)).encode(),
       b'{"v":1,"op":"check","command":"ls","command":"ls","cwd":"/w","workspace":"/w"}']
for raw in bad:
    start = time.time()
    got = ask(raw)["decision"]
    assert got in ("deny", "closed"), (raw[:40], got)
    assert time.time() - start < 2, raw[:40]

# many lines in one write are all answered, in order
s = connect()
s.sendall(b"".join(json.dumps(dict(base, id=i, command="ls")).encode() + b"\n" for i in range(50)))
f = s.makefile("rb")
assert [json.loads(f.readline())["id"] for i in range(50)] == list(range(50))

# a client that sends and never reads is dropped, and others go on
lazy = connect()
lazy.setblocking(False)
one = json.dumps(dict(base, command="rm -rf ~")).encode() + b"\n"
try:
    for i in range(20000):
        lazy.send(one)
except OSError:
    pass
# half a line, never finished
half = connect()
half.sendall(b'{"v":1,')
idle = [connect() for i in range(200)]
start = time.time()
assert check("ls") == "allow"
assert time.time() - start < 2

# reload: a bad file keeps the old rules, a good one counts
with open(rules, "w") as f:
    f.write("version: 1\nrules:\n  - id: x\n    frob: 1\n")
assert ask(b'{"v":1,"op":"reload"}')["decision"] == "deny"
assert check("ls") == "allow"
with open(rules, "w") as f:
    f.write("version: 1\nrules:\n  - {id: no-ls, program: ls, decision: deny, reason: no,"
            " match: [ls]}\n")
os.kill(pid, signal.SIGHUP)
for i in range(100):
    if check("ls") == "deny":
        break
    time.sleep(0.02)
else:
    raise SystemExit("the rules were not loaded anew")
assert ask(b'{"v":1,"op":"stats"}')["stats"]["reloads"] >= 2
PY

log=$TXFS_STATE_DIR/audit.jsonl
[ "$(stat -c %a "$log")" = 600 ] || fail "log mode"
python3 - "$log" <<'PY'
import hashlib, json, sys
prev = "0" * 64
for line in open(sys.argv[1]):
    o = json.loads(line)
    body = line[: line.rindex(',"hash":"')]
    assert o["prev"] == prev, o["n"]
    prev = hashlib.sha256(body.encode()).hexdigest()
    assert o["hash"] == prev, o["n"]
PY
kill "$pid"
wait "$pid" || fail "ended with $?"
[ ! -e "$sock" ] || fail "the socket was left behind"
