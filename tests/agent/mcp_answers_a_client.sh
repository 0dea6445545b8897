#!/bin/bash
# P7, P9: agentctl mcp: commands are vetted and contained, savepoints go back, only
# --allow-tx ends a transaction, cancelling ends the command, and what is open at the end is kept.
# timeout: 90
. "$TESTS/lib.sh"
requires_fuse
requires python3
make_project "$TMP/p" && cd "$TMP/p" || exit 1
echo one >file
echo 'git config core.fsmonitor ./evil' >late.sh
cat >"$TMP/outside.py" <<'PY'
import os, signal, sys, time
from mcpclient import Mcp
cwd, txfs = sys.argv[1], sys.argv[2]
path = lambda name: os.path.join(cwd, name)
read = lambda name: open(path(name)).read()

with Mcp(["agentctl", "mcp", "--allow-tx", "--check", "echo checking; cat; ! test -e bad"], cwd) as m:
    assert m.info["serverInfo"]["name"] == "txfs" and m.info["protocolVersion"] == "2025-06-18", m.info
    assert m.tools() == ["run", "status", "diff", "savepoint", "rollback", "begin", "commit", "abort"], m.tools()
    assert m.call("status")["open"] is False
    r = m.call("run", command="echo two >> file; echo out; echo err >&2; exit 3")
    assert r["status"] == 3 and r["failed"] and "out\nerr" in r["text"] and r["step"] == 1, r
    assert read("file") == "one\n", "published too early"
    r = m.call("run", command="rm -rf ~/x; rm -rf /etc")
    assert r["refused"] and "delete-" in r["rule"] and "Instead" in r["text"], r
    s = m.call("status")
    assert (s["added"], s["changed"], s["deleted"]) == (0, 1, 0), s
    assert "+two" in m.call("diff")["text"] and m.call("diff", path="src")["text"] == "Nothing changed."
    assert m.call("savepoint", name="here")["failed"] is False
    assert m.call("savepoint", name="here")["failed"] is True
    m.call("run", command="rm file")
    m.call("run", command="rm -r src")
    assert "step 3" in m.call("rollback")["text"]
    assert m.call("status")["deleted"] == 1
    assert m.call("rollback", name="here")["failed"] is False
    assert m.call("status")["deleted"] == 0
    assert m.call("rollback", name="there")["failed"] is True
    # a savepoint with a name outlives the merging of steps
    for i in range(140):
        m.call("run", command="echo %d >> file" % i)
    assert m.call("rollback", step=2)["failed"] is True, "merged long ago"
    assert m.call("rollback", name="here")["failed"] is False
    assert m.call("status")["changed"] == 1 and "+0" not in m.call("diff")["text"]
    assert m.call("rollback", step=1)["failed"] is False
    assert "Nothing" in m.call("diff")["text"]
    # errors are the protocol's own
    assert m.call("nothing")["code"] == -32602 and m.call("run")["code"] == -32602
    assert m.call("run", command=7)["code"] == -32602 and m.call("run", command="a\0b")["code"] == -32602
    assert m.call("run", command="ls", cwd="/")["code"] == -32602
    assert m.ask("resources/list")["code"] == -32601
    m.write("{nonsense")
    assert m.read()["error"]["code"] == -32700
    m.write("[]")
    assert m.read()["error"]["code"] == -32600
    m.write('{"jsonrpc":"2.0","id":"x","method":"ping"}')
    assert m.read()["id"] == "x"
    # a command that is not wanted any more, and one whose time is over
    n = m.send("tools/call", name="run", arguments={"command": "echo begun; sleep 60"})
    time.sleep(0.3)
    assert m.ask("ping") == {}, "no answer while a command runs"
    m.tell("notifications/cancelled", requestId=n)
    r = m.result(m.wait(n))
    assert r["timed_out"] and "begun" in r["text"], r
    assert m.call("run", command="sleep 60", timeout_seconds=0.2)["timed_out"]
    assert m.call("run", command="echo again")["text"] == "exit status 0\nagain\n"
    # the end, with a check
    m.call("run", command="echo three >> file; touch bad")
    r = m.call("commit")
    assert r["failed"] and r["outcome"] == "aborted" and r["check_failed"] and read("file") == "one\n", r
    assert m.call("commit")["failed"] is True, "there is nothing to commit"
    m.call("begin")
    assert m.call("begin")["failed"] is True
    m.call("run", command="echo four >> file")
    assert m.call("commit")["outcome"] == "committed" and read("file") == "one\nfour\n"
    m.call("run", command="rm -rf src .git")
    assert m.call("abort")["outcome"] == "aborted" and os.path.isdir(path("src"))
    m.call("run", command="sh late.sh")
    r = m.call("commit")
    assert r["failed"] and r["outcome"] == "kept" and ".git/config" in r["text"], r
    kept = r["tx"]
