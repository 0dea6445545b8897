/*
 * sample.h: which token comes next.
 */
#ifndef AGENTCTL_MINIMIND_SAMPLE_H
#define AGENTCTL_MINIMIND_SAMPLE_H

#include "agentctl/provider/minimind/minimind.h"

/** Whether a token may come next; NULL instead of the function: any may. */
typedef bool (*sample_allows)(const void *context, uint32_t token);

struct sample_candidate {
	float logit;
	uint32_t token;
};

struct sampler {
	const struct minimind_sampling *how;
	uint64_t random;
	uint32_t vocab;
	float *logits;
	bool *seen; /* tokens that the penalty counts */
	struct sample_candidate *candidates;
};

/** sample_open(s, how, vocab): @how must outlive it. -ENOMEM. */
int sample_open(struct sampler *s, const struct minimind_sampling *how, uint32_t vocab);
void sample_close(struct sampler *s);

/** sample_see(s, token): it is in the text, count it for the penalty. */
void sample_see(struct sampler *s, uint32_t token);

/** sample_pick(s, logits, allows, context): the next token; -EDOM if no logit is a
 * number, -EILSEQ if no token is allowed. */
int64_t sample_pick(struct sampler *s, const float *logits, sample_allows allows,
	const void *context);

#endif
