/*
 * load.c: all rules together: the built-in ones, then file after file, each example tried
 * before any of it is used.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "policyd/rules/private.h"

enum { MAX_RULES = 10000 };

static const char *path_of_rule(const struct rules *r, const struct rule *x)
{
	return x->tier == RULES_BUILTIN ? "built-in" : r->path[x->source];
}

static int wrong_example(const struct rules *r, const struct rule *x, bool want,
	const char *example, char *err, size_t size)
{
	char shown[256];

	shell_show(example, shown, sizeof(shown));
	snprintf(err, size, "%s:%d: rule '%s' %s its example '%s'", path_of_rule(r, x),
		x->line, x->id, want ? "does not match" : "must not match", shown);
	return -EINVAL;
}

static int try_example(const struct rules *r, const struct rule *x, bool want,
	const char *example, char *err, size_t size)
{
	static const struct shell_context ctx = {.home = "/home/user",
		.cwd = "/home/user/project",
		.workspace = "/home/user/project"};
	struct matcher m = {.left = RULES_REGEX_WORK};
	struct shell_reading *reading;
	bool hit = false;
	int e = shell_read(&ctx, example, &reading);

	if (e)
		return e;
	for (size_t k = 0; !hit && k < reading->n_commands; k++) {
		match_begin(&m, reading, k);
		hit = match_rule(&m, x);
	}
	shell_free(reading);
	if (m.left <= 0) {
		snprintf(err, size, "%s:%d: the pattern of rule '%s' needs too much work",
			path_of_rule(r, x), x->line, x->id);
		return -EINVAL;
	}
	return hit == want ? 0 : wrong_example(r, x, want, example, err, size);
}

static int try_examples(const struct rules *r, char *err, size_t size)
{
	int e = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct rule *x = &r->rule[i];

		for (char **s = x->match; !e && s && *s; s++)
			e = try_example(r, x, true, *s, err, size);
		for (char **s = x->not_match; !e && s && *s; s++)
			e = try_example(r, x, false, *s, err, size);
		if (e)
			return e;
	}
	return 0;
}

static int note_path(struct rules *r, const char *path)
{
	char **more = realloc(r->path, (r->n_paths + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	r->path = more;
	r->path[r->n_paths] = strdup(path);
	return r->path[r->n_paths] ? (int)r->n_paths++ : -ENOMEM;
}

static int add_source(
	struct rules *r, const struct rules_source *s, char *err, size_t size)
{
	auto_free char *text = NULL;
	size_t len = 0;
	int at, e = source_read(s, &text, &len, err, size);

	if (e == -ENOENT && s->optional)
		return 0;
	if (e)
		return e;
	at = note_path(r, s->path);
	if (at < 0)
		return at;
	return file_load(r, s->path, text, len, s->tier, (unsigned)at, err, size);
}

/* @own: how many of them are not built in. */
static int finish(struct rules *r, size_t own, char *err, size_t size)
{
	if (own > MAX_RULES) {
		snprintf(err, size, "more than %d rules", MAX_RULES);
		return -E2BIG;
	}
	r->index = index_new(r);
	return r->index ? try_examples(r, err, size) : -ENOMEM;
}

int rules_load(const struct rules_source *s, size_t n, struct rules **out, char *err,
	size_t size)
{
	struct rules *r = calloc(1, sizeof(*r));
	size_t built_in;
	int e;

	*out = NULL;
	if (!r)
		return -ENOMEM;
	e = file_load(r, "built-in", NULL, 0, RULES_BUILTIN, 0, err, size);
	built_in = r->n;
	for (size_t i = 0; !e && i < n; i++)
		e = add_source(r, &s[i], err, size);
	if (!e)
		e = finish(r, r->n - built_in, err, size);
	if (e) {
		rules_free(r);
		return e;
	}
	*out = r;
	return 0;
}

int rules_load_workspace(const char *path, struct rules **out, char *err, size_t size)
{
	const struct rules_source s = {
		.path = path, .tier = RULES_WORKSPACE, .optional = true};
	struct rules *r = calloc(1, sizeof(*r));
	int e;

	*out = NULL;
	if (!r)
		return -ENOMEM;
	e = add_source(r, &s, err, size);
	if (!e)
		e = finish(r, r->n, err, size);
	if (e || !r->n_paths) {
		rules_free(r);
		return e;
	}
	*out = r;
	return 0;
}

void rules_free(struct rules *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		file_free_rule(&r->rule[i]);
	for (size_t i = 0; i < r->n_paths; i++)
		free(r->path[i]);
	free(r->path);
	free(r->rule);
	index_free(r->index);
	free(r);
}

size_t rules_count(const struct rules *r)
{
	return r ? r->n : 0;
}
