#!/bin/bash
# P4: after an abort on the main view descriptors of files that it had changed answer ESTALE;
# all others go on, and working directories stay valid.
# timeout: 30
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B/dir/sub"
echo changed >"$B/changed"
echo other >"$B/other"
echo meta >"$B/meta"
mount_ws "$B" "$M"
hold_start
say ok open 0 rw "$M/changed"
say ok open 1 rw "$M/other"
say ok open 4 rw "$M/meta"
say ok chdir "$M/dir/sub"
begin_main "$M" --force
say 'ok 4' write 0 0 evil
say ok open 2 rw+c "$M/made"
say 'ok 4' write 2 0 made
echo file >"$M/dir/sub/file"
chmod 600 "$M/meta"
abort_tx "$M"
say ESTALE read 0 0 8
say ESTALE write 0 0 evil
say ESTALE write 2 0 evil
say 'ok other/' read 1 0 10
say 'ok 5' write 1 0 OTHER
say 'ok meta/' read 4 0 10
say "ok $M/dir/sub" cwd
say ok open 3 rw+c here
say ok close 3
for i in 0 1 2 4; do hold close "$i" >/dev/null; done
eq changed "$(cat "$M/changed")"
eq OTHER "$(cat "$M/other")"
[ ! -e "$M/made" ] && [ ! -e "$M/dir/sub/file" ] && [ -e "$M/dir/sub/here" ] || fail 'names after abort'
txfs -C "$M" sync || fail sync
eq changed "$(cat "$B/changed")"
eq OTHER "$(cat "$B/other")"
[ ! -e "$B/made" ] && [ -e "$B/dir/sub/here" ] || fail 'names in the base'
