/*
 * wire.h: answers as OpenAI has them, whole or as events. Private to serve. Strings are
 * the caller's; NULL: no memory.
 */
#ifndef AGENTCTL_SERVE_WIRE_H
#define AGENTCTL_SERVE_WIRE_H

#include <stdint.h>
#include "agentctl/provider/brain/brain.h"

/** What all parts of one answer share. */
struct wire {
	uint64_t id;
	int64_t created;
	const char *model;
};

/** wire_whole(w, r): a chat completion. */
char *wire_whole(const struct wire *w, const struct reply *r);

/** Events of a stream: the first; words; the end of an answer with its calls; usage and
 * [DONE]; an error. */
char *wire_first(const struct wire *w);
char *wire_words(const struct wire *w, const char *text, size_t n);
char *wire_last(const struct wire *w, const struct reply *r, bool usage);
char *wire_trouble(const char *message);

/** wire_error(message, type): the body of an error. wire_models(w): the list of models.
 */
char *wire_error(const char *message, const char *type);
char *wire_models(const struct wire *w);

#endif
