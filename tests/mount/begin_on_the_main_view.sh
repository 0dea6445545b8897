#!/bin/bash
# P1, P2: begin on the main view: nothing reaches the base until commit, everything then; an
# abort gives all of it back; a second begin names the open one and exits 1.
# timeout: 30
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
make_every_kind "$B"
mount_ws "$B" "$M" -o interval=0.2
echo pending >"$M/pending"
begin_main "$M" --label first
eq pending "$(cat "$B/pending")" 'what was pending was not committed by begin'
manifest "$B" >"$TMP/before"
echo x >"$M/file"
mkdir "$M/made"
rm -r "$M/dir/deep"
echo y >"$M/made/y"
sleep 0.6
manifest "$B" >"$TMP/now"
same_tree "$TMP/before" "$TMP/now" 'an open transaction reached the base'
txfs -C "$M" begin >"$TMP/out" 2>"$TMP/err"
eq 1 $? 'second begin'
has first "$TMP/err"
eq 1 "$(wc -l <"$TMP/err")" 'lines of the message'
abort_tx "$M"
manifest "$M" >"$TMP/now"
same_tree "$TMP/before" "$TMP/now" 'abort is not exact'

begin_main "$M"
echo x >"$M/file"
mkdir "$M/made"
rm -r "$M/dir/deep"
manifest "$M" >"$TMP/view"
commit_tx "$M"
manifest "$B" >"$TMP/now"
same_tree "$TMP/view" "$TMP/now" 'the base is not what the view was'
manifest "$M" >"$TMP/now"
same_tree "$TMP/view" "$TMP/now" 'the view changed by its commit'
for verb in commit abort 'savepoint s' 'rollback s' 'release s'; do
	# shellcheck disable=SC2086
	txfs -C "$M" $verb >"$TMP/out" 2>"$TMP/err"
	eq 1 $? "$verb without begin"
	eq 1 "$(wc -l <"$TMP/err")" "lines of the message of $verb"
done
txfs -C "$M" log --json >"$TMP/log"
eq committed "$(json "$TMP/log" state)"
