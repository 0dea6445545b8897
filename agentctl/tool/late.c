/*
 * late.c: paths against the table of late-running files, and what a git configuration
 * gained. A configuration is compared as the set of its dangerous settings: one that was
 * there before, with the same value, is not this run's doing.
 */
#include <string.h>
#include "agentctl/tool/data.h"
#include "agentctl/tool/gitconf.h"
#include "agentctl/tool/late.h"

static bool match(const char *p, const char *end, const char *s)
{
	for (; p < end; p++) {
		if (end - p >= 3 && memcmp(p, "**/", 3) == 0) {
			/* here, or after any slash further on */
			for (;; s++) {
				if (match(p + 3, end, s))
					return true;
				s = strchr(s, '/');
				if (!s)
					return false;
			}
		}
		if (end - p == 2 && memcmp(p, "**", 2) == 0)
			return *s != 0;
		if (*p == '*') {
			for (;; s++) {
				if (match(p + 1, end, s))
					return true;
				if (*s == 0 || *s == '/')
					return false;
			}
		}
		if (*p != *s)
			return false;
		s++;
	}
	return *s == 0;
}

bool late_match(const char *pattern, size_t pattern_len, const char *path)
{
	return match(pattern, pattern + pattern_len, path);
}

enum late_kind late_kind(const char *path)
{
	static const struct {
		const char *name;
		enum late_kind kind;
	} kinds[] = {{"skip", LATE_NO}, {"any", LATE_ANY}, {"gitconfig", LATE_GITCONFIG},
		{"list", LATE_LIST}};
	const char *at = data_late;
	struct data_row row;

	while (data_next(&at, &row)) {
		for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
			if (data_is(&row, kinds[i].name) &&
				late_match(row.value, row.value_len, path))
				return kinds[i].kind;
		}
	}
	return LATE_NO;
}

/* `alias.*` and `filter.*.clean` against a key whose subsection may hold dots. */
static bool key_matches(const struct data_row *row, const char *key)
{
	const char *star = memchr(row->value, '*', row->value_len);
	size_t head, tail, n = strlen(key);

	if (!star)
		return n == row->value_len && memcmp(key, row->value, n) == 0;
	head = (size_t)(star - row->value);
	tail = row->value_len - head - 1;
	return n > head + tail && memcmp(key, row->value, head) == 0 &&
	       memcmp(key + n - tail, star + 1, tail) == 0;
}

static bool dangerous(const char *key, const char *value)
{
	const char *at = data_late;
	struct data_row row;

	/* A remote helper named in a URL is a program, too. */
	if (value && strncmp(key, "remote.", 7) == 0 && strstr(value, "::"))
		return true;
	if (value && strncmp(key, "submodule.", 10) == 0)
		return strstr(value, "::") || *value == '!';
	while (data_next(&at, &row)) {
		if (data_is(&row, "key") && key_matches(&row, key))
			return true;
	}
	return false;
}

/** A setting to look for in another file. */
struct wanted {
	const char *key, *value;
};

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static int find(void *arg, const char *key, const char *value)
{
	const struct wanted *w = arg;

	return strcmp(w->key, key) == 0 && same(w->value, value);
}

struct older {
	const char *text;
	size_t bytes;
};

/* 1: this setting is dangerous, and the older file did not have it. */
static int gained(void *arg, const char *key, const char *value)
{
	const struct older *o = arg;
	struct wanted w = {key, value};

	if (!dangerous(key, value))
		return 0;
	return o->text && gitconf_scan(o->text, o->bytes, find, &w) == 1 ? 0 : 1;
}

bool late_gitconfig(const char *old, size_t old_bytes, const char *now, size_t bytes)
{
	struct older o = {old, old_bytes};

	return gitconf_scan(now, bytes, gained, &o) != 0;
}
