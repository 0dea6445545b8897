/*
 * load.c: tensors of a file into the matrices that are laid out for them.
 *
 * Each tensor is found, compared with the shape and read row by row: into floats, looked
 * at, and from there into the form of the matrix.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/minimind/load.h"
#include "common/cleanup.h"
#include "common/mem.h"

enum { CHUNK_BYTES = 1 << 20 };

/* --- rows of numbers ------------------------------------------------------------------
 */

static void decode(const uint8_t *raw, enum tensor_type type, float *out, size_t n)
{
	uint16_t h;

	if (type == TENSOR_F32) {
		memcpy(out, raw, n * sizeof *out);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		memcpy(&h, raw + 2 * i, sizeof h);
		out[i] = type == TENSOR_F16 ? number_from_f16(h) : number_from_bf16(h);
	}
}

/* Rounds as q8_0 of ggml does, so that the two can be compared to the last bit. */
static void encode_q8(const float *x, uint8_t *q, uint16_t *scales, size_t n)
{
	for (size_t b = 0; b < n / KERNEL_BLOCK;
		b++, x += KERNEL_BLOCK, q += KERNEL_BLOCK) {
		float most = 0, by;

		for (int j = 0; j < KERNEL_BLOCK; j++)
			most = fmaxf(most, fabsf(x[j]));
		by = most / 127;
		scales[b] = number_to_f16(by);
		by = by > 0 ? 1 / by : 0;
		for (int j = 0; j < KERNEL_BLOCK; j++)
			q[j] = (uint8_t)(128 +
					 (int)fminf(127, fmaxf(-127, roundf(x[j] * by))));
	}
}

static void encode(const float *x, struct matrix *m, uint32_t row)
{
	size_t at = (size_t)row * m->stride;
	uint16_t *h = (uint16_t *)m->data + at;

	switch (m->type) {
	case NUMBER_F32: memcpy((float *)m->data + at, x, m->stride * sizeof *x); break;
	case NUMBER_F16:
		for (uint32_t i = 0; i < m->stride; i++)
			h[i] = number_to_f16(x[i]);
		break;
	case NUMBER_BF16:
		for (uint32_t i = 0; i < m->stride; i++)
			h[i] = number_to_bf16(x[i]);
		break;
	default:
		encode_q8(x, (uint8_t *)m->data + at, m->scales + at / KERNEL_BLOCK,
			m->stride);
	}
}

/* --- reading tensors ------------------------------------------------------------------
 */

struct load {
	const struct safetensors *tensors;
	struct why *why;
	float *row; /* one row of floats, zero behind its end */
	uint8_t *chunk;
	char name[160]; /* the tensor being read */
};

static int wrong(const struct load *l, const char *what)
{
	return why_set(l->why, -EINVAL, "tensor '%s' %s", l->name, what);
}

/* Find the tensor l->name and compare its shape; a dimension of 0 is not there. */
static int find(
	struct load *l, const struct tensor **out, uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t want[3] = {a, b, c};
	const struct tensor *t = safetensors_find(l->tensors, l->name);
	unsigned dims = c ? 3 : b ? 2 : 1;

	*out = t;
	if (!t)
		return wrong(l, "is missing");
	if (t->type == TENSOR_OTHER)
		return wrong(l, "is of a type not known here");
	if (t->dims != dims || memcmp(t->shape, want, dims * sizeof *want) != 0)
		return wrong(l, "has another shape than the config says");
	return 0;
}

static bool all_finite(const float *x, size_t n, float most)
{
	for (size_t i = 0; i < n; i++)
		if (!(fabsf(x[i]) <= most))
			return false;
	return true;
}

static int store_row(struct load *l, struct matrix *m, uint32_t row)
{
	/* int8 is limited by its factor, a half */
	const float most = m->type == NUMBER_F16    ? 65504
			   : m->type == NUMBER_Q8   ? 65504 * 127.0f
			   : m->type == NUMBER_BF16 ? 3.38e38f
						    : 3.4e38f;

	if (!all_finite(l->row, m->cols, most))
		return wrong(l, "holds what is no number or too large");
	encode(l->row, m, row);
	return 0;
}

/* Rows of @t from its row @from on into rows @first.. of @m. */
static int read_floats(struct load *l, const struct tensor *t, uint64_t from,
	struct matrix *m, uint32_t first, uint32_t rows)
{
	size_t row_bytes = (size_t)m->cols * tensor_element_bytes(t->type);
	uint32_t most = (uint32_t)(CHUNK_BYTES / row_bytes), n;
	int r = 0;

	for (uint32_t i = 0; i < rows && r == 0; i += n) {
		n = most < rows - i ? most : rows - i;
		r = source_read(&l->tensors->files[t->file],
			t->at + (from + i) * row_bytes, l->chunk, n * row_bytes, l->why);
		for (uint32_t j = 0; j < n && r == 0; j++) {
			decode(l->chunk + j * row_bytes, t->type, l->row, m->cols);
			memset(l->row + m->cols, 0,
				(m->stride - m->cols) * sizeof *l->row);
			r = store_row(l, m, first + i + j);
		}
	}
	return r;
}

