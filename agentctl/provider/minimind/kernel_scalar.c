/*
 * kernel_scalar.c: the inner loops in plain C. Sums run in LANES parts, which any
 * compiler can put side by side without changing what comes out.
 */
#include <math.h>
#include "agentctl/provider/minimind/kernel.h"

enum { LANES = 16 };

static float sum(const float *s)
{
	float t = 0;

	for (int i = 0; i < LANES; i++)
		t += s[i];
	return t;
}

static float dot(const float *a, const float *b, size_t n)
{
	float s[LANES] = {0};
	size_t i = 0;

	for (; i + LANES <= n; i += LANES)
		for (int j = 0; j < LANES; j++)
			s[j] += a[i + j] * b[i + j];
	for (int j = 0; i < n; i++, j++)
		s[j] += a[i] * b[i];
	return sum(s);
}

static float dot_f16(const uint16_t *w, const float *x, size_t n)
{
	float s[LANES] = {0};

	for (size_t i = 0; i < n; i += LANES)
		for (int j = 0; j < LANES; j++)
			s[j] += number_from_f16(w[i + j]) * x[i + j];
	return sum(s);
}

static float dot_bf16(const uint16_t *w, const float *x, size_t n)
{
	float s[LANES] = {0};

	for (size_t i = 0; i < n; i += LANES)
		for (int j = 0; j < LANES; j++)
			s[j] += number_from_bf16(w[i + j]) * x[i + j];
	return sum(s);
}

static float dot_q8(const uint8_t *w, const uint16_t *scales, const int8_t *q,
	const float *scale, size_t n)
{
	float s = 0;

	for (size_t b = 0; b < n / KERNEL_BLOCK;
		b++, w += KERNEL_BLOCK, q += KERNEL_BLOCK) {
		int32_t t = 0;

		for (int j = 0; j < KERNEL_BLOCK; j++)
			t += (w[j] - 128) * q[j];
		s += (float)t * (number_from_f16(scales[b]) * scale[b]);
	}
	return s;
}

#define MULTIPLY(NAME, TYPE, DOT)                                                        \
	static void NAME(const struct matrix *w, uint32_t first, uint32_t last,          \
		const struct vectors *x, float *out, size_t out_stride)                  \
	{                                                                                \
		for (uint32_t r = first; r < last; r++) {                                \
			const TYPE *row = (const TYPE *)w->data + (size_t)r * w->stride; \
                                                                                         \
			for (unsigned v = 0; v < x->n; v++)                              \
				out[v * out_stride + r] =                                \
					DOT(row, x->f + v * x->stride, w->stride);       \
		}                                                                        \
	}

MULTIPLY(multiply_f32, float, dot)
MULTIPLY(multiply_f16, uint16_t, dot_f16)
MULTIPLY(multiply_bf16, uint16_t, dot_bf16)

static void multiply_q8(const struct matrix *w, uint32_t first, uint32_t last,
	const struct vectors *x, float *out, size_t out_stride)
{
	size_t blocks = w->stride / KERNEL_BLOCK;

	for (uint32_t r = first; r < last; r++)
		for (unsigned v = 0; v < x->n; v++)
			out[v * out_stride + r] = dot_q8(
				(const uint8_t *)w->data + (size_t)r * w->stride,
				w->scales + r * blocks, x->q + v * x->stride,
				x->scale + v * (x->stride / KERNEL_BLOCK), w->stride);
}

/* What is not finite becomes 0 with a scale that is not finite either. */
static void quantise(const float *x, size_t n, int8_t *q, float *scale, int32_t *start)
{
	for (size_t b = 0; b < n / KERNEL_BLOCK;
		b++, x += KERNEL_BLOCK, q += KERNEL_BLOCK) {
		float most = 0, by, v;

		for (int j = 0; j < KERNEL_BLOCK; j++)
			most = fmaxf(most, fabsf(x[j]));
		scale[b] = most / 127;
		by = scale[b] > 0 ? 1 / scale[b] : 0;
		for (int j = 0; j < KERNEL_BLOCK; j++) {
			v = rintf(x[j] * by);
			q[j] = v >= -127 && v <= 127 ? (int8_t)v : 0;
		}
		for (int j = 0; j < KERNEL_BLOCK / 4; j++, q += 4)
			*start++ = -128 * (q[0] + q[1] + q[2] + q[3]);
		q -= KERNEL_BLOCK;
	}
}

static void add_scaled(float *y, float a, const float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		y[i] += a * x[i];
}

static void gate(float *out, const float *g, const float *up, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = g[i] / (1 + expf(-g[i])) * up[i];
}

static void softmax(float *x, size_t n)
{
	float most = x[0], total = 0;

	for (size_t i = 1; i < n; i++)
		most = x[i] > most ? x[i] : most;
	for (size_t i = 0; i < n; i++) {
		x[i] = expf(x[i] - most);
		total += x[i];
	}
	for (size_t i = 0; i < n; i++)
		x[i] /= total;
}

const struct kernel kernel_scalar = {
	.name = "scalar",
	.multiply = {multiply_f32, multiply_f16, multiply_bf16, multiply_q8},
	.quantise = quantise,
	.dot = dot,
	.add_scaled = add_scaled,
	.gate = gate,
	.softmax = softmax,
};
