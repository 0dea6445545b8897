#!/bin/bash
# The daemon asks for quick wake-ups while requests flow and takes that back when they end; with
# no_awake it does not even open the device.
. "$TESTS/mount/helpers.bash"
device=/dev/cpu_dma_latency
[ -w $device ] || { echo "$device cannot be opened"; exit 77; }
[ "$(nproc --all)" -le 16 ] || { echo "more than 16 CPUs"; exit 77; }

opened() { [ -n "$(find "/proc/$(daemon_pid "$M")/fd" -lname "$device")" ]; }
bound() { od -An -t d4 -N4 $device | tr -d ' '; }
asleep() { [ "$(bound)" -gt 5 ]; }
work() {
	for _ in 1 2 3 4 5 6 7 8; do
		mkdir "$M/d" && (cd "$M/d" && touch $(seq 300)) && rm -r "$M/d"
	done
	touch "$TMP/done"
}

B=$TMP/base M=$TMP/mnt
mkdir "$B"
wait_for 10 asleep || { echo "somebody else keeps the CPUs awake"; exit 77; }
mount_ws "$B" "$M"
opened || fail "the daemon did not open $device"
work &
least=2000000000
while [ ! -e "$TMP/done" ]; do
	now=$(bound)
	[ "$now" -ge "$least" ] || least=$now
done
wait $!
[ "$least" -le 5 ] || fail "no bound on wake-ups while requests flowed, but $least us"
wait_for 10 asleep || fail "the bound on wake-ups stayed"
txfs umount "$M" >/dev/null

txfs mount -o no_awake --store "$TMP/store2" "$B" "$M" >/dev/null || fail "no_awake is refused"
at_exit "txfs umount '$M' >/dev/null 2>&1"
! opened || fail "$device is open in spite of no_awake"
! txfs mount -o no_such "$B" "$TMP" 2>"$TMP/err" || fail "an unknown feature was taken"
grep -q "awake and epochs" "$TMP/err" || fail "no hint: $(cat "$TMP/err")"
