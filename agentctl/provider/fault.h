/*
 * fault.h: why a question to a server got no answer. Private to provider.
 */
#ifndef AGENTCTL_PROVIDER_FAULT_H
#define AGENTCTL_PROVIDER_FAULT_H

#include <stdint.h>

enum fault_kind {
	FAULT_NONE,
	FAULT_CONNECT,	/* not reached */
	FAULT_TLS,	/* not the server that it says it is, or no TLS */
	FAULT_TIME,	/* no connection, no byte, no end in time */
	FAULT_BROKEN,	/* reset, cut off, or its end does not parse */
	FAULT_REFUSED,	/* the server said so: status and text */
	FAULT_NOT_CHAT, /* an answer, but not one of a chat */
	FAULT_TOO_BIG,	/* more than we take */
	FAULT_LOCAL,	/* no memory, no library */
};

struct fault {
	enum fault_kind kind;
	int status;	  /* of HTTP, or what an error object says; 0 */
	int64_t retry_ms; /* what the server asks to wait, or -1 */
	char text[512];	  /* one line */
};

/** fault_set(f, kind, fmt, ..): fill it, without control characters. */
void fault_set(struct fault *f, enum fault_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
