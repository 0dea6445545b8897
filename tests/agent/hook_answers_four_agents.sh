#!/bin/bash
# A hook has one way to say no that all four agents understand: exit 2 and a reason.
. "$TESTS/lib.sh"
mkdir -p "$TMP/project" && cd "$TMP/project" || exit 1

event() { # AGENT COMMAND
	python3 - "$@" <<-'END'
		import json, os, sys
		agent, command = sys.argv[1:3]
		if agent == "cursor":
		    o = {"hook_event_name": "beforeShellExecution", "command": command, "cwd": os.getcwd(),
		         "conversation_id": "c", "workspace_roots": [os.getcwd()]}
		else:
		    name = "BeforeTool" if agent == "gemini" else "PreToolUse"
		    tool = "run_shell_command" if agent == "gemini" else "Bash"
		    o = {"session_id": "s", "transcript_path": "/t", "cwd": os.getcwd(), "hook_event_name": name,
		         "tool_name": tool, "tool_input": {"command": command, "description": "d"}}
		print(json.dumps(o))
	END
}

for agent in claude codex gemini cursor; do
	event "$agent" 'ls -la' >"$TMP/in"
	status 0 agentctl hook "$agent" <"$TMP/in" >"$TMP/out" 2>"$TMP/err"
	[ ! -s "$TMP/err" ] || fail "$agent: talk on standard error: $(cat "$TMP/err")"
	want='{}'
	[ "$agent" != cursor ] || want='{"permission":"allow"}'
	eq "$want" "$(cat "$TMP/out")" "$agent"
	event "$agent" "rm -rf $HOME/x" >"$TMP/in"
	status 2 agentctl hook "$agent" <"$TMP/in" >"$TMP/out" 2>"$TMP/err"
	[ ! -s "$TMP/out" ] || fail "$agent: a refusal prints $(cat "$TMP/out")"
	has 'rule delete-home' "$TMP/err"
	has 'Instead:' "$TMP/err"
done

# no transaction is open here, so what could not be brought back needs a person; only
# two of the four know how to ask one
event claude 'rm a.c' >"$TMP/in"
status 0 agentctl hook claude <"$TMP/in" >"$TMP/out"
has '"permissionDecision":"ask"' "$TMP/out"
sed 's/"session_id"/"permission_mode": "bypassPermissions", "session_id"/' "$TMP/in" >"$TMP/in2"
status 2 agentctl hook claude <"$TMP/in2" 2>"$TMP/err"
event cursor 'rm a.c' >"$TMP/in"
status 0 agentctl hook cursor <"$TMP/in" >"$TMP/out"
has '"permission":"ask"' "$TMP/out"
for agent in codex gemini; do
	event "$agent" 'rm a.c' >"$TMP/in"
	status 2 agentctl hook "$agent" <"$TMP/in" 2>"$TMP/err"
	has 'no transaction is open' "$TMP/err"
done

# a tool that runs no command is not ours to judge; a list of words is a command
echo '{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"path":"x"}}' >"$TMP/in"
status 0 agentctl hook claude <"$TMP/in" >"$TMP/out"
echo '{"hook_event_name":"PreToolUse","tool_name":"shell","tool_input":{"command":["rm","-rf","'"$HOME"'/my x"]}}' >"$TMP/in"
status 2 agentctl hook codex <"$TMP/in" 2>"$TMP/err"
has 'my x' "$TMP/err"

# the folder of the tool's own counts
echo '{"hook_event_name":"BeforeTool","cwd":"'"$PWD"'","tool_name":"run_shell_command","tool_input":{"command":"rm -rf x","directory":"../home"}}' >"$TMP/in"
status 2 agentctl hook gemini <"$TMP/in" 2>"$TMP/err"
has 'delete-home' "$TMP/err"
