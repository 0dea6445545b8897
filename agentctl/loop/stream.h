/*
 * stream.h: text of models and commands on standard output as it comes, such that it
 * cannot drive the terminal: control characters are escaped, but for new lines and tabs.
 */
#ifndef AGENTCTL_LOOP_STREAM_H
#define AGENTCTL_LOOP_STREAM_H

#include <stdbool.h>
#include <stddef.h>

/** Zeroed it is at the beginning of a line. */
struct stream {
	char held[4]; /* the first bytes of a character */
	size_t n_held;
	bool in_line;
};

/** stream_put(s, text, n): more of it. */
void stream_put(struct stream *s, const char *text, size_t n);

/** stream_end(s): go to the beginning of a line. */
void stream_end(struct stream *s);

#endif
