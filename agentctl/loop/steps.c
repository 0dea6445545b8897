/*
 * steps.c: a stack of savepoints, named by the numbers of steps or by who set them.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "agentctl/loop/steps.h"

/* The steps behind the newest savepoint with a name become one with it. */
static int merge(struct steps *s, struct tool *t)
{
	size_t first = s->n;
	int r;

	while (first > 0 && s->at[first - 1].step)
		first--;
	if (first == s->n)
		return -ENOSPC;
	r = tool_release(t, s->at[first].name);
	if (r == 0) {
		s->merged = s->at[s->n - 1].step;
		s->n = first;
	}
	return r;
}

static int push(struct steps *s, struct tool *t, unsigned int step, const char *name)
{
	struct savepoint *p;
	int r = s->n == STEPS_KEPT ? merge(s, t) : 0;

	if (r == 0)
		r = tool_savepoint(t, name);
	if (r != 0)
		return r;
	p = &s->at[s->n++];
	p->step = step;
	snprintf(p->name, sizeof p->name, "%s", name);
	return 0;
}

int steps_before(struct steps *s, struct tool *t, unsigned int step)
{
	char name[32];

	snprintf(name, sizeof name, "step-%u", step);
	return push(s, t, step, name);
}

/* The oldest savepoint of @step or later; s->n: none. Without @step the newest one. */
static size_t find_step(const struct steps *s, unsigned int step)
{
	size_t at = s->n;

	for (size_t i = s->n; i-- > 0;) {
		if (!s->at[i].step)
			continue;
		if (step && s->at[i].step < step)
			break;
		at = i;
		if (!step)
			break;
	}
	return at;
}

int steps_back(struct steps *s, struct tool *t, unsigned int step, unsigned int *undone)
{
	size_t at = find_step(s, step);
	int r;

	if (step && step <= s->merged && (at == s->n || s->at[at].step != step))
		return -ERANGE;
	if (at == s->n)
		return -ENOENT;
	*undone = s->at[at].step;
	r = tool_rollback(t, s->at[at].name);
	if (r != 0)
		return r;
	s->n = at;
	return tool_release(t, s->at[at].name); /* nothing is in it */
}

static size_t find_name(const struct steps *s, const char *name)
{
	size_t at = s->n;

	for (size_t i = s->n; i-- > 0;) {
		if (!s->at[i].step && strcmp(s->at[i].name, name) == 0)
			at = i;
	}
	return at;
}

static bool good_name(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < n; i++) {
		if (iscntrl((unsigned char)name[i]))
			return false;
	}
	return n > 0 && n < sizeof((struct savepoint *)NULL)->name &&
	       strncmp(name, "step-", 5) != 0;
}

int steps_name(struct steps *s, struct tool *t, const char *name)
{
	if (!good_name(name))
		return -EINVAL;
	if (find_name(s, name) != s->n)
		return -EEXIST;
	return push(s, t, 0, name);
}

int steps_back_to(struct steps *s, struct tool *t, const char *name)
{
	size_t at = find_name(s, name);
	int r = at == s->n ? -ENOENT : tool_rollback(t, name);

	if (r == 0)
		s->n = at + 1;
	return r;
}
