#!/bin/bash
# "Can be brought back" is said only where a transaction is open right now; inside a run the
# one socket there is used, and what it asks carries the run's names, not the asker's.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"

ask() { # DIR COMMAND [HOW]: 0: may run, 2: refused
	python3 - "$@" <<-'END'
		import json, subprocess, sys
		o = {"hook_event_name": "PreToolUse", "cwd": sys.argv[1], "tool_name": "Bash",
		     "tool_input": {"command": sys.argv[2]}}
		p = subprocess.run(["agentctl", "hook", "codex"], input=json.dumps(o), text=True,
		                   cwd="/", capture_output=True)
		sys.stderr.write(p.stderr)
		sys.exit(p.returncode)
	END
}

status 2 ask "$P" 'rm src/main.c' 2>"$TMP/err"
has 'no transaction is open' "$TMP/err"
mount_ws "$P"
status 2 ask "$P" 'rm src/main.c' 2>/dev/null # mounted, but autocommit
txfs -C "$P" begin --force >"$TMP/id" || fail 'cannot begin'
status 0 ask "$P" 'rm src/main.c'
status 0 ask "$P/src" 'rm main.c'
status 2 ask "$P" 'rm -rf ~/x' 2>/dev/null
txfs -C "$P" abort >/dev/null || fail 'cannot abort'
status 2 ask "$P" 'rm src/main.c' 2>/dev/null
txfs -C "$P" begin --private >"$TMP/private" || fail 'cannot begin'
view=$(grep -o '/.*' "$TMP/private" | tail -n 1)
status 0 ask "$view" 'rm src/main.c'
txfs -C "$P" abort --tx "$(grep -o '^[0-9]*' "$TMP/private" | head -n 1)" >/dev/null || fail 'cannot abort'

# inside a run
cat >"$TMP/inside.sh" <<'END'
[ -S /dev/agentctl ] || exit 9
PATH=$PWD:$PATH
e='{"hook_event_name":"PreToolUse","cwd":"'$PWD'","tool_name":"Bash","tool_input":{"command":"CMD"}}'
echo "${e/CMD/rm src/main.c}" | agentctl hook claude || exit 10
echo "${e/CMD/rm -rf $HOME}" | agentctl hook claude
[ $? = 2 ] || exit 11
python3 - <<'PY' || exit 12
import json, socket
def say(o):
    s = socket.socket(socket.AF_UNIX)
    s.connect("/dev/agentctl")
    s.sendall((o if isinstance(o, str) else json.dumps(o)).encode() + b"\n")
    return json.loads(s.makefile().readline())
base = {"v": 1, "id": 1, "op": "check", "command": "rm x", "cwd": "/", "workspace": "/", "tx": "999",
        "agent": "nobody", "cover": "contained", "mode": "interactive"}
assert say(base)["decision"] == "deny", "the workspace was the asker's"
for op in ("reload", "stats", "record", "commit", "abort", "exec", 7):
    assert say(dict(base, op=op))["decision"] == "deny", op
for rubbish in ("", "[]", "{", "x" * 100):
    assert say(rubbish)["decision"] == "deny", rubbish
held = [socket.socket(socket.AF_UNIX) for i in range(100)]
for s in held:
    s.connect("/dev/agentctl")
    s.sendall(b"{")
assert say(dict(base, command="ls"))["decision"] == "allow"
PY
END
cp "$TMP/inside.sh" "$BIN/agentctl" "$P" # a run sees no tree below /tmp but its own
cd "$P" || exit 1
status 0 agentctl run -- bash inside.sh 2>"$TMP/talk"
tx=$(grep -o 'tx [0-9]*' "$TMP/talk" | grep -o '[0-9]*' | head -n 1)
agentctl audit --tx "$tx" --text 'rm x' --json >"$TMP/lines" || fail 'audit'
has '"agent":"agentctl run, inside"' "$TMP/lines"
agentctl audit --tx 999 --json >"$TMP/lines"
[ ! -s "$TMP/lines" ] || fail 'the asker chose its transaction'
agentctl audit --text nobody --json >"$TMP/lines"
[ ! -s "$TMP/lines" ] || fail 'the asker chose its name'
cd / || exit 1
compgen -G "$TXFS_STATE_DIR/door-*" >/dev/null && fail 'a socket was left behind'
exit 0
