/*
 * courier.h: the process that speaks with the server. Private to provider.
 *
 * All that reads what a server sends, the transport, TLS, the stream and its JSON, runs
 * in a child without privileges to gain: what breaks there breaks no transaction, it can
 * be ended at any moment, and the caller stays without threads, as sandboxes need it. It
 * is started at the first question, keeps its connection from one to the next, and ends
 * with its parent.
 */
#ifndef AGENTCTL_PROVIDER_COURIER_H
#define AGENTCTL_PROVIDER_COURIER_H

#include "agentctl/provider/http.h"
#include "agentctl/provider/wire.h"

/** A courier; zeroed but for @to (borrowed strings) it is ready. */
struct courier {
	struct http_to to;
	pid_t pid; /* 0: not running */
	int fd;
};

/**
 * courier_ask(c, body, n, w, a, f): send @n bytes of JSON, wait for the answer. While
 * waiting @w is minded. 0 with @a (answer_free); -EIO with @f; -EINTR: w->stop said so;
 * -ETIME: w->until_ns is over. After the last two the question is forgotten.
 */
int courier_ask(struct courier *c, const char *body, size_t n,
	const struct provider_watch *w, struct answer *a, struct fault *f);

/** courier_close(c): end the process. It may be used again. */
void courier_close(struct courier *c);

/** courier_mask(s, key): take @key out of @s, in place. Either may be NULL. */
void courier_mask(char *s, const char *key);

#endif
