#!/bin/bash
# P2, P3, P6: kill -9 right after an answer: a finished checkpoint is not done again over what
# the user did since, nor does it move times that younger work was begun on; an abort and an
# empty commit stay what they were; an unmount that lost its daemon says so.
# timeout: 60
. "$TESTS/mount/helpers.bash"
requires_root
B=$TMP/base M=$TMP/mnt
again() { # a fresh base, mounted
	! mountpoint -q "$M" || txfs umount "$M" || fail umount
	rm -rf "$B" "$TMP/store-mnt"
	mkdir -p "$B"
	echo 1 >"$B/f"
	echo 1 >"$B/x"
	touch -d '2 days ago' "$B/f" "$B/x"
	mount_ws "$B" "$M" "$@"
}

# What the user does after a commit returned.
again
begin_private "$M"
chmod 600 "$VIEW/f"
touch -d 2001-01-01 "$VIEW/f"
mv "$VIEW/x" "$VIEW/y"
commit_tx "$M" "$ID"
chmod 755 "$B/f"
chown 1000 "$B/f"
echo user >>"$B/f"
mv "$B/y" "$B/x"
want=$(stat -c '%a %u %y %z' "$B/f")
kill_daemon "$M"
mount_ws "$B" "$M"
eq "$want" "$(stat -c '%a %u %y %z' "$B/f")" 'replayed over the user'
[ -e "$B/x" ] && [ ! -e "$B/y" ] || fail 'moved again'

# A younger transaction on the same file.
again
begin_private "$M"
chmod 600 "$VIEW/f"
commit_tx "$M" "$ID"
begin_private "$M"
echo mine >>"$VIEW/f"
sync "$VIEW/f"
kill_daemon "$M"
mount_ws "$B" "$M"
commit_tx "$M" "$ID"
eq '1 mine' "$(tr '\n' ' ' <"$B/f" | sed 's/ $//')"

# Ends that were answered.
for round in 1 2 3; do
	again
	begin_private "$M"
	echo 2 >"$VIEW/f"
	sync "$VIEW/f"
	abort_tx "$M" "$ID"
	kill_daemon "$M"
	mount_ws "$B" "$M"
	eq '' "$(txfs -C "$M" ls)" "round $round: an abort came back"
	eq aborted "$(state_of "$M" "$ID")"
	begin_private "$M"
	echo 3 >"$VIEW/n" && rm "$VIEW/n"
	commit_tx "$M" "$ID"
	kill_daemon "$M"
	mount_ws "$B" "$M"
	eq '' "$(txfs -C "$M" ls)" "round $round: an empty commit came back"
done

# Unmount.
again -o interval=30
for i in $(seq 300); do echo "$i" >"$M/n$i"; done
pid=$(daemon_pid "$M")
kill -STOP "$pid"
txfs umount "$M" >"$TMP/out" 2>&1 &
sleep 0.2
kill -9 "$pid"
if wait $!; then
	fail "umount says all is well: $(cat "$TMP/out")"
fi
has 'mount again' "$TMP/out"
