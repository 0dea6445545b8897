/*
 * impl.h: what run and task share: a piece of work with its options, and its end.
 */
#ifndef AGENTCTL_LOOP_IMPL_H
#define AGENTCTL_LOOP_IMPL_H

#include "agentctl/loop/loop.h"
#include "agentctl/loop/report.h"
#include "agentctl/loop/transcript.h"
#include "agentctl/loop/work.h"
#include "agentctl/tool/tool.h"

struct loop {
	const struct loop_options *o;
	struct tool *t;
	struct loop_ending e;
	struct txfs_ended ended;
	struct tool_held held;
	const char *shell;	    /* that runs command lines */
	int timeout_ms;		    /* of the next command; 0: none */
	struct transcript *log;	    /* or NULL */
	const struct work_ear *ear; /* who may end the next command, or NULL */
};

/** loop_emit(l, o): an event for the transcript, and for --json; frees @o. */
void loop_emit(struct loop *l, json_object *o);

/** loop_open(l, o, agent): find the workspace. Non-zero: told and ended already. */
int loop_open(struct loop *l, const struct loop_options *o, const char *agent);

/** loop_vet(l, command, a): ask and tell. True if it may run. */
bool loop_vet(struct loop *l, const char *command, struct policy_answer *a);

/** loop_begin(l): transaction and sandbox. Non-zero: told and ended already. */
int loop_begin(struct loop *l);

/** loop_resume(l, tx): instead of loop_begin, see tool_resume. */
int loop_resume(struct loop *l, uint64_t tx);

/** loop_exec(l, argv, r, output, arg): one command; output NULL: our own streams. Returns
 * -errno if it could not be asked to run; that is told and noted in l->e. */
int loop_exec(struct loop *l, char *const *argv, struct sandbox_result *r,
	void (*output)(void *arg, int stream, const char *data, size_t n), void *arg);

/** loop_check(l): run --check, if there is one, after a success. */
void loop_check(struct loop *l);

/** loop_refused(l, a): end before anything ran. Returns the exit status. */
int loop_refused(struct loop *l, const struct policy_answer *a);

/** loop_failed(l): set-up failed with tool_message; returns the exit status. */
int loop_failed(struct loop *l);

/** loop_never_began(json, text): the last JSON line where not even a workspace was looked
 * for. Returns 125. */
int loop_never_began(bool json, const char *text);

/** loop_end(l, commit, text): the order of the end: stop everything, look for held-back
 * paths, commit or abort or keep, unmount, tell; @text: last words for JSON, or NULL.
 * Frees what @l holds. Returns the exit status. */
int loop_end(struct loop *l, bool commit, const char *text);

#endif
