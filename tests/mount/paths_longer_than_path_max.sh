#!/bin/bash
# P1, P2, P6: a tree deeper than PATH_MAX is made, committed, seen after a remount, removed in a
# transaction, given back by its abort, and removed for good.
# timeout: 40
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B"
mount_ws "$B" "$M"
begin_main "$M"
python3 - "$M" <<'END' || fail 'cannot make it'
import os, sys
os.chdir(sys.argv[1])
for _ in range(60):
    os.mkdir("n" * 200)
    os.chdir("n" * 200)
open("leaf", "w").write("hi")
END
commit_tx "$M"
eq 62 "$(find "$B" | wc -l)" 'the base'
txfs umount "$M" || fail umount
mount_ws "$B" "$M"
eq 62 "$(find "$M" | wc -l)" 'after a remount'
begin_main "$M"
rm -rf "$M"/n*
eq 1 "$(find "$M" | wc -l)" 'removed'
abort_tx "$M"
eq 62 "$(find "$M" | wc -l)" 'after the abort'
begin_main "$M"
rm -rf "$M"/n*
commit_tx "$M"
eq 1 "$(find "$B" | wc -l)" 'removed for good'
txfs umount "$M" || fail umount
