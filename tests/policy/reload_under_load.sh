#!/bin/bash
# Rules are loaded anew while questions come in at a high rate: none is lost or answered by a
# mistake, good files count at once, bad ones leave the old rules in force and say why.
. "$TESTS/lib.sh"
requires python3
load=$BIN/../tests/tools/polload
[ -x "$load" ] || skip 'needs make tools'
PYTHONPATH=$TESTS/policy python3 - "$BIN/policyd" "$TMP" "$load" <<'PY' || fail 'see above'
import json, os, signal, subprocess, sys, time
from daemon import BASE, Daemon
rules, big = os.path.join(sys.argv[2], "rules.yaml"), 8000

def write(text):
    with open(rules + ".new", "w") as f:
        f.write(text)
    os.rename(rules + ".new", rules)
def rule(i, decision):
    return "  - {id: r%d, program: p%d, decision: %s, reason: no, match: [p%d]}\n" % (i, i, decision, i)
head = "version: 1\nrules:\n"
good = [head + rule(0, "deny"), head + rule(0, "ask"), head + "".join(rule(i, "deny") for i in range(big))]
bad = [head + "  - id: x\n    frob: 1\n", "rules: [", head + rule(0, "deny").replace("match: [p0]", "match: [ls]"), ""]

write(good[0])
d = Daemon(sys.argv[1], sys.argv[2], "--rules", rules)
assert d.check("p0") == "deny"
plain = os.path.join(sys.argv[2], "commands")  # nothing to look up, so that a busy machine is no excuse
with open(plain, "w") as f:
    f.write("git status --short\nls\nmake -j4 2>&1 | tail -n 3\n")
load = subprocess.Popen([sys.argv[3], d.path, "many", "50", "1000", "6", plain], stdout=subprocess.PIPE, text=True)
end, n = time.monotonic() + 5.5, 0
while time.monotonic() < end:
    write((good + bad)[n % 7])
    d.proc.send_signal(signal.SIGHUP)
    n += 1
    time.sleep(0.05)
r = json.loads(load.communicate()[0])
assert load.returncode == 0 and r["allow"] == r["count"] == 6000, r
print(r)

# by the op: the answer comes when the rules are in force
write(good[1])
assert d.raw(b'{"v":1,"id":7,"op":"reload"}') == {"v": 1, "id": 7, "decision": "allow", "us": 0}
assert d.check("p0", mode="interactive") == "ask"
for text, line in zip(bad, (":4: ", ":2: ", ":3: ", "")):
    write(text)
    a = d.raw(b'{"v":1,"id":"x","op":"reload"}')
    assert a["decision"] == "deny" and a["id"] == "x", a
    assert rules in a["reason"] and line in a["reason"], a
    assert d.check("p0", mode="interactive") == "ask"
assert "the old rules stay: " + rules in d.talk()
# what stands in the place of the file
for kind in ("folder", "fifo", "nothing", "link"):
    os.unlink(rules)
    if kind == "folder":
        os.mkdir(rules)
    elif kind == "fifo":
        os.mkfifo(rules)
    elif kind == "link":
        os.symlink(rules, rules)
    begun = time.monotonic()
    assert d.raw(b'{"v":1,"op":"reload"}')["decision"] == "deny", kind
    assert time.monotonic() - begun < 2 and d.check("p0", mode="interactive") == "ask"
    if kind == "folder":
        os.rmdir(rules)
        write("")
    elif kind == "nothing":
        write("")
os.unlink(rules)
# ten thousand rules, in bounded time; others are served meanwhile
write(head + "".join(rule(i, "deny") for i in range(9900)))
s = d.connect()
begun = time.monotonic()
s.sendall(b'{"v":1,"op":"reload"}\n')
assert d.check("ls") == "allow" and time.monotonic() - begun < 1
assert json.loads(s.makefile().readline())["decision"] == "allow"
assert time.monotonic() - begun < 10
assert d.check("p9899") == "deny"
d.stop()
PY
