/*
 * kernel_avx512.c: the inner loops for processors with AVX-512 and VNNI.
 *
 * A row is multiplied with up to four vectors at once, so that it is fetched once. Each
 * vector has four sums of sixteen lanes, whether it is alone or not, so that its result
 * is the same.
 *
 * int8: VPDPBUSD adds products of an unsigned and a signed byte by fours. Weights are the
 * unsigned ones, 128 too large, and a lane begins with -128 times the sum of its four
 * vector bytes. Each half of a register is a block with a factor of its own.
 */
#ifdef __x86_64__
#include <immintrin.h>
#include "agentctl/provider/minimind/kernel.h"

#define TARGET \
	__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,fma")))
#define INLINE static inline __attribute__((always_inline)) TARGET

/* How far ahead of the row's place memory is asked for. */
enum { AHEAD = 4096 };

INLINE __m512 load_f32(const void *row, size_t i)
{
	return _mm512_loadu_ps((const float *)row + i);
}

INLINE __m512 load_f16(const void *row, size_t i)
{
	return _mm512_cvtph_ps(
		_mm256_loadu_si256((const void *)((const uint16_t *)row + i)));
}

INLINE __m512 load_bf16(const void *row, size_t i)
{
	__m256i h = _mm256_loadu_si256((const void *)((const uint16_t *)row + i));

	return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16));
}

INLINE float sum4(const __m512 *s)
{
	return _mm512_reduce_add_ps(
		_mm512_add_ps(_mm512_add_ps(s[0], s[1]), _mm512_add_ps(s[2], s[3])));
}

/* One row and a fixed number of vectors; BYTES is the size of a number. */
#define ROW(NAME, LOAD, BYTES, COUNT)                                                    \
	INLINE void NAME(const void *row, size_t n, const float *x, size_t stride,       \
		float *out, size_t out_stride)                                           \
	{                                                                                \
		__m512 s[COUNT][4];                                                      \
                                                                                         \
		for (int v = 0; v < (COUNT); v++)                                        \
			for (int j = 0; j < 4; j++)                                      \
				s[v][j] = _mm512_setzero_ps();                           \
		for (size_t i = 0; i < n; i += 64) {                                     \
			for (int j = 0; j < (BYTES); j++)                                \
				_mm_prefetch((const char *)row + i * (BYTES) + AHEAD +   \
						     j * 64,                             \
					_MM_HINT_T0);                                    \
			for (int j = 0; j < 4; j++) {                                    \
				__m512 w = LOAD(row, i + (size_t)j * 16);                \
                                                                                         \
				for (int v = 0; v < (COUNT); v++)                        \
					s[v][j] = _mm512_fmadd_ps(w,                     \
						_mm512_loadu_ps(x + (size_t)v * stride + \
								i + j * 16),             \
						s[v][j]);                                \
			}                                                                \
		}                                                                        \
		for (int v = 0; v < (COUNT); v++)                                        \
			out[v * out_stride] = sum4(s[v]);                                \
	}

#define MULTIPLY(NAME, LOAD, BYTES)                                                      \
	ROW(NAME##_one, LOAD, BYTES, 1)                                                  \
	ROW(NAME##_four, LOAD, BYTES, 4)                                                 \
	static TARGET void NAME(const struct matrix *w, uint32_t first, uint32_t last,   \
		const struct vectors *x, float *out, size_t out_stride)                  \
	{                                                                                \
		for (uint32_t r = first; r < last; r++) {                                \
			const char *row =                                                \
				(const char *)w->data + (size_t)r * w->stride * (BYTES); \
			unsigned v = 0;                                                  \
                                                                                         \
			for (; v + 4 <= x->n; v += 4)                                    \
				NAME##_four(row, w->stride, x->f + v * x->stride,        \
					x->stride, out + v * out_stride + r,             \
					out_stride);                                     \
			for (; v < x->n; v++)                                            \
				NAME##_one(row, w->stride, x->f + v * x->stride, 0,      \
					out + v * out_stride + r, 0);                    \
		}                                                                        \
	}

MULTIPLY(multiply_f32, load_f32, 4)
MULTIPLY(multiply_f16, load_f16, 2)
MULTIPLY(multiply_bf16, load_bf16, 2)

