/*
 * sse.h: a stream of server-sent events, cut anywhere. Private to provider.
 *
 * Lines end with \n, \r\n or \r. The data of an event are its `data:` lines, joined by
 * newlines; an empty line ends it. All other fields and comments are passed over.
 */
#ifndef AGENTCTL_PROVIDER_SSE_H
#define AGENTCTL_PROVIDER_SSE_H

#include <stdbool.h>
#include "agentctl/provider/bytes.h"

struct sse {
	struct bytes line, data;
	bool has_data;
	bool was_cr;  /* the last byte was \r */
	bool started; /* past the byte order mark */
	int (*event)(void *arg, const char *data, size_t n);
	void *arg;
};

/** sse_init(s, event, arg): @event gets the data of each event; non-zero ends the
 * reading and is returned. */
void sse_init(
	struct sse *s, int (*event)(void *arg, const char *data, size_t n), void *arg);

/** sse_feed(s, p, n): more bytes. -EMSGSIZE: a line or an event without end; -ENOMEM. */
int sse_feed(struct sse *s, const char *p, size_t n);

/** sse_end(s): the stream is over; what stands there without its empty line counts. */
int sse_end(struct sse *s);
void sse_free(struct sse *s);

#endif
