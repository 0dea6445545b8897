/*
 * task.h: a task under way, shared by who drives it and who does what is wanted. Private
 * to loop.
 */
#ifndef AGENTCTL_LOOP_TASK_H
#define AGENTCTL_LOOP_TASK_H

#include "agentctl/loop/impl.h"
#include "agentctl/loop/steps.h"
#include "agentctl/loop/stubborn.h"
#include "agentctl/loop/talk.h"
#include "agentctl/provider/provider.h"

struct task {
	struct loop l;
	struct provider *p;
	struct talk talk;
	struct steps steps;
	struct stubborn stubborn;
	unsigned int step, answers;
	uint64_t tokens_in, tokens_out;
	int64_t until_ns;	/* of the whole work, or 0 */
	int signal;		/* that came while the model was waited for */
	bool finished, stopped; /* said done; must not go on */
	char *last;		/* the last words */
};

/** task_lines(prefix, text): each line of @text for a person. */
void task_lines(const char *prefix, const char *text);

/** task_last(t, text): remember as the last words. */
void task_last(struct task *t, const char *text);

/** task_give_up(t, why): the end, for a reason that the model does not hear. -ECANCELED.
 */
int task_give_up(struct task *t, const char *why);

/** task_act(t, reply): do what the provider wants, tell it what came of it. 0: go on, or
 * t->finished or t->stopped is set; -errno: the end, told. */
int task_act(struct task *t, const struct provider_reply *reply);

#endif
