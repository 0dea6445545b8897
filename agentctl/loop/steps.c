/*
 * steps.c: a stack of savepoints named by the numbers of steps.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "agentctl/loop/steps.h"

static const char *name_of(unsigned int step, char *buf, size_t size)
{
	snprintf(buf, size, "step-%u", step);
	return buf;
}

static int merge(struct steps *s, struct tool *t)
{
	char name[32];
	int r = tool_release(t, name_of(s->step[0], name, sizeof name));

	if (r == 0) {
		s->merged = s->step[s->n - 1];
		s->n = 0;
	}
	return r;
}

int steps_before(struct steps *s, struct tool *t, unsigned int step)
{
	char name[32];
	int r = s->n == STEPS_KEPT ? merge(s, t) : 0;

	if (r == 0)
		r = tool_savepoint(t, name_of(step, name, sizeof name));
	if (r == 0)
		s->step[s->n++] = step;
	return r;
}

int steps_back(struct steps *s, struct tool *t, unsigned int step, unsigned int *undone)
{
	size_t at = s->n;
	char name[32];
	int r;

	if (step && step <= s->merged)
		return -ERANGE;
	while (at > 0 && (step ? s->step[at - 1] >= step : at == s->n))
		at--;
	if (at == s->n)
		return -ENOENT;
	*undone = s->step[at];
	name_of(*undone, name, sizeof name);
	r = tool_rollback(t, name);
	if (r != 0)
		return r;
	s->n = at;
	return tool_release(t, name); /* nothing is in it */
}
