#!/bin/bash
# P10: a path whose look-up hangs makes its command undecided, in bounded time; commands that
# name no path are judged meanwhile, and all is well again when the mount answers.
. "$TESTS/lib.sh"
requires_fuse
[ -x /usr/bin/python3 ] && PATH=$BIN:/usr/bin:$PATH
B=$TMP/base M=$TMP/mnt
mkdir -p "$B/dir"
mount_ws "$B" "$M" -o no_awake
text=$(txfs -C "$M" status --json)
[[ $text =~ \"pid\":([0-9]+) ]] || fail "no pid in: $text"
pid=${BASH_REMATCH[1]}
at_exit "kill -CONT $pid 2>/dev/null"
kill -STOP "$pid"
PYTHONPATH=$TESTS/policy python3 - "$BIN/policyd" "$M" "$pid" <<'E2' || fail "see above"
import os, signal, sys, time
import score
daemon, mnt, pid = score.Daemon(sys.argv[1]), sys.argv[2], int(sys.argv[3])
wrong = []


def ask(command, want, most):
    began = time.monotonic()
    answer = daemon.check(command)
    took = time.monotonic() - began
    if answer["decision"] not in want or took > most:
        wrong.append(f"{command}: {answer['decision']} after {took:.2f} s: {answer.get('reason')}")


slow = int(os.environ.get("SLOW", "1"))
no = ("ask", "deny")
ask(f"cat {mnt}/dir/never/looked/at", no, 2 * slow)
ask("echo hello", ("allow",), 1 * slow)
ask(f"cat {mnt}/dir/other", no, 1 * slow)
ask("cat src/main.c", no, 1 * slow)  # the thread is not back
os.kill(pid, signal.SIGCONT)
end = time.monotonic() + 10 * slow
while daemon.check("cat src/main.c")["decision"] != "allow" and time.monotonic() < end:
    time.sleep(0.05)
ask("cat src/main.c", ("allow",), 1 * slow)
daemon.close()
print("\n".join(wrong))
sys.exit(bool(wrong))
E2
