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

/** One that can be gone back to: before the command @step, or by a @name of its own. */
struct savepoint {
	unsigned int step; /* 0: it has a name */
	char name[64];
};

/** Zeroed there is none. */
struct steps {
	struct savepoint at[STEPS_KEPT]; /* the newest last */
	size_t n;
	unsigned int merged; /* this one and those before it cannot be undone any more */
};

/** steps_before(s, t, step): set the savepoint before @step. 0, -errno with the message
 * of @t. */
int steps_before(struct steps *s, struct tool *t, unsigned int step);

/** steps_back(s, t, step, undone): undo @step (0: the last) and all after it; *undone is
 * the first of them. -ENOENT: nothing to undo; -ERANGE: too far back; others with the
 * message of @t. What still runs is killed. */
int steps_back(struct steps *s, struct tool *t, unsigned int step, unsigned int *undone);

/** steps_name(s, t, name): set a savepoint of that name; it outlives the merging of
 * steps. -EINVAL: no name (1 to 63 bytes, no control characters, not step-N); -EEXIST;
 * -ENOSPC: too many; others with the message of @t. */
int steps_name(struct steps *s, struct tool *t, const char *name);

/** steps_back_to(s, t, name): undo all since the savepoint @name, which stays. -ENOENT;
 * others with the message of @t. What still runs is killed. */
int steps_back_to(struct steps *s, struct tool *t, const char *name);

#endif
