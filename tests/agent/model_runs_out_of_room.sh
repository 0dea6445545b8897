#!/bin/bash
# A conversation that is too long for the model loses its oldest observations first, never the
# task; when the server says so, and before it needs to when --context tells.
. "$TESTS/lib.sh"
# shellcheck source=tests/tools/modelserver.sh
. "$TESTS/tools/modelserver.sh"
requires_fuse
P=$TMP/project
make_project "$P"
cd "$P" || exit 1
too_long='{"status": 400, "body": {"error": {"message": "maximum context length is 8 tokens", "code": "context_length_exceeded"}}}'
big() { printf '{"run": "echo %s; seq 4000"}\n' "$1"; }

# The marker of each command is in the beginning of its observation.
model_serves < <(big first; big second; big third; echo "$too_long"; echo '{"finish": "so"}')
model_task 'count, please' || fail "$(cat "$TMP/talk")"
texts trouble | grep -q 'too long for the model' || fail 'not told'
asked 3 'all(w in json.dumps(m) for w in ("count, please", "3999"))'
asked 4 'm[1]["content"] == "count, please" and m[3]["content"].startswith("exit status 0\n[")'
asked 4 '"left out to save room" in m[3]["content"] and "3999" in m[-1]["content"]'
asked 4 'len(json.dumps(m)) < 0.8 * len(json.dumps([json.loads(x) for x in open(sys.argv[1])][3]["body"]["messages"]))'

# It never fits: asked with less and less, then the end
model_serves < <(big first; for _ in $(seq 20); do echo "$too_long"; done)
status 1 model_task 'count, please'
event_of "$TMP/events" end text | grep -q 'maximum context length' || fail 'not told why'
asked -1 'm[1]["content"] == "count, please" and len(json.dumps(m)) < 5000'

# The budget holds without a word of the server
model_serves < <(for i in 1 2 3 4 5 6; do big "marker$i"; done; echo '{"finish": "so"}')
model_task --context 20000 'count, please' || fail "$(cat "$TMP/talk")"
python3 - "$MODEL_OUT/requests" <<'END' || fail 'budget'
import json, sys
rows = [json.loads(line)["body"] for line in open(sys.argv[1], encoding="utf-8")]
sizes = [len(json.dumps(r)) for r in rows]
print(sizes, file=sys.stderr)
assert len(rows) == 7 and max(sizes) < 8 * 20000, sizes
for r in rows:
    m = r["messages"]
    assert m[1]["content"] == "count, please"
    for a, b in zip(m, m[1:]):
        if b["role"] == "tool":
            assert a["tool_calls"][0]["id"] == b["tool_call_id"]
END
