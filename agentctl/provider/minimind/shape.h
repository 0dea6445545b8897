/*
 * shape.h: what a config.json says about a model: sizes and variants.
 *
 * Known are Minimind's own form (generation 2 and 3, with or without experts) and the
 * forms its converter writes: llama, qwen3 and qwen3_moe. All of them are one network
 * with switches; a config that asks for anything else is refused.
 */
#ifndef AGENTCTL_MINIMIND_SHAPE_H
#define AGENTCTL_MINIMIND_SHAPE_H

#include <stdbool.h>
#include <stdint.h>
#include "agentctl/provider/minimind/why.h"

enum {
	SHAPE_HIDDEN_MAX = 1 << 16,
	SHAPE_LAYERS_MAX = 512,
	SHAPE_HEADS_MAX = 512,
	SHAPE_EXPERTS_MAX = 256,
	SHAPE_VOCAB_MAX = 1 << 20,
	SHAPE_CONTEXT_MAX = 1 << 20,
	SHAPE_ENDS_MAX = 8,
};

struct shape {
	uint32_t hidden, layers, heads, kv_heads, head_dim, vocab;
	uint32_t context;      /* max_position_embeddings */
	uint32_t inner;	       /* width of the dense or shared MLP */
	uint32_t expert_inner; /* width of one expert */
	uint32_t experts;      /* 0: dense */
	uint32_t top_k, shared_experts;
	bool normalise; /* divide the weights of the taken experts by their sum */
	enum {
		SHAPE_TIED,
		SHAPE_UNTIED,
		SHAPE_EITHER
	} head; /* output head = embedding? */
	enum { SHAPE_NORMS_NO, SHAPE_NORMS_YES, SHAPE_NORMS_EITHER } qk_norms;
	float eps;
	double theta;
	bool yarn;
	double yarn_factor, yarn_original, yarn_fast, yarn_slow, yarn_attention;
	uint32_t begin, ends[SHAPE_ENDS_MAX],
		n_ends; /* token ids; begin UINT32_MAX: none */
};

/** shape_read(s, text, size, why): -EINVAL where the config is damaged, out of the bounds
 * above, or of a network not known here. */
int shape_read(struct shape *s, const char *text, uint64_t size, struct why *why);

/** shape_is_end(s, token): whether @token ends an answer. */
bool shape_is_end(const struct shape *s, uint32_t token);

#endif
