#!/bin/bash
# The model that is built in does tasks for real, and what it does wrongly is rolled back by a check.
# The shares are those of the checkpoint in the tree, less a little: a better one raises them.
# timeout: 300
. "$TESTS/lib.sh"
requires_fuse
requires python3
python3 "$TESTS/tools/model_tasks.py" "$TESTS/agent/tasks/own.jsonl" --agentctl "$BIN/agentctl" \
	--expect single=60:3 --expect two=20:15 --expect scope=90:8 --show wrong >"$TMP/out" 2>"$TMP/wrong" ||
	{ cat "$TMP/out" "$TMP/wrong" >&2; fail 'it does less than it did'; }
cat "$TMP/out"
