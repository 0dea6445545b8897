/*
 * grammar.h: which bytes may follow, so that what is written is one call of a known tool.
 *
 * A grammar is a small program, as a regular expression's: threads stand at instructions,
 * each byte moves them on, and a text is allowed as long as one thread is alive. What a
 * thread knows is a few numbers, so that a state is copied for every token that is tried.
 */
#ifndef AGENTCTL_MINIMIND_GRAMMAR_H
#define AGENTCTL_MINIMIND_GRAMMAR_H

#include "agentctl/provider/minimind/minimind.h"

enum { GRAMMAR_THREADS = 256 };

/** Where one way to read the text so far stands. What the numbers mean is the
 * instruction's business. */
struct grammar_thread {
	uint16_t at, phase;
	uint32_t a, b, c;
};

struct grammar_state {
	uint32_t free; /* the trigger has not come: 1 + how much of it has */
	uint32_t n;
	struct grammar_thread threads[GRAMMAR_THREADS];
};

void grammar_begin(const struct minimind_grammar *g, struct grammar_state *s);

/** grammar_allows(g, s, text, n): whether @n bytes may follow. */
bool grammar_allows(const struct minimind_grammar *g, const struct grammar_state *s,
	const char *text, size_t n);

/** grammar_advance(g, s, text, n): they follow. */
void grammar_advance(const struct minimind_grammar *g, struct grammar_state *s,
	const char *text, size_t n);

/** Whether anything goes: the trigger has not come. */
bool grammar_is_free(const struct minimind_grammar *g, const struct grammar_state *s);
/** Whether the answer may end here: it is free or complete. */
bool grammar_may_end(const struct minimind_grammar *g, const struct grammar_state *s);
/** Whether nothing can follow. */
bool grammar_is_complete(const struct minimind_grammar *g, const struct grammar_state *s);

#endif
