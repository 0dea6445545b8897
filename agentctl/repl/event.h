/*
 * event.h: what another agent's hook says on its standard input, in the forms of four
 * agents. Private to agentctl/repl.
 */
#ifndef AGENTCTL_REPL_EVENT_H
#define AGENTCTL_REPL_EVENT_H

#include <json-c/json.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum event_agent { EVENT_CLAUDE, EVENT_CODEX, EVENT_GEMINI, EVENT_CURSOR, EVENT_AGENTS };

struct event {
	enum event_agent agent;
	char *command; /* the shell command, or NULL: the event is about no command */
	char cwd[PATH_MAX]; /* absolute */
	bool person;	    /* somebody can be asked, and the agent knows how */
};

/** event_agent(name, a): "claude", "codex", "gemini", "cursor". False: none of them. */
bool event_agent(const char *name, enum event_agent *a);

/**
 * event_read(e, agent, text, n, why, size): 0, or -EINVAL with the reason in @why: it is
 * not JSON, not an event before a tool, or it has a command that cannot be read. Caller
 * frees by event_free in any case.
 */
int event_read(struct event *e, enum event_agent agent, const char *text, size_t n,
	char *why, size_t size);
void event_free(struct event *e);

/** event_pass(agent): what to print when the command may run; event_ask(e, reason): when
 * a person is to be asked, NULL: no memory; caller frees. */
const char *event_pass(enum event_agent agent);
char *event_ask(const struct event *e, const char *reason);

#endif
