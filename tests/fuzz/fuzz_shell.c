/*
 * fuzz_shell.c: libFuzzer target for the reader of commands. Build with
 *	clang -fsanitize=fuzzer,address,undefined -I. -Iinclude -Ibuild/gen -D_GNU_SOURCE
 *\ tests/fuzz/fuzz_shell.c policyd/shell/[a-z]*.c -o fuzz_shell and run it on
 *tests/fuzz/shell. Without libFuzzer, -DFUZZ_MAIN reads files instead.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "txfs/shell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct shell_var env[] = {{"A", "/w/a"}, {"B", NULL}, {"C", "x y"}};
	const struct shell_context ctx = {
		.home = "/h", .cwd = "/w/d", .workspace = "/w", .env = env, .n_env = 3};
	struct shell_reading *r;
	char *text;

	if (size > SHELL_MAX_TEXT + 100 || memchr(data, 0, size))
		return 0;
	text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (!shell_read(&ctx, text, &r)) {
		for (size_t i = 0; i < r->n_effects; i++)
			if (!r->effects[i].word || !r->effects[i].program)
				abort();
		shell_free(r);
	}
	free(text);
	return 0;
}

#ifdef FUZZ_MAIN
int main(int argc, char **argv)
{
	static uint8_t buf[1 << 18];

	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");

		if (!f)
			return 1;
		LLVMFuzzerTestOneInput(buf, fread(buf, 1, sizeof(buf), f));
		fclose(f);
	}
	return 0;
}
#endif
