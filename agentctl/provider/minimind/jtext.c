/*
 * jtext.c: JSON of a model's files, read once into a flat array.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/minimind/jtext.h"
#include "agentctl/provider/minimind/unicode.h"

enum { DEPTH_MAX = 64, NODES_MAX = 8 << 20 };

struct reader {
	struct jtext *d;
	size_t at;
	int depth;
	int error;
};

static int value(struct reader *r);

static void spaces(struct reader *r)
{
	while (r->at < r->d->size && strchr(" \t\r\n", r->d->text[r->at]) &&
		r->d->text[r->at])
		r->at++;
}

static bool eat(struct reader *r, char c)
{
	if (r->at >= r->d->size || r->d->text[r->at] != c)
		return false;
	r->at++;
	return true;
}

static long add(struct reader *r, enum jtext_kind kind)
{
	struct jtext *d = r->d;
	struct jtext_node *more;

	if (d->n == d->cap) {
		size_t cap = d->cap ? d->cap * 2 : 64;

		more = cap <= NODES_MAX ? realloc(d->nodes, cap * sizeof *more) : NULL;
		if (!more)
			r->error = cap <= NODES_MAX ? -ENOMEM : -EINVAL;
		if (!more)
			return -1;
		d->nodes = more;
		d->cap = cap;
	}
	d->nodes[d->n] = (struct jtext_node){kind, (uint32_t)r->at, 0, 0};
	return (long)d->n++;
}

static void end(struct reader *r, long node)
{
	r->d->nodes[node].len = (uint32_t)(r->at - r->d->nodes[node].at);
	r->d->nodes[node].next = (uint32_t)r->d->n;
}

static int hex4(const char *p)
{
	int v = 0;

	for (int i = 0; i < 4; i++) {
		int c = p[i], x;

		if (c >= '0' && c <= '9')
			x = c - '0';
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			x = (c | 32) - 'a' + 10;
		else
			return -1;
		v = v * 16 + x;
	}
	return v;
}

/* What stands behind a backslash: its length, 0 if it is no escape. */
static size_t escape(const char *p, size_t left)
{
	if (left >= 1 && p[0] && strchr("\"\\/bfnrt", p[0]))
		return 1;
	return left >= 5 && p[0] == 'u' && hex4(p + 1) >= 0 ? 5 : 0;
}

static int string(struct reader *r)
{
	const char *text = r->d->text;
	long node;

	if (!eat(r, '"'))
		return -1;
	node = add(r, JTEXT_STRING);
	if (node < 0)
		return -1;
	while (r->at < r->d->size && text[r->at] != '"') {
		size_t n = 1;

		if ((unsigned char)text[r->at] < 0x20)
			return -1;
		if (text[r->at] == '\\') {
			n = escape(text + r->at + 1, r->d->size - r->at - 1);
			if (n++ == 0)
				return -1;
		}
		r->at += n;
	}
	end(r, node);
	return eat(r, '"') ? 0 : -1;
}

static size_t digits(struct reader *r)
{
	size_t from = r->at;

	while (r->at < r->d->size && r->d->text[r->at] >= '0' && r->d->text[r->at] <= '9')
		r->at++;
	return r->at - from;
}

static int number(struct reader *r)
{
	long node = add(r, JTEXT_NUMBER);
	bool zero;

	if (node < 0)
		return -1;
	eat(r, '-');
	zero = r->at < r->d->size && r->d->text[r->at] == '0';
	if (zero ? !eat(r, '0') : digits(r) == 0)
		return -1;
	if (eat(r, '.') && digits(r) == 0)
		return -1;
	if (eat(r, 'e') || eat(r, 'E')) {
		if (!eat(r, '+'))
			eat(r, '-');
		if (digits(r) == 0)
			return -1;
	}
	end(r, node);
	return 0;
}

static int word(struct reader *r, const char *w, enum jtext_kind kind)
{
	size_t n = strlen(w);
	long node;

	if (r->d->size - r->at < n || memcmp(r->d->text + r->at, w, n) != 0)
		return -1;
	node = add(r, kind);
	if (node < 0)
		return -1;
	r->at += n;
	end(r, node);
	return 0;
}

static int pair(struct reader *r)
{
	if (string(r) != 0)
		return -1;
	spaces(r);
	return eat(r, ':') ? value(r) : -1;
}

/* The inside of an array or an object, from behind its bracket. */
static int items(struct reader *r, char close, int (*item)(struct reader *))
{
	spaces(r);
	if (eat(r, close))
		return 0;
	for (;;) {
		spaces(r);
		if (item(r) != 0)
			return -1;
		spaces(r);
		if (eat(r, close))
			return 0;
		if (!eat(r, ','))
			return -1;
	}
}

static int container(struct reader *r, bool object)
{
	long node = add(r, object ? JTEXT_OBJECT : JTEXT_ARRAY);

	if (node < 0 || ++r->depth > DEPTH_MAX)
		return -1;
	r->at++;
	if (items(r, object ? '}' : ']', object ? pair : value) != 0)
		return -1;
	r->depth--;
	end(r, node);
	return 0;
}

static int value(struct reader *r)
{
	spaces(r);
	if (r->at >= r->d->size)
		return -1;
	switch (r->d->text[r->at]) {
	case '{': return container(r, true);
	case '[': return container(r, false);
	case '"': return string(r);
	case 't': return word(r, "true", JTEXT_TRUE);
	case 'f': return word(r, "false", JTEXT_FALSE);
	case 'n': return word(r, "null", JTEXT_NULL);
	default: return number(r);
	}
}

