/*
 * session.h: a task that goes on: a person's requests and commands, one after another, in
 * transactions that the person ends. The conversation lives longer than a transaction.
 *
 * Functions return 0, or -errno after session_message() or a line on standard error has
 * told why. One thread.
 */
#ifndef AGENTCTL_LOOP_SESSION_H
#define AGENTCTL_LOOP_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include "agentctl/loop/loop.h"
#include "agentctl/loop/work.h"

struct session;

/** session_new(out, o): @o is copied, what it points to borrowed. Non-zero: told. */
int session_new(struct session **out, const struct loop_options *o);
/** session_free(s): what is open and changed something is kept. NULL is fine. */
void session_free(struct session *s);

/** session_resume(s, tx): go on in a transaction that was kept, and in what was said. */
int session_resume(struct session *s, uint64_t tx);

/** session_ask(s, text): let the model work on @text. 0 also when it could not do it:
 * that was told; -EINTR: a signal ended it. */
int session_ask(struct session *s, const char *text);

/** session_run(s, command): run a person's own command. */
int session_run(struct session *s, const char *command);

/** session_model(s, o): from now on ask the model of these options. */
int session_model(struct session *s, const struct loop_options *o);

bool session_is_open(const struct session *s);
uint64_t session_tx(const struct session *s);
const char *session_workspace(const struct session *s); /* "" before it is known */
const char *session_provider(const struct session *s);
const char *session_message(const struct session *s);
int session_signal(const struct session *s); /* the last that ended a step, or 0 */

/** session_refusal(s): the last refusal of the policy, with the command; NULL: none. */
const struct policy_answer *session_refusal(
	const struct session *s, const char **command);

/** As work_count, work_diff, work_savepoint, work_back, work_back_to. */
int session_count(
	struct session *s, uint64_t *added, uint64_t *changed, uint64_t *deleted);
int session_diff(struct session *s, const char *path, size_t max, char **text);
int session_savepoint(struct session *s, const char *name);
int session_back(struct session *s, unsigned int step, unsigned int *undone);
int session_back_to(struct session *s, const char *name);

/** session_end(s, how): commit (after the check of the options), abort or keep, and tell.
 * -ENOENT: nothing is open. */
int session_end(struct session *s, enum work_end how);

#endif
