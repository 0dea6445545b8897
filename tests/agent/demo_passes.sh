#!/bin/bash
# timeout: 300
# `make demo` without the part that installs and builds.
. "$TESTS/lib.sh"
requires_fuse
requires git cc
git -C "$SRC" rev-parse -q --verify HEAD >/dev/null || skip 'needs a git checkout'
env -u TMP bash "$TESTS/demo.sh" "$BIN" || fail 'the demo failed'
