/*
 * impl.h: what the files of agentctl/tool share: the piece of work itself.
 */
#ifndef AGENTCTL_TOOL_IMPL_H
#define AGENTCTL_TOOL_IMPL_H

#include "agentctl/tool/door.h"
#include "agentctl/tool/tool.h"
#include "agentctl/tool/workspace.h"

enum tool_state {
	TOOL_FOUND,   /* the workspace is known */
	TOOL_OPEN,    /* transaction and sandbox are there */
	TOOL_STOPPED, /* the sandbox is gone, the transaction open */
	TOOL_ENDED,   /* committed, aborted or kept */
	TOOL_STATES
};

struct tool {
	enum tool_state state;
	struct tool_options o;
	struct workspace ws;
	struct txfs *fs;
	bool mounted_here; /* by tool_begin */
	bool kept;
	struct txfs_begun begun;
	struct sandbox *sandbox;
	struct door door;
	int signal_fd; /* signals for the command, -1 before tool_begin */
	struct policy *policy;
	char vets[256]; /* lines of the record about commands vetted before begin */
	struct policy_head head;
	struct tool_times times;
	char message[1024];
};

/** tool_say(t, r, fmt, ..): keep the line for tool_message, return @r. */
int tool_say(struct tool *t, int r, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** tool_move(t, to): change the state; asserts that the table allows it. */
void tool_move(struct tool *t, enum tool_state to);

/** tool_now(): monotonic time in ns. */
uint64_t tool_now(void);

/** tool_attach_view(t, tx): the open private transaction @tx of the mount t->fs becomes
 * t's own. Errors as tool_resume. */
int tool_attach_view(struct tool *t, uint64_t tx);

/** tool_contain(t): build the sandbox of t's view. */
int tool_contain(struct tool *t);

#endif
