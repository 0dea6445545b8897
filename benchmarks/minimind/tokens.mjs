// tokens.mjs FOLDER TEXTS: the ids that the reference tokenizer gives for each text of a
// file (NUL between texts), one line each. What is no UTF-8 is replaced as decoders do.
// Needs the npm package tokenizers beside the working directory.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const { Tokenizer } = createRequire(process.cwd() + "/")("tokenizers");
const tokenizer = Tokenizer.fromFile(process.argv[2] + "/tokenizer.json");
const bytes = readFileSync(process.argv[3]);
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
let from = 0;
const lines = [];
for (;;) {
	const to = bytes.indexOf(0, from);
	if (to < 0)
		break;
	const text = decoder.decode(bytes.subarray(from, to));
	const got = await tokenizer.encode(text, null, { addSpecialTokens: false });
	lines.push(got.getIds().join(" "));
	from = to + 1;
}
process.stdout.write(lines.join("\n") + "\n");
