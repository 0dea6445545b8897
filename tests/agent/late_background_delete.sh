#!/bin/bash
# A command that returns at once and leaves a child which deletes later: when the run has
# ended nothing lands any more, in the base, in the view, or after a commit.
. "$TESTS/lib.sh"
requires_fuse
P=$TMP/project
make_project "$P"
mkdir "$P/data"
for i in 1 2 3 4 5; do echo "$i" >"$P/data/$i"; done
cd "$P" || exit 1
later='(setsid sh -c "sleep 1; rm -rf data .git; touch late" </dev/null >/dev/null 2>&1 &)'
agentctl run -- bash -c "echo done > data/result; $later" 2>"$TMP/talk" || fail "$(cat "$TMP/talk")"
manifest "$P" >"$TMP/end"
sleep 2
manifest "$P" >"$TMP/later"
same_tree "$TMP/end" "$TMP/later" 'after a commit'
eq "done" "$(cat data/result)"
[ -e data/3 ] && [ ! -e late ] || fail 'the child landed'
status 4 agentctl run -- bash -c "rm data/1; $later; exit 4" 2>/dev/null
manifest "$P" >"$TMP/aborted"
sleep 2
manifest "$P" >"$TMP/later"
same_tree "$TMP/end" "$TMP/aborted" 'after an abort'
same_tree "$TMP/end" "$TMP/later" 'later after an abort'
