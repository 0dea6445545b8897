#!/bin/bash
# P5: begin on the main view is refused while a process of another session has a file there
# open for writing, and names it; --force overrides; readers and our own do not count.
# timeout: 30
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B"
echo a >"$B/a"
mount_ws "$B" "$M"
setsid bash -c "exec 3>>'$M/a'; echo ready >'$TMP/ready'; exec sleep 60" &
pid=$!
at_exit "kill $pid 2>/dev/null; wait $pid 2>/dev/null"
wait_for 5 test -s "$TMP/ready"
txfs -C "$M" begin >"$TMP/out" 2>"$TMP/err"
eq 1 $? 'begin beside a writer'
eq 1 "$(wc -l <"$TMP/err")" 'lines of the message'
txfs -C "$M" begin --force >/dev/null 2>&1 || fail 'begin --force'
abort_tx "$M"
begin_private "$M"
abort_tx "$M" "$ID"
kill "$pid" && wait "$pid" 2>/dev/null
exec 5<"$M/a"
begin_main "$M"
abort_tx "$M"
exec 5<&-