os.system(f"{txfs} -C {cwd} abort --tx {kept} >/dev/null")

# without --allow-tx somebody else ends it; what is open is kept
m = Mcp(["agentctl", "mcp", "--label", "client"], cwd)
assert m.tools() == ["run", "status", "diff", "savepoint", "rollback"], m.tools()
m.call("run", command="echo kept > kept")
assert m.end() == 0 and not os.path.exists(path("kept"))

# a signal while a command runs ends it, and the server
m = Mcp(["agentctl", "mcp"], cwd)
m.send("tools/call", name="run", arguments={"command": "sleep 60"})
time.sleep(0.5)
m.p.send_signal(signal.SIGTERM)
assert m.end() == 128 + signal.SIGTERM

# so does a client that is gone
m = Mcp(["agentctl", "mcp"], cwd)
m.send("tools/call", name="run", arguments={"command": "sleep 60"})
time.sleep(0.5)
m.p.stdout.close()
m.p.stdin.close()
m.p.wait(20)
PY
PYTHONPATH=$TESTS/tools python3 "$TMP/outside.py" "$PWD" "$BIN/txfs" 2>"$TMP/log" || { cat "$TMP/log" >&2; fail outside; }
eq 1 "$(txfs ls --json | grep -c '"label":"client"')" 'the work of the client is kept'
txfs commit --tx client >/dev/null || fail 'what was kept cannot be committed'
eq kept "$(cat kept)"

# all of a script at once: every request is answered before the end
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize"}' \
	'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run","arguments":{"command":"sleep 0.3; echo done"}}}' |
	agentctl mcp >"$TMP/out" 2>/dev/null || fail 'a script'
has '"text":"exit status 0\ndone\n"' "$TMP/out"

# inside of a run nothing ends the transaction
cat >"$TMP/p/inside.py" <<'PY'
import sys
from mcpclient import Mcp
with Mcp(["./agentctl", "mcp", "--allow-tx"], ".") as m:
    want = ["run", "status", "diff"] + (["savepoint", "rollback"] if sys.argv[1] == "tx" else [])
    assert m.tools() == want, m.tools()
    r = m.call("run", command="echo inside > inside")
    assert r["status"] == 0, r
    assert m.call("run", command="rm -rf /etc")["refused"]
    assert m.call("status")["added"] >= 1 and "+ inside\n" in m.call("diff")["text"]
    assert m.call("commit")["code"] == -32602
    assert m.call("run", command="echo begun; sleep 60 & sleep 60", timeout_seconds=0.2)["timed_out"]
    if sys.argv[1] == "tx":
        assert m.call("savepoint", name="here")["failed"] is False
        assert m.call("savepoint", name="step-1")["failed"] is True
        m.call("run", command="rm inside")
        assert m.call("rollback", name="here")["failed"] is False
    assert m.call("run", command="cat inside")["text"] == "exit status 0\ninside\n"
PY
# the programs may lie below /tmp, which is empty inside
cp "$TESTS/tools/mcpclient.py" "$BIN/agentctl" "$TMP/p"
for how in tx no; do
	rm -f inside
	allow=()
	[ $how = no ] || allow=(--allow-tx)
	agentctl run --no-keep "${allow[@]}" -- python3 inside.py $how >"$TMP/log" 2>&1 ||
		{ cat "$TMP/log" >&2; fail "inside: $how"; }
	eq inside "$(cat inside)"
done
