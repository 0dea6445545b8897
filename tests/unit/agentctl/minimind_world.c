/*
 * minimind_world.c: small models made in memory, and what they must answer.
 */
#include <check.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/minimind/number.h"
#include "tests/unit/agentctl/minimind_world.h"

#define SAME                                                                          \
	"\"vocab_size\":272,\"num_hidden_layers\":2,\"max_position_embeddings\":256," \
	"\"bos_token_id\":1,\"eos_token_id\":2,"

const struct world_shape world_shapes[WORLD_KINDS] = {
	{"gen2 moe",
		"{" SAME "\"model_type\":\"minimind\",\"hidden_size\":64,\"num_attention_"
		"heads\":4,"
		"\"num_key_value_heads\":2,\"use_moe\":true,\"n_routed_experts\":4,"
		"\"num_experts_per_tok\":2,\"n_shared_experts\":1,\"norm_topk_prob\":"
		"true,"
		"\"intermediate_size\":null,\"rms_norm_eps\":1e-05,\"rope_theta\":"
		"1000000.0}",
		64, 2, 4, 2, 16, 192, 4, 2, 1, 192, false, true, true, false, 1e-5, 1e6},
	{"gen2 dense",
		"{" SAME "\"model_type\":\"llama\",\"hidden_size\":40,"
		"\"num_attention_heads\":2,\"num_key_value_heads\":1,"
		"\"intermediate_size\":72,\"rms_norm_eps\":1e-5,\"rope_theta\":10000}",
		40, 2, 2, 1, 20, 72, 0, 0, 0, 0, false, false, true, false, 1e-5, 1e4},
	{"gen3 moe",
		"{" SAME
		"\"model_type\":\"qwen3_moe\",\"hidden_size\":96,\"head_dim\":32,"
		"\"num_attention_heads\":4,\"num_key_value_heads\":2,\"num_experts\":4,"
		"\"num_experts_per_tok\":1,\"moe_intermediate_size\":64,"
		"\"intermediate_size\":128,\"norm_topk_prob\":true,"
		"\"decoder_sparse_step\":1,\"mlp_only_layers\":[],\"rms_norm_eps\":1e-6,"
		"\"rope_parameters\":{\"rope_type\":\"default\",\"rope_theta\":1e6}}",
		96, 2, 4, 2, 32, 128, 4, 1, 0, 64, true, true, true, false, 1e-6, 1e6},
	{"gen3 moe, top 2 of 6, untied",
		"{" SAME "\"model_type\":\"minimind\",\"hidden_size\":64,\"head_dim\":24,"
		"\"num_attention_heads\":4,\"num_key_value_heads\":4,\"use_moe\":true,"
		"\"num_experts\":6,\"num_experts_per_tok\":2,\"moe_intermediate_size\":"
		"32,"
		"\"intermediate_size\":64,\"norm_topk_prob\":false,"
		"\"tie_word_embeddings\":false,\"rms_norm_eps\":1e-6,\"rope_theta\":1e6}",
		64, 2, 4, 4, 24, 64, 6, 2, 0, 32, true, false, false, false, 1e-6, 1e6},
	{"gen3 dense",
		"{" SAME "\"model_type\":\"qwen3\",\"hidden_size\":64,\"head_dim\":16,"
		"\"num_attention_heads\":4,\"num_key_value_heads\":2,"
		"\"intermediate_size\":96,\"rms_norm_eps\":1e-6,\"rope_theta\":1e6,"
		"\"tie_word_embeddings\":true}",
		64, 2, 4, 2, 16, 96, 0, 0, 0, 0, true, false, true, false, 1e-6, 1e6},
	{"gen3 dense with yarn",
		"{" SAME "\"model_type\":\"minimind\",\"hidden_size\":64,\"head_dim\":32,"
		"\"num_attention_heads\":2,\"num_key_value_heads\":2,"
		"\"intermediate_size\":96,\"inference_rope_scaling\":true}",
		64, 2, 2, 2, 32, 96, 0, 0, 0, 0, true, false, true, true, 1e-6, 1e6},
};

/* --- weights --------------------------------------------------------------------------
 */

/* Multiples of 1/64 below 2 have few digits: F16 and BF16 hold them. */
static float random_weight(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (float)((int)(*state >> 58) - 32) / 64;
}

