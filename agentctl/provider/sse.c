/*
 * sse.c: server-sent events, byte by byte: lines first, then fields, then events.
 */
#include <string.h>
#include "agentctl/provider/sse.h"

#define MAX_EVENT (4u << 20)

void sse_init(
	struct sse *s, int (*event)(void *arg, const char *data, size_t n), void *arg)
{
	memset(s, 0, sizeof *s);
	s->line.max = s->data.max = MAX_EVENT;
	s->event = event;
	s->arg = arg;
}

void sse_free(struct sse *s)
{
	bytes_free(&s->line);
	bytes_free(&s->data);
}

static int dispatch(struct sse *s)
{
	int r;

	if (!s->has_data)
		return 0;
	r = s->event(s->arg, s->data.p ? s->data.p : "", s->data.n);
	s->has_data = false;
	bytes_empty(&s->data);
	return r;
}

static int take_line(struct sse *s)
{
	const char *p = s->line.p ? s->line.p : "";
	size_t n = s->line.n;
	int r = 0;

	if (n == 0)
		return dispatch(s);
	if (n >= 5 && memcmp(p, "data:", 5) == 0) {
		size_t skip = n > 5 && p[5] == ' ' ? 6 : 5;

		if (s->has_data)
			bytes_add(&s->data, "\n", 1);
		r = bytes_add(&s->data, p + skip, n - skip);
		s->has_data = true;
	}
	bytes_empty(&s->line);
	return r;
}

/* A byte order mark may stand before the first line. */
static void drop_mark(struct sse *s)
{
	if (s->started)
		return;
	s->started = true;
	if (s->line.n >= 3 && memcmp(s->line.p, "\xef\xbb\xbf", 3) == 0) {
		s->line.n -= 3;
		memmove(s->line.p, s->line.p + 3, s->line.n + 1);
	}
}

int sse_feed(struct sse *s, const char *p, size_t n)
{
	const char *end = p + n;
	int r = 0;

	while (p < end && r == 0) {
		size_t run;

		if (s->was_cr && *p == '\n') {
			s->was_cr = false;
			p++;
			continue;
		}
		s->was_cr = false;
		for (run = 0; p + run < end && p[run] != '\n' && p[run] != '\r';)
			run++;
		r = bytes_add(&s->line, p, run);
		p += run;
		if (r != 0 || p == end)
			break;
		s->was_cr = *p++ == '\r';
		drop_mark(s);
		r = take_line(s);
	}
	return r;
}

int sse_end(struct sse *s)
{
	int r = 0;

	drop_mark(s);
	if (s->line.n)
		r = take_line(s);
	return r ? r : dispatch(s);
}
