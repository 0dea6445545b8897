#!/bin/bash
# The table of exit statuses, and that 125 and 126 ran nothing.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"
cd "$P" || exit 1
exec 2>"$TMP/talk"
status 0 agentctl run -- true
status 7 agentctl run -- sh -c 'exit 7'
status 127 agentctl run -- no-such-program
status 137 agentctl run -- sh -c 'kill -9 $$'
status 143 agentctl run -- sh -c 'kill $$'
status 124 agentctl run --timeout 0.3 -- sh -c 'touch made; sleep 30'
status 124 agentctl run --timeout 0.3 -- sh -c 'trap "" TERM; touch made; sleep 30; sleep 30'
status 125 agentctl run --workspace "$TMP/nothing" -- touch made
status 125 agentctl run --workspace / -- touch made
status 2 agentctl run --no-such-option -- true
status 2 agentctl run
status 2 agentctl serve x
status 0 agentctl </dev/null
(cd "$HOME" && status 125 agentctl run -- touch made) || exit 1
has 'is the home directory' "$TMP/talk"
(cd /etc && status 125 agentctl run -- true) || exit 1
[ ! -e made ] && [ ! -e "$HOME/made" ] || fail 'something was published'
