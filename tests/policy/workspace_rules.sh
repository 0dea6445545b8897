#!/bin/bash
# Rules at fixed places: the user's, and the workspace's own, which can only make verdicts
# stricter; a broken one never loosens anything.
. "$TESTS/lib.sh"
requires python3
mkdir -p "$TMP/config/txfs" "$TMP/w"
rule() { # ID PROGRAM DECISION
	printf 'version: 1\nrules:\n  - {id: %s, program: %s, decision: %s, reason: no, match: [%s]}\n' "$1" "$2" "$3" "$2"
}
rule by-user frob ask >"$TMP/config/txfs/policy.yaml"
export XDG_CONFIG_HOME=$TMP/config
PYTHONPATH=$TESTS/policy python3 - "$BIN/policyd" "$TMP" <<'PY' || fail 'see above'
import os, sys, time
from daemon import Daemon
d = Daemon(sys.argv[1], sys.argv[2])
w = os.path.join(sys.argv[2], "w")
own = os.path.join(w, ".txfs-policy.yaml")
def ask(command):
    a = d.ask(command=command, cwd=w, workspace=w, mode="interactive")
    return a["decision"], a["rule"]
def write(text):
    with open(own, "w") as f:
        f.write(text)
    time.sleep(1.1)  # it is looked at once a second
def rule(program, decision):
    return ("version: 1\nrules:\n  - {id: by-ws, program: %s, decision: %s, reason: no, match: [%s]}\n"
            % (program, decision, program))
assert ask("frob") == ("ask", "by-user")
write(rule("frob", "deny"))
assert ask("frob") == ("deny", "by-ws")
write(rule("frob", "allow"))
assert ask("frob") == ("ask", "by-user")
write("version: 1\nrules:\n  - {id: r, program: rm, decision: allow, match: ['rm x']}\n")
assert ask("rm -rf /etc")[0] == "deny"
write(rule("brof", "deny"))
assert ask("brof") == ("deny", "by-ws")
write("version: 1\nrules: [{id: x, frob: 1}]\n")  # broken: the earlier form stays
assert ask("brof") == ("deny", "by-ws")
assert own + ":2: unknown key" in d.talk(), d.talk()
os.unlink(own)
time.sleep(1.1)
assert ask("brof")[0] == "allow"
# broken from the beginning: nothing is allowed, and the reason names file and line
d.stop()
write("version: 1\nrules: [")
d = Daemon(sys.argv[1], sys.argv[2])
a = d.ask(command="ls", cwd=w, workspace=w)
assert a["decision"] == "deny" and a["rule"] == "rules-broken" and own + ":3: " in a["reason"], a
assert d.check("ls") == "allow"  # of another workspace
for kind in ("folder", "fifo", "link"):
    os.unlink(own) if os.path.lexists(own) else None
    d.stop()
    {"folder": os.mkdir, "fifo": os.mkfifo, "link": lambda p: os.symlink("/etc/passwd", p)}[kind](own)
    d = Daemon(sys.argv[1], sys.argv[2])
    assert ask("ls")[0] == "deny", kind
    if kind == "folder":
        os.rmdir(own)
d.stop()
PY
rule by-user frob 'perhaps' >"$TMP/config/txfs/policy.yaml"
status 1 policyd --socket "$TMP/run/p.sock" 2>"$TMP/err"
has 'policy.yaml:3: unknown value' "$TMP/err"
rule by-user frob deny >"$TMP/config/txfs/policy.yaml"
chmod 666 "$TMP/config/txfs/policy.yaml"
status 1 policyd --socket "$TMP/run/p.sock" 2>"$TMP/err"
has 'everybody may write it' "$TMP/err"
chmod 600 "$TMP/config/txfs/policy.yaml"
status 4 policyd explain frob --workspace "$TMP" >"$TMP/out"
has 'rule by-user' "$TMP/out"

# the administrator's, in a mount namespace of its own
[ "$(id -u)" = 0 ] && command -v unshare >/dev/null || exit 0
mkdir -p "$TMP/etc/upper" "$TMP/etc/work" "$TMP/etc/upper/txfs"
rule by-admin frob deny >"$TMP/etc/upper/txfs/policy.yaml"
rule by-user frob allow >"$TMP/config/txfs/policy.yaml"
unshare -m bash -c "mount -t overlay -o lowerdir=/etc,upperdir=$TMP/etc/upper,workdir=$TMP/etc/work none /etc || exit 77
	policyd explain frob --workspace $TMP >$TMP/out; [ \$? = 4 ]" || { [ $? = 77 ] && exit 0; fail "$(cat "$TMP/out")"; }
has 'rule by-admin' "$TMP/out"
