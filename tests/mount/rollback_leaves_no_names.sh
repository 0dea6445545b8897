#!/bin/bash
# P1: names made and removed again after a savepoint are gone after its rollback, also where
# the file had been changed before it and was last seen under such a name.
# timeout: 30
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B/D" "$B/E"
echo 1 >"$B/D/f"
echo 1 >"$B/D/g"
mount_ws "$B" "$M"
begin_private "$M"
cd "$VIEW" || exit 1
echo y >D/f
echo y >D/g
echo y >D/new
manifest "$VIEW" >"$TMP/before"
txfs savepoint S || fail savepoint
ln D/f D/z && rm D/z
ln D/g E/z && rm E/z
mv D/new D/w && mv D/w D/v
manifest "$VIEW" >/dev/null
txfs rollback S || fail rollback
manifest "$VIEW" >"$TMP/after"
same_tree "$TMP/before" "$TMP/after"
eq 'f g new' "$(ls D | tr '\n' ' ' | sed 's/ $//')"
eq '' "$(ls E)"
cd / || exit 1
commit_tx "$M" "$ID"
eq 'y y y ' "$(cat "$B"/D/* | tr '\n' ' ')"
