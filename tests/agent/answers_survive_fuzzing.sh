#!/bin/bash
# The reader of models' answers under sanitizers: the corpus in tests/fuzz/answer, then what
# libFuzzer makes of it from a fixed seed. FUZZ_SECONDS=N fuzzes for that long from a seed of
# its own instead.
# timeout: 240
. "$TESTS/lib.sh"
requires_libfuzzer
cd "$SRC" || exit 1
mkdir "$TMP/found"
# shellcheck disable=SC2046
clang -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -D_GNU_SOURCE \
	-I. -Iinclude $(pkg-config --cflags libcurl json-c) tests/fuzz/fuzz_answer.c \
	$(find agentctl/provider -maxdepth 1 -name '*.c' ! -name embedded.c ! -name local.c) common/{escape,mem,path}.c \
	$(pkg-config --libs json-c) -o "$TMP/fuzz" || fail 'the fuzzer cannot be built'
how=(-seed=1 -runs=20000)
[ -z "${FUZZ_SECONDS:-}" ] || how=("-max_total_time=$FUZZ_SECONDS")
"$TMP/fuzz" "${how[@]}" -max_len=2000 -timeout=10 -rss_limit_mb=3000 -artifact_prefix="$TMP/crash-" \
	"$TMP/found" tests/fuzz/answer >"$TMP/log" 2>&1 || {
	tail -n 40 "$TMP/log"
	fail 'the reader broke'
}
tail -n 1 "$TMP/log"
