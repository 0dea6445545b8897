#!/bin/bash
# What the user saved meanwhile is never overwritten; the transaction stays.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"
cd "$P" || exit 1
agentctl run --json -- sh -c 'echo agent > Makefile; sleep 2' >"$TMP/events" 2>"$TMP/talk" &
pid=$!
sleep 1
echo user >Makefile
wait "$pid"
eq 121 $? 'exit status'
eq conflict "$(event_of "$TMP/events" end outcome)"
eq Makefile "$(event_of "$TMP/events" conflict path)"
eq user "$(cat Makefile)"
tx=$(event_of "$TMP/events" end tx)
txfs -C "$P" abort --tx "$tx" || fail 'the transaction is not there'
eq user "$(cat Makefile)"
cd / && mnt=$(awk -v t="$TMP/state/" 'index($5, t) == 1 { print $5 }' /proc/self/mountinfo)
[ -z "$mnt" ] || txfs umount "$mnt" || fail "cannot unmount $mnt"
