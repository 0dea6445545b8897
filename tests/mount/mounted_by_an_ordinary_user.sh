#!/bin/bash
# P6: an ordinary user mounts with fusermount3, works in transactions, and unmounts; what it may
# not do on ext4 fails at the call.
# timeout: 30
. "$TESTS/mount/helpers.bash"
requires_root
requires setpriv fusermount3
mkdir "$TMP/user" && cd "$TMP/user" && mkdir base mnt state && echo text >base/file && echo root >base/root || exit 1
chmod 600 base/root && chown -R 12345:12345 . && chown 0:0 base/root
cat >"$TMP/play" <<'END'
set -e
cd "$TMP/user"
txfs mount --store "$TMP/user/store" base mnt
trap 'txfs umount mnt || fusermount3 -uz mnt' EXIT
out=$(txfs -C mnt begin --private)
view=${out#*$'\n'}
echo more >>"$view/file" && mkdir "$view/d" && echo n >"$view/d/n" && ln "$view/file" "$view/link"
! cat "$view/root" 2>/dev/null
! chown 0 "$view/file" 2>/dev/null
! mknod "$view/null" c 1 3 2>/dev/null
! touch -d 2001-01-01 "$view/root" 2>/dev/null
[ ! -e base/d ]
txfs -C mnt commit --tx "${out%%$'\n'*}" >/dev/null
[ "$(cat base/d/n)" = n ] && [ "$(stat -c %h base/file)" = 2 ]
txfs -C mnt begin >/dev/null 2>&1
rm -rf mnt/d && rm mnt/root
txfs -C mnt abort >/dev/null
[ "$(cat mnt/d/n)" = n ] && [ -e mnt/root ]
END
chmod 755 "$TMP"
as_user env HOME="$TMP/user" TMP="$TMP" TXFS_STATE_DIR="$TMP/user/state" PATH="$PATH" \
	bash -c "(: <>/dev/fuse) 2>/dev/null || fusermount3 -V >/dev/null 2>&1; true"
as_user env HOME="$TMP/user" TMP="$TMP" TXFS_STATE_DIR="$TMP/user/state" PATH="$PATH" bash "$TMP/play" >"$TMP/out" 2>&1
got=$?
# Some places give /dev/fuse to root alone, also for the set-uid helper's caller.
if [ "$got" != 0 ] && ! as_user bash -c '(: <>/dev/fuse) 2>/dev/null' && grep -q 'cannot\|denied' "$TMP/out"; then
	cat "$TMP/out"
	skip "an ordinary user cannot mount here: $(tail -n 1 "$TMP/out")"
fi
eq 0 "$got" "$(cat "$TMP/out")"
eq '12345 12345' "$(stat -c '%u %g' "$TMP/user/base/d")"
