/*
 * peers.c: what all connections of one process may use together, so that none can take
 * the memory, the places or the record of the others.
 */
#include <stdlib.h>

#include "policyd/server/private.h"

static struct peer_use **bucket(struct peers *p, pid_t pid)
{
	return &p->bucket[(unsigned)pid % (sizeof(p->bucket) / sizeof(*p->bucket))];
}

struct peer_use *peers_join(struct peers *p, pid_t pid, long now_ms)
{
	struct peer_use **b = bucket(p, pid), *u = *b;

	while (u && u->pid != pid)
		u = u->next;
	if (!u) {
		u = calloc(1, sizeof(*u));
		if (!u)
			return NULL;
		*u = (struct peer_use){.next = *b,
			.pid = pid,
			.log_bytes = PEER_LOG_BURST,
			.filled_ms = now_ms};
		*b = u;
	}
	if (u->clients >= PEER_CLIENTS)
		return NULL;
	u->clients++;
	return u;
}

/* Who leaves in debt is remembered until it is paid, so that connecting anew is no way
 * around the bound. */
static bool in_debt(const struct peer_use *u)
{
	return u->log_bytes < PEER_LOG_BURST / 2;
}

void peers_leave(struct peers *p, struct peer_use *u)
{
	struct peer_use **b = bucket(p, u->pid);

	u->clients--;
	while (*b) {
		struct peer_use *x = *b;

		if (!x->clients && !in_debt(x)) {
			*b = x->next;
			free(x);
		} else {
			b = &x->next;
		}
	}
}

bool peers_hold(struct peers *p, struct peer_use *u, size_t more)
{
	if (u->bytes + more > PEER_BYTES || p->bytes + more > ALL_BYTES)
		return false;
	u->bytes += more;
	p->bytes += more;
	return true;
}

void peers_release(struct peers *p, struct peer_use *u, size_t bytes)
{
	u->bytes -= bytes;
	p->bytes -= bytes;
}

void peers_log(struct peer_use *u, size_t bytes)
{
	u->log_bytes -= (long)bytes;
}

bool peers_may_log(struct peer_use *u, long now_ms)
{
	long passed = now_ms - u->filled_ms;

	if (passed > 0) {
		u->filled_ms = now_ms;
		u->log_bytes += passed * (PEER_LOG_RATE / 1000);
		if (passed > 1000 * 1000 || u->log_bytes > PEER_LOG_BURST)
			u->log_bytes = PEER_LOG_BURST;
	}
	return u->log_bytes > 0;
}
