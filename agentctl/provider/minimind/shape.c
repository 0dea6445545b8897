/*
 * shape.c: what a config.json says about a model: sizes and variants.
 *
 * The generations name the same things differently, so each value is asked for by all of
 * its names. What a model file of generation 2 leaves out is what its code falls back to.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "agentctl/provider/minimind/jtext.h"
#include "agentctl/provider/minimind/shape.h"

struct config {
	const struct jtext *d;
	struct why *why;
	int error; /* the first one; later questions change nothing */
};

/* The value of @key, 0 where it is absent or null. */
static uint32_t find(const struct config *c, uint32_t object, const char *key)
{
	uint32_t v = jtext_get(c->d, object, key);

	return v && jtext_kind(c->d, v) != JTEXT_NULL ? v : 0;
}

static void refuse(struct config *c, const char *key, const char *what)
{
	if (c->error == 0)
		c->error = why_set(c->why, -EINVAL, "config: '%s' %s", key, what);
}

/* A whole number from 1 (or 0 with @most's sign) to most; @fallback where it is absent,
 * which is refused if @fallback is negative. */
static uint32_t count(
	struct config *c, const char *key, uint64_t least, uint64_t most, long fallback)
{
	uint32_t node = find(c, 0, key);
	uint64_t v = 0;

	if (!node && fallback < 0)
		refuse(c, key, "is missing");
	if (!node)
		return fallback < 0 ? 0 : (uint32_t)fallback;
	if (!jtext_uint(c->d, node, &v) || v < least || v > most) {
		refuse(c, key, "is out of bounds");
		return 0;
	}
	return (uint32_t)v;
}

static double real(
	struct config *c, uint32_t object, const char *key, double most, double fallback)
{
	uint32_t node = find(c, object, key);
	double v;

	if (!node)
		return fallback;
	if (!jtext_number(c->d, node, &v) || !(v > 0) || v > most) {
		refuse(c, key, "is out of bounds");
		return fallback;
	}
	return v;
}

static bool truth(struct config *c, const char *key, bool fallback)
{
	uint32_t node = find(c, 0, key);

	if (!node)
		return fallback;
	if (jtext_kind(c->d, node) != JTEXT_TRUE && jtext_kind(c->d, node) != JTEXT_FALSE)
		refuse(c, key, "is neither true nor false");
	return jtext_kind(c->d, node) == JTEXT_TRUE;
}

enum family { MINIMIND, LLAMA, QWEN3, QWEN3_MOE };

static enum family family_of(struct config *c)
{
	static const char *const names[] = {"minimind", "llama", "qwen3", "qwen3_moe"};
	uint32_t type = find(c, 0, "model_type");

	if (!type)
		return MINIMIND;
	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
		if (jtext_is(c->d, type, names[i]))
			return (enum family)i;
	refuse(c, "model_type", "is no network known here");
	return MINIMIND;
}

/* Switches of other networks must stand where ours has them. */
static void refuse_foreign(struct config *c)
{
	static const char *const off[] = {"attention_bias", "mlp_bias", "bias",
		"use_sliding_window", "parallel_residual"};
	uint32_t act = find(c, 0, "hidden_act"), sparse = find(c, 0, "mlp_only_layers");
	uint32_t scoring = find(c, 0, "scoring_func");

	for (unsigned i = 0; i < sizeof off / sizeof off[0]; i++)
		if (truth(c, off[i], false))
			refuse(c, off[i], "is not supported");
	if (act && !jtext_is(c->d, act, "silu"))
		refuse(c, "hidden_act", "is not silu");
	if (scoring && !jtext_is(c->d, scoring, "softmax"))
		refuse(c, "scoring_func", "is not softmax");
	if (sparse && jtext_count(c->d, sparse) > 0)
		refuse(c, "mlp_only_layers", "is not supported");
	if (count(c, "decoder_sparse_step", 0, 1 << 20, 1) != 1)
		refuse(c, "decoder_sparse_step", "is not 1");
}

static void read_experts(struct config *c, struct shape *s, enum family family)
{
	bool second = find(c, 0, "n_routed_experts") != 0;
	bool moe =
		family == QWEN3_MOE || (family == MINIMIND && truth(c, "use_moe", false));

	if (!moe)
		return;
	s->experts = count(c, second ? "n_routed_experts" : "num_experts", 1,
		SHAPE_EXPERTS_MAX, family == MINIMIND ? 4 : -1);
	s->top_k = count(c, "num_experts_per_tok", 1, SHAPE_EXPERTS_MAX,
		family == MINIMIND ? (second ? 2 : 1) : -1);
	if (s->top_k > s->experts)
		refuse(c, "num_experts_per_tok", "is more than there are");
	s->shared_experts = count(c, "n_shared_experts", 0, 16, second ? 1 : 0);
	s->expert_inner =
		count(c, "moe_intermediate_size", 1, SHAPE_HIDDEN_MAX, (long)s->inner);
	/* Generation 2 leaves a single expert's weight as it is. */
	s->normalise = truth(c, "norm_topk_prob", family == MINIMIND) &&
		       !(second && s->top_k == 1);
}

static uint32_t default_inner(uint32_t hidden, bool third)
{
	double v = third ? hidden * 3.14159265358979323846 : floor(hidden * 8 / 3.0);

	return (uint32_t)(64 * ceil(v / 64));
}

