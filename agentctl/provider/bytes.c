/*
 * bytes.c: bytes that grow up to a bound; the first error is kept.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/bytes.h"
#include "common/cleanup.h"
#include "common/escape.h"
#include "common/mem.h"

static int grow(struct bytes *b, size_t n)
{
	size_t cap = b->cap ? b->cap : 256;
	char *more;

	if (n > b->max || b->n > b->max - n)
		return b->error = -EMSGSIZE;
	while (cap < b->n + n + 1)
		cap *= 2;
	if (cap == b->cap)
		return 0;
	more = mem_alloc(cap);
	if (!more)
		return b->error = -ENOMEM;
	if (b->n)
		memcpy(more, b->p, b->n);
	free(b->p);
	b->p = more;
	b->cap = cap;
	return 0;
}

int bytes_add(struct bytes *b, const void *p, size_t n)
{
	if (b->error || grow(b, n) != 0)
		return b->error;
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = 0;
	return 0;
}

int bytes_text(struct bytes *b, const char *s)
{
	return bytes_add(b, s, strlen(s));
}

int bytes_printf(struct bytes *b, const char *format, ...)
{
	auto_free char *text = NULL;
	va_list ap;

	va_start(ap, format);
	text = mem_vprintf(format, ap);
	va_end(ap);
	if (!text)
		return b->error = b->error ? b->error : -ENOMEM;
	return bytes_text(b, text);
}

int bytes_json(struct bytes *b, const char *s, size_t n)
{
	auto_free char *text = escape_json(s, n);

	if (!text)
		return b->error = b->error ? b->error : -ENOMEM;
	return bytes_text(b, text);
}

void bytes_empty(struct bytes *b)
{
	b->n = 0;
	b->error = 0;
	if (b->p)
		b->p[0] = 0;
}

void bytes_free(struct bytes *b)
{
	free(b->p);
	*b = (struct bytes){.max = b->max};
}

char *bytes_steal(struct bytes *b)
{
	char *p = b->p ? steal(&b->p) : mem_strdup("");

	bytes_free(b);
	return p;
}
