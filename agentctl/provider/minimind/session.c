/*
 * session.c: one conversation: which tokens the cache holds, and writing on from there.
 *
 * A conversation is fed as a whole each turn. Tokens that stand in the cache at the same
 * place stay there, and only what follows goes through the network.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/minimind/grammar.h"
#include "agentctl/provider/minimind/outlet.h"
#include "agentctl/provider/minimind/private.h"
#include "agentctl/provider/minimind/sample.h"
#include "common/mem.h"

enum { DEFAULT_CONTEXT = 4096 };

struct minimind_session {
	struct minimind *m;
	struct forward *forward;
	uint32_t context;
	uint32_t *ids; /* what the cache holds */
	size_t n;
	const float *logits; /* behind the last of them; NULL: not known */
};

int minimind_session_open(
	struct minimind_session **out, struct minimind *m, uint32_t context)
{
	struct minimind_session *s;
	int r;

	*out = NULL;
	if (context == 0)
		context = m->shape.context < DEFAULT_CONTEXT ? m->shape.context
							     : DEFAULT_CONTEXT;
	if (context > m->shape.context)
		return -EINVAL;
	s = mem_zalloc(sizeof *s);
	if (!s)
		return -ENOMEM;
	s->m = m;
	s->context = context;
	s->ids = mem_alloc(context * sizeof *s->ids);
	r = s->ids ? forward_open(&s->forward, &m->shape, &m->weights, m->kernel, m->team,
			     context)
		   : -ENOMEM;
	if (r != 0) {
		minimind_session_close(s);
		return r;
	}
	*out = s;
	return 0;
}

void minimind_session_close(struct minimind_session *s)
{
	if (!s)
		return;
	forward_close(s->forward);
	free(s->ids);
	free(s);
}

int minimind_session_feed(
	struct minimind_session *s, const uint32_t *ids, size_t n, size_t *reused)
{
	size_t same = 0;

	if (n == 0)
		return -EINVAL;
	if (n > s->context)
		return -E2BIG;
	for (size_t i = 0; i < n; i++)
		if (ids[i] >= s->m->shape.vocab)
			return -EINVAL;
	while (same < n && same < s->n && s->ids[same] == ids[same])
		same++;
	/* the logits come with the last token, so that one runs again if they are gone */
	if (same == n && (s->n > n || !s->logits))
		same--;
	if (reused)
		*reused = same;
	if (same == n)
		return 0;
	memmove(s->ids + same, ids + same, (n - same) * sizeof *ids);
	s->logits = forward_run(s->forward, s->ids + same, n - same, (uint32_t)same);
	s->n = n;
	return 0;
}

const float *minimind_session_logits(const struct minimind_session *s)
{
	return s->logits;
}

/* --- writing on -----------------------------------------------------------------------
 */

struct writer {
	struct minimind_session *s;
	struct sampler sampler;
	struct outlet outlet;
	const struct minimind_grammar *grammar;
	struct grammar_state at;
};

/* Under a grammar a token must continue it; ending is allowed where it may end. */
static bool allows(const void *context, uint32_t token)
{
	const struct writer *w = context;
	const struct minimind *m = w->s->m;
	const char *piece;
	size_t n;

	if (minimind_is_end(m, token))
		return grammar_may_end(w->grammar, &w->at);
	piece = tokenizer_piece(m->tokenizer, token, &n);
	if (n == 0 || tokenizer_is_special(m->tokenizer, token))
		return grammar_is_free(w->grammar, &w->at);
	return grammar_allows(w->grammar, &w->at, piece, n);
}

/* Before penalties, temperature and grammar. */
static double probability(const struct minimind_session *s, uint32_t token)
{
	double sum = 0, most = s->logits[token];

	for (uint32_t i = 0; i < s->m->shape.vocab; i++)
		sum += exp(s->logits[i] - most);
	return 1 / sum;
}

/* One more token: 0 go on, 1 the answer ended as result->end says. */
static int step(struct writer *w, const struct minimind_sampling *how,
	struct minimind_result *result)
{
	struct minimind_session *s = w->s;
	int64_t token =
		sample_pick(&w->sampler, s->logits, w->grammar ? allows : NULL, w);
	const char *piece;
	size_t n;
	int r = 0;

	double p;

	if (token < 0)
		return (int)token;
	p = probability(s, (uint32_t)token);
	if (p < result->least)
		result->least = p;
	result->tokens++;
	result->end = MINIMIND_END_TOKEN;
	if (minimind_is_end(s->m, (uint32_t)token))
		return 1;
	sample_see(&w->sampler, (uint32_t)token);
	piece = tokenizer_piece(s->m->tokenizer, (uint32_t)token, &n);
	if (!tokenizer_is_special(s->m->tokenizer, (uint32_t)token)) {
		if (w->grammar)
			grammar_advance(w->grammar, &w->at, piece, n);
		r = outlet_put(&w->outlet, piece, n);
	}
	result->end = MINIMIND_END_STOP;
	result->stop = w->outlet.stop;
	if (r != 0)
		return r;
	result->end = MINIMIND_END_GRAMMAR;
	if (w->grammar && grammar_is_complete(w->grammar, &w->at))
		return 1;
	result->end = MINIMIND_END_LENGTH;
	if (s->n == s->context || (how->max_tokens && result->tokens == how->max_tokens))
		return 1;
	s->ids[s->n] = (uint32_t)token;
	s->logits = forward_run(s->forward, &s->ids[s->n], 1, (uint32_t)s->n);
	s->n++;
	return 0;
}

static int write_on(struct writer *w, const struct minimind_sampling *how,
	struct minimind_result *result)
{
	int r = 0;

	while (r == 0)
		r = step(w, how, result);
	if (r == 1 && result->end != MINIMIND_END_STOP)
		r = outlet_end(&w->outlet);
	if (r == -ECANCELED) {
		result->end = MINIMIND_END_SINK;
		r = 0;
	}
	return r < 0 ? r : 0;
}

int minimind_generate(struct minimind_session *s, const uint32_t *ids, size_t n,
	const struct minimind_sampling *how, const struct minimind_grammar *grammar,
	minimind_sink sink, void *context, struct minimind_result *result)
{
	static const struct minimind_sampling greedy;
	struct writer w = {.s = s, .grammar = grammar};
	int r = minimind_session_feed(s, ids, n, &result->reused);

	if (!how)
		how = &greedy;
	result->prompt = n;
	result->tokens = 0;
	result->stop = NULL;
	result->least = 1;
	if (r == 0)
		r = sample_open(&w.sampler, how, s->m->shape.vocab);
	if (r != 0)
		return r;
	for (size_t i = 0; i < n; i++)
		sample_see(&w.sampler, ids[i]);
	w.outlet = (struct outlet){.sink = sink,
		.context = context,
		.stops = how->stops,
		.n_stops = how->n_stops};
	if (grammar)
		grammar_begin(grammar, &w.at);
	r = write_on(&w, how, result);
	outlet_free(&w.outlet);
	sample_close(&w.sampler);
	return r;
}
