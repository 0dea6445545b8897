#!/bin/bash
# P2: a stored block that is not what was stored (bit rot) is EIO and a line, never wrong data;
# a commit of it fails and leaves base and transaction as they were.
# timeout: 30
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt S=$TMP/store-mnt
mkdir -p "$B"
echo text >"$B/file"
mount_ws "$B" "$M"
begin_private "$M"
python3 -c 'import sys; open(sys.argv[1], "w").write("GOODBYTE" * 40000)' "$VIEW/blob"
echo small >"$VIEW/small"
txfs umount "$M" || fail umount
python3 - "$S" <<'END' || fail 'the payload is not found in the store'
import os, sys
n = 0
for top, _, names in os.walk(sys.argv[1]):
    for name in names:
        p = os.path.join(top, name)
        data = open(p, "rb").read()
        at = data.find(b"GOODBYTE" * 100)
        if at >= 0:
            n += 1
            with open(p, "r+b") as f:
                f.seek(at + 50)
                f.write(b"evil")
sys.exit(not n)
END
manifest "$B" >"$TMP/before"
timeout 10 txfs mount --store "$S" "$B" "$M" >"$TMP/out" 2>"$TMP/err"
got=$?
if [ "$got" = 0 ]; then
	at_exit "txfs umount '$M' || umount -l '$M'"
	txfs -C "$M" commit --tx "$ID" >"$TMP/out" 2>"$TMP/err"
	eq 1 $? 'commit of a damaged block'
	eq suspended "$(state_of "$M" "$ID")"
fi
[ -s "$TMP/err" ] || fail 'it says nothing'
manifest "$B" >"$TMP/now"
same_tree "$TMP/before" "$TMP/now" 'the base'