static struct world_tensor *add(struct world *w, uint64_t *state, size_t a, size_t b,
	size_t c, const char *fmt, ...)
{
	struct world_tensor *t = &w->tensors[w->n++];
	size_t n = a * (b ? b : 1) * (c ? c : 1);
	va_list ap;

	memset(t, 0, sizeof *t);
	va_start(ap, fmt);
	vsnprintf(t->name, sizeof t->name, fmt, ap);
	va_end(ap);
	t->dims = c ? 3 : b ? 2 : 1;
	t->shape[0] = a;
	t->shape[1] = b;
	t->shape[2] = c;
	t->data = calloc(n, sizeof *t->data);
	for (size_t i = 0; i < n; i++)
		t->data[i] = b ? random_weight(state) * 0.5f : 1 + random_weight(state);
	return t;
}

static void add_mlp(struct world *w, uint64_t *state, unsigned inner, const char *prefix)
{
	unsigned h = w->shape->hidden;

	add(w, state, inner, h, 0, "%s.gate_proj.weight", prefix);
	add(w, state, inner, h, 0, "%s.up_proj.weight", prefix);
	add(w, state, h, inner, 0, "%s.down_proj.weight", prefix);
}

static void add_experts(struct world *w, uint64_t *state, unsigned i, bool stacked)
{
	const struct world_shape *s = w->shape;
	char p[80];

	add(w, state, s->experts, s->hidden, 0, "model.layers.%u.mlp.gate.weight", i);
	if (stacked) {
		add(w, state, s->experts, 2 * s->expert_inner, s->hidden,
			"model.layers.%u.mlp.experts.gate_up_proj", i);
		add(w, state, s->experts, s->hidden, s->expert_inner,
			"model.layers.%u.mlp.experts.down_proj", i);
	}
	for (unsigned e = 0; e < s->experts && !stacked; e++) {
		snprintf(p, sizeof p, "model.layers.%u.mlp.experts.%u", i, e);
		add_mlp(w, state, s->expert_inner, p);
	}
	for (unsigned e = 0; e < s->shared; e++) {
		snprintf(p, sizeof p, "model.layers.%u.mlp.shared_experts.%u", i, e);
		add_mlp(w, state, s->inner, p);
	}
}

static void add_layer(struct world *w, uint64_t *state, unsigned i, bool stacked)
{
	const struct world_shape *s = w->shape;
	unsigned q = s->heads * s->dim, kv = s->kv * s->dim;
	char p[80];

	snprintf(p, sizeof p, "model.layers.%u", i);
	add(w, state, s->hidden, 0, 0, "%s.input_layernorm.weight", p);
	add(w, state, s->hidden, 0, 0, "%s.post_attention_layernorm.weight", p);
	add(w, state, q, s->hidden, 0, "%s.self_attn.q_proj.weight", p);
	add(w, state, kv, s->hidden, 0, "%s.self_attn.k_proj.weight", p);
	add(w, state, kv, s->hidden, 0, "%s.self_attn.v_proj.weight", p);
	add(w, state, s->hidden, q, 0, "%s.self_attn.o_proj.weight", p);
	if (s->norms) {
		add(w, state, s->dim, 0, 0, "%s.self_attn.q_norm.weight", p);
		add(w, state, s->dim, 0, 0, "%s.self_attn.k_norm.weight", p);
	}
	if (s->experts) {
		add_experts(w, state, i, stacked);
		return;
	}
	snprintf(p, sizeof p, "model.layers.%u.mlp", i);
	add_mlp(w, state, s->inner, p);
}

/* --- the file -------------------------------------------------------------------------
 */

static size_t count(const struct world_tensor *t)
{
	return t->shape[0] * (t->dims > 1 ? t->shape[1] : 1) *
	       (t->dims > 2 ? t->shape[2] : 1);
}

static size_t put_numbers(const struct world_tensor *t, const char *type, char *out)
{
	size_t n = count(t);

	if (strcmp(type, "F32") == 0) {
		memcpy(out, t->data, n * 4);
		return n * 4;
	}
	for (size_t i = 0; i < n; i++) {
		uint16_t h = type[0] == 'B' ? number_to_bf16(t->data[i])
					    : number_to_f16(t->data[i]);

		memcpy(out + 2 * i, &h, 2);
	}
	return n * 2;
}

