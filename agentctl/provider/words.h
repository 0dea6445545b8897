/*
 * words.h: what a model says: its thoughts left out, and calls that it wrote as text.
 * Private to provider.
 *
 *	<think> .. </think>		left out; without an end all that follows; without
 *					a beginning all before it
 *	<tool_call> JSON </tool_call>	a call; the end tag may be missing at the end
 *	a text that is nothing but such JSON	a call, too
 */
#ifndef AGENTCTL_PROVIDER_WORDS_H
#define AGENTCTL_PROVIDER_WORDS_H

#include <stdbool.h>
#include "agentctl/provider/bytes.h"
#include "agentctl/provider/call.h"

/** words_read(s, n, text, calls): @text gets what is left, without blanks around it.
 * Returns 0, -ENOMEM. */
int words_read(const char *s, size_t n, struct bytes *text, struct calls *calls);

/** Words on their way, without thoughts and calls; zeroed at the beginning. */
struct words_live {
	char held[16]; /* what may be the beginning of a tag */
	size_t n_held;
	bool thinking, calling;
};

/** words_live(w, s, n, say, arg): call @say with what of @s is for people. */
void words_live(struct words_live *w, const char *s, size_t n,
	void (*say)(void *arg, const char *s, size_t n), void *arg);

#endif
