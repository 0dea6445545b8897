#!/bin/bash
# P2, P5: while commits run, who reads through the mount sees each of them whole or not at all,
# and never an error; an older private view goes on seeing its snapshot.
# timeout: 40
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B/d"
for i in $(seq 100); do echo 0 >"$B/d/f$i"; done
mount_ws "$B" "$M"
begin_private "$M" --label old
OLD=$VIEW
cat >"$TMP/reader.py" <<'END'
import os, sys, time
top, stop, rounds = sys.argv[1], sys.argv[2], 0
while not os.path.exists(stop):
    # Read backwards and forwards: two looks at an older file never go back in time.
    first = [int(open(f"{top}/d/f{i}").read()) for i in range(1, 101)]
    again = [int(open(f"{top}/d/f{i}").read()) for i in range(100, 0, -1)]
    assert all(a <= b for a, b in zip(first, first[1:])), ("forwards", first)
    assert all(a <= b for a, b in zip(again, again[1:])), ("backwards", again)
    assert first[-1] <= again[0], (first[-1], again[0])
    rounds += 1
print(rounds, "rounds, the last saw", again[-1])
END
python3 "$TMP/reader.py" "$M" "$TMP/stop" >"$TMP/reader" 2>&1 &
reader=$!
python3 "$TMP/reader.py" "$OLD" "$TMP/stop" >"$TMP/reader-old" 2>&1 &
old=$!
at_exit "touch '$TMP/stop'; wait $reader $old"
for n in $(seq 12); do
	begin_private "$M"
	for i in $(seq 100); do
		if [ $((n % 3)) = 0 ]; then echo "$n" >"$VIEW/d/t" && mv "$VIEW/d/t" "$VIEW/d/f$i"; else echo "$n" >"$VIEW/d/f$i"; fi
	done
	commit_tx "$M" "$ID"
done
touch "$TMP/stop"
wait "$reader" || { cat "$TMP/reader" >&2 && fail 'the main view'; }
wait "$old" || { cat "$TMP/reader-old" >&2 && fail 'the old view'; }
eq 0 "$(sort -u "$OLD"/d/f*)" 'the snapshot'
eq 12 "$(sort -u "$B"/d/f*)" 'the base'
abort_tx "$M" old