/* Rows of int8 with a factor of 1/128 for each 32, which holds our weights exactly. */
static size_t put_int8(const struct world_tensor *t, char *out, char *scales)
{
	size_t n = count(t);
	uint16_t h = number_to_f16(1.0f / 128);

	for (size_t i = 0; i < n; i++)
		out[i] = (char)(int)(t->data[i] * 128);
	for (size_t i = 0; i < n / 32; i++)
		memcpy(scales + 2 * i, &h, 2);
	return n;
}

static int describe(char *head, const struct world_tensor *t, const char *suffix,
	const char *type, size_t from, size_t to)
{
	size_t last = t->shape[t->dims - 1] / (*suffix ? 32 : 1);
	int n = sprintf(
		head, "\"%s%s\":{\"dtype\":\"%s\",\"shape\":[", t->name, suffix, type);

	for (unsigned d = 0; d + 1 < t->dims; d++)
		n += sprintf(head + n, "%zu,", t->shape[d]);
	return n + sprintf(head + n, "%zu],\"data_offsets\":[%zu,%zu]},", last, from, to);
}

static void pack(struct world *w, const char *type)
{
	char *head = calloc(w->n, 512), *data;
	size_t used = 0, room = 0, size;
	uint64_t head_n = 1;

	for (size_t i = 0; i < w->n; i++)
		room += count(&w->tensors[i]) * 6;
	data = calloc(1, room);
	head[0] = '{';
	for (size_t i = 0; i < w->n; i++) {
		const struct world_tensor *t = &w->tensors[i];
		bool int8 = strcmp(type, "I8") == 0 && t->dims > 1 &&
			    t->shape[t->dims - 1] % 32 == 0 &&
			    !strstr(t->name, "mlp.gate.");

		if (int8) {
			size_t n = put_int8(t, data + used, data + used + count(t));

			head_n += (size_t)describe(
				head + head_n, t, "", "I8", used, used + n);
			head_n += (size_t)describe(head + head_n, t, "_scale", "F16",
				used + n, used + n + n / 16);
			used += n + n / 16;
			continue;
		}
		size = put_numbers(
			t, strcmp(type, "I8") == 0 ? "F32" : type, data + used);
		head_n += (size_t)describe(head + head_n, t, "",
			strcmp(type, "I8") == 0 ? "F32" : type, used, used + size);
		used += size;
	}
	head[head_n - 1] = '}';
	w->size = 8 + head_n + used;
	w->file = malloc(w->size);
	memcpy(w->file, &head_n, 8);
	memcpy(w->file + 8, head, head_n);
	memcpy(w->file + 8 + head_n, data, used);
	free(head);
	free(data);
}

void world_make(struct world *w, int kind, const char *type, bool stacked)
{
	const struct world_shape *s = &world_shapes[kind];
	uint64_t state = 7;

	*w = (struct world){.shape = s, .tensors = calloc(200, sizeof *w->tensors)};
	add(w, &state, WORLD_VOCAB, s->hidden, 0, "model.embed_tokens.weight");
	if (!s->tied)
		add(w, &state, WORLD_VOCAB, s->hidden, 0, "lm_head.weight");
	add(w, &state, s->hidden, 0, 0, "model.norm.weight");
	for (unsigned i = 0; i < s->layers; i++)
		add_layer(w, &state, i, stacked);
	pack(w, type);
}

void world_free(struct world *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->tensors[i].data);
	free(w->tensors);
	free(w->file);
}

int world_try(struct minimind **m, const char *config, const char *tokenizer,
	const char *file, size_t size, char *message, size_t room)
{
	const struct minimind_blob c = {config, strlen(config)},
				   t = {tokenizer, strlen(tokenizer)}, f = {file, size};

	return minimind_open_memory(m, c, t, f, NULL, message, room);
}

struct minimind *world_open(
	const struct world *w, enum minimind_form form, enum minimind_cpu cpu)
{
	const struct minimind_blob c = {w->shape->config, strlen(w->shape->config)},
				   t = {world_tokenizer, strlen(world_tokenizer)},
				   f = {w->file, w->size};
	const struct minimind_options o = {.form = form, .cpu = cpu};
	struct minimind *m;
	char message[256];

	ck_assert_msg(minimind_open_memory(&m, c, t, f, &o, message, sizeof message) == 0,
		"%s: %s", w->shape->name, message);
	return m;
}

