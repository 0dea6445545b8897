/*
 * param.c: ${x} and its operators. Constants are computed as bash does; of a value with
 * holes each operator keeps as much of the shape as is sure.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "policyd/shell/expand.h"

static const char *indexed(struct sh *sh, const struct seg *s)
{
	struct var *v = var_find(sh, s->text);
	char *i = expand_one(sh, s->index);
	char *end;
	long k = strtol(i, &end, 10);

	if (!v || !v->array)
		return v && *i == '0' ? var_get(sh, s->text) : HOLE(SHELL_ANYTHING);
	if (*i && !*end && k < 0)
		k += (long)v->n_elem;
	if (*i && !*end && k >= 0)
		return (size_t)k < v->n_elem ? v->elem[k] : NULL;
	/* an unknown index: the one value all elements share, or anything */
	for (size_t j = 1; j < v->n_elem; j++)
		if (strcmp(v->elem[0], v->elem[j]))
			return HOLE(SHELL_ANYTHING);
	return v->n_elem ? v->elem[0] : NULL;
}

static const char *base_value(struct sh *sh, const struct seg *s)
{
	const char *v;

	switch (s->text[0]) {
	case '#':
	case '?':
	case '$':
	case '!': return HOLE(SHELL_NUMBER);
	case '-': return HOLE(SHELL_NAME);
	}
	v = s->index ? indexed(sh, s) : var_get(sh, s->text);
	if (!s->indirect || !v)
		return v;
	return has_hole(v) || !*v ? HOLE(SHELL_ANYTHING) : var_get(sh, v);
}

/* A value with holes whose start or end is cut by a pattern. */
static const char *cut_holes(struct sh *sh, const char *v, const char *pat, bool suffix)
{
	size_t fixed = strcspn(v, "\1\2\3\4\5\6\7");

	if (!strchr(v, '/') && !has_any(v))
		return HOLE(SHELL_NAME);
	if (!suffix)
		return !strcmp(pat, "*/") ? HOLE(SHELL_NAME) : HOLE(SHELL_ANYTHING);
	if (!fixed)
		return strchr(pat, '/') && v[0] == SHELL_ANYTHING ? v : sh_strn(sh, v, 1);
	return sh_cat(sh, sh_strn(sh, v, fixed),
		strchr(v + fixed, '/') || has_any(v) ? HOLE(SHELL_BELOW)
						     : HOLE(SHELL_NAME));
}

static const char *cut(struct sh *sh, const char *v, const char *op, const char *pat)
{
	size_t n = strlen(v);
	bool longest = op[1] != '\0', suffix = op[0] == '%';

	if (has_hole(pat))
		return suffix && !has_hole(v) ? HOLE(SHELL_ANYTHING)
					      : HOLE(SHELL_ANYTHING);
	if (has_hole(v))
		return cut_holes(sh, v, pat, suffix);
	for (size_t k = 0; k <= n; k++) {
		size_t len = longest ? n - k : k; /* of the part to cut */
		char *part = suffix ? sh_str(sh, v + n - len) : sh_strn(sh, v, len);

		sh_step(sh);
		if (fnmatch(pat, part, 0) == 0)
			return suffix ? sh_strn(sh, v, n - len) : v + len;
	}
	return v;
}

/* ${x/pat/text}: literal patterns are replaced, others keep only the shape. */
static const char *replace(struct sh *sh, const char *v, const struct seg *s)
{
	char *pat = expand_one(sh, s->arg);
	char *with = s->arg2 ? expand_one(sh, s->arg2) : sh_str(sh, "");
	bool all = s->op[1] == '/';
	struct buf b = {0};
	size_t n = strlen(pat);

	if (has_hole(v) || has_hole(pat) || strpbrk(pat, "*?[\\")) {
		bool slash = strchr(v, '/') || strchr(with, '/') || has_any(v) ||
			     has_any(with);

		return slash ? HOLE(SHELL_ANYTHING) : HOLE(SHELL_NAME);
	}
	if (!n)
		return v;
	if (s->op[1] == '#')
		return strncmp(v, pat, n) ? v : sh_cat(sh, with, v + n);
	if (s->op[1] == '%') {
		size_t len = strlen(v);

		if (len < n || strcmp(v + len - n, pat))
			return v;
		return sh_cat(sh, sh_strn(sh, v, len - n), with);
	}
	for (bool done = false; *v;) {
		if (!done && !strncmp(v, pat, n)) {
			buf_add(sh, &b, with, strlen(with));
			v += n;
			done = !all;
		} else {
			buf_c(sh, &b, *v++);
		}
	}
	return buf_str(sh, &b);
}

static const char *substring(struct sh *sh, const char *v, const char *arg)
{
	char *end;
	long off = strtol(arg, &end, 10), len = 1L << 30, n = (long)strlen(v);

	if (*end == ':' && end[1])
		len = strtol(end + 1, &end, 10);
	if (has_hole(v) || has_hole(arg) || *end)
		return strchr(v, '/') || has_any(v) ? HOLE(SHELL_ANYTHING)
						    : HOLE(SHELL_NAME);
	if (off < 0)
		off = off + n < 0 ? 0 : off + n;
	if (off > n)
		off = n;
	if (len < 0)
		len = n - off + len < 0 ? 0 : n - off + len;
	return sh_strn(sh, v + off, (size_t)(len < n - off ? len : n - off));
}

