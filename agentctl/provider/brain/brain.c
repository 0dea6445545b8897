/*
 * brain.c: which kind of brain a model has.
 */
#include <stdio.h>
#include "agentctl/provider/small/checkpoint.h"
#include "agentctl/provider/brain/impl.h"

int brain_open(struct brain **out, const char *dir, unsigned int threads,
	uint32_t context, char *message, size_t size)
{
	double least;

	if (!dir || checkpoint_least(dir, &least, message, size) == 0)
		return brain_open_small(out, dir, message, size);
	return brain_open_chat(out, dir, threads, context, message, size);
}

void brain_close(struct brain *b)
{
	if (b)
		b->ops->close(b);
}

int brain_answer(struct brain *b, const struct question *q, brain_say say, void *arg,
	struct reply *r, char *message, size_t size)
{
	return b->ops->answer(b, q, say, arg, r, message, size);
}

json_object *brain_tool_call(const char *id, const char *name, const char *arguments)
{
	json_object *o = json_object_new_object(), *f = json_object_new_object();

	json_object_object_add(o, "id", json_object_new_string(id));
	json_object_object_add(o, "type", json_object_new_string("function"));
	json_object_object_add(f, "name", json_object_new_string(name));
	json_object_object_add(f, "arguments", json_object_new_string(arguments));
	json_object_object_add(o, "function", f);
	return o;
}
