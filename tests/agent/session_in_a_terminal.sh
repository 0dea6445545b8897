#!/bin/bash
# The session in a pseudo-terminal: editing and history, the transaction in the prompt, a diff in
# colour before a commit, Ctrl-C for a line and for a step, resuming, and nothing that drives the terminal.
# timeout: 120
. "$TESTS/lib.sh"
requires_fuse
requires python3
make_project "$TMP/p" && cd "$TMP/p" || exit 1
echo one >file
cat >"$TMP/script" <<'JSON'
{"say": "I add \u001b[2Ja line.", "run": "echo two >> file"}
{"done": "Added."}
{"run": "echo waiting; sleep 60"}
{"run": "echo three >> file"}
{"done": "Also added."}
JSON
cat >"$TMP/talk.py" <<'PY'
import fcntl, os, pty, re, select, signal, struct, sys, termios, time

class Terminal:
    def __init__(self, *argv):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm"
            os.environ.pop("NO_COLOR", None)
            os.execvp(argv[0], argv)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 200, 0, 0))
        self.seen = b""

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait(self, pattern, seconds=20):
        """Until what was shown since the last wait matches; what it was."""
        end = time.time() + seconds * float(os.environ.get("SLOW", 1))
        while True:
            m = re.search(pattern.encode(), self.seen, re.S)
            if m:
                out, self.seen = self.seen[:m.end()], self.seen[m.end():]
                return out.decode("utf-8", "replace")
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.time()))
            assert ready, f"waited in vain for {pattern!r}, saw {self.seen!r}"
            try:
                more = os.read(self.fd, 65536)
            except OSError:
                more = b""
            assert more, f"ended before {pattern!r}, saw {self.seen!r}"
            self.seen += more

    def end(self):
        while True:
            try:
                if not os.read(self.fd, 65536):
                    break
            except OSError:
                break
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

t = Terminal("agentctl", "--script", sys.argv[1])
t.wait(r"/help says more.*agentctl> ")
t.type("please add a line\r")
out = t.wait(r"agentctl \[\d+ \+0 ~1 -0\]> ")
assert "\x1b[2J" not in out and "\\x1B[2J" in out, out
assert "echo two" in out and "Added." in out, out
assert open("file").read() == "one\n", "published without a commit"
# editing: a slip is taken back, the line before comes again by the arrow
t.type("!echo heello\x7f\x7f\x7f\x7fllo\r")
assert "hello" in t.wait(r"\nhello\r\n.*\]> ")
t.type("\x1b[A\r")
t.wait(r"\nhello\r\n.*\]> ")
# Ctrl-C: of a line, and of a step; the session goes on
t.type("!echo never")
t.wait("never")
t.type("\x03")
t.wait(r"\^C.*\]> ")
t.type("wait a while\r")
t.wait("waiting")
t.type("\x03")
t.wait(r"\]> ", 10)
t.type("!printf 'a\\033]0;title\\007b\\n'\r")
out = t.wait(r"\na[^\n]*b\r\n.*\]> ")
assert "\x1b]0;title" not in out, out
t.type("!touch \"$(printf 'x\\033[31my')\"\r")
t.wait(r"\]> ")
t.type("/savepoint here\r")
t.wait(r"savepoint here.*\]> ")
t.type("!rm file\r")
t.wait(r"-1\]> ")
t.type("/undo\r")
t.wait(r"undone.*-0\]> ")
t.type("!rm -rf /usr\r")
t.wait(r"refused by policy.*\]> ")
t.type("/why\r")
t.wait(r"because: rm deletes.*\]> ")
# a preview in colour; not published before yes
t.type("/commit\r")
out = t.wait(r"publish this\? \[y/N\] ")
assert "\x1b[32m+two" in out and "\x1b[31my" not in out, out
t.type("n\r")
t.wait(r"not published.*\]> ")
assert open("file").read() == "one\n"
t.type("/rollback here\r")
t.wait(r"back at savepoint here.*\]> ")
tx = t.type("/status\r") or re.search(r"transaction (\d+)", t.wait(r"nothing is published yet.*\]> ")).group(1)
t.type("\x04")
t.wait("go on: agentctl --resume " + tx)
assert t.end() == 0

# what was kept is gone on with, and committed
t = Terminal("agentctl", "--resume", tx, "--model", "embedded")
t.wait(rf"agentctl \[{tx} \+1 ~1 -0\]> ")
t.type("/undo\r")
t.wait(r"nothing to undo.*\]> ")
t.type("/commit -y\r")
t.wait(r"committed.*agentctl> ")
assert open("file").read() == "one\ntwo\n"
# another transaction in the same session, dropped
t.type("!rm -rf .git src\r")
t.wait(r"\]> ")
t.type("/abort\r")
t.wait(r"every file is as before.*agentctl> ")
assert os.path.isdir(".git")
t.type("/model nowhere\r")
t.wait(r"/model embedded.*agentctl> ")
t.type("/quit\r")
assert t.end() == 0

# the terminal goes away: the work is kept
t = Terminal("agentctl")
t.wait("agentctl> ")
t.type("!echo more > more\r")
t.wait(r"\]> ")
os.close(t.fd)
os.waitpid(t.pid, 0)
assert not os.path.exists("more")
PY
timeout 100 python3 "$TMP/talk.py" "$TMP/script" 2>"$TMP/log" || { cat "$TMP/log" >&2; fail 'the session'; }
eq 1 "$(txfs ls --json | grep -c '"state":"open"')" 'what the lost terminal left is kept'
txfs abort --tx "$(txfs ls --json | sed -n 's/.*"id":\([0-9]*\).*/\1/p' | tail -n 1)" >/dev/null || fail abort
eq 600 "$(stat -c %a "$TXFS_STATE_DIR/history")"
has 'hello' "$TXFS_STATE_DIR/history"

# without a terminal lines are just read
printf '%s\n' '!echo piped > piped' '/commit' | agentctl >"$TMP/out" 2>&1 || fail 'from a pipe'
eq piped "$(cat piped)"