static const char *change_case(struct sh *sh, const char *v, const char *op)
{
	char *s = sh_str(sh, v);

	for (size_t i = 0; s[i]; i++) {
		s[i] = (char)(op[0] == '^' ? toupper((unsigned char)s[i])
					   : tolower((unsigned char)s[i]));
		if (!op[1])
			break;
	}
	return s;
}

/* ${x:-..} and its kin: does the value count as there? */
static const char *with_default(struct sh *sh, const struct seg *s, const char *v)
{
	char kind = s->op[0] == ':' ? s->op[1] : s->op[0];
	bool unknown = v && !strcmp(v, HOLE(SHELL_ANYTHING)) && !var_find(sh, s->text);
	bool absent = !v || unknown || (s->op[0] == ':' && !*v);
	char *arg;

	if (kind == '+') {
		arg = expand_one(sh, s->arg);
		return unknown || !absent ? arg : "";
	}
	if (kind == '?') {
		expand_one(sh, s->arg);
		return v ? v : HOLE(SHELL_ANYTHING);
	}
	/* the default is read in any case: it may hold a substitution */
	arg = expand_one(sh, s->arg);
	if (!absent)
		return v;
	if (kind == '=')
		var_set(sh, s->text, arg);
	return arg;
}

const char *param_value(struct sh *sh, const struct seg *s)
{
	const char *v;
	char *arg;

	if (s->length)
		return HOLE(SHELL_NUMBER);
	v = base_value(sh, s);
	if (!*s->op)
		return v;
	switch (s->op[0] == ':' && s->op[1] ? s->op[1] : s->op[0]) {
	case '-':
	case '=':
	case '?':
	case '+': return with_default(sh, s, v);
	}
	arg = expand_one(sh, s->arg);
	if (!v)
		return NULL;
	switch (s->op[0]) {
	case '#':
	case '%': return cut(sh, v, s->op, arg);
	case '/': return replace(sh, v, s);
	case '^':
	case ',': return *arg ? HOLE(SHELL_ANYTHING) : change_case(sh, v, s->op);
	case ':': return substring(sh, v, arg);
	case '@':
		if (*arg == 'P') {
			eval_text(sh, sh_cat3(sh, ": \"", v, "\""), NULL, "prompt");
			return HOLE(SHELL_ANYTHING);
		}
		return *arg == 'Q' || *arg == 'E' ? v : HOLE(SHELL_NAME);
	}
	return HOLE(SHELL_ANYTHING);
}

static void put_utf8(struct sh *sh, struct buf *b, unsigned long c)
{
	if (c < 0x80) {
		buf_c(sh, b, (char)c);
	} else if (c < 0x800) {
		buf_c(sh, b, (char)(0xc0 | c >> 6));
		buf_c(sh, b, (char)(0x80 | (c & 0x3f)));
	} else {
		buf_c(sh, b, (char)(0xe0 | (c >> 12 & 0xf)));
		buf_c(sh, b, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_c(sh, b, (char)(0x80 | (c & 0x3f)));
	}
}

static unsigned long digits(const char **p, const char *end, int base, int max)
{
	unsigned long v = 0;

	for (; max-- && *p < end; ++*p) {
		char c = **p;
		int d = c >= '0' && c <= '9'		     ? c - '0'
			: (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
							     : 99;

		if (d >= base)
			break;
		v = v * (unsigned long)base + (unsigned long)d;
	}
	return v;
}

char *sh_unescape(struct sh *sh, const char *s, size_t n)
{
	static const char from[] = "abefnrtv\\'\"?";
	static const char to[] = "\a\b\033\f\n\r\t\v\\'\"?";
	const char *end = s + n;
	struct buf b = {0};

	while (s < end) {
		const char *k;
		unsigned long c;

		if (*s != '\\' || s + 1 == end) {
			buf_c(sh, &b, *s++);
			continue;
		}
		s++;
		k = strchr(from, *s);
		if (k && *k) {
			c = (unsigned char)to[k - from];
			s++;
		} else if (*s == 'x') {
			s++;
			c = digits(&s, end, 16, 2);
			buf_c(sh, &b, c < 8 ? SHELL_ANYTHING : (char)c);
			continue;
		} else if (*s == 'u' || *s == 'U') {
			int max = *s++ == 'u' ? 4 : 8;

			c = digits(&s, end, 16, max);
		} else if (*s >= '0' && *s <= '7') {
			c = digits(&s, end, 8, *s == '0' ? 4 : 3);
			/* NUL ends a line of xargs -0 and read -d '' */
			buf_c(sh, &b,
				!c		? '\n'
				: (c & 255) < 8 ? SHELL_ANYTHING
						: (char)c);
			continue;
		} else if (*s == 'c' && s + 1 < end) {
			c = (unsigned char)s[1] & 31;
			s += 2;
		} else {
			buf_c(sh, &b, '\\');
			continue;
		}
		if (c < 8)
			c = SHELL_ANYTHING;
		put_utf8(sh, &b, c);
	}
	return buf_str(sh, &b);
}
