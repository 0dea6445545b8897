#!/bin/bash
# check.sh BINDIR BUILDDIR: every suite of `make check`, one after the other: lint (not
# for sanitizer builds, where it would say the same again), units, then the suites of
# scripts. Shows each suite's own lines and ends with one line that counts all of them;
# exits non-zero if anything failed.
set -u
bindir=$1
build=$2
here=$(cd "$(dirname "$0")" && pwd)
passed=0 failed=0 skipped=0
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
trap 'exit 130' INT TERM HUP

suite() { # NAME CMD...
	local name=$1 status line began=$SECONDS
	shift
	echo "== $name"
	"$@" 2>&1 | tee -i "$out"
	status=${PIPESTATUS[0]}
	line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$out" | tail -n 1)
	if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)? ]]; then
		passed=$((passed + BASH_REMATCH[1]))
		failed=$((failed + BASH_REMATCH[2]))
		skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
		[ "$status" -eq 0 ] || [ "${BASH_REMATCH[2]}" -gt 0 ] || failed=$((failed + 1))
	elif [ "$status" -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
	echo "== $name: ${line:-exit status $status} ($((SECONDS - began)) s)"
	[ "$status" -lt 129 ] || exit "$status"
}

cd "$here/.." || exit 1
[ "$build" != build ] || suite lint make --no-print-directory lint
suite unit bash tests/run-unit.sh "$build"/tests/unit-*
for s in policy mount agent; do
	suite "$s" bash tests/run-scripts.sh "$bindir" "$s"
done
echo "== all suites, $SECONDS s"
[ "$skipped" -eq 0 ] || echo "$skipped skipped (reasons above)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
