#!/bin/bash
# Without /dev/fuse, or as an ordinary user without fusermount3, mount says so in one line and
# exits 1.
# timeout: 20
. "$TESTS/mount/helpers.bash"
requires_root
requires unshare setpriv
programs_for_users
B=$TMP/base M=$TMP/mnt
mkdir -p "$B" "$M" "$TMP/bin"
unshare -m bash -c "mount -t tmpfs none /dev && exec timeout 10 txfs mount --store '$TMP/s' '$B' '$M'" >"$TMP/out" 2>"$TMP/err"
eq 1 $? "without /dev/fuse: $(cat "$TMP/err")"
eq 1 "$(wc -l <"$TMP/err")" 'lines of the message'
has /dev/fuse "$TMP/err"
mountpoint -q "$M" && fail 'it is mounted'
chown -R 12345:12345 "$B" "$M" "$TXFS_STATE_DIR"
mkdir "$TMP/user" && chown 12345:12345 "$TMP/user"
as_user unshare -r -m true 2>/dev/null || :
unshare -m bash -c "
	for f in /bin/fusermount3 /usr/bin/fusermount3 /bin/fusermount /usr/bin/fusermount; do
		[ ! -e \$f ] || mount --bind /dev/null \$f
	done
	exec setpriv --reuid 12345 --regid 12345 --clear-groups env HOME='$TMP/user' TXFS_STATE_DIR='$TMP/user/state' \
		timeout 10 '$BIN/txfs' mount --store '$TMP/user/s' '$B' '$M'" >"$TMP/out" 2>"$TMP/err"
got=$?
[ "$got" = 1 ] || [ "$got" = 4 ] || fail "without fusermount3: exit $got: $(cat "$TMP/err")"
eq 1 "$(wc -l <"$TMP/err")" "lines of: $(cat "$TMP/err")"
mountpoint -q "$M" && fail 'it is mounted'
:
