#!/bin/bash
# No class of the labelled commands comes out worse than what is committed, and the demands on
# verdicts are met; what each class comes to is printed by make bench-policy.
. "$TESTS/lib.sh"
requires python3
python3 "$SRC/benchmarks/policy.py" "$BIN" --verdicts --missed --expect "$TESTS/policy/expect.tsv" >"$TMP/out" ||
	fail "$(grep -e '^MISSED' -e '^missed' -e '^flagged' "$TMP/out")"
