/*
 * kernel.h: the inner loops, once for each kind of processor.
 *
 * All rows and vectors are padded with zeros to a multiple of KERNEL_PAD numbers and
 * begin at a multiple of 64 bytes, so that no loop has a tail.
 *
 * How results differ between the kinds: int8 products of a block are whole numbers and
 * exact everywhere, vectors are quantised alike everywhere; what is left is the order in
 * which floats are added, and exp. One kind gives the same bits for a vector whether it
 * comes alone or with others.
 */
#ifndef AGENTCTL_MINIMIND_KERNEL_H
#define AGENTCTL_MINIMIND_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include "agentctl/provider/minimind/number.h"

enum { KERNEL_PAD = 64, KERNEL_BLOCK = 32 };

static inline size_t kernel_padded(size_t n)
{
	return (n + KERNEL_PAD - 1) / KERNEL_PAD * KERNEL_PAD;
}

/** A matrix, row after row. Of int8, data holds value + 128 as a byte, and each block of
 * 32 has its factor, a half, in scales: stride / 32 for each row. */
struct matrix {
	enum number type;
	uint32_t rows, cols, stride; /* stride: numbers from row to row, padded */
	void *data;
	uint16_t *scales; /* NUMBER_Q8 only */
};

/** Vectors to multiply with. The second half is what int8 needs (kernel_quantise): start
 * holds for every four numbers -128 times their sum, which takes the 128 out again. */
struct vectors {
	const float *f;
	size_t stride; /* of all arrays, in numbers; padded */
	unsigned n;
	int8_t *q;
	float *scale;	/* stride / 32 for each vector */
	int32_t *start; /* stride / 4 for each vector */
};

struct kernel {
	const char *name;
	/** out[v * out_stride + r] = row r of w times vector v, for rows first to last-1.
	 */
	void (*multiply[NUMBER_KINDS])(const struct matrix *w, uint32_t first,
		uint32_t last, const struct vectors *x, float *out, size_t out_stride);
	/** n is padded; scale is 0 for a block of zeros. */
	void (*quantise)(
		const float *x, size_t n, int8_t *q, float *scale, int32_t *start);
	float (*dot)(const float *a, const float *b, size_t n);
	/** y += a * x */
	void (*add_scaled)(float *y, float a, const float *x, size_t n);
	/** out = silu(gate) * up; any n, any alignment */
	void (*gate)(float *out, const float *gate, const float *up, size_t n);
	/** in place, n of any length; the sum is 1 */
	void (*softmax)(float *x, size_t n);
};

enum kernel_kind { KERNEL_AUTO, KERNEL_SCALAR, KERNEL_AVX2, KERNEL_AVX512 };

/** kernel_choose(kind): the inner loops of @kind, or the best that this processor has;
 * NULL if it has not got @kind. */
const struct kernel *kernel_choose(enum kernel_kind kind);

/** kernel_quantise(k, x): fill the second half of @x, for NUMBER_Q8. */
void kernel_quantise(const struct kernel *k, const struct vectors *x);

extern const struct kernel kernel_scalar;
#ifdef __x86_64__
extern const struct kernel kernel_avx2, kernel_avx512;
#endif

#endif
