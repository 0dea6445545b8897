#!/bin/bash
# P1: a commit whose checkpoint cannot go on is committed: views show all of it, exit 5 says
# that the base is behind and where; later commits wait for it; it is finished when the cause is
# gone, by the next call or the next mount, and work on what it moved goes on.
# timeout: 40
. "$TESTS/mount/helpers.bash"
requires_root
requires chattr
B=$TMP/base M=$TMP/mnt
at_exit "chattr -i '$B'/*/ 2>/dev/null"

make() {
	rm -rf "$B"
	mkdir -p "$B/d/sub" "$B/e"
	for f in f g h; do echo "$f" >"$B/d/sub/$f"; done
}

# An immutable directory lets nothing be renamed into it.
fall_behind() {
	begin_private "$M"
	local id=$ID v=$VIEW
	mv "$v/d" "$v/e/d"
	echo new >"$v/e/new"
	chattr +i "$B/e"
	status 5 txfs -C "$M" commit --tx "$id" >"$TMP/out" 2>&1
	has 'committed; base is behind: e/' "$TMP/out"
	eq f "$(cat "$M/e/d/sub/f")" 'the view shows all of it'
	eq new "$(cat "$M/e/new")"
	[ ! -e "$M/d" ] || fail 'the view shows a mix'
	[ ! -e "$B/e/d" ] || fail 'the base is not behind'
}

make
chattr +i "$B" 2>/dev/null || skip 'needs a filesystem with immutable files'
chattr -i "$B"
mount_ws "$B" "$M"
fall_behind
begin_private "$M"
echo later >"$VIEW/later"
status 1 txfs -C "$M" commit --tx "$ID" >"$TMP/out" 2>&1
has 'behind: e/' "$TMP/out"
eq open "$(state_of "$M" "$ID")" 'what waits is still there'
chattr -i "$B/e"
commit_tx "$M" "$ID"
eq 'f new later' "$(cat "$B/e/d/sub/f" "$B/e/new" "$B/later" | tr '\n' ' ' | sed 's/ $//')"
eq committed "$(state_of "$M" "$ID")"

# The daemon dies meanwhile; another transaction had begun on what the commit moved.
txfs umount "$M" || fail umount
rm -rf "$TMP"/store-*
make
mount_ws "$B" "$M"
begin_private "$M"
other=$ID view=$VIEW
echo changed >"$view/d/sub/f"
echo made >"$view/d/sub/made"
fall_behind
echo changed too >"$view/d/sub/g"
python3 -c 'import os, sys; os.fsync(os.open(sys.argv[1], os.O_RDWR))' "$view/d/sub/g"
kill_daemon "$M"
status 1 txfs mount --store "$TMP/store-mnt" "$B" "$M" 2>"$TMP/err"
has 'committed; base is behind: e/' "$TMP/err"
has 'mount again' "$TMP/err"
chattr -i "$B/e"
mount_ws "$B" "$M"
eq suspended "$(state_of "$M" "$other")"
eq 'f new' "$(cat "$B/e/d/sub/f" "$B/e/new" | tr '\n' ' ' | sed 's/ $//')"
commit_tx "$M" "$other"
eq 'changed changed too h made ' "$(cat "$B/e/d/sub"/{f,g,h,made} | tr '\n' ' ')" 'work on what was moved'
eq new "$(cat "$M/e/new")"

# The same with an orderly unmount.
txfs umount "$M" || fail umount
rm -rf "$TMP"/store-*
make
mount_ws "$B" "$M"
fall_behind
status 1 txfs umount "$M" 2>"$TMP/err"
has '--force' "$TMP/err"
txfs umount --force "$M" || fail umount
chattr -i "$B/e"
mount_ws "$B" "$M"
eq 'f new' "$(cat "$B/e/d/sub/f" "$B/e/new" | tr '\n' ' ' | sed 's/ $//')" 'after an unmount'
