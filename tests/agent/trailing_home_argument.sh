#!/bin/bash
# A clean-up of two build directories whose last argument, by one blank too much, is the
# home directory: refused by the policy; and without policy the home survives all the same.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"
mkdir -p "$P/out" "$P/cache" "$HOME/letters" "$HOME/.config/app"
echo 'years of work' >"$HOME/letters/one.txt"
echo 'settings' >"$HOME/.config/app/rc"
manifest "$HOME" >"$TMP/home.before"
manifest "$P" >"$TMP/before"
cd "$P" || exit 1
for form in 'rm -rf out/ cache/ ~/' "rm -rf out/ cache/ $HOME/" "rm -rf out/ cache/ \"\$HOME\"/"; do
	status 126 agentctl run -- bash -c "$form" 2>"$TMP/talk"
	has 'refused by policy' "$TMP/talk"
done
status 126 agentctl run -- rm -rf out/ cache/ "$HOME/" 2>"$TMP/talk"
manifest "$P" >"$TMP/after"
same_tree "$TMP/before" "$TMP/after" 'workspace'
agentctl run --policy=off -- bash -c 'rm -rf out/ cache/ ~/' >/dev/null 2>"$TMP/talk" &&
	fail 'rm claims to have removed the home'
has ' aborted: ' "$TMP/talk"
manifest "$HOME" >"$TMP/home.after"
manifest "$P" >"$TMP/after"
same_tree "$TMP/home.before" "$TMP/home.after" 'home'
same_tree "$TMP/before" "$TMP/after" 'workspace after abort'
