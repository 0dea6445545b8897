// txfs: ask policyd before opencode runs a shell command.
//
// Copy or link this file to .opencode/plugin/txfs.js (or ~/.config/opencode/plugin/).
// opencode has no hook program of its own, so `agentctl hook claude` is asked: exit 0 lets
// the command run, all else, also a program that is missing, throws, which refuses it.

import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

const SECONDS = 8;

export const Txfs = async ({ directory }) => ({
	"tool.execute.before": async (input, output) => {
		if (input.tool !== "bash") return;
		const args = output.args ?? {};
		const event = {
			hook_event_name: "PreToolUse",
			tool_name: "Bash",
			cwd: resolve(directory ?? "", args.workdir ?? args.cwd ?? ""),
			permission_mode: "bypassPermissions", // nobody can be asked from here
			tool_input: { command: args.command },
		};
		const r = spawnSync("agentctl", ["hook", "claude"], {
			input: JSON.stringify(event),
			encoding: "utf8",
			timeout: SECONDS * 1000,
			killSignal: "SIGKILL",
		});
		if (r.status === 0 && r.stdout.trim() === "{}") return;
		throw new Error(
			(r.stderr ?? "").trim() ||
				`Refused: agentctl could not be asked (${r.error?.message ?? `status ${r.status}`})`,
		);
	},
});
