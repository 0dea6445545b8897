#!/bin/bash
# policy/reader_survives_fuzzing for FUZZ_SECONDS (default 600), from a seed of its own.
# timeout: 15000
set -eu
export FUZZ_SECONDS="${FUZZ_SECONDS:-600}"
exec bash "$TESTS/policy/reader_survives_fuzzing.sh"
