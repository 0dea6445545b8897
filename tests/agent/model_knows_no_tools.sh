#!/bin/bash
# Servers that refuse tools, streams or their options are asked without them; those that pass
# them over in silence, and models that only talk, are told how a call looks.
. "$TESTS/lib.sh"
# shellcheck source=tests/tools/modelserver.sh
. "$TESTS/tools/modelserver.sh"
requires_fuse
P=$TMP/project
make_project "$P"
cd "$P" || exit 1
refuse() { printf '{"status": 400, "body": {"error": {"message": "%s"}}}\n' "$1"; }

model_serves <<END
$(refuse 'unknown field: stream_options')
$(refuse 'this model does not support tools')
$(refuse 'stream is not implemented')
{"as": "text", "say": "I do.", "run": "echo 1 > one; echo seen"}
{"as": "text", "finish": "so"}
END
model_task 'x' || fail "$(cat "$TMP/talk")"
eq 1 "$(cat one)"
eq 3 "$(texts trouble | wc -l)"
asked 0 'q["stream_options"]["include_usage"] and "tools" in q'
asked 1 '"stream_options" not in q and "tools" in q and q["stream"]'
asked 2 '"tools" not in q and "tool_call>" in m[0]["content"] and q["stream"]'
asked 3 'not q["stream"]'
asked 4 'm[2]["content"].startswith("I do.\n<tool_call>") and m[3]["role"] == "user"'
asked 4 'm[3]["content"] == "<tool_response>\nexit status 0\nseen\n\n</tool_response>"'

# the same from the beginning, when asked for
model_serves < <(echo '{"as": "text", "finish": "so"}')
model_task --tools text 'x' || fail "$(cat "$TMP/talk")"
asked 0 '"tools" not in q and "rollback" in m[0]["content"]'
model_serves < <(refuse 'no tools here')
status 1 model_task --tools native 'x'

# only words: told once, then taken at its word
model_serves <<END
{"as": "minimind2", "say": "I would write the file."}
{"as": "minimind2", "think": "so <tool_call>", "run": "echo 2 > two"}
{"as": "minimind2", "say": "It is done."}
{"as": "minimind2", "say": "As I said."}
END
model_task --check 'test -e two' 'x' || fail "$(cat "$TMP/talk")"
eq 'As I said.' "$(event_of "$TMP/events" end text)"
asked 1 'm[-1]["role"] == "user" and "<tool_call>" in m[-1]["content"]'

# what is not understood, and what broke off, is said and not done
model_serves <<'END'
{"raw": "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"run\",\"arguments\":\"{\\\"command\\\": \\\"touch half\"}}]},\"finish_reason\":\"length\"}]}\n\n"}
{"raw": "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"fly\",\"arguments\":\"{}\"}}]}}]}\n\n"}
{"say": "A long story", "reason": "length"}
{"object": true, "no_id": true, "no_index": true, "no_done": true, "no_end": true, "type": "text/plain", "piece": 3, "run": ["echo 3 > three", "echo more >> three"]}
{"finish": "so"}
END
model_task 'x' || fail "$(cat "$TMP/talk" "$TMP/events")"
[ ! -e half ] || fail 'a call that was cut off was run'
eq $'3\nmore' "$(cat three)"
asked 1 '"not understood" in m[-1]["content"]'
texts note | grep -q 'not understood' || fail 'no event'
asked 2 '"no tool \u0027fly\u0027" in m[-1]["content"]'
asked 3 '"broke off" in m[-1]["content"]'
# HTTP/1.0, where only the end of the connection is an end
model_serves < <(printf '%s\n' '{"old": true, "run": "echo 5 > five"}' '{"old": true, "as": "minimind3", "finish": "so"}')
model_task 'x' || fail "$(cat "$TMP/talk" "$TMP/events")"
eq 5 "$(cat five)"
# a line that stays open behind the end is not waited for
model_serves < <(printf '%s\n' '{"as": "minimind3", "stay": true, "run": "echo 4 > four"}' '{"stay": true, "finish": "so"}')
began=$SECONDS
model_task 'x' || fail "$(cat "$TMP/talk" "$TMP/events")"
eq 4 "$(cat four)"
[ $((SECONDS - began)) -lt 8 ] || fail "took $((SECONDS - began)) s"
# it never calls anything
model_serves < <(for _ in 1 2 3 4; do echo '{"say": ""}'; done)
status 1 model_task 'x'
has 'no usable call' "$TMP/talk"
