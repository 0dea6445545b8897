/*
 * output.h: what a command printed: its beginning, and its end in a ring. For loop
 * and mcp.
 */
#ifndef AGENTCTL_LOOP_OUTPUT_H
#define AGENTCTL_LOOP_OUTPUT_H

#include <stddef.h>

#define OUTPUT_HEAD 8192  /* bytes of a command's output that a provider sees: */
#define OUTPUT_TAIL 24576 /* its beginning and its end */

struct output {
	char head[OUTPUT_HEAD], tail[OUTPUT_TAIL];
	size_t n_head;
	unsigned long long n_tail; /* all bytes behind the head */
};

/** output_collect(o, stream, data, n): more of it; both streams as they come. The form is
 * that of sandbox_cmd.output. */
void output_collect(void *o, int stream, const char *data, size_t n);

/** output_text(o, first): the line @first (or NULL), then what was printed; caller frees.
 * NULL: no memory. NUL bytes become spaces. */
char *output_text(const struct output *o, const char *first);

#endif
