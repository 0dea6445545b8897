/*
 * tools.h: the tools that a client is offered, and a call of one. Private to mcp.
 */
#ifndef AGENTCTL_MCP_TOOLS_H
#define AGENTCTL_MCP_TOOLS_H

#include "agentctl/mcp/bench.h"

/** tools_list(b): the list for tools/list: what @b can do. NULL: no memory. */
json_object *tools_list(const struct bench *b);

/** tools_call(b, name, c, a): 0 with an answer; -ENOENT: there is no such tool; -EINVAL:
 * an argument is missing or of a wrong type, a->text names it; -ENOMEM. */
int tools_call(struct bench *b, const char *name, const struct call *c, struct answer *a);

/** tools_result(a): as the result of tools/call. NULL: no memory. */
json_object *tools_result(const struct answer *a);

#endif
