#!/bin/bash
# P6: a file that was unlinked or replaced while open can be read and written, has link count
# 0, and leaves nothing behind; also over a commit of the main view.
# timeout: 20
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B"
echo base >"$B/file"
echo base >"$B/target"
mount_ws "$B" "$M"
hold_start
say ok open 0 rw "$M/file"
rm "$M/file"
hold stat 0 >/dev/null
[[ $SAID == *size=5*nlink=0* ]] || fail "stat of an unlinked file: $SAID"
say 'ok 6' write 0 5 added/
say 'ok base/added/' read 0 0 20
say ok open 1 rw+c "$M/made"
say 'ok 4' write 1 0 made
rm "$M/made"
say ok open 2 rw "$M/target"
echo other >"$M/other" && mv "$M/other" "$M/target"
txfs -C "$M" sync || fail sync
say 'ok base/added/' read 0 0 20
say 'ok made' read 1 0 20
say 'ok base/' read 2 0 20
say 'ok 3' write 1 4 too
say 'ok madetoo' read 1 0 20
echo recreated >"$M/file"
say 'ok base/added/' read 0 0 20
for i in 0 1 2; do say ok close $i; done
txfs -C "$M" sync || fail sync
eq 'file target' "$(cd "$B" && echo *)"
eq 'recreated other' "$(cat "$B/file" "$B/target" | paste -sd ' ')"
