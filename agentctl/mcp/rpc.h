/*
 * rpc.h: JSON-RPC 2.0 on two descriptors, one message a line, as MCP's stdio transport
 * has it (modelcontextprotocol.io, revision 2025-06-18). Private to mcp.
 *
 * Messages wait in a queue until somebody takes them; while a command runs the queue can
 * be looked through for what concerns it. One thread; reading never blocks, writing does.
 */
#ifndef AGENTCTL_MCP_RPC_H
#define AGENTCTL_MCP_RPC_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#define RPC_LINE_BYTES (4 << 20) /* of one message */
#define RPC_QUEUE 256		 /* messages that wait */

/* Codes of errors, as JSON-RPC has them. */
enum {
	RPC_PARSE = -32700,
	RPC_INVALID = -32600,
	RPC_NO_METHOD = -32601,
	RPC_PARAMS = -32602,
	RPC_INTERNAL = -32603,
};

struct rpc {
	int in, out;
	char *buf;
	size_t n, cap;
	json_object *queue[RPC_QUEUE];
	size_t waiting;
	bool ended;    /* no more will come */
	bool skipping; /* the rest of a line that was too long */
};

/** rpc_fill(r): take what @in has now, once it is readable. -ENOMEM; an end of the input
 * sets r->ended. Lines that are no message are answered with an error. */
int rpc_fill(struct rpc *r);

/** rpc_next(r): the oldest message, the caller's. NULL: none waits. */
json_object *rpc_next(struct rpc *r);

/** rpc_drop(r, i): take message @i out of the queue and free it. */
void rpc_drop(struct rpc *r, size_t i);

/** rpc_result(r, id, result): takes @result. rpc_error(r, id, code, text): @id NULL: it
 * is not known. -EPIPE and others: nobody reads. */
int rpc_result(struct rpc *r, json_object *id, json_object *result);
int rpc_error(struct rpc *r, json_object *id, int code, const char *text);

void rpc_close(struct rpc *r);

#endif