static int read_q8_row(struct load *l, const struct tensor *t, const struct tensor *scale,
	uint64_t from, struct matrix *m, uint32_t row)
{
	size_t blocks = m->cols / KERNEL_BLOCK, at = (size_t)row * m->stride;
	const struct source *files = l->tensors->files;
	int8_t *q = (int8_t *)l->chunk;
	uint16_t *d = (uint16_t *)(l->chunk + m->cols);
	int r = source_read(&files[t->file], t->at + from * m->cols, q, m->cols, l->why);

	if (r == 0)
		r = source_read(&files[scale->file], scale->at + from * blocks * 2, d,
			blocks * 2, l->why);
	if (r != 0)
		return r;
	for (uint32_t i = 0; i < m->stride; i++)
		l->row[i] = i < m->cols
				    ? (float)q[i] * number_from_f16(d[i / KERNEL_BLOCK])
				    : 0;
	if (m->type != NUMBER_Q8)
		return store_row(l, m, row);
	if (!all_finite(l->row, m->cols, 65504 * 128.0f))
		return wrong(l, "holds what is no number");
	for (uint32_t i = 0; i < m->stride; i++)
		((uint8_t *)m->data)[at + i] = (uint8_t)(128 + (i < m->cols ? q[i] : 0));
	memcpy(m->scales + at / KERNEL_BLOCK, d, blocks * 2);
	return 0;
}

static int read_q8(struct load *l, const struct tensor *t, uint64_t from,
	struct matrix *m, uint32_t first, uint32_t rows)
{
	const struct tensor *scale;
	size_t n = strlen(l->name);
	int r;

	if (m->cols % KERNEL_BLOCK != 0)
		return wrong(l, "is int8 with rows that are no multiple of 32");
	snprintf(l->name + n, sizeof l->name - n, "_scale");
	if (t->dims == 3)
		r = find(l, &scale, t->shape[0], t->shape[1], m->cols / KERNEL_BLOCK);
	else
		r = find(l, &scale, t->shape[0], m->cols / KERNEL_BLOCK, 0);
	if (r == 0 && scale->type != TENSOR_F16)
		r = wrong(l, "is not F16");
	for (uint32_t i = 0; i < rows && r == 0; i++)
		r = read_q8_row(l, t, scale, from + i, m, first + i);
	l->name[n] = 0;
	return r;
}

static int read_rows(struct load *l, const struct tensor *t, uint64_t from,
	struct matrix *m, uint32_t first, uint32_t rows)
{
	return t->type == TENSOR_I8 ? read_q8(l, t, from, m, first, rows)
				    : read_floats(l, t, from, m, first, rows);
}

/* A tensor of its own, [rows, cols], into rows @first.. of @m. */
__attribute__((format(printf, 5, 6))) static int load_rows(struct load *l,
	struct matrix *m, uint32_t first, uint32_t rows, const char *fmt, ...)
{
	const struct tensor *t;
	va_list ap;
	int r;

	va_start(ap, fmt);
	vsnprintf(l->name, sizeof l->name, fmt, ap);
	va_end(ap);
	r = find(l, &t, rows, m->cols, 0);
	return r ? r : read_rows(l, t, 0, m, first, rows);
}

__attribute__((format(printf, 4, 5))) static int load_vector(
	struct load *l, float *out, uint32_t n, const char *fmt, ...)
{
	struct matrix m = {NUMBER_F32, 1, n, (uint32_t)kernel_padded(n), out, NULL};
	const struct tensor *t;
	va_list ap;
	int r;

	va_start(ap, fmt);
	vsnprintf(l->name, sizeof l->name, fmt, ap);
	va_end(ap);
	r = find(l, &t, n, 0, 0);
	if (r == 0 && t->type == TENSOR_I8)
		r = wrong(l, "is int8 where it may not be");
	return r ? r : read_floats(l, t, 0, &m, 0, 1);
}

static int load_mlp(struct load *l, struct mlp *m, const char *prefix)
{
	int r = load_rows(l, &m->gate_up, 0, m->inner, "%s.gate_proj.weight", prefix);

	if (r == 0)
		r = load_rows(
			l, &m->gate_up, m->inner, m->inner, "%s.up_proj.weight", prefix);
	if (r == 0)
		r = load_rows(
			l, &m->down, 0, m->down.rows, "%s.down_proj.weight", prefix);
	return r;
}

/* All experts of a layer in two tensors of three dimensions. */
static int load_stacked(
	struct load *l, const struct shape *s, struct layer *y, uint32_t i)
{
	const struct tensor *t;
	int r;

