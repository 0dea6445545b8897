#!/bin/bash
# A model that does not get on is told so, and then the work is ended: it repeats what was
# refused, or what fails the same way. Nothing of it stays.
. "$TESTS/lib.sh"
# shellcheck source=tests/tools/modelserver.sh
. "$TESTS/tools/modelserver.sh"
requires_fuse
P=$TMP/project
make_project "$P"
manifest "$P" >"$TMP/before"
cd "$P" || exit 1
repeat() { for _ in $(seq "$1"); do echo "$2"; done; }

model_serves < <(echo '{"run": "rm -rf src"}'; repeat 9 '{"run": "rm  -rf ~ "}')
status 1 model_task 'x'
has 'the same refused command was asked for again and again' "$TMP/talk"
eq 4 "$(wc -l <"$MODEL_OUT/requests")"
asked -1 '"You asked for this before" in m[-1]["content"]'
eq 3 "$(grep -c '"decision":"deny"' "$TMP/events")" 'verdicts'
model_serves < <(for i in $(seq 12); do echo "{\"run\": \"rm -rf /etc/$i\"}"; done)
status 1 model_task 'x'
has 'nothing but refused commands' "$TMP/talk"
model_serves < <(repeat 9 '{"run": "cat missing"}')
status 1 model_task 'x'
has 'again with the same result' "$TMP/talk"
eq 6 "$(wc -l <"$MODEL_OUT/requests")"
asked 3 '"The same as the last 2 times" in m[-1]["content"]'
manifest "$P" >"$TMP/after"
same_tree "$TMP/before" "$TMP/after"
