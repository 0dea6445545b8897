#!/bin/bash
# Inside: the view at the workspace's own path, all else read-only or hidden.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"
echo precious >"$HOME/file"
echo beside >"$TMP/beside"
cd "$P" || exit 1
cat >"$TMP/home/probe" <<'END'
set -u
bad=0
must_fail() { if "$@" 2>/dev/null; then echo "could: $*"; bad=1; fi; }
must() { "$@" || { echo "could not: $*"; bad=1; }; }
must test "$PWD" = "$1"
must touch here
must touch /tmp/scratch
must_fail touch "$HOME/x"
must_fail rm "$HOME/file"
must_fail touch /etc/x
must_fail touch /x
must_fail test -e "$2/beside"
must_fail test -e "$2/state/tokens"
must_fail ls "$2/state/mnt"
must_fail test -S "$2/run/txfs/policyd.sock"
must_fail ls .txfs/ctl
must_fail kill -0 "$3"
must_fail mount -t tmpfs x /mnt
must_fail umount "$1"
must_fail mknod node b 7 0
must_fail sh -c ': >> /proc/sys/kernel/core_pattern'
exit $bad
END
agentctl run --policy=off -- bash "$HOME/probe" "$P" "$TMP" $$ >"$TMP/out" 2>"$TMP/talk" ||
	fail "$(cat "$TMP/out" "$TMP/talk")"
has 'POLICY IS OFF' "$TMP/talk"
eq precious "$(cat "$HOME/file")"
[ -e here ] || fail 'not published'
[ ! -e /tmp/scratch ] || fail 'the scratch leaked'
