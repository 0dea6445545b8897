#!/bin/bash
# P5: two private transactions: the same part of the same object is a conflict; the second
# commit exits 3 and names the path, nothing of either is lost. Other pairs go together.
# timeout: 90
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
start() {
	rm -rf "${B:?}"/* 2>/dev/null
	mkdir -p "$1/dir/sub" "$1/gone" "$1/other"
	echo file >"$1/file"
	echo in >"$1/dir/in"
	echo link >"$1/other/l1"
	setfattr -n user.k -v v "$1/file"
}
# WANT (a path in conflict, or -), what the first does, what the second does.
table=(
	'file|echo 1 >>file|echo 2 >>file'
	'file|echo 1 >>file|echo 2 >file'
	'file|echo 1 >t; mv t file|echo 2 >>file'
	'file|rm file|echo 2 >>file'
	'file|echo 1 >>file|rm file'
	'file|rm file|chmod 600 file'
	'file|chmod 600 file|chmod 640 file'
	'file|setfattr -n user.k -v 1 file|setfattr -n user.k -v 2 file'
	'file|echo 1 >>file|setfattr -n user.k -v 2 file'
	'new|echo 1 >new|echo 2 >new'
	'new|mkdir new|mkdir new'
	'new|mv file new|echo 2 >new'
	'file|mv file a|mv file b'
	'dir/new|rm -r dir|echo 2 >dir/new'
	'dir|echo 1 >dir/new|rm -r dir'
	'dir|echo 1 >>dir/in|rm -r dir'
	'dir|mv file dir/moved|rm -r dir'
	'gone/new|rmdir gone|mkdir gone/new'
	'gone|touch gone/new|rmdir gone'
	'dir|mv dir d1|mv dir d2'
	'dir|mv dir d1|rm -r dir'
	'-|echo 1 >dir/one|echo 2 >dir/two'
	'-|rm dir/in|echo 2 >dir/two'
	'-|echo 1 >>file|echo 2 >>dir/in'
	'-|echo 1 >>file|chmod 600 file'
	'-|mv dir d1|echo 2 >>dir/in'
	'-|mv dir d1|echo 2 >dir/new'
	'-|echo 1 >>dir/in|mv dir d2'
	'-|ln file twin|echo 2 >>file'
	'-|echo 1 >>file|ln file twin'
	'-|mv file a|echo 2 >>file'
	'-|rm file|rm -r dir'
	'-|mkdir n1|mkdir n2'
)
bad=0
complain() { echo "'$one' then '$two': $*"; bad=1; }
for row in "${table[@]}"; do
	IFS='|' read -r want one two <<<"$row"
	start "$B"
	mount_ws "$B" "$M"
	begin_private "$M" --label first
	ONE=$VIEW
	begin_private "$M" --label second
	TWO=$VIEW
	(cd "$ONE" && eval "$one") || complain 'the first fails'
	(cd "$TWO" && eval "$two") || complain 'the second fails'
	manifest "$TWO" >"$TMP/two"
	commit_tx "$M" first
	manifest "$B" >"$TMP/one"
	txfs -C "$M" commit --tx second >"$TMP/out" 2>"$TMP/err"
	got=$?
	if [ "$want" = - ]; then
		[ "$got" = 0 ] || complain "want no conflict, exit $got: $(cat "$TMP/err")"
		manifest "$M" >"$TMP/m" && manifest "$B" >"$TMP/b"
		cmp -s "$TMP/m" "$TMP/b" || complain "view and base differ: $(diff "$TMP/m" "$TMP/b")"
	else
		[ "$got" = 3 ] || complain "want a conflict, exit $got: $(cat "$TMP/err")"
		grep -qE "conflict: $want(/|\$)" "$TMP/err" || complain "'$want' is not named: $(cat "$TMP/err")"
		manifest "$B" >"$TMP/b"
		cmp -s "$TMP/one" "$TMP/b" || complain "the base changed: $(diff "$TMP/one" "$TMP/b")"
		manifest "$TWO" >"$TMP/b"
		cmp -s "$TMP/two" "$TMP/b" || complain "the view of the second changed: $(diff "$TMP/two" "$TMP/b")"
	fi
	[ "$got" = 0 ] || txfs -C "$M" abort --tx second >/dev/null || complain 'cannot abort the second'
	txfs umount "$M" || { complain 'cannot unmount' && break; }
done
eq 0 "$bad" 'table'
