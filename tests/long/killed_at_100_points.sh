#!/bin/bash
# P2: kill -9 of the daemon at 100 random points during a commit, by seed (SEED=N for others).
# timeout: 600
. "$TESTS/mount/helpers.bash"
. "$TESTS/mount/kill.bash"
kill_rounds 100 "${SEED:-2026}"