int jtext_parse(
	struct jtext *d, const char *text, size_t size, const char *name, struct why *why)
{
	struct reader r = {.d = d};

	*d = (struct jtext){.text = text, .size = size};
	if (size > UINT32_MAX - 1)
		return why_set(why, -EFBIG, "'%s' is too long", name);
	if (value(&r) == 0) {
		spaces(&r);
		if (r.at == size)
			return 0;
	}
	if (r.error == -ENOMEM)
		return why_set(why, -ENOMEM, "cannot read '%s': out of memory", name);
	return why_set(why, -EINVAL, "'%s' is not JSON, or too much of it, at byte %zu",
		name, r.at);
}

void jtext_free(struct jtext *d)
{
	free(d->nodes);
	*d = (struct jtext){0};
}

enum jtext_kind jtext_kind(const struct jtext *d, uint32_t node)
{
	return d->nodes[node].kind;
}

uint32_t jtext_first(const struct jtext *d, uint32_t node)
{
	return node + 1;
}

uint32_t jtext_end(const struct jtext *d, uint32_t node)
{
	return d->nodes[node].next;
}

uint32_t jtext_next(const struct jtext *d, uint32_t node)
{
	return d->nodes[node].next;
}

size_t jtext_count(const struct jtext *d, uint32_t node)
{
	size_t n = 0;

	for (uint32_t i = jtext_first(d, node); i < jtext_end(d, node);
		i = jtext_next(d, i))
		n++;
	return n;
}

uint32_t jtext_get(const struct jtext *d, uint32_t object, const char *key)
{
	uint32_t i;

	if (jtext_kind(d, object) != JTEXT_OBJECT)
		return 0;
	for (i = jtext_first(d, object); i < jtext_end(d, object);
		i = jtext_next(d, i + 1))
		if (jtext_is(d, i, key))
			return i + 1;
	return 0;
}

/* The character of \uXXXX at @p (behind the u), of two of them if they are a pair;
 * *used counts what was taken from @p on. */
static uint32_t escaped_char(const char *p, size_t left, size_t *used)
{
	int high = hex4(p), low;

	*used = 4;
	if (high < 0xd800 || high > 0xdfff)
		return (uint32_t)high;
	if (high > 0xdbff || left < 10 || p[4] != '\\' || p[5] != 'u')
		return 0xfffd;
	low = hex4(p + 6);
	if (low < 0xdc00 || low > 0xdfff)
		return 0xfffd;
	*used = 10;
	return 0x10000 + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
}

size_t jtext_string(const struct jtext *d, uint32_t node, char *buf)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *p = d->text + d->nodes[node].at, *stop = p + d->nodes[node].len;
	size_t n = 0, used;
	const char *f;

	while (p < stop) {
		if (*p != '\\') {
			buf[n++] = *p++;
			continue;
		}
		p++;
		if (*p == 'u') {
			n += unicode_put(
				escaped_char(p + 1, (size_t)(stop - p - 1), &used),
				buf + n);
			p += 1 + used;
			continue;
		}
		f = strchr(from, *p);
		buf[n++] = f ? to[f - from] : *p;
		p++;
	}
	return n;
}

bool jtext_name(const struct jtext *d, uint32_t node, char *buf, size_t size)
{
	size_t n;

	if (jtext_kind(d, node) != JTEXT_STRING || d->nodes[node].len >= size)
		return false;
	n = jtext_string(d, node, buf);
	buf[n] = 0;
	return strlen(buf) == n;
}

bool jtext_is(const struct jtext *d, uint32_t node, const char *text)
{
	const struct jtext_node *k = &d->nodes[node];
	char buf[64];

	if (k->kind != JTEXT_STRING)
		return false;
	if (!memchr(d->text + k->at, '\\', k->len))
		return strlen(text) == k->len &&
		       memcmp(d->text + k->at, text, k->len) == 0;
	return jtext_name(d, node, buf, sizeof buf) && strcmp(buf, text) == 0;
}

bool jtext_number(const struct jtext *d, uint32_t node, double *out)
{
	const struct jtext_node *k = &d->nodes[node];
	const char *p = d->text + k->at, *stop = p + k->len;
	bool minus = false, down = false;
	double v = 0;
	int scale = 0, e = 0;

	if (k->kind != JTEXT_NUMBER)
		return false;
	if (*p == '-') {
		minus = true;
		p++;
	}
	for (; p < stop && *p >= '0' && *p <= '9'; p++)
		v = v * 10 + (*p - '0');
	if (p < stop && *p == '.')
		for (p++; p < stop && *p >= '0' && *p <= '9'; p++, scale--)
			v = v * 10 + (*p - '0');
	if (p < stop && (*p | 32) == 'e') {
		p++;
		if (*p == '-' || *p == '+')
			down = *p++ == '-';
		for (; p < stop && e < 10000; p++)
			e = e * 10 + (*p - '0');
	}
	scale += down ? -e : e;
	v = scale < 0 ? v / pow(10, -scale) : v * pow(10, scale);
	*out = minus ? -v : v;
	return isfinite(*out);
}

bool jtext_uint(const struct jtext *d, uint32_t node, uint64_t *out)
{
	double v;

	if (!jtext_number(d, node, &v) || v < 0 || v >= 9007199254740992.0 ||
		v != floor(v))
		return false;
	*out = (uint64_t)v;
	return true;
}
