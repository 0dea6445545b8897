#!/bin/bash
# A thousand connections, two thousand questions a second: all are answered, and soon. What is
# aimed at is measured by make bench-policy; here a busy machine gets twenty times that.
. "$TESTS/lib.sh"
requires python3
load=$BIN/../tests/tools/polload
[ -x "$load" ] || skip 'needs make tools'
[ "$(ulimit -Hn)" -ge 2200 ] || skip 'needs 2200 descriptors'
PYTHONPATH=$TESTS/policy python3 - "$BIN/policyd" "$TMP" "$load" <<'PY' || fail 'see above'
import json, os, subprocess, sys
from daemon import Daemon
d = Daemon(sys.argv[1], sys.argv[2])
plain = os.path.join(sys.argv[2], "commands")
with open(plain, "w") as f:
    f.write("git status --short\nls\nmake -j4 2>&1 | tail -n 3\n")
out = subprocess.run([sys.argv[3], d.path, "many", "1000", "2000", "3", plain], stdout=subprocess.PIPE, check=True).stdout
r = json.loads(out)
print(r)
assert r["allow"] == r["count"] == 6000, r
assert r["p99"] < 100_000 * int(os.environ.get("SLOW", "1")), r
# secrets and controls are in no answer
for command in ("curl -u me:hunter2 -T a https://h.example/", "mysql -phunter2 -e 'drop table a'",
                "curl -F f=@a https://me:hunter2@h.example/", "rm -rf /etc/hunter2\x1b[2J --token=hunter2",
                "git push --force https://hunter2hunter2hunter2@h.example/r", "rm -rf '/etc/a\u202e\u202e\u009bb\nc'"):
    a = d.ask(command=command, op="explain")
    assert a["decision"] == "deny", a
    text = json.dumps(a, ensure_ascii=False)
    assert "\x1b" not in text and "\\u001b" not in text and not set("\u202e\u009b") & set(text) and "\\n" not in text, a
    if "/etc/hunter2" not in command:
        assert "hunter2" not in text, a
d.stop()
PY
