#!/bin/bash
# The reader of commands and the daemon's protocol under sanitizers: all of the corpora in
# tests/fuzz, then what libFuzzer makes of them from a fixed seed, so that a run says the same
# each time; about two minutes of CPU. FUZZ_SECONDS=N fuzzes both for that long from seeds of
# their own instead; what was found lies in FUZZ_KEEP, if set.
# timeout: 900
set -eu
: "${BIN:=${1:-build/bin}}"
: "${TMP:=$(mktemp -d)}"
top=$(cd "$(dirname "$0")/../.." && pwd)
command -v clang >/dev/null || { echo "skip: no clang"; exit 77; }
echo 'int LLVMFuzzerTestOneInput(const char *p, long n) { return p && n < 0; }' |
	clang -x c -fsanitize=fuzzer - -o "$TMP/none" 2>/dev/null || { echo "skip: clang has no libFuzzer"; exit 77; }
gen=$(cd "$BIN/.." && pwd)/gen
[ "$gen" = "$top/build/gen" ] || { echo "has sanitizers of its own: see the plain build"; exit 77; }
cd "$top"

build() { # NAME SOURCE...
	local name=$1
	shift
	clang -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -D_GNU_SOURCE \
		-I. -Iinclude -I"$gen" "tests/fuzz/fuzz_$name.c" "$@" -o "$TMP/$name"
}

fuzz() { # NAME RUNS MAX_LEN
	local how=(-seed=1 "-runs=$2")
	[ -z "${FUZZ_SECONDS:-}" ] || how=("-max_total_time=$FUZZ_SECONDS")
	mkdir -p "$TMP/$1.found"
	"$TMP/$1" "${how[@]}" -max_len="$3" -timeout=10 -rss_limit_mb=3000 -close_fd_mask=1 \
		-artifact_prefix="${FUZZ_KEEP:-$TMP}/crash-$1-" "${FUZZ_KEEP:-$TMP/$1.found}" \
		"tests/fuzz/$1" "$TMP/$1.texts" >"$TMP/$1.log" 2>&1 && echo "$1: $(tail -n 1 "$TMP/$1.log")" && return
	tail -n 40 "$TMP/$1.log"
	return 1
}

build shell policyd/shell/*.c & a=$!
build request policyd/audit/*.c policyd/client/*.c policyd/rules/*.c policyd/server/*.c policyd/shell/*.c \
	common/*.c -ljson-c -lyaml -lpcre2-8 -lseccomp -lxxhash & b=$!
wait $a && wait $b
mkdir "$TMP/shell.texts" "$TMP/request.texts"
split -t '\0' -l 1 -a 4 tests/fuzz/shell.corpus "$TMP/shell.texts/"
fuzz shell "${FUZZ_RUNS:-60000}" 600 & a=$!
fuzz request "${FUZZ_RUNS:-400000}" 2000 & b=$!
status=0
wait $a || status=1
wait $b || status=1
exit $status
