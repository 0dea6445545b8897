#!/bin/bash
# P5: a private view shows its snapshot and its own changes; nobody else sees these before
# commit; after it the main view does, with the same inode numbers kept apart meanwhile.
# timeout: 30
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
make_every_kind "$B"
mount_ws "$B" "$M"
manifest "$B" >"$TMP/before"
begin_private "$M" --label one
ONE=$ID ONEVIEW=$VIEW
begin_private "$M" --label two
TWO=$ID TWOVIEW=$VIEW
for d in "$M" "$ONEVIEW" "$TWOVIEW"; do
	manifest "$d" >"$TMP/now"
	same_tree "$TMP/before" "$TMP/now" "$d shows another tree"
done
eq 3 "$(stat -c %i "$M/file" "$ONEVIEW/file" "$TWOVIEW/file" | sort -u | wc -l)" 'inode numbers of views'
eq 1 "$(stat -c %d "$M/file" "$ONEVIEW/file" "$TWOVIEW/file" | sort -u | wc -l)" 'device numbers of views'

echo one >"$ONEVIEW/file"
echo one >"$ONEVIEW/new-one"
mv "$ONEVIEW/dir" "$ONEVIEW/moved"
echo two >"$TWOVIEW/new-two"
rm "$TWOVIEW/nothing"
[ ! -e "$TWOVIEW/new-one" ] || fail 'view two sees view one'
[ ! -e "$ONEVIEW/new-two" ] || fail 'view one sees view two'
manifest "$M" >"$TMP/now"
same_tree "$TMP/before" "$TMP/now" 'the main view sees a private change'

manifest "$ONEVIEW" >"$TMP/one"
commit_tx "$M" one
manifest "$M" >"$TMP/now"
same_tree "$TMP/one" "$TMP/now" 'the main view does not show the commit'
manifest "$B" >"$TMP/now"
same_tree "$TMP/one" "$TMP/now" 'the base does not show the commit'
[ ! -e "$ONEVIEW" ] || fail 'the view of a committed transaction is still there'

# The snapshot of the second is older than the commit.
[ ! -e "$TWOVIEW/new-one" ] || fail 'a commit shows in an older snapshot'
eq 'some text' "$(cat "$TWOVIEW/file")"
[ -d "$TWOVIEW/dir/deep" ] || fail 'a rename shows in an older snapshot'
abort_tx "$M" two
[ ! -e "$TWOVIEW" ] || fail 'the view of an aborted transaction is still there'
manifest "$B" >"$TMP/now"
same_tree "$TMP/one" "$TMP/now" 'abort touched the base'
eq committed "$(state_of "$M" "$ONE")"
eq aborted "$(state_of "$M" "$TWO")"
