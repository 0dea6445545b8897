#!/bin/bash
# P3: a big file with blocks of the transaction over a base file that others change behind
# it never shows a mix of old and new: the old version with our blocks, or EIO.
# timeout: 30
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B"
head -c 2M /dev/zero | tr '\0' o >"$B/replaced"
cp "$B/replaced" "$B/overwritten"
mount_ws "$B" "$M"
begin_private "$M"
for f in replaced overwritten; do printf T | dd of="$VIEW/$f" bs=1 seek=1000000 conv=notrunc status=none; done
head -c 2M /dev/zero | tr '\0' n >"$B/new" && mv "$B/new" "$B/replaced"
head -c 2M /dev/zero | tr '\0' n | dd of="$B/overwritten" bs=64k conv=notrunc status=none
sleep 1.1
for f in replaced overwritten; do
	seen=$(dd if="$VIEW/$f" iflag=fullblock bs=64k 2>/dev/null | python3 -c "import sys; print(*sorted(set(sys.stdin.read())), sep='')")
	[[ $seen != *n* ]] || fail "$f: a mix of '$seen'"
done
eq Too "$(tail -c +1000001 "$VIEW/replaced" | head -c 3)"
eq n "$(tr -s n <"$M/replaced")" 'the main view'
txfs -C "$M" commit --tx "$ID" >/dev/null 2>"$TMP/err"
eq 3 $? commit
has replaced "$TMP/err"
eq n "$(tr -s n <"$B/replaced")" 'the base'
abort_tx "$M" "$ID"
