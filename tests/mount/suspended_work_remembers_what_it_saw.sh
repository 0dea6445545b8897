#!/bin/bash
# P3: what the base showed when a change began is kept for each transaction: after a kill, a
# change is not committed over what the user saved before another transaction began on the file.
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B"
echo first >"$B/f"
mount_ws "$B" "$M"
begin_private "$M" --label a
A=$ID
echo 'by a' >"$VIEW/f"
echo 'by the user' >"$B/f"
sleep 1.2
begin_private "$M" --label b
chmod 600 "$VIEW/f"
sync -f "$VIEW/f"
python3 -c 'import os, sys; os.fsync(os.open(sys.argv[1], os.O_RDONLY))' "$VIEW/f"
kill_daemon "$M"
mount_ws "$B" "$M"
eq suspended "$(state_of "$M" "$A")"
txfs -C "$M" commit --tx "$A" >"$TMP/out" 2>&1
eq 3 $? 'commit over what the user saved'
grep -q "'f'\|: f" "$TMP/out" || fail "the path is not named: $(cat "$TMP/out")"
eq 'by the user' "$(cat "$B/f")"
txfs umount "$M" || fail umount
