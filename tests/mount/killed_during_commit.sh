#!/bin/bash
# P2: kill -9 of the daemon at ten random points during a commit: after the next mount the base
# holds all of the transaction (and it is called committed) or nothing (suspended).
# timeout: 90
. "$TESTS/mount/helpers.bash"
. "$TESTS/mount/kill.bash"
kill_rounds 10 "${SEED:-1}"
