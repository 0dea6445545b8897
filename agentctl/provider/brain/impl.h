/*
 * impl.h: the two kinds of brain. Private to brain.
 */
#ifndef AGENTCTL_PROVIDER_BRAIN_IMPL_H
#define AGENTCTL_PROVIDER_BRAIN_IMPL_H

#include "agentctl/provider/brain/brain.h"

struct brain_ops {
	int (*answer)(struct brain *b, const struct question *q, brain_say say, void *arg,
		struct reply *r, char *message, size_t size);
	void (*close)(struct brain *b);
};

struct brain {
	const struct brain_ops *ops;
};

/** brain_open_small(out, dir, ..): a model of agentctl's own protocol; -EINVAL: @dir is
 * none. brain_open_chat(out, dir, ..): any other. */
int brain_open_small(struct brain **out, const char *dir, char *message, size_t size);
int brain_open_chat(struct brain **out, const char *dir, unsigned int threads,
	uint32_t context, char *message, size_t size);

/** brain_tool_call(id, name, arguments): as OpenAI has it; takes @arguments. */
json_object *brain_tool_call(const char *id, const char *name, const char *arguments);

#endif
