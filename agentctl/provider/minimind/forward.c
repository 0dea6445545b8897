/*
 * forward.c: tokens through the network, with a cache of keys and values.
 *
 *	x = embedding of the token
 *	each layer:
 *	    h = norm(x); q, k, v = Wqkv h; [norm q, k by head]; turn q, k by position
 *	    x += Wo (softmax(q . K / sqrt d) V)          head by head, over the cache
 *	    h = norm(x); x += sum of the taken experts' weight * mlp(h)
 *	logits = head norm(x)
 *
 * Several tokens go side by side, so that a row of weights is fetched once for all of
 * them; an expert gets those tokens that took it, in order. The order of all sums for one
 * token is the same whatever goes beside it, so results do not depend on the batch.
 *
 * Keys and values lie [layer][kv head][position][head_dim], so a head reads a straight
 *run. Products are cut by rows and attention by heads among the team, from a size on
 *where that is worth the hand-over.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/minimind/forward.h"
#include "common/mem.h"

enum { SHARED_FROM = 1 << 16 }; /* numbers in a matrix from which a team pays */

struct forward {
	const struct shape *s;
	const struct weights *w;
	const struct kernel *k;
	struct team *team;
	uint32_t context;
	uint32_t q_width, kv_width; /* all heads together */
	void *allocated;
	float *memory; /* in allocated, aligned; NULL while room is counted */
	float *keys, *values;
	float *turn; /* frequency of each pair of a head */
	float turn_scale;
	/* for each token of a batch; strides in numbers */
	size_t hidden_stride, qkv_stride, att_stride, up_stride, act_stride;
	float *x, *h, *qkv, *att, *up, *act, *back;
	float *gate;   /* router's logits, stride experts */
	float *picked; /* weight of each expert for each token, 0: not taken */
	float *scores; /* a run of context for each thread */
	float *cosine, *sine;
	float *logits;
	int8_t *q8;
	float *q8_scale;
	int32_t *q8_start;
};

/* --- opening --------------------------------------------------------------------------
 */

/* YaRN: pairs that turn slowly are slowed by the factor, fast ones are left alone. */
static double yarn(const struct shape *s, uint32_t i, double frequency)
{
	double d = s->head_dim, low, high, ramp;
	double per = d / (2 * log(s->theta)), two_pi = 2 * M_PI;

	low = floor(per * log(s->yarn_original / (s->yarn_fast * two_pi)));
	high = ceil(per * log(s->yarn_original / (s->yarn_slow * two_pi)));
	low = fmax(low, 0);
	high = fmin(high, d / 2 - 1);
	ramp = high > low ? (i - low) / (high - low) : (i > low);
	ramp = fmin(fmax(ramp, 0), 1);
	return frequency * (1 - ramp + ramp / s->yarn_factor);
}

static void set_turns(struct forward *f)
{
	const struct shape *s = f->s;

	for (uint32_t i = 0; i < s->head_dim / 2; i++) {
		double v = 1 / pow(s->theta, 2.0 * i / s->head_dim);

		f->turn[i] = (float)(s->yarn ? yarn(s, i, v) : v);
	}
	f->turn_scale = s->yarn ? (float)s->yarn_attention : 1;
}

/* Hands out floats of one piece of memory, or only counts them. */
static void place(struct forward *f, float **to, size_t *used, size_t n)
{
	*to = f->memory ? f->memory + *used : NULL;
	*used += kernel_padded(n);
}