/* --- what it must answer --------------------------------------------------------------
 */

static const float *get(const struct world *w, const char *fmt, ...)
{
	char name[96];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof name, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < w->n; i++)
		if (strcmp(w->tensors[i].name, name) == 0)
			return w->tensors[i].data;
	ck_abort_msg("no tensor '%s'", name);
	return NULL;
}

static void times(const float *m, const double *x, double *out, size_t rows, size_t cols)
{
	for (size_t r = 0; r < rows; r++) {
		out[r] = 0;
		for (size_t c = 0; c < cols; c++)
			out[r] += (double)m[r * cols + c] * x[c];
	}
}

static void norm(const double *x, const float *w, double *out, size_t n, double eps)
{
	double total = 0;

	for (size_t i = 0; i < n; i++)
		total += x[i] * x[i];
	for (size_t i = 0; i < n; i++)
		out[i] = x[i] / sqrt(total / (double)n + eps) * (double)w[i];
}

static double frequency(const struct world_shape *s, unsigned i)
{
	double f = pow(s->theta, -2.0 * i / s->dim), low, high, ramp;
	double per = s->dim / (2 * log(s->theta));

	if (!s->yarn)
		return f;
	low = floor(per * log(2048 / (2 * M_PI * 32)));
	high = fmin(ceil(per * log(2048 / (2 * M_PI))), s->dim / 2.0 - 1);
	low = fmax(low, 0);
	ramp = fmin(fmax((i - low) / (high - low), 0), 1);
	return f * (1 - ramp + ramp / 16);
}

static void turn(const struct world_shape *s, double *head, size_t at)
{
	unsigned half = s->dim / 2;

	for (unsigned i = 0; i < half; i++) {
		double angle = (double)at * frequency(s, i), a = head[i],
		       b = head[i + half];

		head[i] = a * cos(angle) - b * sin(angle);
		head[i + half] = b * cos(angle) + a * sin(angle);
	}
}

enum { MOST = 256 };

struct cache {
	double k[4][MOST][MOST], v[4][MOST][MOST]; /* layer, position, heads * dim */
};

static void attention(const struct world *w, unsigned layer, struct cache *c, size_t at,
	const double *h, double *x)
{
	const struct world_shape *s = w->shape;
	double q[MOST], out[MOST], back[MOST], score[MOST], total;
	unsigned d = s->dim;

	times(get(w, "model.layers.%u.self_attn.q_proj.weight", layer), h, q,
		s->heads * d, s->hidden);
	times(get(w, "model.layers.%u.self_attn.k_proj.weight", layer), h,
		c->k[layer][at], s->kv * d, s->hidden);
	times(get(w, "model.layers.%u.self_attn.v_proj.weight", layer), h,
		c->v[layer][at], s->kv * d, s->hidden);
	for (unsigned i = 0; i < s->heads + s->kv; i++) {
		bool key = i >= s->heads;
		double *head = key ? c->k[layer][at] + (i - s->heads) * d : q + i * d;

		if (s->norms)
			norm(head,
				get(w, "model.layers.%u.self_attn.%c_norm.weight", layer,
					key ? 'k' : 'q'),
				head, d, s->eps);
		turn(s, head, at);
	}
	for (unsigned i = 0; i < s->heads; i++) {
		unsigned kv = i / (s->heads / s->kv);

		total = 0;
		for (size_t u = 0; u <= at; u++) {
			score[u] = 0;
			for (unsigned j = 0; j < d; j++)
				score[u] += q[i * d + j] * c->k[layer][u][kv * d + j];
			score[u] = exp(score[u] / sqrt(d));
			total += score[u];
		}
		for (unsigned j = 0; j < d; j++) {
			out[i * d + j] = 0;
			for (size_t u = 0; u <= at; u++)
				out[i * d + j] +=
					score[u] / total * c->v[layer][u][kv * d + j];
		}
	}
	times(get(w, "model.layers.%u.self_attn.o_proj.weight", layer), out, back,
		s->hidden, s->heads * d);
	for (unsigned i = 0; i < s->hidden; i++)
		x[i] += back[i];
}

