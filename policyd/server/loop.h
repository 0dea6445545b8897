/*
 * loop.h: the loop's own state, shared by who sets it up and who turns it.
 */
#ifndef POLICYD_SERVER_LOOP_H
#define POLICYD_SERVER_LOOP_H

#include "common/awake.h"
#include "policyd/server/client.h"

struct loop {
	struct server *s;
	struct listener listener;
	struct peers peers;
	int epoll, signal_fd;
	struct awake awake;
	struct client **client, **gone;
	size_t n, n_gone;
	bool waiting; /* some client has a whole line left; counted each turn: */
	size_t n_more, n_paused;
	long now, clock_ms;
	bool stop;
};

/** loop_now(): monotonic milliseconds. loop_turn(l): one turn; 0 or -errno. */
long loop_now(void);
int loop_turn(struct loop *l);

/** loop_drop(l, c): end a connection; loop_bury(l): free those that have ended. */
void loop_drop(struct loop *l, struct client *c);
void loop_bury(struct loop *l);

#endif
