#!/bin/bash
# The client of the Model Context Protocol's own makers, from npm, works with agentctl mcp.
# timeout: 300
. "$TESTS/lib.sh"
requires_fuse
requires npm node
mkdir "$TMP/client" && cd "$TMP/client" || exit 1
npm_config_cache=$TMP/cache npm_config_update_notifier=false timeout 240 \
	npm install --no-audit --no-fund --ignore-scripts @modelcontextprotocol/sdk@1.32.2 >"$TMP/log" 2>&1 ||
	skip "npm cannot install the client: $(tail -n 1 "$TMP/log")"
at_exit "chmod -R u+w '$TMP/cache' 2>/dev/null"
make_project "$TMP/p"
echo one >"$TMP/p/file"
cat >client.mjs <<'END'
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({
	command: "agentctl", args: ["mcp", "--allow-tx"], cwd: process.argv[2], env: process.env, stderr: "ignore" }));
const call = (name, args) => client.callTool({ name, arguments: args ?? {} });
const expect = (what, good) => { if (!good) { console.error("not so:", what); process.exit(1); } };
const names = (await client.listTools()).tools.map((t) => t.name);
expect("tools", ["run", "status", "diff", "savepoint", "rollback", "begin", "commit", "abort"].every((n) => names.includes(n)));
let r = await call("run", { command: "echo two >> file; cat file" });
expect("run", !r.isError && r.content[0].text === "exit status 0\none\ntwo\n");
r = await call("run", { command: "rm -rf /usr" });
expect("refusal", r.isError && r.structuredContent.refused);
r = await call("diff");
expect("diff", r.content[0].text.includes("+two"));
const stop = new AbortController();
setTimeout(() => stop.abort(), 300);
const began = Date.now();
await client.callTool({ name: "run", arguments: { command: "sleep 60" } }, undefined, { signal: stop.signal }).then(
	() => expect("cancelled", false), () => {});
r = await call("status");
expect("status after a cancelled command", r.structuredContent.changed === 1 && Date.now() - began < 20000);
r = await call("commit");
expect("commit", r.structuredContent.outcome === "committed");
await client.close();
END
timeout 60 node client.mjs "$TMP/p" >"$TMP/log" 2>&1 || { cat "$TMP/log" >&2; fail 'the client is not content'; }
eq $'one\ntwo' "$(cat "$TMP/p/file")"
