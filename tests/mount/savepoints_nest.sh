#!/bin/bash
# P1: savepoint, rollback and release nest: a rollback goes back to its savepoint exactly and
# keeps it; a release keeps the changes; names that are not there are errors.
# timeout: 30
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
make_every_kind "$B"
mount_ws "$B" "$M"
tx() { txfs -C "$VIEW" "$@" >/dev/null 2>"$TMP/err" || { cat "$TMP/err" >&2; fail "$*"; }; }
level() { # N: some changes of every sort that build on the level before
	echo "level $1" >>"$VIEW/file"
	mkdir "$VIEW/level$1"
	mv "$VIEW/dir" "$VIEW/level$1/dir" && mv "$VIEW/level$1/dir" "$VIEW/dir"
	ln "$VIEW/file" "$VIEW/level$1/link"
	chmod "70$1" "$VIEW/empty"
	setfattr -n user.level -v "$1" "$VIEW/dir"
	rm -rf "$VIEW/level$(($1 - 1))"
	printf "%d" "$1" | dd of="$VIEW/dir/deep/blob" bs=1 seek=$(($1 * 5000)) conv=notrunc status=none
	truncate -s "$(($1 * 100))" "$VIEW/sparse"
}
begin_private "$M"
for i in 1 2 3 4; do
	level "$i"
	manifest "$VIEW" >"$TMP/at$i"
	tx savepoint "s$i"
done
rm -rf "$VIEW/dir" "$VIEW/file" "$VIEW/.git"
tx rollback s4
manifest "$VIEW" >"$TMP/now"
same_tree "$TMP/at4" "$TMP/now" 'rollback to s4'
echo junk >"$VIEW/junk"
tx rollback s4
manifest "$VIEW" >"$TMP/now"
same_tree "$TMP/at4" "$TMP/now" 'second rollback to s4'
tx rollback s2
manifest "$VIEW" >"$TMP/now"
same_tree "$TMP/at2" "$TMP/now" 'rollback to s2'
txfs -C "$VIEW" rollback s3 >/dev/null 2>"$TMP/err"
eq 1 $? 'a savepoint that was rolled back over'
has s3 "$TMP/err"
level 3
manifest "$VIEW" >"$TMP/at3"
tx release s2
manifest "$VIEW" >"$TMP/now"
same_tree "$TMP/at3" "$TMP/now" 'release changed something'
tx savepoint s2
echo junk >"$VIEW/junk"
tx rollback s2
manifest "$VIEW" >"$TMP/now"
same_tree "$TMP/at3" "$TMP/now" 'rollback to the second s2'
commit_tx "$VIEW"
manifest "$B" >"$TMP/now"
same_tree "$TMP/at3" "$TMP/now" 'the base after commit'

begin_private "$M"
tx savepoint a
echo 1 >"$VIEW/after-a"
tx savepoint b
echo 2 >"$VIEW/after-b"
tx rollback a
abort_tx "$VIEW"
manifest "$M" >"$TMP/now"
same_tree "$TMP/at3" "$TMP/now" 'abort after rollback'
