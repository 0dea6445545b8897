#!/bin/bash
# P3: a mount that cannot be is refused with one line that names what is wrong, exit 1, and
# changes nothing: mount point missing, no directory, inside the base, busy; base missing, no
# directory, with mounts below it, with a .txfs of its own; two mounts of one base or store.
# timeout: 40
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B/inside" "$M" "$TMP/second"
echo text >"$B/file"
refused() { # SUBJECT ARGS...: txfs mount fails with 1, one line, naming SUBJECT
	local subject=$1 got
	shift
	timeout 10 txfs mount "$@" >"$TMP/out" 2>"$TMP/err"
	got=$?
	eq 1 "$got" "mount $*: exit ($(cat "$TMP/err"))"
	eq 1 "$(wc -l <"$TMP/err")" "mount $*: lines of '$(cat "$TMP/err")'"
	has "$subject" "$TMP/err"
	eq '' "$(cat "$TMP/out")" "mount $*: stdout"
}
manifest "$B" >"$TMP/before"
S=$TMP/store
refused "$TMP/none" --store "$S" "$B" "$TMP/none"
refused "$B/file" --store "$S" "$B" "$B/file"
echo x >"$TMP/file"
refused "$TMP/file" --store "$S" "$B" "$TMP/file"
refused "$B/inside" --store "$S" "$B" "$B/inside"
refused "$TMP/none" --store "$S" "$TMP/none" "$M"
refused "$TMP/file" --store "$S" "$TMP/file" "$M"
refused "$TMP" --store "$S" "$TMP" "$B"
refused "$B/inside/store" --store "$B/inside/store" "$B" "$M"
mkdir "$B/.txfs"
refused .txfs --store "$S" "$B" "$M"
rmdir "$B/.txfs"
manifest "$B" >"$TMP/before"
if [ "$(id -u)" = 0 ]; then
	mount -t tmpfs none "$B/inside"
	at_exit "mountpoint -q '$B/inside' && umount '$B/inside'"
	echo in >"$B/inside/in"
	refused "$B/inside" --store "$S" "$B" "$M"
	mount_ws "$B" "$M" -o submounts=hide
	[ -d "$M/inside" ] || fail 'a hidden submount is no directory'
	eq '' "$(ls -A "$M/inside")" 'a hidden submount shows its content'
	eq text "$(cat "$M/file")"
	txfs umount "$M" || fail umount
	umount "$B/inside"
fi
[ ! -e "$S/store.db" ] || [ "$(stat -c %a "$S")" = 700 ] || fail 'mode of the store'
manifest "$B" >"$TMP/now"
same_tree "$TMP/before" "$TMP/now" 'a refused mount changed the base'

mount_ws "$B" "$M"
refused "$B" --store "$TMP/other" "$B" "$TMP/second"
mkdir -p "$TMP/base2"
refused "$TMP/store-mnt" --store "$TMP/store-mnt" "$TMP/base2" "$TMP/second"
refused "$M" --store "$TMP/other" "$TMP/base2" "$M"
refused "$M" --store "$TMP/other" "$M" "$TMP/second"
refused "$B/inside" --store "$TMP/other" "$B/inside" "$TMP/second"
refused "$TMP" --store "$TMP/other" "$TMP" "$TMP/second"
eq text "$(cat "$M/file")"
txfs umount "$M" || fail umount
for args in '' '-o nonsense B M' '-o interval=x B M' '-o workers=0 B M' 'a b c' '--nonsense a'; do
	# shellcheck disable=SC2086
	txfs mount $args >"$TMP/out" 2>"$TMP/err"
	eq 2 $? "mount $args"
	[ -s "$TMP/err" ] || fail "mount $args says nothing"
done
