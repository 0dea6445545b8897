/*
 * here.h: a command run where we are, for a bench inside of a sandbox. Private to mcp.
 */
#ifndef AGENTCTL_MCP_HERE_H
#define AGENTCTL_MCP_HERE_H

#include "agentctl/loop/work.h"

/** here_run(command, timeout_ms, ear, r): by the shell, in a process group of its own.
 * When its time is over the group gets SIGTERM, two seconds later SIGKILL. Output that
 * comes after its end is not waited for. 0 or -errno: it did not start. */
int here_run(const char *command, int timeout_ms, const struct work_ear *ear,
	struct work_result *r);

#endif
