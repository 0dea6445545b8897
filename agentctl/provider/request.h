/*
 * request.h: a conversation as the JSON of a chat completion. Private to provider.
 */
#ifndef AGENTCTL_PROVIDER_REQUEST_H
#define AGENTCTL_PROVIDER_REQUEST_H

#include "agentctl/provider/bytes.h"
#include "agentctl/provider/trim.h"

/** What is written beside the messages. */
struct request {
	const char *model;
	bool tools_in_text; /* told in words, and calls come back as text */
	bool no_rollback;
	bool stream, usage; /* ask for a stream; and for usage at its end */
	bool new_limit;	    /* call it max_completion_tokens */
	unsigned int max_reply;
	bool has_temperature;
	double temperature;
};

/** request_render(b, q, t, m, n): append the JSON. 0, -ENOMEM, -EMSGSIZE. */
int request_render(struct bytes *b, const struct request *q, const struct trim *t,
	const struct provider_message *m, size_t n);

#endif
