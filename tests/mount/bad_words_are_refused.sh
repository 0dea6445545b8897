#!/bin/bash
# Wrong use of verbs: the right exit code, one line that names the subject, nothing changed:
# unknown ids and labels, no workspace, ended transactions, a base that vanished.
# timeout: 30
. "$TESTS/mount/helpers.bash"
B=$TMP/base M=$TMP/mnt
mkdir -p "$B" "$TMP/elsewhere"
echo text >"$B/file"
mount_ws "$B" "$M"
says() { # EXIT SUBJECT ARGS...
	local want=$1 subject=$2
	shift 2
	timeout 10 txfs "$@" >"$TMP/out" 2>"$TMP/err"
	eq "$want" $? "txfs $*: exit ($(cat "$TMP/err"))"
	[ "$want" = 2 ] || eq 1 "$(wc -l <"$TMP/err")" "txfs $*: lines of '$(cat "$TMP/err")'"
	has "$subject" "$TMP/err"
}
for verb in commit abort diff; do
	says 1 4711 -C "$M" "$verb" --tx 4711
	says 1 nobody -C "$M" "$verb" --tx nobody
done
says 1 4711 -C "$M" savepoint --tx 4711 s
says 1 "$TMP/elsewhere" -C "$TMP/elsewhere" status
says 1 "$TMP/none" -C "$TMP/none" status
says 1 "$TMP/elsewhere" umount "$TMP/elsewhere"
for p in txfs policyd agentctl; do eq "$p 0.1" "$("$p" --version)"; done
says 2 nonsense nonsense
says 2 savepoint -C "$M" savepoint
says 2 --nonsense -C "$M" begin --nonsense
begin_private "$M" --label twice
FIRST=$ID
commit_tx "$M" "$FIRST"
says 1 "$FIRST" -C "$M" commit --tx "$FIRST"
says 1 "$FIRST" -C "$M" abort --tx "$FIRST"
says 1 "$FIRST" -C "$M" savepoint --tx "$FIRST" s
begin_private "$M" --label twice
one=$ID
if txfs -C "$M" begin --private --label twice >"$TMP/out" 2>"$TMP/err"; then
	two=$(head -n 1 "$TMP/out")
	says 1 twice -C "$M" commit --tx twice
	abort_tx "$M" "$two"
fi
says 1 nosuch -C "$M" rollback --tx "$one" nosuch
says 1 nosuch -C "$M" release --tx "$one" nosuch
abort_tx "$M" "$one"
eq text "$(cat "$M/file")"
for v in mount umount begin commit abort savepoint rollback release status diff ls log sync; do
	txfs "$v" --help >"$TMP/out" 2>&1 || fail "$v --help"
	has "usage: txfs" "$TMP/out"
done

# The base is taken away below the mount: errors, but nothing hangs, and work is not lost.
begin_private "$M"
echo kept >"$VIEW/kept"
mv "$B" "$TMP/away" && mkdir "$B"
timeout 10 ls "$M" >/dev/null 2>&1
timeout 10 txfs -C "$M" commit --tx "$ID" >"$TMP/out" 2>"$TMP/err"
[ $? != 124 ] || fail 'commit without a base hangs'
rmdir "$B" && mv "$TMP/away" "$B"
if [ ! -e "$B/kept" ]; then commit_tx "$M" "$ID"; fi
eq kept "$(cat "$B/kept")"
