#!/bin/bash
# demo.sh BINDIR: the main job on a real project. Takes a copy of this repository, with its
# dirty and ignored files, and lets `agentctl task` work in it through policyd and private
# transactions: the small model that is built in on three requests, then a scripted provider,
# a file of steps, in place of a real model. After each task the base is compared with what must be there, by every file's type, mode, owner,
# times, links, attributes and hash. Leaves nothing behind, also when interrupted.
set -u
BIN=$(cd "$1" && pwd) || exit 1
TESTS=$(cd "$(dirname "$0")" && pwd)
SRC=$(dirname "$TESTS")
TMP=$(mktemp -d "${TMPDIR:-/tmp}/txfs-demo.XXXXXX") || exit 1
export BIN TESTS SRC TMP
export HOME=$TMP/home TMPDIR=$TMP/tmp XDG_RUNTIME_DIR=$TMP/run TXFS_STATE_DIR=$TMP/state
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=Demo GIT_AUTHOR_EMAIL=demo@example.org
export GIT_COMMITTER_NAME=Demo GIT_COMMITTER_EMAIL=demo@example.org LC_ALL=C.UTF-8
unset TXFS_POLICYD_SOCKET
mkdir -m 700 "$HOME" "$TMPDIR" "$XDG_RUNTIME_DIR" "$TXFS_STATE_DIR"
# shellcheck source=tests/lib.sh
. "$TESTS/lib.sh"

at_exit 'cd /; chmod -R u+rwX "$TMP" 2>/dev/null; rm -rf --one-file-system "$TMP"'
at_exit 'umount_below "$TMP"'
umount_below() {
	local m
	awk '{ print $5 }' /proc/self/mountinfo | grep -F "$1/" | sort -r | while read -r m; do
		umount -l "$m" 2>/dev/null || fusermount3 -uz "$m"
	done
}

P=$TMP/project

# A clone, and on top of it whatever the working tree has beyond its last commit.
copy_project() {
	git clone -q --no-hardlinks "$SRC" "$P" || fail "cannot clone $SRC"
	git -C "$P" remote set-url origin https://example.org/project.git
	(cd "$SRC" && {
		git ls-files -z -m -o --exclude-standard
		git ls-files -z -o -i --exclude-standard
	} | while IFS= read -r -d '' f; do
		[ -e "$f" ] && [ "$(stat -c %s "$f")" -lt 4000000 ] && printf '%s\0' "$f"
	done | tar -c --null -T - -f - 2>/dev/null) | tar -x -C "$P" -f -
	(cd "$SRC" && git ls-files -z -d) | (cd "$P" && xargs -0 -r rm -f)
	echo 'a note that git does not know' >"$P/untracked note.txt"
	mkdir -p "$P/build/kept" "$P/empty directory"
	echo 'ignored by git, not by txfs' >"$P/build/kept/ignored.o"
	ln "$P/build/kept/ignored.o" "$P/build/kept/second-name.o"
	ln -s ../README.md "$P/build/link"
	mkfifo "$P/build/pipe"
	chmod 2750 "$P/build/kept"
	touch -d '2001-02-03 04:05:06.123456789' "$P/untracked note.txt"
	mkdir -p "$HOME/documents"
	echo 'irreplaceable' >"$HOME/documents/thesis.txt"
}

outcome='' code=''
task() { # SCRIPT TEXT OPTIONS...: without a script the built-in model
	local text=$2 model=(--model embedded)
	if [ -n "$1" ]; then
		echo "  provider: scripted (no model; its steps come from a file)"
		model=(--script "$1")
	else
		echo "  provider: embedded (a small model for trying things out)"
		echo "  request: $text"
	fi
	shift 2
	"$BIN/agentctl" task --workspace "$P" "${model[@]}" --json "$@" -- "$text" \
		>"$TMP/events" 2>"$TMP/talk" </dev/null
	code=$?
	python3 "$TESTS/demo-show.py" <"$TMP/events" 3>"$TMP/outcome"
	outcome=$(cut -f 1 "$TMP/outcome")
}

wants() { # OUTCOME EXIT
	[ "$outcome" = "$1" ] && [ "$code" = "$2" ] && return
	cat "$TMP/talk" >&2
	fail "wanted $1 and exit status $2, got $outcome and $code"
}

title() { printf '\n%s\n' "$*"; }

files() { echo "$(wc -l <"$1") files"; }

step() { python3 -c 'import json, sys; print(json.dumps({sys.argv[1]: sys.argv[2]}))' "$@"; }

