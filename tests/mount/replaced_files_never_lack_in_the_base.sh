#!/bin/bash
# P1: a file saved as editors and git do it (a new file renamed over the old one) is exchanged
# in the base: who looks there during the commit finds the old or the new one, never none.
# Older views keep the old one, other links of it keep theirs, nothing is left in staging.
# timeout: 40
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B/dir" "$B/old"
for i in $(seq 40); do echo "old $i" >"$B/dir/f$i"; done
ln "$B/dir/f1" "$B/dir/link1"
ln -s nowhere "$B/dir/sym"
mount_ws "$B" "$M"
cat >"$TMP/look.py" <<'END'
import os, sys
dir, lacks = sys.argv[1], 0
names = [f"{dir}/f{i}" for i in range(1, 41)]
print("looking", flush=True)
while not os.path.exists(dir + "/../stop"):
    for name in names:
        try:
            with open(name, encoding="ascii") as f:
                if f.read().split()[0] not in ("old", "new", "newer"):
                    print("odd content in", name)
        except FileNotFoundError:
            lacks += 1
print("lacks", lacks)
END
python3 -I "$TMP/look.py" "$B/dir" >"$TMP/look.out" &
looker=$!
at_exit "kill $looker 2>/dev/null"
wait_for 5 grep -q looking "$TMP/look.out"
begin_private "$M"
older=$ID older_view=$VIEW
for word in new newer; do
	begin_private "$M"
	for i in $(seq 40); do
		echo "$word $i" >"$VIEW/dir/tmp"
		mv "$VIEW/dir/tmp" "$VIEW/dir/f$i"
	done
	ln -s "$word" "$VIEW/dir/tmp" && mv -T "$VIEW/dir/tmp" "$VIEW/dir/sym"
	exec 7<"$M/dir/f2"
	commit_tx "$M" "$ID"
	exec 7<&-
	eq "$word 7" "$(cat "$B/dir/f7")"
	eq "$word" "$(readlink "$B/dir/sym")"
done
touch "$B/stop"
wait "$looker"
has 'lacks 0' "$TMP/look.out"
eq 'old 1' "$(cat "$B/dir/link1")" 'the other link'
eq 1 "$(stat -c %h "$B/dir/link1")" 'its links'
for i in $(seq 40); do eq "old $i" "$(cat "$older_view/dir/f$i")" 'an older view'; done
eq nowhere "$(readlink "$older_view/dir/sym")"
abort_tx "$M" "$older"
staged() { find "$B" "$TMP"/store-* -name '[std][0-9]*-[0-9]*'; }
nothing_staged() { [ -z "$(staged)" ]; }
wait_for 5 nothing_staged # although the kernel still remembers the ended view
txfs umount "$M" || fail umount
eq '' "$(staged)" 'left in staging'
