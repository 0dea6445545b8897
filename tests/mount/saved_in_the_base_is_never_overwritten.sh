#!/bin/bash
# P3: a file that the user saved in the base behind the mount, in whatever way, is a conflict
# for the transaction that changed it too; the user's bytes stay; a directory that holds an
# unknown name is never removed.
# timeout: 60
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
saved() { # NAME: a way to save a file
	case $1 in
	append) echo user >>"$B/$1" ;;
	rename) echo user >"$B/tmp" && mv "$B/tmp" "$B/$1" ;;
	same-size) printf 'USER' | dd of="$B/$1" conv=notrunc status=none ;;
	keep-mtime) touch -r "$B/$1" "$TMP/ref" && printf 'USER' | dd of="$B/$1" conv=notrunc status=none && touch -r "$TMP/ref" "$B/$1" ;;
	removed) rm "$B/$1" ;;
	chmod) chmod 600 "$B/$1" ;;
	esac
}
ways='append rename same-size keep-mtime removed'
mkdir -p "$B"
for w in $ways chmod; do echo text >"$B/$w"; done
mount_ws "$B" "$M" -o interval=600
for w in $ways; do
	begin_private "$M"
	cat "$VIEW/$w" >/dev/null
	printf AGNT | dd of="$VIEW/$w" conv=notrunc status=none
	saved "$w"
	manifest "$B" >"$TMP/before"
	txfs -C "$M" commit --tx "$ID" >"$TMP/out" 2>"$TMP/err"
	eq 3 $? "$w: exit of commit"
	has "conflict: $w" "$TMP/err"
	manifest "$B" >"$TMP/now"
	same_tree "$TMP/before" "$TMP/now" "$w: the base was changed"
	eq AGNT "$(head -c 4 "$VIEW/$w")" "$w: the transaction lost its change"
	abort_tx "$M" "$ID"
done
# The mode in the base, the content in the transaction: no conflict, both stay.
begin_private "$M"
echo agent >"$VIEW/chmod"
saved chmod
txfs -C "$M" commit --tx "$ID" >"$TMP/out" 2>"$TMP/err"
case $? in
0) eq '600 agent' "$(stat -c %a "$B/chmod") $(cat "$B/chmod")" ;;
3) eq '600 text' "$(stat -c %a "$B/chmod") $(cat "$B/chmod")" && abort_tx "$M" "$ID" ;;
*) fail "$(cat "$TMP/err")" ;;
esac

mkdir "$B/dir" && echo known >"$B/dir/known"
sleep 1.2
begin_private "$M"
rm -r "$VIEW/dir"
echo precious >"$B/dir/unknown"
txfs -C "$M" commit --tx "$ID" >"$TMP/out" 2>"$TMP/err"
eq 3 $? 'removal of a directory with an unknown name'
eq 'known precious' "$(cat "$B/dir/known" "$B/dir/unknown" | paste -sd ' ')"
abort_tx "$M" "$ID"

echo mine >"$M/new"
echo theirs >"$B/new"
txfs -C "$M" sync >"$TMP/out" 2>"$TMP/err"
eq theirs "$(cat "$B/new")" 'autocommit wrote over a file of the user'
eq theirs "$(cat "$M/new")" 'the version of the base does not show'
[[ $(txfs -C "$M" status) == *' 1 suspended'* ]] || fail "our version is not kept: $(txfs -C "$M" status)"
