#!/bin/bash
# Two minutes of training of the small model: it learns, and what comes out can be opened and asked.
# timeout: 900
. "$TESTS/lib.sh"
requires_fuse
/usr/bin/python3 -c 'import torch' 2>/dev/null || skip 'needs python3-torch (make model-deps)'
make -C "$SRC" --no-print-directory model-smoke B="$TMP/build" >"$TMP/log" 2>&1 || { tail -n 20 "$TMP/log" >&2; fail 'it does not learn'; }
make_project "$TMP/p" && cd "$TMP/p" || exit 1
agentctl task --no-keep --model "$TMP/build/model-smoke" 'hello there' >"$TMP/out" 2>&1
grep -q 'embedded: ' "$TMP/out" || { cat "$TMP/out" >&2; fail 'the result cannot be asked'; }
