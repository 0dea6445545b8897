#!/bin/bash
# Whatever is wrong with policyd, nothing runs: 126 and one clear line.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"
cd "$P" || exit 1
# refused by a rule
status 126 agentctl run -- rm -rf "$HOME" 2>"$TMP/talk"
has 'refused by policy' "$TMP/talk"
status 126 agentctl run --check "rm -rf $HOME" -- touch made 2>"$TMP/talk"
stop_policyd
# a socket that nobody can serve
mkdir "$TMP/dir"
TXFS_POLICYD_SOCKET=$TMP/dir status 126 agentctl run -- touch made 2>"$TMP/talk"
has 'policyd' "$TMP/talk"
# a daemon that answers rubbish, and one that says nothing
for say in '{"v":1,"decision":"allow"' 'rubbish' ''; do
	python3 - "$TMP/rubbish" "$say" <<-'END' &
		import os, socket, sys, time
		try: os.unlink(sys.argv[1])
		except OSError: pass
		s = socket.socket(socket.AF_UNIX)
		s.bind(sys.argv[1] + ".new")
		s.listen()
		os.rename(sys.argv[1] + ".new", sys.argv[1])
		c, _ = s.accept()
		c.recv(65536)
		if sys.argv[2]: c.sendall(sys.argv[2].encode() + b"\n")
		time.sleep(5)
	END
	pid=$!
	wait_for 5 test -S "$TMP/rubbish"
	TXFS_POLICYD_SOCKET=$TMP/rubbish status 126 agentctl run -- touch made 2>"$TMP/talk"
	has 'policyd' "$TMP/talk"
	kill "$pid"
	wait "$pid" 2>/dev/null
	rm -f "$TMP/rubbish"
done
[ ! -e made ] || fail 'it ran'
