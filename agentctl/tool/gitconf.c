/*
 * gitconf.c: the grammar of a git configuration:
 *
 *	[section]  [section "subsection"]  [section.subsection]	  name characters: a-z 0-9
 *- . name = value	a name alone is true; blanks around the value go # or ;
 *begin a remark outside of quotes
 *	"..."		keeps blanks and remark signs; \n \t \b \" \\ are escapes
 *	\ at the end	continues the value on the next line
 *
 * A header and a variable may share a line. Anything else is an error for git and for us.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/tool/gitconf.h"

/** Text under construction; grows as needed. */
struct buf {
	char *s;
	size_t n, cap;
};

struct scan {
	const char *p, *end;
	struct buf section, key, value;
	int (*entry)(void *arg, const char *key, const char *value);
	void *arg;
};

static int put(struct buf *b, char c)
{
	if (b->n + 1 >= b->cap) {
		size_t cap = b->cap ? 2 * b->cap : 64;
		char *s = realloc(b->s, cap);

		if (!s)
			return -ENOMEM;
		b->s = s;
		b->cap = cap;
	}
	b->s[b->n++] = c;
	b->s[b->n] = 0;
	return 0;
}

/* The next character, with CRLF as one line end; '\n' also at the end of the file. */
static int next(struct scan *s)
{
	if (s->p >= s->end)
		return '\n';
	if (*s->p == '\r' && s->p + 1 < s->end && s->p[1] == '\n')
		s->p++;
	return (unsigned char)*s->p++;
}

static void skip_line(struct scan *s)
{
	while (next(s) != '\n')
		;
}

static void skip_blanks(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t'))
		s->p++;
}

/* After the blank in `[section "subsection"]`. */
static int read_subsection(struct scan *s)
{
	int c, r;

	skip_blanks(s);
	if (next(s) != '"')
		return -EINVAL;
	r = put(&s->section, '.');
	while (r == 0 && (c = next(s)) != '"') {
		if (c == '\n' || c == 0)
			return -EINVAL;
		if (c == '\\' && ((c = next(s)) == '\n' || c == 0))
			return -EINVAL;
		r = put(&s->section, (char)c);
	}
	if (r == 0 && next(s) != ']')
		return -EINVAL;
	return r;
}

static int read_header(struct scan *s)
{
	int c, r = 0;

	s->section.n = 0;
	while (r == 0 && (c = next(s)) != ']') {
		if (c == ' ' || c == '\t')
			return s->section.n ? read_subsection(s) : -EINVAL;
		if (!isalnum(c) && c != '-' && c != '.')
			return -EINVAL;
		r = put(&s->section, (char)tolower(c));
	}
	return r == 0 && s->section.n == 0 ? -EINVAL : r;
}

static int escape(int c)
{
	switch (c) {
	case 'n': return '\n';
	case 't': return '\t';
	case 'b': return '\b';
	case '\\':
	case '"': return c;
	}
	return -1;
}

/* One character of a value. Returns 1 at its end, 0 to go on, -errno. */
static int value_char(struct scan *s, int c, bool *quoted, size_t *keep)
{
	if (c == '\n')
		return *quoted ? -EINVAL : 1;
	if (!*quoted && (c == '#' || c == ';')) {
		skip_line(s);
		return 1;
	}
	if (c == '"') {
		*quoted = !*quoted;
		*keep = s->value.n;
		return 0;
	}
	if (c == '\\') {
		c = next(s);
		if (c == '\n')
			return s->p >= s->end ? 1 : 0;
		c = escape(c);
		if (c < 0)
			return -EINVAL;
	} else if (!*quoted && (c == ' ' || c == '\t')) {
		return put(&s->value, (char)c);
	}
	if (put(&s->value, (char)c) != 0)
		return -ENOMEM;
	*keep = s->value.n;
	return 0;
}

static int read_value(struct scan *s)
{
	bool quoted = false;
	size_t keep = 0;
	int r = 0;

	skip_blanks(s);
	s->value.n = 0;
	if (put(&s->value, 0) != 0)
		return -ENOMEM;
	s->value.n = 0;
	while (r == 0)
		r = value_char(s, next(s), &quoted, &keep);
	s->value.s[keep] = 0;
	return r < 0 ? r : 0;
}

static int read_variable(struct scan *s, int c)
{
	bool has_value = false;
	int r = 0;

	if (s->section.n == 0)
		return -EINVAL;
	s->key.n = 0;
	for (size_t i = 0; i < s->section.n && r == 0; i++)
		r = put(&s->key, s->section.s[i]);
	if (r == 0)
		r = put(&s->key, '.');
	for (; r == 0 && (isalnum(c) || c == '-'); c = next(s))
		r = put(&s->key, (char)tolower(c));
	while (c == ' ' || c == '\t')
		c = next(s);
	if (r == 0 && c == '=') {
		has_value = true;
		r = read_value(s);
	} else if (c == '#' || c == ';') {
		skip_line(s);
	} else if (c != '\n') {
		return -EINVAL;
	}
	return r ? r : s->entry(s->arg, s->key.s, has_value ? s->value.s : NULL);
}

static int scan_all(struct scan *s)
{
	int r = 0;

	if (s->end - s->p >= 3 && memcmp(s->p, "\xef\xbb\xbf", 3) == 0)
		s->p += 3;
	while (r == 0 && s->p < s->end) {
		int c = next(s);

		if (isspace(c))
			continue;
		if (c == '#' || c == ';')
			skip_line(s);
		else if (c == '[')
			r = read_header(s);
		else if (isalpha(c))
			r = read_variable(s, c);
		else
			r = -EINVAL;
	}
	return r;
}

int gitconf_scan(const char *text, size_t bytes,
	int (*entry)(void *arg, const char *key, const char *value), void *arg)
{
	struct scan s = {.p = text, .end = text + bytes, .entry = entry, .arg = arg};
	int r = scan_all(&s);

	free(s.section.s);
	free(s.key.s);
	free(s.value.s);
	return r;
}
