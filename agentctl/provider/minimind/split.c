/*
 * split.c: GPT-2's pattern, by which text falls into pieces before BPE.
 *
 * The alternatives are tried in order at each place, and only one can begin with most
 * characters: an apostrophe is a contraction or other; a space belongs to what follows if
 * that is no space. A run of spaces before something else leaves its last one to it.
 */
#include <string.h>
#include "agentctl/provider/minimind/split.h"
#include "agentctl/provider/minimind/unicode.h"

static enum unicode_class class_at(const char *p, size_t left, size_t *bytes)
{
	uint32_t c;
	int n = unicode_next(p, left, &c);

	*bytes = (size_t)(n < 0 ? -n : n);
	return unicode_class(c);
}

static size_t contraction(const char *p, size_t left)
{
	static const char *const ends[] = {"s", "t", "re", "ve", "m", "ll", "d"};

	for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		size_t n = strlen(ends[i]);

		if (left > n && memcmp(p + 1, ends[i], n) == 0)
			return n + 1;
	}
	return 0;
}

/* How far a run of @class goes from @at on. */
static size_t run(const char *p, size_t left, size_t at, enum unicode_class class)
{
	size_t n;

	while (at < left && class_at(p + at, left - at, &n) == class)
		at += n;
	return at;
}

static size_t spaces(const char *p, size_t left)
{
	size_t at = 0, n = 0, last = 0;

	while (at < left && class_at(p + at, left - at, &n) == UNICODE_SPACE) {
		last = at;
		at += n;
	}
	return at < left && last > 0 ? last : at;
}

size_t split_next(const char *p, size_t left)
{
	enum unicode_class class;
	size_t n, from;

	if (p[0] == '\'') {
		n = contraction(p, left);
		if (n > 0)
			return n;
	}
	from = p[0] == ' ' && left > 1 ? 1 : 0;
	class = class_at(p + from, left - from, &n);
	if (class != UNICODE_SPACE)
		return run(p, left, from + n, class);
	return spaces(p, left);
}
