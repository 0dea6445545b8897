#!/bin/bash
# agent/answers_survive_fuzzing for FUZZ_SECONDS (default 600), from a seed of its own.
# timeout: 14400
set -eu
export FUZZ_SECONDS="${FUZZ_SECONDS:-600}"
exec bash "$TESTS/agent/answers_survive_fuzzing.sh"
