#!/bin/bash
# Trouble that does not pass ends the work at once, says why, and leaves every file as it was
# (P1). What a server sends is bounded in memory (P8).
. "$TESTS/lib.sh"
# shellcheck source=tests/tools/modelserver.sh
. "$TESTS/tools/modelserver.sh"
requires_fuse
P=$TMP/project
make_project "$P"
manifest "$P" >"$TMP/before"
cd "$P" || exit 1

ends() { # TEXT REQUESTS LINE...
	local text=$1 requests=$2
	shift 2
	model_serves < <(printf '%s\n' '{"run": "rm -rf src"}' "$@")
	status 1 model_task --retries 1 "${options[@]}" 'x'
	eq aborted "$(event_of "$TMP/events" end outcome)" "$*"
	case $(event_of "$TMP/events" end text) in
	*"$text"*) ;;
	*) fail "$*: want '$text', got $(event_of "$TMP/events" end text)" ;;
	esac
	eq "$requests" "$(($(wc -l <"$MODEL_OUT/requests") - 1))" "$*: requests"
}

options=()
ends 'answered 401: bad key' 1 '{"status": 401, "body": {"error": {"message": "bad key"}}}'
ends 'answered 404' 1 '{"status": 404, "body": "no such page"}'
ends 'redirects to' 1 '{"do": "redirect"}'
ends 'larger than we take' 1 '{"do": "huge"}'
ends '' 2 '{"do": "headers"}' '{"do": "headers"}'
ends 'insufficient_quota' 1 '{"status": 429, "body": {"error": {"message": "pay", "code": "insufficient_quota"}}}'
ends 'answered 429' 1 '{"status": 429, "headers": {"Retry-After": "4000"}}'
ends 'answered 500' 2 '{"status": 500}' '{"status": 500}'
ends 'neither JSON nor a stream' 1 '{"raw": "<html>welcome to the portal</html>", "type": "text/html"}'
ends 'no answer of a chat' 1 '{"raw": "{\"models\": []}"}'
options=(--idle-timeout 0.5)
ends 'nothing was heard' 2 '{"do": "hang"}' '{"do": "hang"}'
options=(--answer-timeout 1)
ends 'imed out' 2 '{"pause": 0.2, "piece": 20, "say": "slow but steady words, again and again"}' \
	'{"pause": 0.2, "piece": 20, "say": "slow but steady words, again and again"}'

# nobody there; the address of nothing
MODEL_URL=http://127.0.0.1:1/v1
status 1 model_task --retries 0 'x'
grep -q 'cannot reach the server' "$TMP/talk" || fail "$(cat "$TMP/talk")"
MODEL_URL=ftp://127.0.0.1/
status 125 model_task 'x'
MODEL_URL=http://me:secret@127.0.0.1/
status 125 model_task 'x'
grep -q 'secret' "$TMP/talk" "$TMP/events" && fail 'a password was shown'

# an answer without end takes no memory without end
model_serves <<<'{"do": "huge"}'
python3 - "$MODEL_URL" <<'END' || fail 'memory'
import resource, subprocess, sys
r = subprocess.run(["agentctl", "task", "--model", sys.argv[1], "--name", "t", "x"], stderr=subprocess.DEVNULL)
kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(kib, "KiB", file=sys.stderr)
assert r.returncode == 1 and kib < 200000, (r.returncode, kib)
END
manifest "$P" >"$TMP/after"
same_tree "$TMP/before" "$TMP/after"
