#!/bin/bash
# P1, P2, P6: as mount/random_operations_equal_plain_ext4, for 60 seeds.
# timeout: 900
export SEEDS
SEEDS=$(seq 101 160)
. "$TESTS/mount/random_operations_equal_plain_ext4.sh"