	snprintf(l->name, sizeof l->name, "model.layers.%u.mlp.experts.gate_up_proj", i);
	r = find(l, &t, s->experts, 2 * s->expert_inner, s->hidden);
	for (uint32_t e = 0; e < s->experts && r == 0; e++)
		r = read_rows(l, t, (uint64_t)e * 2 * s->expert_inner,
			&y->mlps[e].gate_up, 0, 2 * s->expert_inner);
	if (r != 0)
		return r;
	snprintf(l->name, sizeof l->name, "model.layers.%u.mlp.experts.down_proj", i);
	r = find(l, &t, s->experts, s->hidden, s->expert_inner);
	for (uint32_t e = 0; e < s->experts && r == 0; e++)
		r = read_rows(
			l, t, (uint64_t)e * s->hidden, &y->mlps[e].down, 0, s->hidden);
	return r;
}

static int load_experts(
	struct load *l, const struct weights *w, const struct shape *s, uint32_t i)
{
	struct layer *y = &w->layers[i];
	char prefix[96];
	int r = load_rows(
		l, &y->router, 0, s->experts, "model.layers.%u.mlp.gate.weight", i);

	snprintf(prefix, sizeof prefix, "model.layers.%u.mlp.experts.gate_up_proj", i);
	if (r == 0 && safetensors_find(l->tensors, prefix)) {
		r = load_stacked(l, s, y, i);
	} else {
		for (uint32_t e = 0; e < s->experts && r == 0; e++) {
			snprintf(prefix, sizeof prefix, "model.layers.%u.mlp.experts.%u",
				i, e);
			r = load_mlp(l, &y->mlps[e], prefix);
		}
	}
	for (uint32_t e = 0; e < w->always && r == 0; e++) {
		snprintf(prefix, sizeof prefix, "model.layers.%u.mlp.shared_experts.%u",
			i, e);
		r = load_mlp(l, &y->mlps[s->experts + e], prefix);
	}
	return r;
}

static int load_attention(
	struct load *l, const struct shape *s, struct layer *y, uint32_t i)
{
	uint32_t q = s->heads * s->head_dim, kv = s->kv_heads * s->head_dim;
	char p[64];
	int r;

	snprintf(p, sizeof p, "model.layers.%u.self_attn", i);
	r = load_rows(l, &y->qkv, 0, q, "%s.q_proj.weight", p);
	if (r == 0)
		r = load_rows(l, &y->qkv, q, kv, "%s.k_proj.weight", p);
	if (r == 0)
		r = load_rows(l, &y->qkv, q + kv, kv, "%s.v_proj.weight", p);
	if (r == 0)
		r = load_rows(l, &y->out, 0, s->hidden, "%s.o_proj.weight", p);
	if (r == 0 && y->norm_q)
		r = load_vector(l, y->norm_q, s->head_dim, "%s.q_norm.weight", p);
	if (r == 0 && y->norm_k)
		r = load_vector(l, y->norm_k, s->head_dim, "%s.k_norm.weight", p);
	return r;
}

static int load_layer(
	struct load *l, const struct weights *w, const struct shape *s, uint32_t i)
{
	struct layer *y = &w->layers[i];
	char mlp[64];
	int r = load_attention(l, s, y, i);

	if (r == 0)
		r = load_vector(l, y->norm_attention, s->hidden,
			"model.layers.%u.input_layernorm.weight", i);
	if (r == 0)
		r = load_vector(l, y->norm_mlp, s->hidden,
			"model.layers.%u.post_attention_layernorm.weight", i);
	if (r != 0 || s->experts > 0)
		return r ? r : load_experts(l, w, s, i);
	snprintf(mlp, sizeof mlp, "model.layers.%u.mlp", i);
	return load_mlp(l, &y->mlps[0], mlp);
}

static int load_all(struct load *l, const struct weights *w, const struct shape *s)
{
	struct matrix embedding = w->embedding, head = w->head;
	int r = load_rows(l, &embedding, 0, s->vocab, "model.embed_tokens.weight");

	if (r == 0 && s->head == SHAPE_UNTIED)
		r = load_rows(l, &head, 0, s->vocab, "lm_head.weight");
	if (r == 0)
		r = load_vector(l, w->norm, s->hidden, "model.norm.weight");
	for (uint32_t i = 0; i < s->layers && r == 0; i++)
		r = load_layer(l, w, s, i);
	return r;
}

int load_weights(const struct weights *w, const struct shape *shape,
	const struct safetensors *tensors, struct why *why)
{
	struct load l = {.tensors = tensors, .why = why};
	auto_free uint8_t *chunk = mem_alloc(CHUNK_BYTES);
	auto_free float *row = mem_alloc((SHAPE_HIDDEN_MAX + KERNEL_PAD) * sizeof *row);

	if (!chunk || !row)
		return why_set(why, -ENOMEM, "out of memory");
	l.chunk = chunk;
	l.row = row;
	return load_all(&l, w, shape);
}
