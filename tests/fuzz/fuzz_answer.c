/*
 * fuzz_answer.c: libFuzzer target for what a server of models sends: any bytes as the
 * body of a response, in pieces, whole or broken off. Where they were cut must not
 * matter, and what comes of them crosses the courier's wire unchanged. The first byte
 * says how. See tests/agent/answers_survive_fuzzing.sh.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agentctl/provider/courier.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_body(const char *p, size_t n, size_t piece, uint8_t how, struct answer *a,
	struct fault *f)
{
	struct reader r;
	int e;

	reader_init(&r);
	for (size_t i = 0; i < n; i += piece)
		reader_feed(&r, p + i, n - i < piece ? n - i : piece);
	e = reader_end(&r, how & 1, how & 2 ? 500 : 200, a, f);
	reader_free(&r);
	return e;
}

static int same_text(const char *a, const char *b)
{
	return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

static int same(const struct answer *a, const struct answer *b)
{
	if (!same_text(a->text, b->text) || a->calls.n != b->calls.n)
		return 0;
	for (size_t i = 0; i < a->calls.n; i++) {
		if (a->calls.c[i].kind != b->calls.c[i].kind ||
			a->calls.c[i].step != b->calls.c[i].step ||
			!same_text(a->calls.c[i].id, b->calls.c[i].id) ||
			!same_text(a->calls.c[i].text, b->calls.c[i].text))
			return 0;
	}
	return 1;
}

static void cross_the_wire(const struct answer *a)
{
	static const struct provider_watch nobody;
	struct answer b = {0};
	struct fault f;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return;
	if (wire_put(pair[0], a, &f, 0) != 0 ||
		wire_get(pair[1], &nobody, 0, &b, &f) != 0 || !same(a, &b))
		abort();
	answer_free(&b);
	close(pair[0]);
	close(pair[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct answer a = {0}, b = {0};
	struct fault f = {0}, g = {0};
	int r;

	if (size == 0 || size > 60000)
		return 0;
	r = read_body((const char *)data + 1, size - 1, size, data[0], &a, &f);
	if (read_body((const char *)data + 1, size - 1, 1 + data[0] / 4, data[0], &b,
		    &g) != r ||
		(r == 0 && !same(&a, &b)) || (r != 0 && strcmp(f.text, g.text) != 0))
		abort();
	if (r == 0)
		cross_the_wire(&a);
	answer_free(&a);
	answer_free(&b);
	return 0;
}
