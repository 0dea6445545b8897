#!/bin/bash
# P4: the main view's own commit changes nothing for open descriptors; the commit of another
# view acts on them as another process would.
# timeout: 30
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B"
echo first >"$B/file"
echo second >"$B/replaced"
echo third >"$B/removed"
mount_ws "$B" "$M"
hold_start
begin_main "$M"
say ok open 0 rw "$M/file"
say 'ok 5' write 0 0 FIRST
say ok map 0 4096
commit_tx "$M"
say 'ok FIRST/' read 0 0 10
say 'ok 5' write 0 0 again
say 'ok a' peek 0 0
say ok poke 0 0 A
say ok fsync 0
eq Again "$(cat "$B/file")"

say ok open 1 rw "$M/replaced"
say ok open 2 rw "$M/removed"
begin_private "$M"
echo FIRST CHANGED >"$VIEW/file"
echo new >"$VIEW/tmp" && mv "$VIEW/tmp" "$VIEW/replaced"
rm "$VIEW/removed"
commit_tx "$M" "$ID"
say 'ok FIRST CHANGED/' read 0 0 20
say 'ok F' peek 0 0
say 'ok second/' read 1 0 20
say 'ok third/' read 2 0 20
eq new "$(cat "$M/replaced")"
[ ! -e "$M/removed" ] || fail 'a removed file is still there'
hold stat 2 >/dev/null
[[ $SAID == *nlink=0* ]] || fail "link count of a removed file: $SAID"
