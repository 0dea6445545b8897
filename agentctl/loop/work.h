/*
 * work.h: a piece of work that stays open: command after command by whoever asks, with
 * savepoints, until it is ended; then the next may begin. Each has one transaction.
 *
 * Functions return 0 or -errno; after an error work_message() is one line. Lines for a
 * person go to standard error as they do in run. One thread.
 */
#ifndef AGENTCTL_LOOP_WORK_H
#define AGENTCTL_LOOP_WORK_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agentctl/loop/loop.h"
#include "txfs/policy.h"

struct work;

/** Who may want a command to end: hear is called when fd is readable. 0: go on; 1: end
 * it; -1: nothing more will be heard. */
struct work_ear {
	int fd;
	int (*hear)(void *arg);
	void *arg;
};

/** What came of a command. */
struct work_result {
	bool refused; /* nothing was run; verdict says why */
	struct policy_answer verdict;
	unsigned int step; /* its number, for work_back; 0 when refused */
	int status;	   /* as a shell tells it */
	int signal;	   /* that ended it, or 0 */
	int forwarded;	   /* signal that came to us meanwhile and was passed on, or 0 */
	bool timed_out;	   /* or ended by the ear: what else ran in the sandbox is gone */
	char *output;	   /* both streams, cut in the middle when long; the caller's */
	uint64_t time_ns;
};

/** work_new(out, o, agent): nothing is begun. @o is borrowed, @agent static. -ENOMEM. */
int work_new(struct work **out, const struct loop_options *o, const char *agent);
/** work_free(w): what is open is kept, as work_end does. NULL is fine. */
void work_free(struct work *w);

const char *work_message(const struct work *w);
bool work_is_open(const struct work *w);
uint64_t work_tx(const struct work *w);		  /* 0: none is open */
const char *work_workspace(const struct work *w); /* "" before the first begin */

/** work_signal_fd(w): a signalfd once something has begun, for times when no command
 * runs; else -1. */
int work_signal_fd(const struct work *w);

/** work_begin(w): -EBUSY: one is open. work_resume(w, tx): go on in one that was kept. */
int work_begin(struct work *w);
int work_resume(struct work *w, uint64_t tx);

/** work_run(w, command, timeout_ms, ear, r): vet, set a savepoint, run by the shell.
 * Begins if nothing is open. timeout_ms 0: that of the options; ear may be NULL. */
int work_run(struct work *w, const char *command, int timeout_ms,
	const struct work_ear *ear, struct work_result *r);

/** work_savepoint(w, name), work_back_to(w, name): see steps.h; begin if nothing is open.
 * work_back(w, step, undone): undo @step (0: the last) and all after it. */
int work_savepoint(struct work *w, const char *name);
int work_back_to(struct work *w, const char *name);
int work_back(struct work *w, unsigned int step, unsigned int *undone);

/** work_count(w, ..): changed paths so far. work_diff: see tool_diff. */
int work_count(struct work *w, uint64_t *added, uint64_t *changed, uint64_t *deleted);
int work_diff(struct work *w, const char *path, size_t max, char **text);

enum work_end { WORK_COMMIT, WORK_ABORT, WORK_KEEP };

/** work_end(w, how, event): the order of the end as in run, with the check of the options
 * before a commit. 0: it ended in some way; *event is the last line of --json (the
 * caller's, may be NULL). -ENOENT: nothing is open. */
int work_end(struct work *w, enum work_end how, json_object **event);

#endif
