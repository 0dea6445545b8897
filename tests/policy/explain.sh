#!/bin/bash
# policyd explain and check without a daemon: the answer, the way out, the exit status.
set -eu
: "${BIN:=${1:-build/bin}}"
: "${TMP:=$(mktemp -d)}"
export HOME=/home/u
fail() { echo "$*" >&2; exit 1; }
explain() { "$BIN/policyd" explain "$1" --workspace /workspace; }

out=$(explain 'rm -rf ~/Music') && fail "refusal exits 0"
[ $? = 4 ] || fail "refusal does not exit 4"
grep -q '^deny: ' <<<"$out" || fail "no verdict in: $out"
grep -q "'/home/u/Music'" <<<"$out" || fail "the word is not named: $out"
grep -q 'rule delete-home' <<<"$out" || fail "the rule is not named: $out"
grep -q '^instead: ' <<<"$out" || fail "no way out: $out"
explain 'make test | tail' >/dev/null || fail "a harmless command is refused"
"$BIN/policyd" explain 'git push -f' --workspace /workspace --json >"$TMP/j" && fail "allowed"
grep -q '"decision":"deny"' "$TMP/j" || fail "JSON: $(cat "$TMP/j")"

"$BIN/policyd" explain $'ls \xff' 2>"$TMP/err" && fail "text that is not UTF-8 is taken"
grep -q 'not UTF-8' "$TMP/err" || fail "$(cat "$TMP/err")"
mkdir -p "$TMP/p/sub"
(cd "$TMP" && "$BIN/policyd" explain 'rm -rf ../own' --workspace p --cwd p/sub | grep -q "$TMP/p/own (in the workspace)") ||
	fail "folders are not taken from where it was started"

printf 'version: 1\nrules:\n  - id: a\n    colour: b\n' >"$TMP/bad.yaml"
"$BIN/policyd" check "$TMP/bad.yaml" 2>"$TMP/err" && fail "a bad file is taken"
grep -q 'bad.yaml:4: unknown key' "$TMP/err" || fail "$(cat "$TMP/err")"
{
	printf 'version: 1\nrules:\n'
	seq -f '  - {id: r%.0f, program: p, decision: deny, reason: no, match: [p]}' 10000
} >"$TMP/many.yaml"
"$BIN/policyd" check "$TMP/many.yaml" | grep -q 'ok, 10000 rules' || fail "10,000 rules are not taken"
echo '  - {id: last, program: p, decision: deny, reason: no, match: [p]}' >>"$TMP/many.yaml"
"$BIN/policyd" check "$TMP/many.yaml" 2>"$TMP/err" && fail "10,001 rules are taken"
grep -q 'more than 10000 rules' "$TMP/err" || fail "$(cat "$TMP/err")"
"$BIN/policyd" check / 2>"$TMP/err" && fail "a folder is taken"
"$BIN/policyd" frob 2>/dev/null && fail "unknown verb"
[ "$("$BIN/policyd" frob >/dev/null 2>&1; echo $?)" = 2 ] || fail "wrong usage is not 2"

# Commands of many kinds, and what a person reads: explain.txt is both the questions and the
# answers. After a change that is meant: UPDATE=1 make check-policy TESTS=explain
here=$(cd "$(dirname "$0")" && pwd)
grep '^\$ ' "$here/explain.txt" | cut -c3- >"$TMP/questions"
while IFS= read -r command; do
	echo "$ $command"
	status=0
	explain "$command" || status=$?
	echo "exit $status"
	echo
done <"$TMP/questions" >"$TMP/answers"
[ "$(wc -l <"$TMP/questions")" -ge 20 ] || fail "too few questions"
[ -z "${UPDATE:-}" ] || cp "$TMP/answers" "$here/explain.txt"
diff "$here/explain.txt" "$TMP/answers" || fail "explain reads otherwise than before"