/* 64 numbers: two blocks, whose factors stand in lanes 2 * pair and 2 * pair + 1 of f. */
INLINE __m512 add_pair(__m512 s, const uint8_t *w, const int8_t *q, const int32_t *start,
	__m512 f, __m512i pair)
{
	__m512i t = _mm512_dpbusd_epi32(
		_mm512_loadu_si512(start), _mm512_loadu_si512(w), _mm512_loadu_si512(q));

	return _mm512_fmadd_ps(_mm512_cvtepi32_ps(t), _mm512_permutexvar_ps(pair, f), s);
}

INLINE float row_q8(const uint8_t *w, const uint16_t *scales, size_t n, const int8_t *q,
	const float *scale, const int32_t *start)
{
	const __m512i two = _mm512_set1_epi32(2);
	const __m512i halves =
		_mm512_set_epi32(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
	__m512 s = _mm512_setzero_ps(), t = s;

	/* sixteen factors at a time, for eight pairs of blocks */
	for (size_t i = 0; i < n; i += 512) {
		size_t left = (n - i) / KERNEL_BLOCK;
		__mmask16 in = left >= 16 ? 0xffff : (__mmask16)((1u << left) - 1);
		__m512 f = _mm512_mul_ps(_mm512_cvtph_ps(_mm256_maskz_loadu_epi16(
						 in, scales + i / KERNEL_BLOCK)),
			_mm512_maskz_loadu_ps(in, scale + i / KERNEL_BLOCK));
		size_t to = left >= 16 ? i + 512 : n;
		__m512i pair = halves;

		for (size_t j = i; j < to; j += 64) {
			_mm_prefetch((const char *)w + j + AHEAD, _MM_HINT_T0);
			s = add_pair(s, w + j, q + j, start + j / 4, f, pair);
			pair = _mm512_add_epi32(pair, two);
			j += 64;
			if (j >= to)
				break;
			_mm_prefetch((const char *)w + j + AHEAD, _MM_HINT_T0);
			t = add_pair(t, w + j, q + j, start + j / 4, f, pair);
			pair = _mm512_add_epi32(pair, two);
		}
	}
	return _mm512_reduce_add_ps(_mm512_add_ps(s, t));
}

static TARGET void multiply_q8(const struct matrix *w, uint32_t first, uint32_t last,
	const struct vectors *x, float *out, size_t out_stride)
{
	size_t blocks = w->stride / KERNEL_BLOCK;

	for (uint32_t r = first; r < last; r++)
		for (unsigned v = 0; v < x->n; v++)
			out[v * out_stride + r] = row_q8(
				(const uint8_t *)w->data + (size_t)r * w->stride,
				w->scales + r * blocks, w->stride, x->q + v * x->stride,
				x->scale + v * blocks, x->start + v * (x->stride / 4));
}

/* One block: two registers of floats to 32 bytes. */
INLINE void quantise_block(const float *x, int8_t *q, float *scale, int32_t *start)
{
	__m512 a = _mm512_loadu_ps(x), b = _mm512_loadu_ps(x + 16), by;
	float most =
		_mm512_reduce_max_ps(_mm512_max_ps(_mm512_abs_ps(a), _mm512_abs_ps(b)));
	__m128i low, high;
	__m256i all;

	*scale = most / 127;
	by = _mm512_set1_ps(*scale > 0 ? 1 / *scale : 0);
	low = _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(_mm512_mul_ps(a, by)));
	high = _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(_mm512_mul_ps(b, by)));
	all = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
	_mm256_storeu_si256((void *)q, all);
	/* -128 times four bytes: as unsigned 128 they are 1 << 7 of their sum */
	all = _mm256_dpbusd_epi32(
		_mm256_setzero_si256(), _mm256_set1_epi8((char)128), all);
	_mm256_storeu_si256((void *)start, _mm256_sub_epi32(_mm256_setzero_si256(), all));
}

static TARGET void quantise(
	const float *x, size_t n, int8_t *q, float *scale, int32_t *start)
{
	for (size_t b = 0; b < n / KERNEL_BLOCK; b++)
		quantise_block(x + b * KERNEL_BLOCK, q + b * KERNEL_BLOCK, scale + b,
			start + b * KERNEL_BLOCK / 4);
}