static size_t lay_out(struct forward *f)
{
	const struct shape *s = f->s;
	size_t used = 0, cache = (size_t)s->layers * f->kv_width * f->context;
	size_t widest = f->hidden_stride;
	float *start, *q8;

	widest = f->att_stride > widest ? f->att_stride : widest;
	widest = f->act_stride > widest ? f->act_stride : widest;
	place(f, &f->x, &used, FORWARD_BATCH * f->hidden_stride);
	place(f, &f->h, &used, FORWARD_BATCH * f->hidden_stride);
	place(f, &f->back, &used, 2 * FORWARD_BATCH * f->hidden_stride);
	place(f, &f->qkv, &used, FORWARD_BATCH * f->qkv_stride);
	place(f, &f->att, &used, FORWARD_BATCH * f->att_stride);
	place(f, &f->up, &used, FORWARD_BATCH * f->up_stride);
	place(f, &f->act, &used, FORWARD_BATCH * f->act_stride);
	place(f, &f->gate, &used, FORWARD_BATCH * (size_t)s->experts);
	place(f, &f->picked, &used, FORWARD_BATCH * (size_t)s->experts);
	place(f, &f->turn, &used, s->head_dim / 2);
	place(f, &f->cosine, &used, FORWARD_BATCH * (size_t)s->head_dim / 2);
	place(f, &f->sine, &used, FORWARD_BATCH * (size_t)s->head_dim / 2);
	place(f, &f->logits, &used, s->vocab);
	place(f, &f->q8_scale, &used, FORWARD_BATCH * widest / KERNEL_BLOCK);
	place(f, &start, &used, FORWARD_BATCH * widest / 4);
	place(f, &q8, &used, FORWARD_BATCH * widest / 4);
	f->q8_start = (void *)start;
	f->q8 = (void *)q8;
	place(f, &f->scores, &used,
		team_size(f->team) * kernel_padded((size_t)f->context));
	place(f, &f->keys, &used, cache);
	place(f, &f->values, &used, cache);
	return used;
}

int forward_open(struct forward **out, const struct shape *shape,
	const struct weights *weights, const struct kernel *kernel, struct team *team,
	uint32_t context)
{
	struct forward *f = mem_zalloc(sizeof *f);
	uint32_t inner = 0;
	size_t n;

	*out = NULL;
	if (!f)
		return -ENOMEM;
	f->s = shape;
	f->w = weights;
	f->k = kernel;
	f->team = team;
	f->context = context;
	f->q_width = shape->heads * shape->head_dim;
	f->kv_width = shape->kv_heads * shape->head_dim;
	for (uint32_t e = 0; e < shape->experts + weights->always; e++)
		if (weights->mlps[e].inner > inner)
			inner = weights->mlps[e].inner;
	f->hidden_stride = kernel_padded(shape->hidden);
	f->qkv_stride = kernel_padded(f->q_width + 2 * (size_t)f->kv_width);
	f->att_stride = kernel_padded(f->q_width);
	f->up_stride = kernel_padded(2 * (size_t)inner);
	f->act_stride = kernel_padded(inner);
	n = lay_out(f);
	/* aligned_alloc would touch the zeros; calloc gets fresh pages */
	f->allocated = mem_zalloc(n * sizeof(float) + 64);
	if (!f->allocated) {
		free(f);
		return -ENOMEM;
	}
	f->memory = (float *)(((uintptr_t)f->allocated + 63) & ~(uintptr_t)63);
	lay_out(f);
	set_turns(f);
	*out = f;
	return 0;
}

void forward_close(struct forward *f)
{
	if (!f)
		return;
	free(f->allocated);
	free(f);
}

/* --- parts ----------------------------------------------------------------------------
 */

static void norm(
	const struct forward *f, const float *x, const float *w, float *out, size_t n)
{
	float by = 1 / sqrtf(f->k->dot(x, x, n) / (float)n + f->s->eps);

	for (size_t i = 0; i < n; i++)
		out[i] = x[i] * by * w[i];
}

struct product {
	const struct forward *f;
	const struct matrix *w;
	struct vectors x;
	float *out;
	size_t out_stride;
};

static void multiply_part(void *context, unsigned part, unsigned parts, unsigned thread)
{
	const struct product *p = context;
	uint32_t first = (uint32_t)((uint64_t)p->w->rows * part / parts);
	uint32_t last = (uint32_t)((uint64_t)p->w->rows * (part + 1) / parts);

	p->f->k->multiply[p->w->type](p->w, first, last, &p->x, p->out, p->out_stride);
}

/* out = w x for n vectors; x has the stride of w. */
static void multiply(const struct forward *f, const struct matrix *w, const float *x,
	unsigned n, float *out, size_t out_stride)
{
	struct product p = {f, w, {x, w->stride, n, f->q8, f->q8_scale, f->q8_start}, out,
		out_stride};

	if (w->type == NUMBER_Q8)
		kernel_quantise(f->k, &p.x);
	if ((uint64_t)w->rows * w->stride * n < SHARED_FROM)
		multiply_part(&p, 0, 1, 0);
	else
		team_run(f->team, multiply_part, &p);
}

