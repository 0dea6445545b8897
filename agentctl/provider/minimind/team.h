/*
 * team.h: a few threads that share the rows of one product.
 *
 * A product takes microseconds, so a waiting thread spins for a while before it sleeps.
 * Work is cut into more parts than there are threads, and whoever is free takes the next:
 * a thread that the system does not run holds up nobody.
 */
#ifndef AGENTCTL_MINIMIND_TEAM_H
#define AGENTCTL_MINIMIND_TEAM_H

enum { TEAM_MAX = 16 };

struct team;

/** One part of a piece of work, @part of @parts, done by @thread. */
typedef void (*team_work)(void *context, unsigned part, unsigned parts, unsigned thread);

/** team_open(out, n): @n threads, the caller is one of them. -ENOMEM, -EAGAIN. */
int team_open(struct team **out, unsigned n);
/** team_close(t): NULL is fine. */
void team_close(struct team *t);

/** team_run(t, work, context): every part once, on the calling thread (0) and the others;
 * comes back when all are done. One caller at a time. */
void team_run(struct team *t, team_work work, void *context);

unsigned team_size(const struct team *t);

#endif
