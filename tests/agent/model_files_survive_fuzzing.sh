#!/bin/bash
# The engine's files under sanitizers: all of the corpus in tests/fuzz/minimind, then what
# libFuzzer makes of it from a fixed seed, so that a run says the same each time.
# FUZZ_SECONDS=N fuzzes for that long from a seed of its own instead.
set -eu
: "${TMP:=$(mktemp -d)}"
top=$(cd "$(dirname "$0")/../.." && pwd)
command -v clang >/dev/null || { echo "skip: no clang"; exit 77; }
mkdir -p "$TMP/found"
cd "$top"
clang -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -D_GNU_SOURCE \
	-I. tests/fuzz/fuzz_minimind.c tests/unit/agentctl/minimind_*.c \
	agentctl/provider/minimind/*.c common/mem.c -lcheck -lsubunit -lrt -lm -o "$TMP/fuzz" ||
	{ echo "skip: clang has no libFuzzer"; exit 77; }
how=(-seed=1 -runs=10000)
[ -z "${FUZZ_SECONDS:-}" ] || how=("-max_total_time=$FUZZ_SECONDS")
if ! "$TMP/fuzz" "${how[@]}" -max_len=4096 -timeout=10 -rss_limit_mb=3000 \
	-artifact_prefix="$TMP/crash-" "$TMP/found" tests/fuzz/minimind >"$TMP/log" 2>&1; then
	tail -n 40 "$TMP/log"
	exit 1
fi
tail -n 1 "$TMP/log"