static void read_yarn(struct config *c, struct shape *s, uint32_t o, bool own)
{
	s->yarn = true;
	s->yarn_factor = real(c, o, "factor", 1e6, 16);
	s->yarn_original = real(c, o, "original_max_position_embeddings", 1e9, 2048);
	s->yarn_fast = real(c, o, "beta_fast", 1e6, 32);
	s->yarn_slow = real(c, o, "beta_slow", 1e6, 1);
	s->yarn_attention = real(
		c, o, "attention_factor", 1e6, own ? 1 : 0.1 * log(s->yarn_factor) + 1);
}

/* Minimind has a switch of its own and its numbers in the code; others say it all in
 * rope_scaling, or since transformers 5 in rope_parameters together with theta. */
static void read_rope(struct config *c, struct shape *s, enum family family)
{
	uint32_t parameters = find(c, 0, "rope_parameters");
	uint32_t scaling = find(c, 0, "rope_scaling"), type;

	s->theta = real(
		c, parameters, "rope_theta", 1e12, real(c, 0, "rope_theta", 1e12, 1e6));
	if (family == MINIMIND) {
		if (truth(c, "inference_rope_scaling", false))
			read_yarn(c, s, scaling, true);
		return;
	}
	if (!scaling)
		scaling = parameters;
	type = scaling ? find(c, scaling, "rope_type") : 0;
	if (scaling && !type)
		type = find(c, scaling, "type");
	if (!type || jtext_is(c->d, type, "default"))
		return;
	if (!jtext_is(c->d, type, "yarn"))
		refuse(c, "rope_scaling", "is of a type not known here");
	read_yarn(c, s, scaling, false);
}

static void add_end(struct config *c, struct shape *s, uint32_t node)
{
	uint64_t v;

	if (!jtext_uint(c->d, node, &v) || v >= s->vocab || s->n_ends == SHAPE_ENDS_MAX)
		refuse(c, "eos_token_id", "is out of bounds");
	else
		s->ends[s->n_ends++] = (uint32_t)v;
}

static void read_tokens(struct config *c, struct shape *s)
{
	uint32_t node = find(c, 0, "eos_token_id");

	s->begin = UINT32_MAX;
	if (find(c, 0, "bos_token_id"))
		s->begin = count(c, "bos_token_id", 0, s->vocab - 1, -1);
	if (!node && s->vocab > 2)
		s->ends[s->n_ends++] = 2;
	if (!node)
		return;
	if (jtext_kind(c->d, node) != JTEXT_ARRAY) {
		add_end(c, s, node);
		return;
	}
	for (uint32_t i = jtext_first(c->d, node); i < jtext_end(c->d, node);
		i = jtext_next(c->d, i))
		add_end(c, s, i);
}

static void read_all(struct config *c, struct shape *s)
{
	enum family family = family_of(c);
	bool third = find(c, 0, "head_dim") || family == QWEN3 || family == QWEN3_MOE;

	refuse_foreign(c);
	s->hidden = count(c, "hidden_size", 8, SHAPE_HIDDEN_MAX, -1);
	s->layers = count(c, "num_hidden_layers", 1, SHAPE_LAYERS_MAX, -1);
	s->heads = count(c, "num_attention_heads", 1, SHAPE_HEADS_MAX, -1);
	s->vocab = count(c, "vocab_size", 1, SHAPE_VOCAB_MAX, -1);
	if (c->error != 0)
		return;
	s->kv_heads = count(c, "num_key_value_heads", 1, SHAPE_HEADS_MAX, (long)s->heads);
	s->head_dim = count(c, "head_dim", 2, 1024, (long)(s->hidden / s->heads));
	s->context = count(c, "max_position_embeddings", 1, SHAPE_CONTEXT_MAX, 32768);
	s->inner = count(c, "intermediate_size", 1, SHAPE_HIDDEN_MAX,
		(long)default_inner(s->hidden, third));
	s->eps = (float)real(c, 0, "rms_norm_eps", 1, third ? 1e-6 : 1e-5);
	if (c->error == 0 &&
		(s->heads % s->kv_heads != 0 || s->head_dim % 2 != 0 || s->head_dim < 2 ||
			s->heads * s->head_dim > SHAPE_HIDDEN_MAX))
		refuse(c, "num_attention_heads", "and the sizes beside it do not fit");
	s->head = SHAPE_EITHER;
	if (find(c, 0, "tie_word_embeddings"))
		s->head =
			truth(c, "tie_word_embeddings", true) ? SHAPE_TIED : SHAPE_UNTIED;
	s->qk_norms = family == MINIMIND ? SHAPE_NORMS_EITHER
		      : family == LLAMA	 ? SHAPE_NORMS_NO
					 : SHAPE_NORMS_YES;
	read_experts(c, s, family);
	read_rope(c, s, family);
	read_tokens(c, s);
}

int shape_read(struct shape *s, const char *text, uint64_t size, struct why *why)
{
	struct jtext d = {0};
	struct config c = {.d = &d, .why = why};
	int r = jtext_parse(&d, text, size, "config.json", why);

	memset(s, 0, sizeof *s);
	if (r == 0 && jtext_kind(&d, 0) != JTEXT_OBJECT)
		r = why_set(why, -EINVAL, "'config.json' is no object");
	if (r == 0) {
		read_all(&c, s);
		r = c.error;
	}
	jtext_free(&d);
	return r;
}

bool shape_is_end(const struct shape *s, uint32_t token)
{
	for (uint32_t i = 0; i < s->n_ends; i++)
		if (s->ends[i] == token)
			return true;
	return false;
}
