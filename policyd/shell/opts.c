/*
 * opts.c: an argv split into options and operands, bundled and long forms unified.
 */
#include <string.h>

#include "policyd/shell/sh.h"

static void add_opt(struct sh *sh, struct opts *o, const char *name, const char *value)
{
	o->opt = sh_grow(sh, o->opt, o->n_opt, &o->cap_opt, sizeof(*o->opt));
	o->opt[o->n_opt++] = (struct opt){name, value};
}

static void add_rest(struct sh *sh, struct opts *o, char *s)
{
	o->rest = sh_grow(sh, o->rest, o->n_rest, &o->cap_rest, sizeof(*o->rest));
	o->rest[o->n_rest++] = s;
}

/* --name, --name=value, or -name where one dash starts a long option. */
static size_t long_option(
	struct sh *sh, const struct cmd *c, size_t i, const char *valued, struct opts *o)
{
	char *a = c->argv[i];
	size_t n = strcspn(a, "=");
	char *name = sh_strn(sh, a, n);

	if (a[n] == '=') {
		add_opt(sh, o, name, a + n + 1);
		return 1;
	}
	if (word_in(name, valued) && i + 1 < c->argc) {
		add_opt(sh, o, name, c->argv[i + 1]);
		return 2;
	}
	add_opt(sh, o, name, NULL);
	return 1;
}

/* -abc: each letter an option; one that takes a value ends the bundle. */
static size_t short_options(
	struct sh *sh, const struct cmd *c, size_t i, const char *valued, struct opts *o)
{
	const char *a = c->argv[i] + 1;

	for (; *a; a++) {
		const char name[3] = {'-', *a, '\0'};

		if (is_hole(*a)) {
			add_opt(sh, o, "-", a);
			return 1;
		}
		if (word_in(sh_cat(sh, name, "?"), valued)) { /* only in the same word */
			add_opt(sh, o, sh_str(sh, name), a[1] ? a + 1 : NULL);
			return 1;
		}
		if (!word_in(name, valued)) {
			add_opt(sh, o, sh_str(sh, name), NULL);
			continue;
		}
		if (a[1]) {
			add_opt(sh, o, sh_str(sh, name), a[1] == '=' ? a + 2 : a + 1);
			return 1;
		}
		if (i + 1 < c->argc) {
			add_opt(sh, o, sh_str(sh, name), c->argv[i + 1]);
			return 2;
		}
		add_opt(sh, o, sh_str(sh, name), NULL);
	}
	return 1;
}

void opts_read(struct sh *sh, const struct cmd *c, const char *valued, struct opts *o)
{
	static char *none[1]; /* never NULL: offsets are taken from it */
	bool one_dash = word_in("1", valued), first = word_in("first", valued);

	*o = (struct opts){.rest = none};
	for (size_t i = 1; i < c->argc;) {
		char *a = c->argv[i];

		sh_step(sh);
		if (!strcmp(a, "--")) {
			for (i++; i < c->argc; i++)
				add_rest(sh, o, c->argv[i]);
			return;
		}
		if (a[0] != '-' || !a[1]) {
			if (first)
				for (; i < c->argc; i++)
					add_rest(sh, o, c->argv[i]);
			else
				add_rest(sh, o, a);
			i++;
			continue;
		}
		if (a[1] == '-' || one_dash)
			i += long_option(sh, c, i, valued, o);
		else
			i += short_options(sh, c, i, valued, o);
	}
}

void add_operand(struct sh *sh, struct opts *o, const char *s)
{
	struct opts fresh = {.rest = NULL};

	for (size_t i = 0; i < o->n_rest; i++)
		add_rest(sh, &fresh, o->rest[i]);
	add_rest(sh, &fresh, (char *)s);
	o->rest = fresh.rest;
	o->n_rest = fresh.n_rest;
	o->cap_rest = fresh.cap_rest;
}

const struct opt *opts_find(const struct opts *o, const char *names)
{
	for (size_t i = 0; i < o->n_opt; i++)
		if (word_in(o->opt[i].name, names))
			return &o->opt[i];
	return NULL;
}
