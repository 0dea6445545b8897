/*
 * minimind_world.h: small models made in memory, and what they must answer, computed in
 * double and in the plainest way from the formulas.
 */
#ifndef TESTS_UNIT_AGENTCTL_MINIMIND_WORLD_H
#define TESTS_UNIT_AGENTCTL_MINIMIND_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agentctl/provider/minimind/minimind.h"

enum { WORLD_VOCAB = 272, WORLD_KINDS = 6 };

struct world_tensor {
	char name[96];
	unsigned dims;
	size_t shape[3];
	float *data;
};

/** A network's sizes, and the config.json that says the same. */
struct world_shape {
	const char *name, *config;
	unsigned hidden, layers, heads, kv, dim, inner;
	unsigned experts, top, shared, expert_inner;
	bool norms, normalise, tied, yarn;
	double eps, theta;
};

struct world {
	const struct world_shape *shape;
	struct world_tensor *tensors;
	size_t n;
	char *file; /* safetensors */
	size_t size;
};

extern const struct world_shape world_shapes[WORLD_KINDS];
extern const char world_tokenizer[];

/** world_make(w, kind, type): random weights, the same each time, that numbers of @type
 * ("F32", "F16", "BF16" or "I8") can hold exactly, and a file of them. @stacked: experts
 * of a layer in one tensor. */
void world_make(struct world *w, int kind, const char *type, bool stacked);
void world_free(struct world *w);

/** world_open(w, form, cpu): the engine's model of it; fails the test. */
struct minimind *world_open(
	const struct world *w, enum minimind_form form, enum minimind_cpu cpu);
/** world_try(w, message): the same for any file, options none; the error. */
int world_try(struct minimind **m, const char *config, const char *tokenizer,
	const char *file, size_t size, char *message, size_t room);

/** world_logits(w, ids, n, out): WORLD_VOCAB logits behind the last of @n ids. */
void world_logits(const struct world *w, const uint32_t *ids, size_t n, double *out);

#endif
