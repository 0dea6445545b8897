#!/bin/bash
# A change that runs later outside is kept, not committed, unless --late says so.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"
drop() { # the kept transaction and its mount
	txfs -C "$P" abort --tx "$(event_of "$TMP/events" end tx)" || fail 'cannot abort'
}
held() { # PATH CMD...
	local path=$1
	shift
	(cd "$P" && agentctl run --json -- "$@" >"$TMP/events" 2>"$TMP/talk") || fail "$(cat "$TMP/talk")"
	eq kept "$(event_of "$TMP/events" end outcome)" "$*"
	eq "[\"$path\"]" "$(event_of "$TMP/events" end held)" "$*"
	drop
}
manifest "$P" >"$TMP/before"
held .git/config sh -c 'printf "[core]\n\tfsmonitor = ./x\n" >>.git/config'
held .git/config git config include.path ../x
held .git/hooks/pre-commit sh -c 'echo exit > .git/hooks/pre-commit'
held .claude/settings.json sh -c 'mkdir .claude && echo {} > .claude/settings.json'
held sub/.git/config sh -c 'mkdir -p sub/git && printf "[alias]\n\tx = !y\n" > sub/git/config && mv sub/git sub/.git'
cd / || exit 1
manifest "$P" >"$TMP/after"
same_tree "$TMP/before" "$TMP/after"
cd "$P" || exit 1
agentctl run --json -- git config user.name Someone >"$TMP/events" 2>/dev/null || fail 'harmless'
eq committed "$(event_of "$TMP/events" end outcome)" 'a harmless setting'
agentctl run --late --json -- git config core.pager less >"$TMP/events" 2>/dev/null || fail 'late'
eq committed "$(event_of "$TMP/events" end outcome)" '--late'
eq less "$(git config core.pager)"
cd / && mnt=$(awk -v t="$TMP/state/" 'index($5, t) == 1 { print $5 }' /proc/self/mountinfo)
[ -z "$mnt" ] || txfs umount "$mnt" || fail "cannot unmount $mnt"
