#!/bin/bash
# Whatever goes wrong in a hook, the answer is exit 2 with a reason, in bounded time.
. "$TESTS/lib.sh"
mkdir -p "$TMP/project" && cd "$TMP/project" || exit 1
good='{"hook_event_name":"PreToolUse","cwd":"'$PWD'","tool_name":"Bash","tool_input":{"command":"ls"}}'

refused() { # TEXT: standard input is the event
	local begun=$SECONDS
	timeout -s KILL 20 agentctl hook codex >"$TMP/out" 2>"$TMP/err"
	eq 2 $? "$1"
	[ ! -s "$TMP/out" ] || fail "$1: printed $(cat "$TMP/out")"
	[ -s "$TMP/err" ] || fail "$1: no reason"
	[ $((SECONDS - begun)) -le 8 ] || fail "$1: took too long"
}

echo "$good" | status 0 agentctl hook claude >/dev/null

for bad in '' '{' '[]' 'null' '"ls"' '{}' '{"tool_input":{}}' "$good x" "$good$good" \
	'{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":7}}' \
	'{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":null}}' \
	'{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":[]}}' \
	'{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":["ls",7]}}' \
	'{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"l\u0000s"}}' \
	'{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":"ls"}' \
	'{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}' \
	'{"hook_event_name":"BeforeTool","tool_name":"Bash","tool_input":{"command":"ls"}}'; do
	refused "$bad" <<<"$bad"
done
for cwd in '' src /nonexistent/folder "$PWD/../../../../nonexistent"; do
	refused "the folder '$cwd'" <<<"${good/"$PWD"/"$cwd"}"
done
refused 'closed input' <&-
refused 'a folder' <"$TMP"
refused 'NUL bytes' < <(head -c 100000 /dev/zero)
refused 'not UTF-8' < <(printf '\377\376')
refused 'a command that is not UTF-8' < <(
	printf '{"hook_event_name":"PreToolUse","cwd":"%s","tool_name":"Bash","tool_input":{"command":"ls \377"}}' "$PWD")
refused 'a key that stands twice' < <(
	printf '{"hook_event_name":"PreToolUse","cwd":"%s","tool_name":"Bash","tool_input":{"command":"ls","command":"ls"}}' "$PWD")
refused 'a big command' < <(python3 -c '
import json
print(json.dumps({"hook_event_name": "PreToolUse", "cwd": "/tmp", "tool_name": "Bash",
                  "tool_input": {"command": "x" * 3000000}}))')
refused '10 MB' < <(head -c 10000000 /dev/zero | tr '\0' x)
refused 'nesting' < <(head -c 100000 /dev/zero | tr '\0' '[')
refused 'substitutions' < <(python3 -c '
import json
print(json.dumps({"hook_event_name": "PreToolUse", "cwd": "/tmp", "tool_name": "Bash",
                  "tool_input": {"command": "$(" * 60000}}))')
refused 'input that never ends' < <(exec sleep 30)
kill $!
status 2 agentctl hook <<<"$good" 2>/dev/null
status 2 agentctl hook nobody <<<"$good" 2>/dev/null

# ended by a signal in the middle: not a status that lets the tool run
mkfifo "$TMP/fifo"
sleep 20 >"$TMP/fifo" &
sleeper=$!
agentctl hook claude <"$TMP/fifo" >"$TMP/out" 2>"$TMP/err" &
pid=$!
sleep 0.3
kill -SEGV "$pid"
status 2 wait "$pid"
kill "$sleeper"
has 'refused' "$TMP/err"

stop_policyd
export TXFS_POLICYD_SOCKET=$TMP/sock
mkdir "$TMP/sock" # a folder in its place
refused 'a folder as socket' <<<"$good"
rmdir "$TMP/sock"
echo hello >"$TMP/sock" # a file
refused 'a file as socket' <<<"$good"
rm -f "$TMP/sock"
# a daemon that is mute, one that ends in the middle, one that talks nonsense
for kind in mute dies nonsense wrong_id; do
	rm -f "$TMP/sock"
	python3 - "$TMP/sock" "$kind" <<-'END' &
		import socket, sys, time
		s = socket.socket(socket.AF_UNIX)
		s.bind(sys.argv[1])
		s.listen()
		c, _ = s.accept()
		if sys.argv[2] == "dies":
		    c.recv(10)
		    sys.exit()
		c.recv(65536)
		if sys.argv[2] == "nonsense":
		    c.sendall(b'{"decision":"allow"}\n')
		if sys.argv[2] == "wrong_id":
		    c.sendall(b'{"v":1,"id":999,"decision":"allow"}\n')
		time.sleep(10)
	END
	pid=$!
	wait_for 5 test -S "$TMP/sock"
	refused "$kind" <<<"$good"
	kill "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
done
rm -f "$TMP/sock"
# no daemon, and none can be started
mkdir "$TMP/alone" && cp "$BIN/agentctl" "$TMP/alone"
PATH=/usr/bin:/bin
TXFS_POLICYD_SOCKET=$TMP/none status 2 "$TMP/alone/agentctl" hook claude <<<"$good" 2>"$TMP/err"
has 'policyd' "$TMP/err"
