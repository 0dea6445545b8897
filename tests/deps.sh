#!/bin/sh
# deps.sh [build]: install what building and testing txfs needs on Debian 12, or with
# `build` only what building and the demo need. Asks nothing, and does nothing when
# everything is there. Without npm one test is skipped, so npm may be missing.
set -eu
want="build-essential pkg-config libfuse3-dev fuse3 libsqlite3-dev libxxhash-dev
libyaml-dev libjson-c-dev libpcre2-dev libseccomp-dev libcurl4-openssl-dev libedit-dev libmicrohttpd-dev
ca-certificates git python3 mount util-linux"
[ "${1:-}" = build ] || want="$want check sqlite3 attr acl procps fuse-overlayfs
openssl mandoc shellcheck cppcheck clang clang-format libclang-rt-14-dev"

missing=
for p in $want; do
	case $(dpkg-query -W -f '${Status}' "$p" 2>/dev/null) in
	'install ok installed') ;;
	*) missing="$missing $p" ;;
	esac
done
npm=
[ "${1:-}" = build ] || command -v npm >/dev/null || npm='nodejs npm'

if [ "$(id -u)" != 0 ]; then
	[ -n "$missing" ] || exit 0
	echo "missing packages:$missing; install them with: sudo apt-get install$missing" >&2
	exit 1
fi
[ -n "$missing$npm" ] || exit 0

export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT

apt() { apt-get "$@" </dev/null >>"$log" 2>&1; }

install_all() {
	echo "installing:" "$@" >&2
	apt install -q -y --no-install-recommends "$@"
}

# shellcheck disable=SC2086
if [ -n "$missing" ]; then
	apt update -q && install_all $missing || {
		tail -n 20 "$log" >&2
		exit 1
	}
fi
# shellcheck disable=SC2086
if [ -n "$npm" ] && apt install -s $npm; then
	install_all $npm || echo "npm is not installed; see its test skipped" >&2
fi
