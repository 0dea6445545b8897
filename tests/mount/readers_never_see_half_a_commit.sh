#!/bin/bash
# P2, P5: while commits run, who reads through the mount never meets an error or a file that is
# neither old nor new; an older private view goes on seeing its snapshot, whole. (The main view's
# cached pages are dropped one file after the other, so across files it may lag for a moment;
# once the commit has returned it shows all of it.)
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
top, stop, old, rounds = sys.argv[1], sys.argv[2], len(sys.argv) > 3, 0
while not os.path.exists(stop):
    # Two looks at one file never go back in time.
    first = [int(open(f"{top}/d/f{i}").read()) for i in range(1, 101)]
    again = [int(open(f"{top}/d/f{i}").read()) for i in range(100, 0, -1)]
    seen = set(first + again)
    assert seen == {0} or not old, seen
    assert max(seen) <= 12 and first[0] <= again[-1], (first, again)
    rounds += 1
print(rounds, "rounds, the last saw", again[-1])
END
python3 "$TMP/reader.py" "$M" "$TMP/stop" >"$TMP/reader" 2>&1 &
reader=$!
python3 "$TMP/reader.py" "$OLD" "$TMP/stop" old >"$TMP/reader-old" 2>&1 &
old=$!
at_exit "touch '$TMP/stop'; wait $reader $old"
for n in $(seq 12); do
	begin_private "$M"
	for i in $(seq 100); do
		if [ $((n % 3)) = 0 ]; then echo "$n" >"$VIEW/d/t" && mv "$VIEW/d/t" "$VIEW/d/f$i"; else echo "$n" >"$VIEW/d/f$i"; fi
	done
	commit_tx "$M" "$ID"
	eq "$n" "$(cat "$M"/d/f* | sort -u)" 'the main view once the commit has returned'
done
touch "$TMP/stop"
wait "$reader" || { cat "$TMP/reader" >&2 && fail 'the main view'; }
wait "$old" || { cat "$TMP/reader-old" >&2 && fail 'the old view'; }
eq 0 "$(sort -u "$OLD"/d/f*)" 'the snapshot'
eq 12 "$(sort -u "$B"/d/f*)" 'the base'
abort_tx "$M" old