copy_project
manifest "$P" >"$TMP/start"
manifest "$HOME" >"$TMP/home.start"
echo "project: a copy of $(basename "$SRC"), $(files "$TMP/start"), with dirty and ignored ones"

title '1. the built-in model: two steps in one request, committed'
task '' 'Create demo-notes.txt with "hello from a transaction" and remove LICENSE' \
	--check 'grep -q hello demo-notes.txt && test ! -e LICENSE'
wants committed 0
eq 'hello from a transaction' "$(cat "$P/demo-notes.txt")"
[ ! -e "$P/LICENSE" ] || fail 'LICENSE was not removed'
rm "$P/demo-notes.txt" && git -C "$P" checkout -q LICENSE
echo "  ok: one is there and the other is gone"

title '2. the built-in model: the check fails'
manifest "$P" >"$TMP/before"
task '' 'Delete the folder tests' --check 'test -d tests'
wants aborted 120
manifest "$P" >"$TMP/after"
same_tree "$TMP/before" "$TMP/after" 'the base changed'
echo "  ok: the base is exactly as before, $(files "$TMP/after")"

title '3. the built-in model: not understood'
task '' 'Make the project nicer'
wants aborted 1
manifest "$P" >"$TMP/after"
same_tree "$TMP/before" "$TMP/after" 'the base changed'
echo "  ok: it says so; the project is exactly as before"

title '4. a script in place of a real model: change files, build, commit'
{
	step run 'git status --short | wc -l; ls'
	step run "mkdir -p tools && cat > tools/hello.c <<'END'
#include <stdio.h>
int main(void) { puts(\"hello from a transaction\"); return 0; }
END"
	step run 'cc -O2 -o tools/hello tools/hello.c && ./tools/hello'
	step run 'mv LICENSE LICENSE.txt && chmod 600 Makefile && rm -r "empty directory"'
	step run 'printf "\n# said the demo\n" >> Makefile'
	step run "git add tools/hello.c && git commit -q -m 'tools: say hello' && git log --oneline | head -1"
	step run 'python3 tests/manifest.py . | sha256sum'
	step 'done' 'Added tools/hello, built it, and committed its source.'
} >"$TMP/script1"
task "$TMP/script1" 'add a program that says hello, build it, commit it to git' \
	--check 'tools/hello | grep -q hello && git fsck --no-progress'
wants committed 0
manifest "$P" >"$TMP/after"
inside=$(grep '"ev":"result"' "$TMP/events" | grep -oE '[0-9a-f]{64}' | tail -n 1)
eq "$inside" "$(sha256sum <"$TMP/after" | cut -d ' ' -f 1)" 'base and view before the commit'
[ "$("$P/tools/hello")" = 'hello from a transaction' ] || fail 'the program does not run'
[ ! -e "$P/LICENSE" ] && [ ! -e "$P/empty directory" ] || fail 'what was removed is there'
echo "  ok: the base equals the view before the commit, $(files "$TMP/after")"

title '5. a script: the check fails'
cp "$TMP/after" "$TMP/before"
{
	step run 'git checkout -q -b rewrite && rm -r tests common && ls | wc -l'
	step run "find . -name '*.c' -not -path './.git/*' -exec sed -i 's/return/retrun/' {} +"
	step run 'echo "all:" > Makefile && rm -f build/kept/* && chmod 777 . && git add -A'
	step 'done' 'Rewrote everything; it should work.'
} >"$TMP/script2"
task "$TMP/script2" 'rewrite the project' --check 'cc -o /tmp/hello tools/hello.c'
wants aborted 120
manifest "$P" >"$TMP/after"
same_tree "$TMP/before" "$TMP/after" 'the base changed'
echo "  ok: the base is exactly as before, $(files "$TMP/after")"

title '6. a script: what no transaction brings back'
{
	step run 'rm -rf ~'
	step run 'git push --force origin HEAD'
	step 'done' 'Both were refused, so I stopped.'
} >"$TMP/script3"
task "$TMP/script3" 'clean up and publish'
wants committed 0
manifest "$P" >"$TMP/after"
manifest "$HOME" >"$TMP/home.after"
same_tree "$TMP/before" "$TMP/after" 'the base changed'
same_tree "$TMP/home.start" "$TMP/home.after" 'the home changed'
refused=$(grep -c '"ev":"result".*Refused by the policy' "$TMP/events")
eq 2 "$refused" 'refusals that the model saw'
echo "  ok: both refused, the model saw why; project and home are exactly as before"

printf '\ndemo passed\n'
