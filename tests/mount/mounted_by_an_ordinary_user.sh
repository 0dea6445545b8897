#!/bin/bash
# P6: an ordinary user mounts with fusermount3, works in transactions, and ends the daemon; what
# it may not do on ext4 fails at the call.
# timeout: 30
. "$TESTS/mount/helpers.bash"
requires_root
requires setpriv fusermount3 unshare
programs_for_users
# fusermount3 wants a user with a name.
U=$(id -u nobody) G=$(id -g nobody)
mkdir "$TMP/user" && cd "$TMP/user" && mkdir base mnt state && echo text >base/file && echo root >base/root || exit 1
chmod 600 base/root && chown -R "$U:$G" . && chown 0:0 base/root
cat >"$TMP/play" <<'END'
set -e
cd "$TMP/user"
txfs mount --store "$TMP/user/store" base mnt
trap '! grep -qF "$PWD/mnt" /proc/self/mountinfo || txfs umount mnt || fusermount3 -uz mnt' EXIT
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
# a daemon that is asked to end leaves no dead mount
[[ $(txfs -C mnt status --json) =~ \"pid\":([0-9]+) ]]
kill "${BASH_REMATCH[1]}"
for ((i = 0; i < 200; i++)); do
	mountpoint -q mnt || break
	sleep 0.05
done
! grep -qF "$PWD/mnt" /proc/self/mountinfo && ls mnt >/dev/null
END
chmod 755 "$TMP"
# Some machines give /dev/fuse to root alone: here it gets the usual mode, for this test only.
mknod "$TMP/fuse" c 10 229 && chmod 666 "$TMP/fuse" || skip 'needs mknod'
export U G
unshare -m --propagation private bash -c 'mount --bind "$TMP/fuse" /dev/fuse && exec setpriv --reuid $U --regid $G \
	--clear-groups env HOME="$TMP/user" TXFS_STATE_DIR="$TMP/user/state" bash "$TMP/play"' >"$TMP/out" 2>&1
eq 0 $? "$(cat "$TMP/out")"
eq "$U $G" "$(stat -c '%u %g' "$TMP/user/base/d")"
