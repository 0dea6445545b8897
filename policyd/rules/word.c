/*
 * word.c: a regular expression for one word of a command. Its work is bounded, so that a
 * pattern that explodes costs a fraction of a millisecond and then counts as "cannot
 * tell". No code is generated at run time.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policyd/rules/private.h"

enum { MAX_PATTERN = 512, MATCH_LIMIT = 5000, HEAP_LIMIT_KIB = 256 };

struct word {
	pcre2_code *code;
	pcre2_match_context *limits;
};

struct word *word_new(const char *pattern, char *why, size_t size)
{
	struct word *w = strlen(pattern) > MAX_PATTERN ? NULL : calloc(1, sizeof(*w));
	PCRE2_UCHAR text[128] = "";
	PCRE2_SIZE at = 0;
	int e = 0;

	if (!w) {
		snprintf(why, size, "the pattern is too long");
		return NULL;
	}
	w->code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
		PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | PCRE2_NEVER_BACKSLASH_C |
			PCRE2_NO_AUTO_CAPTURE,
		&e, &at, NULL);
	w->limits = pcre2_match_context_create(NULL);
	if (!w->code || !w->limits) {
		pcre2_get_error_message(e, text, sizeof(text));
		snprintf(why, size, "bad pattern at character %zu: %s", at + 1,
			(char *)text);
		word_free(w);
		return NULL;
	}
	pcre2_set_match_limit(w->limits, MATCH_LIMIT);
	pcre2_set_depth_limit(w->limits, MATCH_LIMIT);
	pcre2_set_heap_limit(w->limits, HEAP_LIMIT_KIB);
	return w;
}

void word_free(struct word *w)
{
	if (!w)
		return;
	pcre2_code_free(w->code);
	pcre2_match_context_free(w->limits);
	free(w);
}

int word_matches(const struct word *w, const char *s)
{
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	int r;

	if (!data)
		return -1;
	r = pcre2_match(w->code, (PCRE2_SPTR)s, strlen(s), 0, 0, data, w->limits);
	pcre2_match_data_free(data);
	return r >= 0 ? 1 : r == PCRE2_ERROR_NOMATCH ? 0 : -1;
}
