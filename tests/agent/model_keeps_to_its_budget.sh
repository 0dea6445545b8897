#!/bin/bash
# Steps, tokens and seconds are bounded; what failed is rolled back by rule, by the model, or
# not at all.
. "$TESTS/lib.sh"
# shellcheck source=tests/tools/modelserver.sh
. "$TESTS/tools/modelserver.sh"
requires_fuse
P=$TMP/project
make_project "$P"
manifest "$P" >"$TMP/before"
cd "$P" || exit 1
steps() { for i in $(seq "$1"); do echo "{\"run\": \"echo $i >> src/log\"}"; done; }

model_serves < <(steps 9)
status 1 model_task --max-steps 3 'x'
has 'gave up after 3 commands: it may take no more steps' "$TMP/talk"
model_serves < <(steps 9)
status 1 model_task --max-tokens 250 'x'
has 'gave up after 3 commands: its tokens are used up' "$TMP/talk"
eq 330 "$(($(event_of "$TMP/events" usage tokens_in) + $(event_of "$TMP/events" usage tokens_out)))"
model_serves < <(steps 1; echo '{"do": "hang"}')
status 124 model_task --max-seconds 1.5 'x'
has 'its time is over' "$TMP/talk"
eq aborted "$(event_of "$TMP/events" end outcome)"
model_serves < <(echo '{"run": "rm -rf src; sleep 60"}'; steps 1)
status 124 model_task --max-seconds 1.5 'x'
# a server that counts no tokens costs what its bytes would
model_serves < <(for i in 1 2 3; do echo "{\"as\": \"minimind3\", \"run\": \"echo $i\"}"; done)
status 1 model_task --max-tokens 600 'x'
has 'its tokens are used up' "$TMP/talk"
manifest "$P" >"$TMP/after"
same_tree "$TMP/before" "$TMP/after"

failing() {
	printf '%s\n' '{"run": "echo good > made"}' '{"run": "echo bad > made; touch more; false"}' "$@" \
		'{"finish": "so"}'
}
model_serves < <(failing)
model_task --on-failure rollback 'x' || fail "$(cat "$TMP/talk")"
eq good "$(cat made)"
[ ! -e more ] || fail 'not rolled back by rule'
model_serves < <(failing)
model_task --on-failure keep 'x' || fail "$(cat "$TMP/talk")"
eq bad "$(cat made)"
asked 0 '[t["function"]["name"] for t in q["tools"]] == ["run", "finish"]'
rm -f made more
model_serves < <(failing '{"rollback": 2}' '{"rollback": 7}' '{"run": "cat made"}' '{"rollback": 1}' '{"run": "touch last"}')
model_task --on-failure model 'x' || fail "$(cat "$TMP/talk")"
texts result | grep -q 'there is no such step' || fail 'an unknown step'
texts result | grep -q 'exit status 0\\ngood' || fail 'not rolled back by the model'
[ ! -e made ] && [ ! -e more ] && [ -e last ] || fail 'not rolled back to the beginning'
# what a roll-back undoes ends, too: nothing writes from what is gone
model_serves < <(printf '%s\n' '{"run": "(sleep 0.7; touch late) & echo > early"}' '{"rollback": 0}' \
	'{"run": "sleep 1.2"}' '{"finish": "so"}')
model_task 'x' || fail "$(cat "$TMP/talk")"
[ ! -e early ] && [ ! -e late ] || fail 'something wrote after the roll-back'
# many steps: all can be gone back from, though savepoints were merged in between
model_serves < <(steps 140; printf '%s\n' '{"rollback": 3}' '{"rollback": 135}' '{"finish": "so"}')
model_task --max-steps 1000 'x' || fail "$(cat "$TMP/talk")"
texts result | grep -q 'steps up to 128 are too far back' || fail 'too far back'
eq 134 "$(tail -n 1 src/log)"
