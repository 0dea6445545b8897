/*
 * minimind.c: a model, opened from files or memory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/minimind/private.h"
#include "common/cleanup.h"
#include "common/mem.h"

enum { CONFIG_MAX = 1 << 20, TOKENIZER_MAX = 64 << 20 };

static const uint64_t default_max_bytes = 8ULL << 30;

/* Which is which is the same order on both sides. */
_Static_assert((int)MINIMIND_AVX512 == (int)KERNEL_AVX512 &&
		       (int)MINIMIND_INT8 == (int)WEIGHTS_Q8,
	"the public enums follow the private ones");

static int read_tokenizer(struct minimind *m, const struct source *s, struct why *why)
{
	auto_free char *text = NULL;
	int r = source_text(s, TOKENIZER_MAX, &text, why);

	if (r == 0)
		r = tokenizer_read(&m->tokenizer, text, s->size, why);
	if (r == 0 && tokenizer_size(m->tokenizer) > m->shape.vocab)
		r = why_set(why, -EINVAL, "the tokenizer has more tokens than the model");
	return r;
}

static int read_shape(struct minimind *m, const struct source *s, struct why *why)
{
	auto_free char *text = NULL;
	int r = source_text(s, CONFIG_MAX, &text, why);

	return r ? r : shape_read(&m->shape, text, s->size, why);
}

static int read_weights(struct minimind *m, const struct safetensors *t,
	const struct minimind_options *o, struct why *why)
{
	int r;

	m->kernel = kernel_choose((enum kernel_kind)o->cpu);
	if (!m->kernel)
		return why_set(why, -ENOTSUP, "the processor cannot run these loops");
	r = weights_load(&m->weights, &m->shape, t, (enum weights_form)o->form,
		o->max_bytes ? o->max_bytes : default_max_bytes, why);
	if (r != 0)
		return r;
	r = team_open(&m->team, o->threads);
	return r ? why_set(why, r, "cannot start threads: %s", strerror(-r)) : 0;
}

/* What is the same for files and memory. The sources stay the caller's. */
static int open_all(struct minimind **out, const struct source *config,
	const struct source *tokenizer, const struct safetensors *tensors,
	const struct minimind_options *options, struct why *why)
{
	static const struct minimind_options none;
	struct minimind *m = mem_zalloc(sizeof *m);
	int r;

	if (!m)
		return why_set(why, -ENOMEM, "out of memory");
	r = read_shape(m, config, why);
	if (r == 0)
		r = read_tokenizer(m, tokenizer, why);
	if (r == 0)
		r = read_weights(m, tensors, options ? options : &none, why);
	if (r != 0) {
		minimind_close(m);
		return r;
	}
	*out = m;
	return 0;
}

int minimind_open(struct minimind **out, const char *dir,
	const struct minimind_options *options, char *message, size_t size)
{
	struct source config = {.fd = -1}, tokenizer = {.fd = -1};
	struct safetensors tensors = {0};
	struct why why = {""};
	int r = source_open(&config, dir, "config.json", &why);

	*out = NULL;
	if (r == 0)
		r = source_open(&tokenizer, dir, "tokenizer.json", &why);
	if (r == 0)
		r = safetensors_open(&tensors, dir, &why);
	if (r == 0)
		r = open_all(out, &config, &tokenizer, &tensors, options, &why);
	safetensors_close(&tensors);
	source_close(&tokenizer);
	source_close(&config);
	snprintf(message, size, "%s", why.text);
	return r;
}

int minimind_open_memory(struct minimind **out, struct minimind_blob config,
	struct minimind_blob tokenizer, struct minimind_blob tensors,
	const struct minimind_options *options, char *message, size_t size)
{
	struct source c, k;
	struct safetensors t;
	struct why why = {""};
	int r;

	*out = NULL;
	source_memory(&c, config.data, config.size, "config.json");
	source_memory(&k, tokenizer.data, tokenizer.size, "tokenizer.json");
	r = safetensors_memory(&t, tensors.data, tensors.size, &why);
	if (r == 0)
		r = open_all(out, &c, &k, &t, options, &why);
	safetensors_close(&t);
	snprintf(message, size, "%s", why.text);
	return r;
}

void minimind_close(struct minimind *m)
{
	if (!m)
		return;
	team_close(m->team);
	weights_free(&m->weights);
	tokenizer_free(m->tokenizer);
	free(m);
}

static uint64_t bytes_of(const struct matrix *m)
{
	static const unsigned eighths[] = {32, 16, 16, 8};
	uint64_t n = (uint64_t)m->rows * m->stride;

	return n * eighths[m->type] / 8 +
	       (m->type == NUMBER_Q8 ? n / KERNEL_BLOCK * 2 : 0);
}

/* The head, and of each layer attention, router, and those experts that are taken. */
static uint64_t token_bytes(const struct minimind *m)
{
	const struct shape *s = &m->shape;
	uint64_t n = bytes_of(&m->weights.head);

	for (uint32_t i = 0; i < s->layers; i++) {
		const struct layer *l = &m->weights.layers[i];

		n += bytes_of(&l->qkv) + bytes_of(&l->out) + bytes_of(&l->router);
		for (uint32_t e = 0; e < s->experts + m->weights.always; e++)
			if (e < s->top_k || e >= s->experts)
				n += bytes_of(&l->mlps[e].gate_up) +
				     bytes_of(&l->mlps[e].down);
	}
	return n;
}

struct minimind_info minimind_info(const struct minimind *m)
{
	static const char *const forms[] = {"f32", "f16", "bf16", "int8"};
	const struct shape *s = &m->shape;

	return (struct minimind_info){s->vocab, s->context, s->hidden, s->layers,
		s->experts, m->weights.bytes, token_bytes(m), m->kernel->name,
		forms[m->weights.type]};
}

int minimind_encode(const struct minimind *m, const struct minimind_text *parts, size_t n,
	uint32_t **ids, size_t *count)
{
	return tokenizer_encode(m->tokenizer, parts, n, ids, count);
}

const char *minimind_piece(const struct minimind *m, uint32_t id, size_t *len)
{
	return tokenizer_piece(m->tokenizer, id, len);
}

uint32_t minimind_token(const struct minimind *m, const char *text)
{
	return tokenizer_find(m->tokenizer, text);
}

bool minimind_is_end(const struct minimind *m, uint32_t id)
{
	return shape_is_end(&m->shape, id);
}