static void add_gated(const float *gate, const float *up, const float *down,
	const double *h, double *x, double by, unsigned hidden, unsigned inner)
{
	double g[MOST], u[MOST], out[MOST];

	times(gate, h, g, inner, hidden);
	times(up, h, u, inner, hidden);
	for (unsigned i = 0; i < inner; i++)
		g[i] = g[i] / (1 + exp(-g[i])) * u[i];
	times(down, g, out, hidden, inner);
	for (unsigned i = 0; i < hidden; i++)
		x[i] += by * out[i];
}

static void add_mlp_of(const struct world *w, const char *p, const double *h, double *x,
	double by, unsigned inner)
{
	add_gated(get(w, "%s.gate_proj.weight", p), get(w, "%s.up_proj.weight", p),
		get(w, "%s.down_proj.weight", p), h, x, by, w->shape->hidden, inner);
}

static bool is_stacked(const struct world *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (strstr(w->tensors[i].name, "gate_up_proj"))
			return true;
	return false;
}

static void add_expert(const struct world *w, unsigned layer, unsigned e, const double *h,
	double *x, double by)
{
	const struct world_shape *s = w->shape;
	size_t half = (size_t)s->expert_inner * s->hidden;
	const float *up;
	char p[80];

	if (!is_stacked(w)) {
		snprintf(p, sizeof p, "model.layers.%u.mlp.experts.%u", layer, e);
		add_mlp_of(w, p, h, x, by, s->expert_inner);
		return;
	}
	up = get(w, "model.layers.%u.mlp.experts.gate_up_proj", layer) + e * 2 * half;
	add_gated(up, up + half,
		get(w, "model.layers.%u.mlp.experts.down_proj", layer) + e * half, h, x,
		by, s->hidden, s->expert_inner);
}

static void experts(const struct world *w, unsigned layer, const double *h, double *x)
{
	const struct world_shape *s = w->shape;
	double p[16], total = 0, taken = 0;
	bool in[16] = {false};
	char name[80];

	times(get(w, "model.layers.%u.mlp.gate.weight", layer), h, p, s->experts,
		s->hidden);
	for (unsigned e = 0; e < s->experts; e++)
		total += p[e] = exp(p[e]);
	for (unsigned i = 0; i < s->top; i++) {
		unsigned best = 0;

		while (in[best])
			best++;
		for (unsigned e = best; e < s->experts; e++)
			if (!in[e] && p[e] > p[best])
				best = e;
		in[best] = true;
		taken += p[best];
	}
	for (unsigned e = 0; e < s->experts; e++)
		if (in[e])
			add_expert(
				w, layer, e, h, x, p[e] / (s->normalise ? taken : total));
	for (unsigned e = 0; e < s->shared; e++) {
		snprintf(name, sizeof name, "model.layers.%u.mlp.shared_experts.%u",
			layer, e);
		add_mlp_of(w, name, h, x, 1, s->inner);
	}
}

void world_logits(const struct world *w, const uint32_t *ids, size_t n, double *out)
{
	const struct world_shape *s = w->shape;
	struct cache *c = calloc(1, sizeof *c);
	const float *embedding = get(w, "model.embed_tokens.weight");
	double x[MOST] = {0}, h[MOST];
	char p[80];

	for (size_t at = 0; at < n; at++) {
		for (unsigned i = 0; i < s->hidden; i++)
			x[i] = embedding[ids[at] * s->hidden + i];
		for (unsigned l = 0; l < s->layers; l++) {
			norm(x, get(w, "model.layers.%u.input_layernorm.weight", l), h,
				s->hidden, s->eps);
			attention(w, l, c, at, h, x);
			norm(x,
				get(w, "model.layers.%u.post_attention_layernorm.weight",
					l),
				h, s->hidden, s->eps);
			snprintf(p, sizeof p, "model.layers.%u.mlp", l);
			if (s->experts)
				experts(w, l, h, x);
			else
				add_mlp_of(w, p, h, x, 1, s->inner);
		}
	}
	norm(x, get(w, "model.norm.weight"), h, s->hidden, s->eps);
	times(s->tied ? embedding : get(w, "lm_head.weight"), h, out, WORLD_VOCAB,
		s->hidden);
	free(c);
}
