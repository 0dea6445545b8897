#!/bin/bash
# run-unit.sh BIN...: run Check programs one after the other, each in a scratch
# directory of its own, and show the closing line of each. The whole output of a program
# is shown when it fails. Ends with `N passed, N failed`, counting single tests.
# What a sanitizer reports, of any process, fails the program's run and is shown.
set -u
limit=$((${UNIT_TIMEOUT:-480} * ${SLOW:-1}))
passed=0 failed=0
top=$(mktemp -d "${TMPDIR:-/tmp}/txfs-unit.XXXXXX") || exit 1
trap 'chmod -R u+rwX "$top" 2>/dev/null; rm -rf --one-file-system "$top"' EXIT
trap 'exit 130' INT TERM HUP

run_one() {
	local bin name tmp log status line
	bin=$(realpath "$1")
	name=$(basename "$1")
	tmp=$top/$name
	log=$top/$name.log
	mkdir -p "$tmp/state" "$tmp/run" "$tmp/home" "$tmp/tmp" "$tmp.reports" &&
		chmod 700 "$tmp/run"
	(cd "$tmp" && TMP=$tmp TMPDIR=$tmp/tmp HOME=$tmp/home XDG_RUNTIME_DIR=$tmp/run \
		TXFS_STATE_DIR=$tmp/state TESTS=$tests CK_TIMEOUT_MULTIPLIER=${SLOW:-1} \
		ASAN_OPTIONS=log_path=$tmp.reports/asan \
		UBSAN_OPTIONS=print_stacktrace=1:log_path=$tmp.reports/ubsan \
		TSAN_OPTIONS=atexit_sleep_ms=20:log_path=$tmp.reports/tsan \
		timeout --kill-after=10 "$limit" "$bin") >"$log" 2>&1 </dev/null
	status=$?
	if [ -n "$(ls "$tmp.reports")" ]; then
		cat "$tmp.reports"/*
		echo "$name: a sanitizer reported"
		[ "$status" -ne 0 ] || status=1
	fi
	line=$(grep -E '^[0-9]+%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+' "$log" | tail -n 1)
	if [ "$status" -ne 0 ] || [ -z "$line" ]; then
		cat "$log"
		[ "$status" -ne 124 ] || echo "$name: timed out after $limit s"
		[ -n "$line" ] || echo "$name: ended with status $status before its summary"
		[[ $line =~ Failures:\ 0,\ Errors:\ 0 ]] &&
			echo "$name: status $status after a clean summary"
	fi
	echo "$name: ${line:-no summary}"
	count "$status" "$line"
}

count() { # STATUS LINE
	local bad=0
	if [[ $2 =~ Checks:\ ([0-9]+),\ Failures:\ ([0-9]+),\ Errors:\ ([0-9]+) ]]; then
		bad=$((BASH_REMATCH[2] + BASH_REMATCH[3]))
		passed=$((passed + BASH_REMATCH[1] - bad))
	fi
	[ "$1" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
	failed=$((failed + bad))
}

tests=$(cd "$(dirname "$0")" && pwd)
for b in "$@"; do
	run_one "$b"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
