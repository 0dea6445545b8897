#!/bin/bash
# P6: as tests/mount/readdir_is_stable.sh, with 100,000 names.
# timeout: 120
export MANY=100000
. "$TESTS/mount/readdir_is_stable.sh"
