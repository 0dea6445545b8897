/*
 * mcp.h: a server of the Model Context Protocol on standard input and output, so that any
 * client of it can run commands that are vetted, contained, and can be taken back.
 *
 * Outside of a run it keeps one piece of work of its own; inside of one (SANDBOX_SOCKET
 * is there) commands run where they are, and the door answers for the rest.
 */
#ifndef AGENTCTL_MCP_MCP_H
#define AGENTCTL_MCP_MCP_H

#include "agentctl/loop/loop.h"

struct mcp_options {
	struct loop_options loop;
	bool allow_tx; /* offer begin, commit and abort; outside of a run only */
};

/** mcp_serve(o): answer until the input ends. Then what is open is kept, or aborted if
 * nothing changed. Returns the program's exit status: 0; 1: the input cannot be read;
 * 128+n: ended by signal n. */
int mcp_serve(const struct mcp_options *o);

#endif
