/*
 * fuzz_minimind.c: libFuzzer target for what the engine reads: the first byte says which
 * file of a small good model is replaced by the rest of the input: t tensors, h only
 *their header, c config, k tokenizer, g tools of a grammar. What opens must also run.
 *Build with clang -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -I.
 *		tests/fuzz/fuzz_minimind.c tests/unit/agentctl/minimind_world.c
 *		tests/unit/agentctl/minimind_tokenizer.c
 *		agentctl/provider/minimind/[a-z]*.c common/mem.c -lcheck -lm
 *	-o fuzz_minimind and run it on tests/fuzz/minimind.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/minimind/minimind.h"
#include "tests/unit/agentctl/minimind_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_some(struct minimind *m, const struct minimind_grammar *g)
{
	const struct minimind_sampling how = {.max_tokens = 12, .temperature = 1};
	static const char text[] = "<|im_start|>in the \xff 12<|im_end|>";
	const struct minimind_text part = {text, sizeof text - 1, true};
	struct minimind_session *s;
	struct minimind_result r;
	uint32_t *ids;
	size_t n;

	if (minimind_encode(m, &part, 1, &ids, &n) != 0)
		return;
	if (minimind_session_open(&s, m, minimind_info(m).context < 64 ? 0 : 64) == 0) {
		if (n > 0)
			minimind_generate(s, ids, n, &how, g, NULL, NULL, &r);
		minimind_session_close(s);
	}
	free(ids);
}

static void open_and_run(struct minimind_blob config, struct minimind_blob tokenizer,
	struct minimind_blob tensors, const struct minimind_grammar *g)
{
	const struct minimind_options o = {.max_bytes = 16 << 20};
	struct minimind *m;
	char message[256] = "";
	int r = minimind_open_memory(
		&m, config, tokenizer, tensors, &o, message, sizeof message);

	if ((r != 0) != (message[0] != 0) || strchr(message, '\n'))
		abort();
	if (r != 0)
		return;
	write_some(m, g);
	minimind_close(m);
}

/* The good tensors behind another header. */
static struct minimind_blob with_header(
	const struct world *w, struct minimind_blob header)
{
	uint64_t had, n = header.size;
	char *file;

	memcpy(&had, w->file, 8);
	file = malloc(n + w->size);
	if (!file)
		abort();
	memcpy(file, &n, 8);
	memcpy(file + 8, header.data, n);
	memcpy(file + 8 + n, w->file + 8 + had, w->size - 8 - had);
	return (struct minimind_blob){file, w->size - had + n};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct world w;
	struct minimind_blob files[3], rest = {data + 1, size ? size - 1 : 0};
	struct minimind_grammar *g = NULL;
	const struct minimind_text span = {"a b c", 5, false};
	char message[256];

	if (!w.file)
		world_make(&w, 1, "F16", false);
	if (size == 0)
		return 0;
	files[0] = (struct minimind_blob){w.shape->config, strlen(w.shape->config)};
	files[1] = (struct minimind_blob){world_tokenizer, strlen(world_tokenizer)};
	files[2] = (struct minimind_blob){w.file, w.size};
	switch (data[0]) {
	case 'c': files[0] = rest; break;
	case 'k': files[1] = rest; break;
	case 't': files[2] = rest; break;
	case 'h': files[2] = with_header(&w, rest); break;
	case 'g': {
		const struct minimind_grammar_options o = {
			.tools = rest, .spans = &span, .n_spans = 1};

		if (minimind_grammar_open(&g, &o, message, sizeof message) != 0)
			return 0;
		break;
	}
	default: return 0;
	}
	open_and_run(files[0], files[1], files[2], g);
	minimind_grammar_close(g);
	if (data[0] == 'h')
		free((void *)files[2].data);
	return 0;
}
