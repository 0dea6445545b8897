#!/bin/bash
# An ordinary user: mounted by fusermount3, contained in a user namespace, same promises.
. "$TESTS/lib.sh"
requires_fuse
requires_root
requires setpriv fusermount3
if ! setpriv --reuid=65534 --regid=65534 --clear-groups sh -c ': <>/dev/fuse' 2>/dev/null; then
	# here the device is for root only: show a copy for everybody, in mounts of our own
	[ -z "${OWN_MOUNTS-}" ] || skip 'users cannot open /dev/fuse'
	mknod -m 666 "$TMP/fuse" c 10 229
	OWN_MOUNTS=1 exec unshare -m sh -c 'mount --bind "$TMP/fuse" /dev/fuse && exec bash "$0"' "$0"
fi
setpriv --reuid=65534 --regid=65534 --clear-groups unshare -Urm true ||
	skip 'no user namespaces for users'
programs_for_users
U=$TMP/user
mkdir -p "$U/home" "$U/state" "$U/run"
echo precious >"$U/home/file"
make_project "$U/project"
chown -R 65534:65534 "$U"
chmod 700 "$U/run"
as_user() {
	setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$U/home" \
		XDG_RUNTIME_DIR="$U/run" TXFS_STATE_DIR="$U/state" "$@"
}
at_exit 'XDG_RUNTIME_DIR=$U/run stop_policyd'
cd "$U/project" || exit 1
as_user agentctl run -- sh -c 'id -u && echo mine > made && chmod 640 Makefile' >"$TMP/out" 2>"$TMP/talk" ||
	fail "$(cat "$TMP/talk")"
eq 65534 "$(cat "$TMP/out")"
eq mine "$(cat made)"
eq 65534:640 "$(stat -c %u "$U/project/made"):$(stat -c %a Makefile)"
manifest "$U/project" >"$TMP/before"
status 1 as_user agentctl run --policy=off -- sh -c 'rm -rf src ~/file' 2>"$TMP/talk"
manifest "$U/project" >"$TMP/after"
same_tree "$TMP/before" "$TMP/after"
eq precious "$(cat "$U/home/file")"
# a model works for a user, too; the transcript is the user's own
# shellcheck source=tests/tools/modelserver.sh
. "$TESTS/tools/modelserver.sh"
model_serves < <(printf '%s\n' '{"run": "echo 1 > by-model"}' '{"run": "rm by-model; false"}' '{"rollback": 2}' '{"finish": "so"}')
as_user agentctl task --model "$MODEL_URL" --name t 'x' 2>"$TMP/talk" </dev/null || fail "$(cat "$TMP/talk")"
eq 1 "$(cat by-model)"
eq 65534:600 "$(stat -c %u:%a "$U"/state/transcripts/*.jsonl)"
as_user agentctl transcript | grep -q committed || fail 'no transcript'
cd / || exit 1
if awk '{ print $5 }' /proc/self/mountinfo | grep -qF "$TMP"; then fail 'a mount is left'; fi
