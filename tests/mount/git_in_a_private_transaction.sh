#!/bin/bash
# P2, P6: git clone, checkout of an old commit and back, stash, gc in a private transaction do
# what they do on ext4; after commit the base equals the view, and plain ext4 but for times.
# timeout: 60
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt P=$TMP/plain
mkdir -p "$B" "$P"
make_project "$TMP/origin"
(
	cd "$TMP/origin" || exit
	git config gc.auto 0
	for i in $(seq 12); do
		mkdir -p "d$((i % 4))" && for j in 1 2 3 4 5; do seq "$i" 300 >"d$((i % 4))/f$j"; done
		[ "$((i % 3))" != 0 ] || git mv "d$((i % 4))/f1" "d$((i % 4))/g$i"
		git add -A && git commit -qm "change $i"
	done
)
mount_ws "$B" "$M"
export GIT_AUTHOR_DATE='2001-01-01 00:00:00 +0000' GIT_COMMITTER_DATE='2001-01-01 00:00:00 +0000'
play() {
	cd "$1" || exit 1
	git clone -q --no-hardlinks "$TMP/origin" clone && cd clone && git config gc.auto 0 || exit 1
	git checkout -q HEAD~8 && git status --short && git checkout -q - || exit 1
	echo change >>d1/f2 && rm d2/f3 && echo new >untracked
	git status --short && git stash -q -u && git status --short && git stash pop -q && git status --short
	git checkout -q -b work && git add -A && git commit -qm work && git mv d1 moved && git commit -qm moved
	git merge -q --no-edit HEAD~1 && git log --oneline | wc -l && git diff --stat HEAD~3 | tail -n 1
	git fsck 2>&1 && rm -rf d3 && git checkout -q . && git clean -qfdx && git status --short
	git worktree add -q ../tree HEAD~4 && git -C ../tree status --short && git worktree remove ../tree
}
(play "$P") >"$TMP/want" 2>&1 || { cat "$TMP/want"; fail 'git on ext4'; }
begin_private "$M"
(play "$VIEW") >"$TMP/got" 2>&1 || { cat "$TMP/got"; fail 'git in a view'; }
diff "$TMP/want" "$TMP/got" >&2 || fail 'ext4 (<) and the view (>) say different things'
manifest "$VIEW" >"$TMP/view"
commit_tx "$M" "$ID"
manifest "$B" >"$TMP/b"
same_tree "$TMP/view" "$TMP/b" 'view and base differ'
manifest --no-times --skip index --skip logs "$B" >"$TMP/b"
manifest --no-times --skip index --skip logs "$P" >"$TMP/p"
same_tree "$TMP/p" "$TMP/b" 'ext4 and base differ'
# Nothing is racy or stale afterwards: status is clean in the mount and in the base.
eq '' "$(git -C "$M/clone" status --short)"
eq '' "$(git -C "$B/clone" status --short)"
eq '' "$(git -C "$B/clone" fsck 2>&1 | grep -v '^dangling\|^Checking')"
begin_private "$M"
git -C "$VIEW/clone" checkout -q HEAD~5 && git -C "$VIEW/clone" gc -q || fail 'git in a second view'
abort_tx "$M" "$ID"
eq '' "$(git -C "$M/clone" status --short)"
