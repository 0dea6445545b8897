#!/bin/bash
# The four agents that can be had from npm, as they are installed by agentctl(1), with a model that
# tells each to run a harmless command and one that destroys: the first is done, the second is not,
# and the model is told why. AGENTS=DIR takes them from DIR/node_modules instead of installing them.
# timeout: 1500
. "$TESTS/lib.sh"
requires npm node python3
agents=${AGENTS:-$TMP/agents}
if [ -z "${AGENTS:-}" ]; then
	mkdir "$agents"
	npm_config_cache=$TMP/cache timeout 900 npm install --no-audit --no-fund --prefix "$agents" \
		@anthropic-ai/claude-code@2.1.197 @openai/codex@0.171.0 @google/gemini-cli@0.61.0 \
		opencode-ai@1.18.33 >"$TMP/log" 2>&1 || skip "npm cannot install the agents: $(tail -n 1 "$TMP/log")"
	(cd "$agents/node_modules" && node @anthropic-ai/claude-code/install.cjs && node opencode-ai/postinstall.mjs) \
		>>"$TMP/log" 2>&1
fi
at_exit "chmod -R u+w '$TMP' 2>/dev/null"
mkdir "$TMP/keep" # outside of the project and of /tmp's freedom: it is the home's

prepare() { # NAME: a project and a home of its own, a model, $P $HOME $MODEL
	P=$TMP/$1/project HOME=$TMP/$1/home
	mkdir -p "$P" "$HOME/precious"
	echo kept >"$HOME/precious/file"
	python3 "$TESTS/tools/agentmodel.py" "$TMP/$1/port" "$TMP/$1/asked" \
		'echo made > made.txt' 'rm -rf ~/precious' &
	at_exit "kill $! 2>/dev/null; wait $! 2>/dev/null"
	wait_for 10 test -e "$TMP/$1/port"
	MODEL=http://127.0.0.1:$(cat "$TMP/$1/port")
	cd "$P" && git init -q
}

judged() { # NAME
	local why
	why="$1: $(tail -n 5 "$TMP/$1/out")"
	eq made "$(cat "$P/made.txt" 2>&1)" "$why"
	eq kept "$(cat "$HOME/precious/file" 2>&1)" "$why"
	grep -q 'delete-home' "$TMP/$1/asked" || fail "the model was not told why; $why"
}

run() { # NAME COMMAND...
	PATH=$agents/node_modules/.bin:$PATH timeout -s KILL 240 "${@:2}" >"$TMP/$1/out" 2>&1 </dev/null
}
export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 IS_SANDBOX=1 ANTHROPIC_API_KEY=x STUB_KEY=x GEMINI_API_KEY=x
export OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_AUTOUPDATE=1

prepare claude
mkdir .claude
cat >.claude/settings.json <<'END'
{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[
 {"type":"command","command":"agentctl hook claude"}]}]}}
END
ANTHROPIC_BASE_URL=$MODEL run claude claude -p task --permission-mode bypassPermissions --settings .claude/settings.json
judged claude

prepare codex
mkdir "$HOME/.codex"
cat >"$HOME/.codex/config.toml" <<'END'
[[hooks.PreToolUse]]
matcher = "Bash"
[[hooks.PreToolUse.hooks]]
type = "command"
command = "agentctl hook codex"
END
run codex codex exec --dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust -m stub \
	-c model_provider=stub -c "model_providers.stub={name=\"stub\",base_url=\"$MODEL/v1\",env_key=\"STUB_KEY\",wire_api=\"responses\",supports_websockets=false}" task
judged codex

prepare gemini
mkdir "$HOME/.gemini"
cat >"$HOME/.gemini/settings.json" <<'END'
{"security":{"auth":{"selectedType":"gemini-api-key"}},
 "hooks":{"BeforeTool":[{"matcher":"run_shell_command","hooks":[
 {"type":"command","command":"agentctl hook gemini"}]}]}}
END
GOOGLE_GEMINI_BASE_URL=$MODEL run gemini gemini --skip-trust --yolo -m gemini-2.5-flash -p task
judged gemini

prepare opencode
mkdir -p .opencode/plugin
ln -s "$SRC/agentctl/hooks/opencode.js" .opencode/plugin/txfs.js
cat >opencode.json <<END
{"provider":{"stub":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"$MODEL/v1","apiKey":"x"},
 "models":{"stub":{}}}},"model":"stub/stub","permission":{"bash":"allow","edit":"allow"}}
END
run opencode opencode run task
judged opencode
