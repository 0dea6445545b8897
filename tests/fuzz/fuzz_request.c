/*
 * fuzz_request.c: libFuzzer target for the daemon's protocol: one line in, one line out,
 * and whatever is wrong with the line, never "allow". The first line that is a YAML file
 *of rules instead is loaded as one. Build with
 *	clang -fsanitize=fuzzer,address,undefined -I. -Iinclude -Ibuild/gen -D_GNU_SOURCE
 *\
 *		tests/fuzz/fuzz_request.c policyd/[acrs]*\/[a-z]*.c common/[a-z]*.c
 *-ljson-c \ -lyaml -lpcre2-8 -lseccomp -lxxhash -o fuzz_request and run it on
 *tests/fuzz/request.
 */
#include <json-c/json.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policyd/rules/private.h"
#include "policyd/server/private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void load_rules(const char *text, size_t len)
{
	struct rules *r = calloc(1, sizeof(*r));
	char err[512] = "";

	if (!r)
		return;
	if (file_load(r, "f", text, len, RULES_USER, 0, err, sizeof(err)) && !*err)
		abort();
	rules_free(r);
}

static void check_answer(const char *out)
{
	struct json_object *o = json_tokener_parse(out), *v;
	const char *decision;

	if (!o || out[strlen(out) - 1] != '\n' || strchr(out, '\n')[1] ||
		!json_object_object_get_ex(o, "decision", &v))
		abort();
	decision = json_object_get_string(v);
	if (json_object_object_get_ex(o, "error", &v) && strcmp(decision, "deny") != 0)
		abort();
	json_object_put(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct server server;
	const struct peer peer = {getuid(), getpid()};
	struct exchange x;
	char err[512], *copy, *out;

	if (!server.rules && server_load(&server, err, sizeof(err)))
		abort();
	copy = malloc(size + 1);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	copy[size] = '\0';
	if (size > 8 && !memcmp(data, "version:", 8))
		load_rules(copy, size);
	out = exchange_begin(&server, &x, copy, size, &peer);
	if (!out)
		abort();
	check_answer(out);
	exchange_end(&server, &x);
	free(out);
	free(copy);
	return 0;
}
