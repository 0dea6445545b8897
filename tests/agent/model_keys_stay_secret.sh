#!/bin/bash
# The key of a server is sent to it and shown to nobody: no command has it in its environment,
# no message, event or transcript holds it, also when the server sends it back.
. "$TESTS/lib.sh"
# shellcheck source=tests/tools/modelserver.sh
. "$TESTS/tools/modelserver.sh"
requires_fuse
P=$TMP/project
make_project "$P"
cd "$P" || exit 1
key=zq9-not-of-a-known-form-7731

nowhere() {
	! grep -rqF "$key" "$TMP/events" "$TMP/talk" "$TXFS_STATE_DIR/transcripts" made ||
		fail "the key shows: $(grep -rlF "$key" "$TMP/events" "$TMP/talk" "$TXFS_STATE_DIR" made)"
}

for variable in OPENAI_API_KEY OTHER_KEY; do
	model_serves <<-END
		{"say": "Your key is $key.", "run": "{ env; cat /proc/*/environ; } | tr '\\\\\\\\0' '\\\\\\\\n' > made; echo $key"}
		{"status": 401, "body": {"error": {"message": "wrong key $key"}}}
	END
	options=()
	[ "$variable" = OPENAI_API_KEY ] || options=(--key-env "$variable")
	export "$variable=$key"
	status 1 model_task --policy=off --keep "${options[@]}" 'x'
	unset "$variable"
	asked 0 'r["headers"]["Authorization"] == "Bearer '"$key"'"'
	grep -q 'wrong key \*\*\*' "$TMP/talk" || fail "$(cat "$TMP/talk")"
	txfs -C "$P" commit --tx "$(event_of "$TMP/events" end tx)" || fail 'commit'
	[ -s made ] || fail 'no environment was written'
	nowhere
done
# a file: only ours to read, and not within reach of the commands
echo "$key" >"$TMP/key"
chmod 644 "$TMP/key"
status 125 model_task --key-file "$TMP/key" 'x'
chmod 600 "$TMP/key"
model_serves < <(printf '%s\n' "{\"run\": \"cat $TMP/key > made\"}" '{"finish": "so"}')
model_task --policy=off --key-file "$TMP/key" 'x' || fail "$(cat "$TMP/talk")"
asked 0 'r["headers"]["Authorization"] == "Bearer '"$key"'"'
nowhere
cp "$TMP/key" "$P/key"
chmod 600 "$P/key"
status 125 model_task --key-file "$P/key" 'x'
has 'lies in the workspace' "$TMP/talk"
status 125 model_task --key-env NOT_SET 'x'
status 125 model_task --key-file "$TMP/none" 'x'
printf 'two words\n' >"$TMP/key"
status 125 model_task --key-file "$TMP/key" 'x'
# a key that nobody meant for a server without TLS elsewhere is not sent to it
export OPENAI_API_KEY=$key http_proxy=${MODEL_URL%/v1}
model_serves <<<'{"finish": "so"}'
export http_proxy=${MODEL_URL%/v1}
MODEL_URL=http://model.example/v1
model_task 'x' || fail "$(cat "$TMP/talk")"
asked 0 'r["path"] == "http://model.example/v1/chat/completions" and "Authorization" not in r["headers"]'
has 'not sent to a server without TLS' "$TMP/events"
mnt=$(awk -v t="$TMP/state/" 'index($5, t) == 1 { print $5 }' /proc/self/mountinfo)
cd / || exit 1
[ -z "$mnt" ] || txfs umount "$mnt" || fail "cannot unmount $mnt"
