/*
 * match.c: does a rule apply to a command? Everything that a rule names must be true.
 */
#include <fnmatch.h>
#include <string.h>

#include "policyd/rules/private.h"

enum { UNDECIDED_COST = 256 }; /* of a word that took too long, in plain ones */

void match_begin(struct matcher *m, const struct shell_reading *reading, size_t k)
{
	const struct shell_command *c = &reading->commands[k];

	m->reading = reading;
	m->c = c;
	m->verbs = m->places = m->redirects = 0;
	for (size_t i = c->first_effect;
		i < c->first_effect + c->n_effects && i < reading->n_effects; i++) {
		m->verbs |= RULES_BIT(reading->effects[i].verb);
		m->places |= RULES_BIT(reading->effects[i].place);
	}
	/* redirections are done before the program starts, and are noted before it */
	for (size_t i = c->first_effect; i-- > 0;) {
		const struct shell_effect *e = &reading->effects[i];

		if (*e->program != '>' && *e->program != '<')
			break;
		m->redirects |= RULES_BIT(e->place);
	}
}

/* A pattern, with its literal beginning tried before the rest. */
static bool pattern_matches(const char *pattern, const char *s)
{
	size_t fixed = strcspn(pattern, "*?[\\");

	if (strncmp(pattern, s, fixed))
		return false;
	return pattern[fixed] ? !fnmatch(pattern, s, 0) : !s[fixed];
}

/* The first plain words, options left out. */
static bool sub_matches(const struct rule *x, const struct shell_command *c)
{
	for (char **s = x->sub; *s; s++)
		for (size_t i = 1, words = 0; i < c->argc && words < 3; i++) {
			if (c->argv[i][0] == '-')
				continue;
			words++;
			if (pattern_matches(*s, c->argv[i]))
				return true;
		}
	return false;
}

/* -f in -rf, --force in --force=x. */
static bool has_flag(const struct shell_command *c, const char *flag)
{
	size_t n = strlen(flag);

	for (size_t i = 1; i < c->argc; i++) {
		const char *a = c->argv[i];

		if (!strcmp(a, "--"))
			return false;
		if (!strncmp(a, flag, n) && (!a[n] || a[n] == '='))
			return true;
		if (n == 2 && a[0] == '-' && a[1] != '-' && strchr(a, flag[1]))
			return true;
	}
	return false;
}

static bool effect_matches(const struct rule *x, const struct matcher *m)
{
	const struct shell_command *c = m->c;

	if ((x->effects && !(x->effects & m->verbs)) ||
		(x->operands && !(x->operands & m->places)))
		return false;
	for (size_t i = 0; i < c->n_effects; i++) {
		const struct shell_effect *e = &m->reading->effects[c->first_effect + i];

		if ((!x->effects || x->effects & RULES_BIT(e->verb)) &&
			(!x->operands || x->operands & RULES_BIT(e->place)))
			return true;
	}
	return false;
}

static bool names(char **patterns, const char *name)
{
	for (char **s = patterns; *s; s++)
		if (pattern_matches(*s, name))
			return true;
	return false;
}

/* Set in front of the program, or by env(1) right before it. */
static bool env_matches(const struct rule *x, const struct matcher *m)
{
	const struct shell_command *before = m->c - 1;
	char name[128];

	for (const char *const *s = m->c->sets; s && *s; s++)
		if (names(x->env, *s))
			return true;
	if (m->c == m->reading->commands || strcmp(before->program, "env"))
		return false;
	for (size_t i = 1; i < before->argc; i++) {
		size_t n = strcspn(before->argv[i], "=");

		if (*before->argv[i] == '-' || n >= sizeof(name))
			continue;
		if (!before->argv[i][n])
			return false; /* the program itself */
		memcpy(name, before->argv[i], n);
		name[n] = '\0';
		if (names(x->env, name))
			return true;
	}
	return false;
}

/* What cannot be told within the bounds counts against the command. */
static bool word_hits(const struct rule *x, struct matcher *m)
{
	bool strict = x->decision != POLICY_ALLOW;

	for (size_t i = 1; i < m->c->argc; i++) {
		int r = m->left > 0 ? word_matches(x->word, m->c->argv[i]) : -1;

		m->left -= r < 0 ? UNDECIDED_COST : 1;
		if (r > 0 || (r < 0 && strict))
			return true;
		if (r < 0)
			return false;
	}
	return false;
}

bool match_rule(struct matcher *m, const struct rule *x)
{
	const struct shell_command *c = m->c;

	if (x->program && !pattern_matches(x->program, c->program))
		return false;
	if ((x->effects || x->operands) && !effect_matches(x, m))
		return false;
	if (x->redirects && !(x->redirects & m->redirects))
		return false;
	if (x->pipe >= 0 && x->pipe != c->piped)
		return false;
	if (x->env && !env_matches(x, m))
		return false;
	if (x->sub && !sub_matches(x, c))
		return false;
	for (char **f = x->flags; f && *f; f++)
		if (!has_flag(c, *f))
			return false;
	return !x->word || word_hits(x, m);
}
