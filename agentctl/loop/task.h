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
	int64_t until_ns;	 /* of the whole work, or 0 */
	int signal;		 /* that came while the model was waited for */
	bool finished, stopped;	 /* said done; must not go on */
	bool gave_up;		 /* said that it cannot be done */
	unsigned int first_step; /* steps before the request that is worked on */
	struct stream *live; /* where words and output are shown as they come, or NULL */
	bool shown;	     /* the words of this answer were shown so */
	char *last;	     /* the last words */
};

/** task_open_provider(t, o): 0, or the exit status: told and ended already. */
int task_open_provider(struct task *t, const struct loop_options *o);

/** task_watch(t): let the provider hear of signals and of the end of time. */
void task_watch(struct task *t);

/** task_turns(t): the provider's turns, until it has finished, given up or must stop. 0,
 * or -errno: it ended, told. */
int task_turns(struct task *t);

/** task_tell_request(t, text): the event of a new request. task_tell_cost(t): what the
 * answers cost. */
void task_tell_request(struct task *t, const char *text);
void task_tell_cost(struct task *t);

/** task_begin_transcript(t): where it is kept from here on. */
void task_begin_transcript(struct task *t);

/** task_clear(t): all but the piece of work. */
void task_clear(struct task *t);

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
