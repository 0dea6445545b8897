#!/bin/bash
# --json: one event a line on standard output, the command's output among them, end last.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"
cd "$P" || exit 1
agentctl run --json -- sh -c 'echo "out \"quoted\""; printf "\377\n" >&2; touch "a b"' \
	>"$TMP/events" 2>"$TMP/talk" || fail 'run'
python3 - "$TMP/events" <<'END' || fail 'events'
import base64, json, sys
rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
assert [r["ev"] for r in rows if r["ev"] != "output"] == ["vet", "begin", "exit", "end"], rows
out = "".join(r["text"] for r in rows if r["ev"] == "output" and r["stream"] == "stdout")
assert out == 'out "quoted"\n', out
err = [r for r in rows if r["ev"] == "output" and r["stream"] == "stderr"]
assert base64.b64decode(err[0]["text_base64"]) == b"\xff\n", err
end = rows[-1]
assert end["outcome"] == "committed" and end["exit"] == 0 and end["tx"] > 0, end
assert end["added"] == 1 and end["changed"] == 0 and end["deleted"] == 0, end
assert all(k in end["times"] for k in ("begin_ms", "vet_ms", "run_ms", "end_ms")), end
END
agentctl run --json --dry-run -- touch made >"$TMP/events" 2>/dev/null || fail 'dry run'
eq false "$(event_of "$TMP/events" plan mounted)"
[ ! -e made ] || fail 'a dry run ran'
status 125 agentctl run --json --workspace "$TMP/none" -- true >"$TMP/events" 2>/dev/null
eq failed "$(event_of "$TMP/events" end outcome)"
status 126 agentctl run --json -- rm -rf "$HOME" >"$TMP/events" 2>/dev/null
eq refused "$(event_of "$TMP/events" end outcome)"
