#!/bin/bash
# Several runs at once in one workspace that nobody had mounted: each has its own view, all
# are published, and the mount goes with the last.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"
cd "$P" || exit 1
agentctl run -- true 2>/dev/null || fail 'first run'
pids=()
for i in 1 2 3 4 5 6; do
	agentctl run -- sh -c "ls file* 2>/dev/null | wc -l > seen-$i; sleep 0.$i; echo $i > file-$i" \
		2>"$TMP/talk-$i" &
	pids+=($!)
done
for i in 1 2 3 4 5 6; do
	wait "${pids[i - 1]}" || fail "run $i: $(cat "$TMP/talk-$i")"
done
for i in 1 2 3 4 5 6; do
	eq "$i" "$(cat "file-$i")"
	[ "$(cat "seen-$i")" -lt "$i" ] || fail "run $i saw what was not committed"
done
cd / || exit 1
if awk '{ print $5 }' /proc/self/mountinfo | grep -qF "$TMP"; then fail 'a mount is left'; fi
