#!/bin/bash
# P7: a one-byte edit of a 50 MiB base file grows the store by under 64 KiB; grep -r over the
# workspace, stat and mapping for reading grow it by nothing; an empty transaction is free.
# timeout: 40
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt S=$TMP/store-mnt
mkdir -p "$B/dir"
head -c 50M /dev/urandom >"$B/huge"
for i in $(seq 200); do seq "$i" 500 >"$B/dir/f$i"; done
mount_ws "$B" "$M"
begin_private "$M"
txfs -C "$VIEW" savepoint start || fail savepoint
sleep 0.3
before=$(store_bytes "$S")
grep -r 'not to be found' "$VIEW" && fail 'found'
find "$VIEW" -ls >/dev/null
cat "$VIEW/huge" >/dev/null
hold_start
say ok open 0 rw "$VIEW/huge"
say ok close 0
sleep 0.6
eq "$before" "$(store_bytes "$S")" 'reading grew the store'
printf '\377' | dd of="$VIEW/huge" bs=1 seek=30000000 conv=notrunc status=none
txfs -C "$VIEW" savepoint edited || fail savepoint
sleep 0.6
grown=$(($(store_bytes "$S") - before))
[ "$grown" -lt 65536 ] || fail "one byte grew the store by $grown bytes"
cp "$B/huge" "$TMP/want" && printf '\377' | dd of="$TMP/want" bs=1 seek=30000000 conv=notrunc status=none
cmp "$TMP/want" "$VIEW/huge" || fail 'the edited file reads wrong'
commit_tx "$M" "$ID"
cmp "$TMP/want" "$B/huge" || fail 'the base after commit'
before=$(store_bytes "$S")
ino=$(stat -c %i "$B/huge")
for _ in 1 2 3; do begin_private "$M" && commit_tx "$M" "$ID"; done
[ "$(($(store_bytes "$S") - before))" -lt 65536 ] || fail "empty transactions grew the store by $(($(store_bytes "$S") - before)) bytes"
eq "$ino" "$(stat -c %i "$B/huge")"
