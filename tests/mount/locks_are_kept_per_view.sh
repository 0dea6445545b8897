#!/bin/bash
# P6: flock and POSIX locks exclude other processes in the same view, are dropped at close, and
# are not shared between views.
# timeout: 20
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B"
echo text >"$B/file"
mount_ws "$B" "$M"
begin_private "$M"
hold_start
hold_start TWO
say ok open 0 rw "$M/file"
say ok @TWO open 0 rw "$M/file"
say ok @TWO open 1 rw "$VIEW/file"
say ok lock 0 ex
say EAGAIN @TWO lock 0 sh
say ok @TWO lock 1 ex
say ok lock 0 un
say ok @TWO lock 0 sh
say ok lock 0 sh
say ok @TWO lock 0 un
say ok plock 0 ex 0 10
say EAGAIN @TWO plock 0 sh 5 1
say ok @TWO plock 0 ex 10 10
say ok plock 0 un 0 10
say ok @TWO plock 0 ex 0 10
say EAGAIN plock 0 sh 0 1
say ok @TWO close 0
say ok plock 0 ex 0 0
eq held "$(flock -n "$M/file" echo free || echo held)" 'flock(1)'
say ok close 0
eq free "$(flock -n "$M/file" echo free || echo held)" 'flock(1) after close'
say ok @TWO close 1
abort_tx "$M" "$ID"
