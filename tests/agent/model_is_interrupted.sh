#!/bin/bash
# A signal ends the wait for a model at once: while it thinks, in the middle of its answer,
# between two tries. All is aborted (P1), no process is left.
. "$TESTS/lib.sh"
# shellcheck source=tests/tools/modelserver.sh
. "$TESTS/tools/modelserver.sh"
requires_fuse
P=$TMP/project
make_project "$P"
manifest "$P" >"$TMP/before"
cd "$P" || exit 1

now_ms() { date +%s%3N; }
begun() { [ "$(wc -l <"$MODEL_OUT/requests")" -ge "$1" ]; }

interrupted() { # SIGNAL LINE
	local pid got at
	model_serves < <(printf '%s\n' '{"run": "rm -rf src"}' "$2")
	agentctl task --model "$MODEL_URL" --name t --json 'x' >"$TMP/events" 2>"$TMP/talk" </dev/null &
	pid=$!
	wait_for 10 begun 2
	sleep 0.3
	at=$(now_ms)
	kill "-$1" "$pid"
	wait "$pid"
	got=$?
	at=$(($(now_ms) - at))
	eq $((128 + $(kill -l "$1"))) "$got" "$1, $2"
	[ "$at" -lt 1500 ] || fail "$1, $2: took $at ms"
	eq aborted "$(event_of "$TMP/events" end outcome)" "$1, $2"
	manifest "$P" >"$TMP/after"
	same_tree "$TMP/before" "$TMP/after"
	pgrep -P "$pid" >/dev/null && fail 'a child is left'
	return 0
}

interrupted INT '{"do": "hang"}'
interrupted TERM '{"do": "hang_mid"}'
interrupted HUP '{"status": 429, "headers": {"Retry-After": "100"}}'

# killed hard, it takes the process that speaks with the server along
model_serves <<<'{"do": "hang"}'
agentctl task --model "$MODEL_URL" --name t 'x' >"$TMP/out" 2>"$TMP/talk" </dev/null &
pid=$!
wait_for 10 begun 1
child=$(pgrep -P "$pid" agentctl-http) || fail 'no process of its own'
kill -KILL "$pid"
wait "$pid" 2>/dev/null
gone() { ! grep -qs '^State:.[^ZX]' "/proc/$child/status"; } # who reaps it is not ours
wait_for 5 gone
cd / || exit 1
txfs -C "$P" abort --tx "$(txfs -C "$P" ls --json | python3 -c 'import json, sys
print([r["id"] for r in map(json.loads, sys.stdin) if r["state"] == "open"][0])')" || fail 'no transaction'
mnt=$(awk -v t="$TMP/state/" 'index($5, t) == 1 { print $5 }' /proc/self/mountinfo)
[ -z "$mnt" ] || txfs umount "$mnt" || fail "cannot unmount $mnt"