/* Angles as the reference computes them: float times float, then cosine. */
static void set_angles(struct forward *f, unsigned n, uint32_t at)
{
	uint32_t half = f->s->head_dim / 2;

	for (unsigned t = 0; t < n; t++)
		for (uint32_t i = 0; i < half; i++) {
			float angle = (float)(at + t) * f->turn[i];

			f->cosine[t * half + i] = cosf(angle) * f->turn_scale;
			f->sine[t * half + i] = sinf(angle) * f->turn_scale;
		}
}

static void turn(const struct forward *f, float *head, unsigned t)
{
	uint32_t half = f->s->head_dim / 2;
	const float *c = f->cosine + t * half, *s = f->sine + t * half;

	for (uint32_t i = 0; i < half; i++) {
		float a = head[i], b = head[i + half];

		head[i] = a * c[i] - b * s[i];
		head[i + half] = b * c[i] + a * s[i];
	}
}

static size_t cache_at(
	const struct forward *f, uint32_t layer, uint32_t head, uint32_t at)
{
	return (((size_t)layer * f->s->kv_heads + head) * f->context + at) *
	       f->s->head_dim;
}

/* Norm and turn queries and keys of a token, and put keys and values into the cache. */
static void place_token(struct forward *f, uint32_t layer, unsigned t, uint32_t at)
{
	const struct layer *l = &f->w->layers[layer];
	uint32_t d = f->s->head_dim;
	float *q = f->qkv + t * f->qkv_stride, *k = q + f->q_width;
	const float *v = k + f->kv_width;

	for (uint32_t i = 0; i < f->s->heads; i++) {
		if (l->norm_q)
			norm(f, q + i * d, l->norm_q, q + i * d, d);
		turn(f, q + i * d, t);
	}
	for (uint32_t i = 0; i < f->s->kv_heads; i++) {
		if (l->norm_k)
			norm(f, k + i * d, l->norm_k, k + i * d, d);
		turn(f, k + i * d, t);
		memcpy(f->keys + cache_at(f, layer, i, at), k + i * d, d * sizeof *k);
		memcpy(f->values + cache_at(f, layer, i, at), v + i * d, d * sizeof *v);
	}
}

struct attention {
	struct forward *f;
	uint32_t layer, at;
	unsigned n;
};

static void attend(const struct attention *a, uint32_t head, unsigned t, float *scores)
{
	const struct forward *f = a->f;
	uint32_t d = f->s->head_dim, kv = head / (f->s->heads / f->s->kv_heads);
	const float *q = f->qkv + t * f->qkv_stride + (size_t)head * d;
	const float *k = f->keys + cache_at(f, a->layer, kv, 0);
	const float *v = f->values + cache_at(f, a->layer, kv, 0);
	float *out = f->att + t * f->att_stride + (size_t)head * d;
	float by = 1 / sqrtf((float)d);
	size_t last = a->at + t;

	for (size_t u = 0; u <= last; u++)
		scores[u] = f->k->dot(q, k + u * d, d) * by;
	f->k->softmax(scores, last + 1);
	memset(out, 0, d * sizeof *out);
	for (size_t u = 0; u <= last; u++)
		f->k->add_scaled(out, scores[u], v + u * d, d);
}

static void attend_part(void *context, unsigned part, unsigned parts, unsigned thread)
{
	const struct attention *a = context;
	const struct shape *s = a->f->s;
	float *scores = a->f->scores + thread * kernel_padded(a->f->context);

	for (uint32_t h = s->heads * part / parts; h < s->heads * (part + 1) / parts; h++)
		for (unsigned t = 0; t < a->n; t++)
			attend(a, h, t, scores);
}

static void attention(struct forward *f, uint32_t layer, unsigned n, uint32_t at)
{
	const struct layer *l = &f->w->layers[layer];
	struct attention a = {f, layer, at, n};

	for (unsigned t = 0; t < n; t++)
		norm(f, f->x + t * f->hidden_stride, l->norm_attention,
			f->h + t * f->hidden_stride, f->s->hidden);
	multiply(f, &l->qkv, f->h, n, f->qkv, f->qkv_stride);
	for (unsigned t = 0; t < n; t++)
		place_token(f, layer, t, at + t);
	if ((uint64_t)f->kv_width * (at + n) * n < SHARED_FROM)
		attend_part(&a, 0, 1, 0);
	else
		team_run(f->team, attend_part, &a);
	multiply(f, &l->out, f->att, n, f->back, f->hidden_stride);
	for (unsigned t = 0; t < n; t++)
		f->k->add_scaled(f->x + t * f->hidden_stride, 1,
			f->back + t * f->hidden_stride, f->s->hidden);
}

