#!/bin/bash
# A signal to agentctl goes to the command; the transaction is aborted, nothing is left.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"
manifest "$P" >"$TMP/before"
cd "$P" || exit 1
for signal in TERM INT HUP; do
	rm -f "$TMP/events"
	agentctl run --json -- sh -c 'rm -rf src; echo started; sleep 30' >"$TMP/events" 2>"$TMP/talk" &
	pid=$!
	wait_for 10 grep -q '"text":"started' "$TMP/events"
	kill -"$signal" "$pid"
	wait "$pid"
	got=$?
	eq $((128 + $(kill -l "$signal"))) "$got" "exit status after $signal"
	eq aborted "$(event_of "$TMP/events" end outcome)"
	manifest "$P" >"$TMP/after"
	same_tree "$TMP/before" "$TMP/after"
done
rm -f "$TMP/events"
# killed hard: the command dies with it, the base is as before
agentctl run --json -- sh -c 'rm -rf src; echo started; sleep 2; touch late; sleep 30' >"$TMP/events" 2>"$TMP/talk" &
pid=$!
wait_for 10 grep -q '"text":"started' "$TMP/events"
kill -KILL "$pid"
wait "$pid" 2>/dev/null
sleep 2.5
cd / || exit 1
manifest "$P" >"$TMP/after"
same_tree "$TMP/before" "$TMP/after"
txfs -C "$P" abort --tx "$(event_of "$TMP/events" begin tx)" || fail 'the transaction is not there'
mnt=$(awk -v t="$TMP/state/" 'index($5, t) == 1 { print $5 }' /proc/self/mountinfo)
[ -z "$mnt" ] || txfs umount "$mnt" || fail "cannot unmount $mnt"
