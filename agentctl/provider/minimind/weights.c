/*
 * weights.c: a model's matrices in memory, in the form the kernels want.
 *
 * lay_out runs twice: without memory it only adds up how much is needed, then it hands
 * out places. Memory starts as zeros, which are the padding.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "agentctl/provider/minimind/load.h"
#include "agentctl/provider/minimind/weights.h"
#include "common/mem.h"

struct arena {
	uint8_t *base; /* NULL: only count */
	uint64_t used;
};

static void *take(struct arena *a, uint64_t bytes)
{
	void *p = a->base ? a->base + a->used : NULL;

	a->used += (bytes + 63) / 64 * 64;
	return p;
}

static float *take_vector(struct arena *a, uint32_t n)
{
	return take(a, kernel_padded(n) * sizeof(float));
}

static void take_matrix(
	struct arena *a, struct matrix *m, enum number type, uint32_t rows, uint32_t cols)
{
	static const unsigned bytes[] = {4, 2, 2, 1};

	m->type = type;
	m->rows = rows;
	m->cols = cols;
	m->stride = (uint32_t)kernel_padded(cols);
	m->data = take(a, (uint64_t)rows * m->stride * bytes[type]);
	if (type == NUMBER_Q8)
		m->scales = take(a, (uint64_t)rows * m->stride / KERNEL_BLOCK * 2);
}

static void lay_out_mlp(
	struct arena *a, struct mlp *m, enum number type, uint32_t hidden, uint32_t inner)
{
	m->inner = inner;
	take_matrix(a, &m->gate_up, type, 2 * inner, hidden);
	take_matrix(a, &m->down, type, hidden, inner);
}

static void lay_out_layer(
	struct arena *a, struct weights *w, const struct shape *s, struct layer *l)
{
	uint32_t q = s->heads * s->head_dim, kv = s->kv_heads * s->head_dim;

	l->norm_attention = take_vector(a, s->hidden);
	l->norm_mlp = take_vector(a, s->hidden);
	if (s->qk_norms == SHAPE_NORMS_YES) {
		l->norm_q = take_vector(a, s->head_dim);
		l->norm_k = take_vector(a, s->head_dim);
	}
	take_matrix(a, &l->qkv, w->type, q + 2 * kv, s->hidden);
	take_matrix(a, &l->out, w->type, s->hidden, q);
	take_matrix(a, &l->router, NUMBER_F32, s->experts, s->hidden);
	for (uint32_t e = 0; e < s->experts + w->always; e++)
		lay_out_mlp(a, &l->mlps[e], w->type, s->hidden,
			e < s->experts ? s->expert_inner : s->inner);
}

static void lay_out(struct arena *a, struct weights *w, const struct shape *s)
{
	take_matrix(a, &w->embedding, w->type, s->vocab, s->hidden);
	w->head = w->embedding;
	if (s->head == SHAPE_UNTIED)
		take_matrix(a, &w->head, w->type, s->vocab, s->hidden);
	w->norm = take_vector(a, s->hidden);
	for (uint32_t i = 0; i < s->layers; i++)
		lay_out_layer(a, w, s, &w->layers[i]);
}

void weights_row(const struct matrix *m, uint32_t row, float *out)
{
	size_t at = (size_t)row * m->stride;
	const uint16_t *h = (const uint16_t *)m->data + at;
	const uint8_t *q = (const uint8_t *)m->data + at;

	for (uint32_t i = 0; i < m->stride; i++) {
		switch (m->type) {
		case NUMBER_F32: out[i] = ((const float *)m->data)[at + i]; break;
		case NUMBER_F16: out[i] = number_from_f16(h[i]); break;
		case NUMBER_BF16: out[i] = number_from_bf16(h[i]); break;
		default:
			out[i] = (float)(q[i] - 128) *
				 number_from_f16(m->scales[(at + i) / KERNEL_BLOCK]);
		}
	}
}

/* What the config leaves open is what the file holds. */
static struct shape settle(const struct shape *shape, const struct safetensors *t)
{
	struct shape s = *shape;

	if (s.head == SHAPE_EITHER)
		s.head =
			safetensors_find(t, "lm_head.weight") ? SHAPE_UNTIED : SHAPE_TIED;
	if (s.qk_norms == SHAPE_NORMS_EITHER)
		s.qk_norms = safetensors_find(t, "model.layers.0.self_attn.q_norm.weight")
				     ? SHAPE_NORMS_YES
				     : SHAPE_NORMS_NO;
	return s;
}

static enum number choose_type(const struct safetensors *t, enum weights_form form)
{
	const struct tensor *e = safetensors_find(t, "model.embed_tokens.weight");
	enum tensor_type stored = e ? e->type : TENSOR_F32;

	switch (form) {
	case WEIGHTS_F32: return NUMBER_F32;
	case WEIGHTS_Q8: return NUMBER_Q8;
	case WEIGHTS_16: return stored == TENSOR_BF16 ? NUMBER_BF16 : NUMBER_F16;
	default: break;
	}
	return stored == TENSOR_BF16  ? NUMBER_BF16
	       : stored == TENSOR_F16 ? NUMBER_F16
	       : stored == TENSOR_I8  ? NUMBER_Q8
				      : NUMBER_F32;
}

static int allocate(
	struct weights *w, const struct shape *s, uint64_t most, struct why *why)
{
	struct arena count = {NULL, 64}, place;
	uint32_t n = s->experts + w->always;

	w->layers = mem_zalloc(s->layers * sizeof *w->layers);
	w->mlps = mem_zalloc((size_t)s->layers * n * sizeof *w->mlps);
	if (!w->layers || !w->mlps)
		return why_set(why, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < s->layers; i++)
		w->layers[i].mlps = w->mlps + (size_t)i * n;
	lay_out(&count, w, s);
	if (count.used > most || count.used > SIZE_MAX)
		return why_set(why, -EFBIG, "the model needs %llu MiB, more than allowed",
			(unsigned long long)(count.used >> 20));
	w->bytes = count.used;
	w->memory = mem_zalloc(w->bytes);
	if (!w->memory)
		return why_set(
			why, -ENOMEM, "no memory for a model of %zu MiB", w->bytes >> 20);
	place.base = (uint8_t *)(((uintptr_t)w->memory + 63) & ~(uintptr_t)63);
	place.used = 0;
	if (w->bytes >= 8 << 20) {
		uintptr_t from = ((uintptr_t)w->memory + 4095) & ~(uintptr_t)4095;

		madvise((void *)from, w->bytes - 4096, MADV_HUGEPAGE);
	}
	lay_out(&place, w, s);
	return 0;
}

int weights_load(struct weights *w, const struct shape *shape,
	const struct safetensors *tensors, enum weights_form form, uint64_t most,
	struct why *why)
{
	struct shape s = settle(shape, tensors);
	int r;

	memset(w, 0, sizeof *w);
	w->type = choose_type(tensors, form);
	w->always = s.experts > 0 ? s.shared_experts : 1;
	r = allocate(w, &s, most, why);
	if (r == 0)
		r = load_weights(w, &s, tensors, why);
	if (r != 0)
		weights_free(w);
	return r;
}

void weights_free(struct weights *w)
{
	free(w->layers);
	free(w->mlps);
	free(w->memory);
	memset(w, 0, sizeof *w);
}
