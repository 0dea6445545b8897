/*
 * steps.h: the steps of a task that can be gone back to. Private to loop.
 *
 * Before each command a savepoint is set. Going back to a step undoes what it and all
 * after it changed. When there are many, all are merged and the counting of what can be
 * undone begins anew, so that the stack of layers stays bounded.
 */
#ifndef AGENTCTL_LOOP_STEPS_H
#define AGENTCTL_LOOP_STEPS_H

#include "agentctl/tool/tool.h"

#define STEPS_KEPT 128

/** Zeroed there is none. */
struct steps {
	unsigned int step[STEPS_KEPT]; /* that have a savepoint, the newest last */
	size_t n;
	unsigned int merged; /* this one and those before it cannot be undone any more */
};

/** steps_before(s, t, step): set the savepoint before @step. 0, -errno with the message
 * of
 * @t. */
int steps_before(struct steps *s, struct tool *t, unsigned int step);

/** steps_back(s, t, step, undone): undo @step (0: the last that changed anything) and all
 * after it; *undone is the first of them. -ENOENT: nothing to undo; -ERANGE: too far
 * back; others with the message of @t. What still runs is killed. */
int steps_back(struct steps *s, struct tool *t, unsigned int step, unsigned int *undone);

#endif
