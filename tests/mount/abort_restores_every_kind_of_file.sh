#!/bin/bash
# P1: after abort, on the main view and in a private one, the tree is the same: all types,
# bytes, modes, owners, mtimes in ns, xattrs, ACLs, hard links, symlinks, empty directories.
# timeout: 60
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
make_every_kind "$B"
mount_ws "$B" "$M"
manifest "$B" >"$TMP/before"
wreck() { # DIR: change everything in every way
	(
		cd "$1" || exit 1
		echo more >>file
		setfattr -n user.note -v changed file
		setfattr -n user.added -v x dir/short
		setfattr -x user.dir dir/deep
		setfacl -b dir/deep/blob
		setfacl -k dir/deep
		chmod 000 nothing
		chmod u-s dir/short
		touch dir/short empty sparse
		printf y | dd of=dir/deep/blob bs=1 seek=123456 conv=notrunc status=none
		truncate -s 1000 dir/deep/blob
		fallocate -p -o 0 -l 4096 sparse
		rm dir/twin pipe sock dangling
		ln -s elsewhere dangling
		mkfifo sock
		ln dir/link dir/linklink 2>/dev/null
		mv dir elsewhere
		mkdir dir
		echo other >dir/short
		mv empty dir/empty
		rm -rf .git
		mkdir -p .git/objects/pack
		mv .gitignore .git/config
		rm -f ./*newline ./latin*
		[ "$(id -u)" != 0 ] || {
			chown 1:2 file elsewhere
			rm null
			mknod null b 1 3
			setfattr -x trusted.secret file
		}
		mkdir new && echo new >new/new
	)
}
wreck "$M"
txfs -C "$M" sync || fail sync
manifest "$M" >"$TMP/before"
begin_main "$M"
rm -rf "${M:?}"/* "$M"/.g*
eq 0 "$(ls -A "$M" | wc -l)"
abort_tx "$M"
manifest "$M" >"$TMP/now"
same_tree "$TMP/before" "$TMP/now" 'abort of rm -rf'
txfs umount "$M"
rm -rf "$B"
make_every_kind "$B"
mount_ws "$B" "$M"
manifest "$B" >"$TMP/before"
for round in 1 2; do
	begin_main "$M"
	wreck "$M"
	abort_tx "$M"
	manifest "$M" >"$TMP/now"
	same_tree "$TMP/before" "$TMP/now" "main view, round $round"
	begin_private "$M"
	wreck "$VIEW"
	abort_tx "$M" "$ID"
	manifest "$M" >"$TMP/now"
	same_tree "$TMP/before" "$TMP/now" "private view, round $round"
	begin_private "$M"
	echo early >"$VIEW/early"
	manifest "$VIEW" >"$TMP/early"
	txfs -C "$VIEW" savepoint here || fail savepoint
	wreck "$VIEW"
	txfs -C "$VIEW" rollback here || fail rollback
	manifest "$VIEW" >"$TMP/now"
	same_tree "$TMP/early" "$TMP/now" "rollback, round $round"
	abort_tx "$VIEW"
done
manifest "$B" >"$TMP/now"
same_tree "$TMP/before" "$TMP/now" 'the base'
txfs umount "$M"
manifest "$B" >"$TMP/now"
same_tree "$TMP/before" "$TMP/now" 'the base after umount'