/* Turn a token's router logits into the weights of the experts it takes. */
static void pick(const struct forward *f, const float *gate, float *picked)
{
	const struct shape *s = f->s;
	float p[SHAPE_EXPERTS_MAX], total = 0;
	uint32_t best;

	memcpy(p, gate, s->experts * sizeof *p);
	memset(picked, 0, s->experts * sizeof *picked);
	f->k->softmax(p, s->experts);
	for (uint32_t i = 0; i < s->top_k; i++) {
		best = UINT32_MAX;
		for (uint32_t e = 0; e < s->experts; e++)
			if (picked[e] == 0 && (best == UINT32_MAX || p[e] > p[best]))
				best = e;
		if (best == UINT32_MAX)
			break;
		picked[best] = p[best];
		total += p[best];
	}
	for (uint32_t e = 0; e < s->experts && s->normalise; e++)
		picked[e] /= total + 1e-20f;
}

/* Those tokens of h that take an expert (all: those that always count) through it. */
static void run_mlp(struct forward *f, const struct mlp *m, uint32_t expert, unsigned n)
{
	unsigned taken[FORWARD_BATCH], count = 0;
	size_t stride = f->hidden_stride;
	const float *in = f->h;
	float *gathered = f->back + FORWARD_BATCH * stride;
	bool all = expert >= f->s->experts;

	for (unsigned t = 0; t < n; t++)
		if (all || f->picked[t * f->s->experts + expert] != 0)
			taken[count++] = t;
	if (count == 0)
		return;
	if (count < n) {
		for (unsigned i = 0; i < count; i++)
			memcpy(gathered + i * stride, f->h + taken[i] * stride,
				stride * sizeof *in);
		in = gathered;
	}
	multiply(f, &m->gate_up, in, count, f->up, f->up_stride);
	for (unsigned i = 0; i < count; i++) {
		float *act = f->act + i * m->down.stride;

		f->k->gate(act, f->up + i * f->up_stride,
			f->up + i * f->up_stride + m->inner, m->inner);
		memset(act + m->inner, 0, (m->down.stride - m->inner) * sizeof *act);
	}
	multiply(f, &m->down, f->act, count, f->back, stride);
	for (unsigned i = 0; i < count; i++)
		f->k->add_scaled(f->x + taken[i] * stride,
			all ? 1 : f->picked[taken[i] * f->s->experts + expert],
			f->back + i * stride, f->s->hidden);
}

static void mlps(struct forward *f, const struct layer *l, unsigned n)
{
	const struct shape *s = f->s;

	for (unsigned t = 0; t < n; t++)
		norm(f, f->x + t * f->hidden_stride, l->norm_mlp,
			f->h + t * f->hidden_stride, s->hidden);
	if (s->experts > 0)
		multiply(f, &l->router, f->h, n, f->gate, s->experts);
	for (unsigned t = 0; t < n && s->experts > 0; t++)
		pick(f, f->gate + t * s->experts, f->picked + t * s->experts);
	for (uint32_t e = 0; e < s->experts + f->w->always; e++)
		run_mlp(f, &l->mlps[e], e, n);
}

const float *forward_run(struct forward *f, const uint32_t *tokens, size_t n, uint32_t at)
{
	unsigned some = 0;

	for (size_t done = 0; done < n; done += some, at += some) {
		some = n - done < FORWARD_BATCH ? (unsigned)(n - done) : FORWARD_BATCH;
		for (unsigned t = 0; t < some; t++)
			weights_row(&f->w->embedding, tokens[done + t],
				f->x + t * f->hidden_stride);
		set_angles(f, some, at);
		for (uint32_t i = 0; i < f->s->layers; i++) {
			attention(f, i, some, at);
			mlps(f, &f->w->layers[i], some);
		}
	}
	norm(f, f->x + (some - 1) * f->hidden_stride, f->w->norm, f->h, f->s->hidden);
	multiply(f, &f->w->head, f->h, 1, f->logits, f->s->vocab);
	return f->logits;
}
