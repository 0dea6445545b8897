/*
 * weights.h: a model's matrices in memory, in the form the kernels want.
 *
 * Products with the same vector are joined: q, k and v are one matrix, gate and up are
 * one. Everything lies in one piece of memory.
 */
#ifndef AGENTCTL_MINIMIND_WEIGHTS_H
#define AGENTCTL_MINIMIND_WEIGHTS_H

#include "agentctl/provider/minimind/kernel.h"
#include "agentctl/provider/minimind/safetensors.h"
#include "agentctl/provider/minimind/shape.h"

/** out = down(silu(gate x) * up x); the rows of gate come first in gate_up. */
struct mlp {
	struct matrix gate_up, down;
	uint32_t inner;
};

struct layer {
	float *norm_attention, *norm_mlp;
	float *norm_q, *norm_k; /* NULL: none */
	struct matrix qkv, out;
	struct matrix router; /* f32; no rows in a dense model */
	struct mlp *mlps;     /* the experts, then those that always count */
};

struct weights {
	enum number type; /* of the large matrices */
	struct layer *layers;
	struct mlp *mlps;	       /* of all layers */
	uint32_t always;	       /* how many mlps of a layer always count */
	struct matrix embedding, head; /* head may share the embedding's memory */
	float *norm;
	void *memory;
	size_t bytes;
};

enum weights_form { WEIGHTS_AS_STORED, WEIGHTS_F32, WEIGHTS_16, WEIGHTS_Q8 };

/**
 * weights_load(w, shape, tensors, form, most, why): all matrices from @tensors, turned
 * into @form (WEIGHTS_16: bf16 where the file has bf16, else f16). Besides F32, F16 and
 * BF16 a file may hold int8: a tensor `NAME` of I8 with `NAME_scale` of F16, a factor for
 * each 32 of a row. -EINVAL where a tensor is missing, has another shape than @shape
 * wants or holds what is not finite; -EFBIG where more than @most bytes would be needed;
 * -ENOMEM.
 */
int weights_load(struct weights *w, const struct shape *shape,
	const struct safetensors *tensors, enum weights_form form, uint64_t most,
	struct why *why);
/** weights_free(w): zeroed is fine. */
void weights_free(struct weights *w);

/** weights_row(m, row, out): one row as floats, padded. */
void weights_row(const struct matrix *m, uint32_t row, float *out);

#endif
