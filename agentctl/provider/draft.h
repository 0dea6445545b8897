/*
 * draft.h: an answer as it grows from the objects of a stream, or from one object.
 * Private to provider.
 */
#ifndef AGENTCTL_PROVIDER_DRAFT_H
#define AGENTCTL_PROVIDER_DRAFT_H

#include <stdbool.h>
#include <stdint.h>
#include "agentctl/provider/bytes.h"
#include "agentctl/provider/call.h"
#include "agentctl/provider/fault.h"

/** A call of which pieces may still come. */
struct draft_call {
	bool has_index;
	int64_t index;
	struct bytes id, name, args;
};

struct draft {
	struct bytes content;
	struct draft_call *calls;
	size_t n;
	bool chat;	 /* something of a chat was seen */
	bool ended, cut; /* finish_reason came; it was the length */
	uint64_t tokens_in, tokens_out;
	struct fault fault; /* the server's own word that it failed */
};

void draft_init(struct draft *d);

/**
 * draft_take(d, json, n): one object more. Tolerated: no id, model, usage or index, null
 * for anything, `message` where `delta` is due and the other way round, content in parts,
 * arguments as an object, calls whole or in pieces with or without index. Reasoning is
 * not kept. -EBADMSG: not a JSON object; -EMSGSIZE: too much; -ENOMEM.
 */
int draft_take(struct draft *d, const char *json, size_t n);

/** draft_calls(d, calls): the calls that came as tool_calls. 0 or -ENOMEM. */
int draft_calls(const struct draft *d, struct calls *calls);
void draft_free(struct draft *d);

#endif
