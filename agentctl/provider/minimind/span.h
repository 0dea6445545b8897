/*
 * span.h: is this a run of words of the conversation?
 *
 * All places where a word begins are sorted by what follows there. The places that go on
 * with some bytes are then neighbours, and one more byte narrows them by two searches.
 */
#ifndef AGENTCTL_MINIMIND_SPAN_H
#define AGENTCTL_MINIMIND_SPAN_H

#include "agentctl/provider/minimind/minimind.h"

enum { SPAN_MAX = 512, SPAN_TEXT_MAX = 1 << 20 };

enum span_kind {
	SPAN_TEXT,   /* any run of words */
	SPAN_NAME,   /* without blanks and signs that a shell reads */
	SPAN_PHRASE, /* as SPAN_TEXT; what begins behind a quote ends before it */
	SPAN_WHOLE,  /* a name with nothing of a name before or behind it */
	SPAN_FOLDER, /* the same, or the part of it before a slash */
};

struct spans {
	char *text; /* parts with a NUL between */
	uint32_t n;
	uint32_t *places, *names; /* where words begin, and where names do */
	uint32_t n_places, n_names;
};

/** Those of the places from low to below high that go on with the same depth bytes. */
struct span {
	uint32_t low, high, depth;
};

/** spans_open(s, parts, n): -ENOMEM; -EFBIG over SPAN_TEXT_MAX. */
int spans_open(struct spans *s, const struct minimind_text *parts, size_t n);
void spans_close(struct spans *s);

/** span_all(s, kind): all places where such a span may begin. */
struct span span_all(const struct spans *s, enum span_kind kind);

/** span_narrow(s, kind, at, byte): go on with @byte; false if no place does, or SPAN_MAX
 * is reached. */
bool span_narrow(
	const struct spans *s, enum span_kind kind, struct span *at, uint8_t byte);

/** span_may_end(s, kind, at): whether such a span may end here in one of the places. */
bool span_may_end(const struct spans *s, enum span_kind kind, const struct span *at);

#endif
