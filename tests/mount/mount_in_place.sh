#!/bin/bash
# P3: mounted over itself, a base is used at its own path, from any directory below, and is
# there again after umount; a shell that still stands below the mount is told what to do.
# timeout: 30
. "$TESTS/mount/helpers.bash"
P=$TMP/project
make_project "$P"
manifest "$P" >"$TMP/before"
inode=$(stat -c %i "$P/Makefile")
cd "$P" || exit 1
mount_ws "$P"
mountpoint -q "$P" || fail 'not a mount point'
manifest "$P" >"$TMP/through"
same_tree "$TMP/before" "$TMP/through" 'the mount shows another tree'
eq "$inode" "$(stat -c %i "$P/Makefile")" 'an untouched file has another inode number'
txfs status >"$TMP/out" 2>"$TMP/talk" || fail 'status from below the mount'
has 'cd "$PWD"' "$TMP/talk"
cd "$P/src" || exit 1
txfs begin >"$TMP/id" 2>/dev/null || fail begin
echo 'int x;' >>main.c
rm -rf ../.git
txfs abort >/dev/null || fail abort
manifest "$P" >"$TMP/through"
same_tree "$TMP/before" "$TMP/through" 'abort left something'
txfs begin >/dev/null 2>&1 || fail begin
echo 'int x;' >>main.c
txfs commit >/dev/null || fail commit
cd / || exit 1
txfs umount "$P" || fail umount
has 'int x;' "$P/src/main.c"
git -C "$P" status --short >"$TMP/status"
eq ' M src/main.c' "$(grep -v '^??' "$TMP/status")"
