#!/bin/bash
# opencode's plugin lets harmless commands pass and throws for all else, also when agentctl
# cannot be found.
. "$TESTS/lib.sh"
requires node
mkdir -p "$TMP/project"
cp "$SRC/agentctl/hooks/opencode.js" "$TMP/plugin.mjs"
cat >"$TMP/try.mjs" <<'END'
import { Txfs } from "./plugin.mjs";
const hooks = await Txfs({ directory: process.argv[2] });
const before = hooks["tool.execute.before"];
const refused = async (tool, args) => {
	try {
		await before({ tool }, { args });
		return "";
	} catch (e) {
		return e.message;
	}
};
const expect = (ok, what) => {
	if (!ok) {
		console.error("not so:", what);
		process.exit(1);
	}
};
expect((await refused("read", { path: "x" })) === "", "another tool passes");
if (process.argv[3] === "gone") {
	expect((await refused("bash", { command: "ls" })).includes("could not be asked"), "no agentctl, no command");
	process.exit(0);
}
expect((await refused("bash", { command: "ls -la" })) === "", "ls passes");
expect((await refused("bash", { command: "rm -rf ~/x" })).includes("delete-home"), "rm is refused, with the rule");
expect((await refused("bash", {})) !== "", "no command is refused");
expect((await refused("bash", { command: "rm a" })) !== "", "nobody can be asked");
END
cd "$TMP" || exit 1
status 0 node try.mjs "$TMP/project"
node=$(command -v node)
PATH=/usr/bin:/bin status 0 env -i "$node" try.mjs "$TMP/project" gone