INLINE __mmask16 first_lanes(size_t left)
{
	return left >= 16 ? 0xffff : (__mmask16)((1u << left) - 1);
}

static TARGET float dot(const float *a, const float *b, size_t n)
{
	__m512 s = _mm512_setzero_ps(), t = s;
	size_t i = 0;

	for (; i + 32 <= n; i += 32) {
		s = _mm512_fmadd_ps(_mm512_loadu_ps(a + i), _mm512_loadu_ps(b + i), s);
		t = _mm512_fmadd_ps(
			_mm512_loadu_ps(a + i + 16), _mm512_loadu_ps(b + i + 16), t);
	}
	for (; i < n; i += 16) {
		__mmask16 in = first_lanes(n - i);

		s = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(in, a + i),
			_mm512_maskz_loadu_ps(in, b + i), s);
	}
	return _mm512_reduce_add_ps(_mm512_add_ps(s, t));
}

static TARGET void add_scaled(float *y, float a, const float *x, size_t n)
{
	const __m512 by = _mm512_set1_ps(a);

	for (size_t i = 0; i < n; i += 16) {
		__mmask16 in = first_lanes(n - i);
		__m512 t = _mm512_maskz_loadu_ps(in, y + i);

		t = _mm512_fmadd_ps(by, _mm512_maskz_loadu_ps(in, x + i), t);
		_mm512_mask_storeu_ps(y + i, in, t);
	}
}

/* e^x = 2^k e^r with |r| <= ln 2 / 2; the series up to r^7 is good for every bit. */
INLINE __m512 exponential(__m512 x)
{
	static const float series[] = {
		1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1, 1};
	__m512 k = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)),
		_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
	__m512 r = _mm512_fnmadd_ps(k, _mm512_set1_ps(0.693359375f), x);
	__m512 p = _mm512_set1_ps(1.0f / 5040);

	r = _mm512_fnmadd_ps(k, _mm512_set1_ps(-2.12194440e-4f), r);
	for (unsigned i = 0; i < sizeof series / sizeof series[0]; i++)
		p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(series[i]));
	return _mm512_scalef_ps(p, k);
}

static TARGET void gate(float *out, const float *g, const float *up, size_t n)
{
	const __m512 one = _mm512_set1_ps(1), zero = _mm512_setzero_ps();

	for (size_t i = 0; i < n; i += 16) {
		__mmask16 in = first_lanes(n - i);
		__m512 x = _mm512_maskz_loadu_ps(in, g + i);
		__m512 e = exponential(_mm512_sub_ps(zero, x));

		x = _mm512_div_ps(x, _mm512_add_ps(one, e));
		_mm512_mask_storeu_ps(
			out + i, in, _mm512_mul_ps(x, _mm512_maskz_loadu_ps(in, up + i)));
	}
}

static TARGET void softmax(float *x, size_t n)
{
	__m512 most = _mm512_set1_ps(x[0]), total = _mm512_setzero_ps(), by;

	for (size_t i = 0; i < n; i += 16)
		most = _mm512_max_ps(
			most, _mm512_mask_loadu_ps(most, first_lanes(n - i), x + i));
	most = _mm512_set1_ps(_mm512_reduce_max_ps(most));
	for (size_t i = 0; i < n; i += 16) {
		__mmask16 in = first_lanes(n - i);
		__m512 e = exponential(
			_mm512_sub_ps(_mm512_maskz_loadu_ps(in, x + i), most));

		_mm512_mask_storeu_ps(x + i, in, e);
		total = _mm512_mask_add_ps(total, in, total, e);
	}
	by = _mm512_set1_ps(1 / _mm512_reduce_add_ps(total));
	for (size_t i = 0; i < n; i += 16) {
		__mmask16 in = first_lanes(n - i);

		_mm512_mask_storeu_ps(
			x + i, in, _mm512_mul_ps(by, _mm512_maskz_loadu_ps(in, x + i)));
	}
}

const struct kernel kernel_avx512 = {
	.name = "avx512",
	.multiply = {multiply_f32, multiply_f16, multiply_bf16, multiply_q8},
	.quantise = quantise,
	.dot = dot,
	.add_scaled = add_scaled,
	.gate = gate,
	.softmax = softmax,
};
#endif
