#!/bin/bash
# Trouble that may pass is waited out and asked again, as the server wishes: nothing that an
# answer broken off contains is done, and no command is run twice.
. "$TESTS/lib.sh"
# shellcheck source=tests/tools/modelserver.sh
. "$TESTS/tools/modelserver.sh"
requires_fuse
P=$TMP/project
make_project "$P"
cd "$P" || exit 1
good='{"run": "echo step >> log"}'

trouble() { # TEXT LINE...
	local text=$1
	shift
	rm -f log
	model_serves < <(printf '%s\n' "$good" "$@" "$good" '{"finish": "so"}')
	model_task --idle-timeout 1 "${options[@]}" 'x' || fail "$*: $(cat "$TMP/talk" "$TMP/events")"
	eq $'step\nstep' "$(cat log)" "$*"
	eq "$(($# + 3))" "$(wc -l <"$MODEL_OUT/requests")" "$*: requests"
	grep -q -e "$text" <(texts trouble) || fail "$*: not told of '$text': $(texts trouble)"
	eq "${told:-$#}" "$(texts trouble | wc -l)" "$*: troubles"
}

options=()
trouble 'answered 500: oops' '{"status": 500, "body": {"error": {"message": "oops", "type": "server_error"}}}'
trouble 'answered 503' '{"status": 503, "body": "<html>busy</html>"}'
trouble 'answered 429: slow down' '{"status": 429, "headers": {"Retry-After": "1"}, "body": {"error": "slow down"}}'
trouble 'overloaded' '{"raw": "data: {\"error\": {\"message\": \"overloaded\"}}\n\n"}'
# a line that was kept open and is gone is tried anew by itself
told=1
trouble 'asking again' '{"do": "reset"}' '{"do": "reset"}'
told=
trouble 'asking again' '{"do": "lie"}' '{"do": "close_mid", "run": "echo broken >> log"}'
trouble 'broke off' '{"do": "reset_mid", "run": "echo broken >> log"}'
trouble 'nothing was heard for 1.0 s' '{"do": "hang"}'
trouble 'nothing was heard' '{"do": "hang_mid", "run": "echo broken >> log"}'
trouble 'no JSON' '{"raw": "data: {\"choices\": [{\"delta\": {\"content\": \"a\"}}]}\n\ndata: {rubbish\n\ndata: [DONE]\n\n"}'
options=(--no-stream)
trouble 'asking again' '{"do": "lie"}'

# Retry-After is honoured: two seconds, and a date
options=()
date=$(LC_ALL=C date -u -d '+3 seconds' '+%a, %d %b %Y %H:%M:%S GMT')
trouble 429 '{"status": 429, "headers": {"Retry-After": "2"}}' \
	"{\"status\": 503, \"headers\": {\"Retry-After\": \"$date\"}}"
python3 - "$MODEL_OUT/requests" <<'END' || fail 'asked again too early'
import json, sys
t = [json.loads(line)["time"] for line in open(sys.argv[1], encoding="utf-8")]
print(t[2] - t[1], t[3] - t[2], file=sys.stderr)
assert t[2] - t[1] >= 2, t
END
