#!/bin/bash
# P2: for each action of the table a commit leaves the base as the same action leaves plain
# ext4, all metadata but times; and the base is exactly what the view was.
# timeout: 90
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt PLAIN=$TMP/plain

start() { # DIR: where each action starts from
	mkdir -p "$1/a/b/c" "$1/x/y" "$1/full/sub" "$1/hollow"
	echo one >"$1/one"
	echo two >"$1/two"
	echo in-c >"$1/a/b/c/f"
	echo in-b >"$1/a/b/f"
	echo in-x >"$1/x/f"
	for i in 1 2 3 4 5; do echo "$i" >"$1/full/$i" && echo "$i" >"$1/full/sub/$i"; done
	head -c 200000 /dev/zero | tr '\0' Q >"$1/big"
	echo linked >"$1/l1" && ln "$1/l1" "$1/l2" && ln "$1/l1" "$1/a/l3"
	ln -s one "$1/soft"
	setfattr -n user.k -v v "$1/one"
	mkdir "$1/sgid" && chgrp 12346 "$1/sgid" 2>/dev/null
	chmod 2755 "$1/sgid"
}
swap() { echo "swap $1 $2" | "$TOOLS/hold" | grep -qx ok; }

do_nothing() { :; }
do_create() { echo new >new; }
do_create_empty() { : >new; }
do_create_deep() { mkdir -p p/q/r && echo s >p/q/r/s; }
do_unlink() { rm one; }
do_unlink_and_recreate() { rm one && echo other >one; }
do_overwrite() { echo ONE >one; }
do_append() { echo more >>one && echo more >>big; }
do_append_twice() { echo a >>big && echo b >>big; }
do_write_in_the_middle() { printf XYZ | dd of=big bs=1 seek=70000 conv=notrunc status=none; }
do_write_over_block_border() { printf XYZW | dd of=big bs=1 seek=8190 conv=notrunc status=none; }
do_write_sparse() { printf E | dd of=big bs=1 seek=900000 conv=notrunc status=none; }
do_write_far() { printf E | dd of=one bs=1 seek=50000000 conv=notrunc status=none; }
do_truncate() { truncate -s 100 big; }
do_truncate_to_nothing() { : >big; }
do_truncate_and_extend() { truncate -s 5000 big && truncate -s 300000 big; }
do_extend() { truncate -s 10M one; }
do_punch() { fallocate -p -o 4096 -l 100000 big; }
do_rename_file() { mv one eins; }
do_rename_over() { mv one two; }
do_rename_over_link() { mv -f l1 two; }
do_rename_to_own_link() { mv l1 l2 2>/dev/null || :; }
do_rename_dir() { mv a z; }
do_rename_dir_and_edit() { mv a z && echo more >>z/b/c/f && rm z/b/f; }
do_edit_and_rename_dir() { echo more >>a/b/c/f && mv a/b w && mv a w/c/a; }
do_rename_over_empty_dir() { mv -T a hollow; }
do_exchange_files() { swap one two; }
do_exchange_dirs() { swap a x; }
do_exchange_dir_and_file() { swap a one; }
do_exchange_with_child() { swap a/b/c x; }
do_exchange_twice() { swap a x && swap a full; }
do_cycle_of_three() { mv one t && mv two one && mv soft two && mv t soft; }
do_cycle_of_dirs() { mv a t && mv x a && mv full x && mv t full; }
do_turn_inside_out() { mv a/b/c x/a && mv a/b x/a/b && mv a x/a/b/a; }
do_child_over_parent_name() { mv a/b t && rm -r a && mv t a; }
do_parent_into_child() { mv x a/b/c/x && mv a/b n && mv a n/a; }
do_file_to_dir() { rm one && mkdir one && echo in >one/one; }
do_dir_to_file() { rm -r a && echo file >a; }
do_dir_to_file_and_back() { rm -r full && echo file >full && rm full && mkdir full && echo 1 >full/1; }
do_dir_to_link() { rm -r full && ln -s a full; }
do_link_to_file() { rm soft && echo hard >soft; }
do_retarget() { ln -sfn two soft; }
do_file_to_fifo() { rm one && mkfifo one; }
do_hardlink() { ln one one-more && ln one a/b/one; }
do_hardlink_then_write() { ln one one-more && echo through >>one-more; }
do_write_through_link() { echo through >>l2; }
do_unlink_a_link() { rm l1; }
do_unlink_all_links() { rm l1 l2 a/l3; }
do_break_link() { cp -p l1 t && mv t l1; }
do_link_and_rename() { ln l1 l4 && mv l1 x/l1 && rm l2; }
do_new_links() { echo n >n1 && ln n1 n2 && ln n1 x/n3 && rm n1; }
do_chmod() { chmod 640 one && chmod 1755 a; }
do_chmod_zero() { chmod 0 one; }
do_chmod_link() { chmod 600 l1; }
do_chown() { chown 12345:12346 one a a/b/f && chown -h 12345:12346 soft; }
do_chown_clears_suid() { chmod 4755 one && chown 12345 one; }
do_xattr_set() { setfattr -n user.k -v w one && setfattr -n user.new -v 1 two a; }
do_xattr_remove() { setfattr -x user.k one; }
do_xattr_on_link() { setfattr -n user.k -v 1 l1; }
do_acl() { setfacl -m u:12345:rw one && setfacl -d -m u:12345:rwx a && mkdir a/acl && : >a/acl/f; }
do_acl_and_back() { setfacl -m u:12345:rw one && setfacl -b one; }
do_setgid_dir() { echo f >sgid/f && mkdir sgid/d && : >sgid/d/f; }
do_umask() { (umask 077 && echo f >private && mkdir privdir); }
do_rm_rf() { rm -rf a full; }
do_rm_everything() { rm -rf ./*; }
do_rm_and_restore() { cp -a full t && rm -rf full && mv t full; }
do_make_and_unmake() { mkdir -p t/u && echo v >t/u/v && rm -rf t; }
do_deep_move() { mv a/b/c x/a; }
do_move_out_and_rm() { mv a/b/c/f . && rm -r a; }
do_move_into_new() { mkdir -p new/dir && mv full new/dir && mv one new; }
do_move_into_renamed() { mv x xx && mv one xx && mv full/1 xx/y; }
do_swap_names_in_dir() { mv full/1 full/t && mv full/2 full/1 && mv full/t full/2; }
do_many() { for i in $(seq 150); do echo "$i" >full/n$i; done; }
do_many_and_fewer() { for i in $(seq 100); do echo "$i" >full/n$i; done && rm full/n?; }
do_long_names() { local n && n=$(printf 'n%.0s' $(seq 255)) && echo x >"$n" && mkdir "a/$n"; }
do_odd_names() { echo a >$'new\nline' && echo b >$'\xff\xfe' && echo c >'-rf' && mkdir ' '; }
do_nodes() { [ "$(id -u)" != 0 ] || { mknod null c 1 3 && mknod blk b 7 77 && mknod a/p p; }; }
do_save_like_an_editor() { cp -p one one~ && echo edited >.one.tmp && mv .one.tmp one; }
do_sed_in_place() { sed -i s/one/ONE/ one && sed -i s/in/IN/ a/b/f a/b/c/f; }
do_patch_and_chmod() { echo x >>one && chmod 755 one && mv one a/one && echo y >>a/one; }
do_touch_by_hand() { touch -d '2002-02-02 02:02:02.020202020' one a soft; }
do_remove_dir_with_new_file() { echo t >full/sub/t && rm -rf full/sub; }
do_rename_new_dir_over_old_name() { mv full old && mkdir full && mv old/1 full && rm -r old; }

actions=$(declare -F | sed -n 's/^declare -f do_//p')
for a in $actions; do
	start "$PLAIN/$a"
	start "$B/$a"
done
mount_ws "$B" "$M"
bad=0
for a in $actions; do
	(cd "$PLAIN/$a" && "do_$a") || fail "$a: the action fails on ext4"
	begin_private "$M" --label "$a"
	(cd "$VIEW/$a" && "do_$a") >"$TMP/act" 2>&1 || { cat "$TMP/act"; echo "$a: the action fails in a view"; bad=1; }
	manifest "$VIEW/$a" >"$TMP/view.$a"
	txfs -C "$M" commit --tx "$a" >"$TMP/act" 2>&1 || {
		echo "$a: commit exits $?: $(cat "$TMP/act")"
		bad=1
		txfs -C "$M" abort --tx "$a" >/dev/null
	}
done
manifest --no-times "$PLAIN" >"$TMP/want"
manifest --no-times "$B" >"$TMP/got"
cmp -s "$TMP/want" "$TMP/got" || { echo 'ext4 (<) and the base (>) differ'; diff "$TMP/want" "$TMP/got"; bad=1; }
for a in $actions; do
	sed "s#^\./#./$a/#; s#^\.\t#./$a\t#; s#@\./#@./$a/#" "$TMP/view.$a"
done | LC_ALL=C sort >"$TMP/want"
manifest "$B" | tail -n +2 | LC_ALL=C sort >"$TMP/got"
cmp -s "$TMP/want" "$TMP/got" || { echo 'the views (<) and the base (>) differ'; diff "$TMP/want" "$TMP/got"; bad=1; }
eq '2002-02-02 02:02:02.020202020' "$(stat -c %y "$B/touch_by_hand/a" | cut -c1-29)"
manifest "$M" >"$TMP/m"
manifest "$B" >"$TMP/b"
cmp -s "$TMP/m" "$TMP/b" || { echo 'main view (<) and base (>) differ'; diff "$TMP/m" "$TMP/b"; bad=1; }
eq 0 "$bad" 'table'
eq 0 "$(find "$TMP" -maxdepth 2 -path '*.txfs-stage*' ! -path '*.txfs-stage*/*' -prune -exec find {} -mindepth 1 \; | wc -l)" 'staged files left'
