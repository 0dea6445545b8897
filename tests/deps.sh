#!/bin/sh
# Install what building and testing txfs needs on Debian 12; asks nothing, and does
# nothing when everything is there.
set -eu
want="build-essential pkg-config libfuse3-dev fuse3 libsqlite3-dev sqlite3 libxxhash-dev
check libyaml-dev libjson-c-dev libseccomp-dev attr acl git python3 fuse-overlayfs
mandoc cppcheck clang clang-format libclang-rt-14-dev iproute2 procps util-linux"
missing=
for p in $want; do
	case $(dpkg-query -W -f '${Status}' "$p" 2>/dev/null) in
	'install ok installed') ;;
	*) missing="$missing $p" ;;
	esac
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ]; then
	echo "missing packages:$missing; install them with: sudo apt-get install$missing" >&2
	exit 1
fi
echo "installing:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
{ apt-get update -q && apt-get install -q -y --no-install-recommends $missing; } >"$log" 2>&1 </dev/null || {
	tail -20 "$log" >&2
	exit 1
}
