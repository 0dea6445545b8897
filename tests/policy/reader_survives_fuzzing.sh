#!/bin/bash
# The reader under libFuzzer with sanitizers, from the corpus in tests/fuzz/shell on, for
# FUZZ_SECONDS (default 20).
set -eu
: "${BIN:=${1:-build/bin}}"
: "${TMP:=$(mktemp -d)}"
top=$(cd "$(dirname "$0")/../.." && pwd)
command -v clang >/dev/null || { echo "skip: no clang"; exit 77; }
gen=$(cd "$BIN/.." && pwd)/gen
mkdir -p "$TMP/found"
cd "$top"
clang -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -D_GNU_SOURCE \
	-I. -Iinclude -I"$gen" tests/fuzz/fuzz_shell.c policyd/shell/*.c -o "$TMP/fuzz" ||
	{ echo "skip: clang has no libFuzzer"; exit 77; }
if ! "$TMP/fuzz" -max_total_time="${FUZZ_SECONDS:-20}" -max_len=600 -timeout=10 -rss_limit_mb=3000 \
	-artifact_prefix="$TMP/crash-" "$TMP/found" tests/fuzz/shell >"$TMP/log" 2>&1; then
	tail -n 40 "$TMP/log"
	exit 1
fi
tail -n 1 "$TMP/log"
