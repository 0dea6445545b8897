/*
 * lines.h: lines that a person types, edited and remembered where there is a terminal.
 */
#ifndef AGENTCTL_REPL_LINES_H
#define AGENTCTL_REPL_LINES_H

#include <stdbool.h>

struct lines;

enum lines_end {
	LINES_LINE,	 /* there is one */
	LINES_CANCELLED, /* Ctrl-C */
	LINES_ENDED,	 /* no more will come: Ctrl-D, or a signal */
};

/** lines_open(out, signal_fd, history): @signal_fd is a signalfd of SIGINT, SIGTERM,
 * SIGHUP and SIGQUIT, which are blocked; @history a file, or NULL. Without a terminal, or
 * without libedit, lines are read as they are. -ENOMEM. */
int lines_open(struct lines **out, int signal_fd, const char *history);
void lines_close(struct lines *l);

/** lines_read(l, prompt, text): the next line without its end, valid until the next call.
 * lines_read_plain: the same without remembering it. */
enum lines_end lines_read(struct lines *l, const char *prompt, const char **text);
enum lines_end lines_read_plain(struct lines *l, const char *prompt, const char **text);

/** lines_on_terminal(l): whether a person types them. */
bool lines_on_terminal(const struct lines *l);

#endif
