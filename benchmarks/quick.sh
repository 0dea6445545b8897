#!/bin/bash
# quick.sh BINDIR [--json] [--rounds N]: txfs beside ext4, fuse-overlayfs and a daemon that
# does nothing, interleaved, in under three minutes; see quick.py. Non-zero when a line is
# slower than fuse-overlayfs or a limit of requests or of sizes is missed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
bindir=$(cd "${1:?usage: quick.sh BINDIR [--json] [--rounds N]}" && pwd) || exit 2
shift
py=python3
[ ! -x /usr/bin/python3 ] || py=/usr/bin/python3
exec "$py" "$here/quick.py" "$bindir" "$@"
