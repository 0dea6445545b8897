/*
 * sample.c: which token comes next.
 *
 * Among equals the lower id wins, so that the same numbers give the same text everywhere.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/minimind/sample.h"
#include "common/mem.h"

/* After so many refusals it is cheaper to ask for every token once. */
enum { GREEDY_TRIES = 8 };

int sample_open(struct sampler *s, const struct minimind_sampling *how, uint32_t vocab)
{
	*s = (struct sampler){.how = how, .random = how->seed, .vocab = vocab};
	s->logits = mem_alloc(vocab * sizeof *s->logits);
	s->seen = mem_zalloc(vocab * sizeof *s->seen);
	s->candidates = mem_alloc(vocab * sizeof *s->candidates);
	if (s->logits && s->seen && s->candidates)
		return 0;
	sample_close(s);
	return -ENOMEM;
}

void sample_close(struct sampler *s)
{
	free(s->logits);
	free(s->seen);
	free(s->candidates);
	*s = (struct sampler){0};
}

void sample_see(struct sampler *s, uint32_t token)
{
	s->seen[token] = true;
}

/* A number from 0 to below 1; a counter that is stirred (splitmix64). */
static double random_number(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void penalise(struct sampler *s)
{
	float by = s->how->repetition;

	if (by <= 0 || by == 1)
		return;
	for (uint32_t i = 0; i < s->vocab; i++)
		if (s->seen[i])
			s->logits[i] =
				s->logits[i] < 0 ? s->logits[i] * by : s->logits[i] / by;
}

static bool better(const struct sample_candidate *a, const struct sample_candidate *b)
{
	return a->logit != b->logit ? a->logit > b->logit : a->token < b->token;
}

static int by_logit(const void *a, const void *b)
{
	return better(a, b) ? -1 : 1;
}

static int64_t likeliest(const struct sampler *s)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < s->vocab; i++)
		if (s->logits[i] > -INFINITY &&
			(best == UINT32_MAX || s->logits[i] > s->logits[best]))
			best = i;
	return best == UINT32_MAX ? -EILSEQ : (int64_t)best;
}

static void refuse_others(struct sampler *s, sample_allows allows, const void *context)
{
	for (uint32_t i = 0; i < s->vocab; i++)
		if (s->logits[i] > -INFINITY && !allows(context, i))
			s->logits[i] = -INFINITY;
}

static int64_t pick_greedy(struct sampler *s, sample_allows allows, const void *context)
{
	int64_t best;

	for (int i = 0; i < GREEDY_TRIES; i++) {
		best = likeliest(s);
		if (best < 0 || !allows || allows(context, (uint32_t)best))
			return best;
		s->logits[best] = -INFINITY;
	}
	refuse_others(s, allows, context);
	return likeliest(s);
}

/* Keep the best k in a heap with the worst of them on top; returns how many there are. */
static uint32_t keep_best(struct sampler *s, uint32_t k)
{
	struct sample_candidate *c = s->candidates, new;
	uint32_t n = 0, at, child;

	for (uint32_t i = 0; i < s->vocab; i++) {
		new = (struct sample_candidate){s->logits[i], i};
		if (!(new.logit > -INFINITY))
			continue;
		if (n < k) {
			for (at = n++; at > 0 && better(&c[(at - 1) / 2], &new);
				at = (at - 1) / 2)
				c[at] = c[(at - 1) / 2];
			c[at] = new;
			continue;
		}
		if (!better(&new, &c[0]))
			continue;
		for (at = 0; (child = 2 * at + 1) < k; at = child) {
			if (child + 1 < k && better(&c[child], &c[child + 1]))
				child++;
			if (!better(&new, &c[child]))
				break;
			c[at] = c[child];
		}
		c[at] = new;
	}
	qsort(c, n, sizeof *c, by_logit);
	return n;
}

/* Candidates in order become probabilities and are cut where they reach top_p. */
static int64_t pick_random(struct sampler *s)
{
	const struct minimind_sampling *how = s->how;
	struct sample_candidate *c = s->candidates;
	uint32_t n, k = how->top_k ? how->top_k : s->vocab;
	double total = 0, upto = 0, want, most;
	double top_p = how->top_p > 0 && how->top_p < 1 ? how->top_p : 2;

	n = keep_best(s, k < s->vocab ? k : s->vocab);
	if (n == 0)
		return -EILSEQ;
	most = c[0].logit;
	for (uint32_t i = 0; i < n; i++) {
		c[i].logit = (float)exp((c[i].logit - most) / how->temperature);
		total += c[i].logit;
	}
	for (uint32_t i = 0; i < n && upto <= top_p * total; i++)
		upto += c[i].logit;
	want = random_number(&s->random) * upto;
	for (uint32_t i = 0; i < n; i++) {
		want -= c[i].logit;
		if (want < 0)
			return c[i].token;
	}
	return c[0].token;
}

int64_t sample_pick(
	struct sampler *s, const float *logits, sample_allows allows, const void *context)
{
	memcpy(s->logits, logits, s->vocab * sizeof *logits);
	for (uint32_t i = 0; i < s->vocab; i++)
		if (!isfinite(logits[i]))
			return -EDOM;
	penalise(s);
	if (!(s->how->temperature > 0))
		return pick_greedy(s, allows, context);
	if (allows)
		refuse_others(s, allows, context);
	return pick_random(s);
}
