/*
 * stream.c: pieces between new lines and tabs are escaped; a character that is not there
 * whole waits for its rest.
 */
#include <stdio.h>
#include <string.h>
#include "agentctl/loop/stream.h"
#include "common/cleanup.h"
#include "common/escape.h"
#include "common/mem.h"

/* How many bytes at the end of @text begin a character that goes on. */
static size_t unfinished(const char *text, size_t n)
{
	for (size_t back = 1; back <= 3 && back <= n; back++) {
		unsigned char c = (unsigned char)text[n - back];

		if ((c & 0xc0) == 0x80)
			continue;
		if (c >= 0xc0 && back < (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u))
			return back;
		return 0;
	}
	return 0;
}

static void show(struct stream *s, const char *text, size_t n)
{
	while (n > 0) {
		size_t plain = 0;

		while (plain < n && text[plain] != '\n' && text[plain] != '\t')
			plain++;
		if (plain > 0) {
			auto_free char *safe = escape_text(text, plain);

			fputs(safe ? safe : "?", stdout);
			s->in_line = true;
		}
		if (plain < n) {
			putchar(text[plain]);
			s->in_line = text[plain] != '\n';
		}
		text += plain < n ? plain + 1 : plain;
		n -= plain < n ? plain + 1 : plain;
	}
}

void stream_put(struct stream *s, const char *text, size_t n)
{
	auto_free char *all = mem_alloc(s->n_held + n + 1);
	size_t rest;

	if (!all)
		return;
	memcpy(all, s->held, s->n_held);
	memcpy(all + s->n_held, text, n);
	n += s->n_held;
	rest = unfinished(all, n);
	show(s, all, n - rest);
	memcpy(s->held, all + n - rest, rest);
	s->n_held = rest;
	fflush(stdout);
}

void stream_end(struct stream *s)
{
	show(s, s->held, s->n_held);
	s->n_held = 0;
	if (s->in_line)
		putchar('\n');
	s->in_line = false;
	fflush(stdout);
}
