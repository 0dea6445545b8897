/*
 * client.h: what the files of the client library share; its face is txfs/policy.h.
 */
#ifndef POLICYD_CLIENT_H
#define POLICYD_CLIENT_H

#include "txfs/policy.h"

struct policy {
	int fd;
	int timeout_ms;
	bool dead;
	unsigned long next_id;
};

/** fail(ans, err, text): make @ans a refusal that says @text; returns @err. */
int policy_fail_(struct policy_answer *ans, int err, const char *text);

#endif
