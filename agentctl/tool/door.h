/*
 * door.h: the one socket that a sandbox is shown, and the process of ours behind it.
 *
 * Inside, hooks of agents ask there whether a command may run. The process outside passes
 * the question on to policyd with its own words for who asks, in which transaction and
 * workspace; nothing that ends a transaction can be said there. Private to tool.
 */
#ifndef AGENTCTL_TOOL_DOOR_H
#define AGENTCTL_TOOL_DOOR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "txfs/policy.h"

struct door {
	char path[PATH_MAX]; /* outside; "" when there is none */
	pid_t pid;
	int stop; /* closing it ends the process */
};

/** What the door says of every question. */
struct door_label {
	const char *agent, *tx, *workspace, *home;
	uint64_t id;   /* of the transaction, for what else is answered: guest.h */
	bool allow_tx; /* savepoints may be set and gone back to */
};

/** door_open(d, label): 0 or -errno; then @d has no path. The calling process must be
 * single-threaded. door_close(d): end it; a door that is not open is fine. */
int door_open(struct door *d, const struct door_label *label);
void door_close(struct door *d);

/** door_answer(line, n, label, ask, arg): the answer to one line, without a newline;
 * caller frees; NULL: no memory. @ask is policy_check, or a test's. */
char *door_answer(const char *line, size_t n, const struct door_label *label,
	int (*ask)(void *arg, const struct policy_request *q, struct policy_answer *a),
	void *arg);

#endif
