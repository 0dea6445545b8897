/*
 * kernel_avx2.c: the inner loops for processors with AVX2, FMA and F16C.
 *
 * int8: VPMADDUBSW adds products of an unsigned and a signed byte by pairs into 16 bits.
 * The sign of a weight is moved to the vector's byte, so that no pair exceeds 2 * 128 *
 * 127, which fits.
 */
#ifdef __x86_64__
#include <immintrin.h>
#include "agentctl/provider/minimind/kernel.h"

#define TARGET __attribute__((target("avx2,fma,f16c")))
#define INLINE static inline __attribute__((always_inline)) TARGET

/* How far ahead of the row's place memory is asked for. */
enum { AHEAD = 4096 };

INLINE __m256 load_f32(const void *row, size_t i)
{
	return _mm256_loadu_ps((const float *)row + i);
}

INLINE __m256 load_f16(const void *row, size_t i)
{
	return _mm256_cvtph_ps(
		_mm_loadu_si128((const void *)((const uint16_t *)row + i)));
}

INLINE __m256 load_bf16(const void *row, size_t i)
{
	__m128i h = _mm_loadu_si128((const void *)((const uint16_t *)row + i));

	return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(h), 16));
}

INLINE float sum(__m256 s)
{
	__m128 t = _mm_add_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1));

	t = _mm_add_ps(t, _mm_movehl_ps(t, t));
	return _mm_cvtss_f32(_mm_add_ss(t, _mm_movehdup_ps(t)));
}

/* One row and a fixed number of vectors, each with four sums of eight lanes. */
#define ROW(NAME, LOAD, BYTES, COUNT)                                                    \
	INLINE void NAME(const void *row, size_t n, const float *x, size_t stride,       \
		float *out, size_t out_stride)                                           \
	{                                                                                \
		__m256 s[COUNT][4];                                                      \
                                                                                         \
		for (int v = 0; v < (COUNT); v++)                                        \
			for (int j = 0; j < 4; j++)                                      \
				s[v][j] = _mm256_setzero_ps();                           \
		for (size_t i = 0; i < n; i += 32) {                                     \
			for (int j = 0; j < (BYTES) / 2; j++)                            \
				_mm_prefetch((const char *)row + i * (BYTES) + AHEAD +   \
						     j * 64,                             \
					_MM_HINT_T0);                                    \
			for (int j = 0; j < 4; j++) {                                    \
				__m256 w = LOAD(row, i + (size_t)j * 8);                 \
                                                                                         \
				for (int v = 0; v < (COUNT); v++)                        \
					s[v][j] = _mm256_fmadd_ps(w,                     \
						_mm256_loadu_ps(x + (size_t)v * stride + \
								i + j * 8),              \
						s[v][j]);                                \
			}                                                                \
		}                                                                        \
		for (int v = 0; v < (COUNT); v++)                                        \
			out[v * out_stride] =                                            \
				sum(_mm256_add_ps(_mm256_add_ps(s[v][0], s[v][1]),       \
					_mm256_add_ps(s[v][2], s[v][3])));               \
	}

#define MULTIPLY(NAME, LOAD, BYTES)                                                      \
	ROW(NAME##_one, LOAD, BYTES, 1)                                                  \
	ROW(NAME##_two, LOAD, BYTES, 2)                                                  \
	static TARGET void NAME(const struct matrix *w, uint32_t first, uint32_t last,   \
		const struct vectors *x, float *out, size_t out_stride)                  \
	{                                                                                \
		for (uint32_t r = first; r < last; r++) {                                \
			const char *row =                                                \
				(const char *)w->data + (size_t)r * w->stride * (BYTES); \
			unsigned v = 0;                                                  \
                                                                                         \
			for (; v + 2 <= x->n; v += 2)                                    \
				NAME##_two(row, w->stride, x->f + v * x->stride,         \
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

INLINE float row_q8(const uint8_t *w, const uint16_t *scales, size_t blocks,
	const int8_t *q, const float *scale)
{
	__m256 s = _mm256_setzero_ps();

	for (size_t b = 0; b < blocks; b++, w += KERNEL_BLOCK, q += KERNEL_BLOCK) {
		__m256i v = _mm256_loadu_si256((const void *)w), t;
		float f = _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(scales[b])));

		_mm_prefetch((const char *)w + AHEAD, _MM_HINT_T0);
		v = _mm256_xor_si256(v, _mm256_set1_epi8((char)128));
		t = _mm256_sign_epi8(_mm256_loadu_si256((const void *)q), v);
		t = _mm256_maddubs_epi16(_mm256_abs_epi8(v), t);
		t = _mm256_madd_epi16(t, _mm256_set1_epi16(1));
		s = _mm256_fmadd_ps(
			_mm256_cvtepi32_ps(t), _mm256_set1_ps(f * scale[b]), s);
	}
	return sum(s);
}

static TARGET void multiply_q8(const struct matrix *w, uint32_t first, uint32_t last,
	const struct vectors *x, float *out, size_t out_stride)
{
	size_t blocks = w->stride / KERNEL_BLOCK;

	for (uint32_t r = first; r < last; r++)
		for (unsigned v = 0; v < x->n; v++)
			out[v * out_stride + r] =
				row_q8((const uint8_t *)w->data + (size_t)r * w->stride,
					w->scales + r * blocks, blocks,
					x->q + v * x->stride, x->scale + v * blocks);
}

static TARGET float dot(const float *a, const float *b, size_t n)
{
	__m256 s = _mm256_setzero_ps(), t = s;
	size_t i = 0;
	float rest = 0;

	for (; i + 16 <= n; i += 16) {
		s = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), s);
		t = _mm256_fmadd_ps(
			_mm256_loadu_ps(a + i + 8), _mm256_loadu_ps(b + i + 8), t);
	}
	for (; i < n; i++)
		rest += a[i] * b[i];
	return sum(_mm256_add_ps(s, t)) + rest;
}

static TARGET void add_scaled(float *y, float a, const float *x, size_t n)
{
	const __m256 by = _mm256_set1_ps(a);
	size_t i = 0;

	for (; i + 8 <= n; i += 8)
		_mm256_storeu_ps(y + i, _mm256_fmadd_ps(by, _mm256_loadu_ps(x + i),
						_mm256_loadu_ps(y + i)));
	for (; i < n; i++)
		y[i] += a * x[i];
}

/* As in kernel_avx512.c; x is kept where 2^k is a normal number. */
INLINE __m256 exponential(__m256 x)
{
	static const float series[] = {
		1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1, 1};
	__m256 k, r, p = _mm256_set1_ps(1.0f / 5040);
	__m256i two;

	x = _mm256_max_ps(_mm256_set1_ps(-87), _mm256_min_ps(_mm256_set1_ps(88), x));
	k = _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.44269504f)),
		_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
	r = _mm256_fnmadd_ps(k, _mm256_set1_ps(0.693359375f), x);
	r = _mm256_fnmadd_ps(k, _mm256_set1_ps(-2.12194440e-4f), r);
	for (unsigned i = 0; i < sizeof series / sizeof series[0]; i++)
		p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(series[i]));
	two = _mm256_slli_epi32(
		_mm256_add_epi32(_mm256_cvtps_epi32(k), _mm256_set1_epi32(127)), 23);
	return _mm256_mul_ps(p, _mm256_castsi256_ps(two));
}

INLINE __m256 gated(__m256 g, __m256 up)
{
	__m256 e = exponential(_mm256_sub_ps(_mm256_setzero_ps(), g));

	return _mm256_mul_ps(_mm256_div_ps(g, _mm256_add_ps(_mm256_set1_ps(1), e)), up);
}

static TARGET void gate(float *out, const float *g, const float *up, size_t n)
{
	float a[8] = {0}, b[8] = {0};
	size_t i = 0;

	for (; i + 8 <= n; i += 8)
		_mm256_storeu_ps(
			out + i, gated(_mm256_loadu_ps(g + i), _mm256_loadu_ps(up + i)));
	if (i == n)
		return;
	for (size_t j = i; j < n; j++) {
		a[j - i] = g[j];
		b[j - i] = up[j];
	}
	_mm256_storeu_ps(a, gated(_mm256_loadu_ps(a), _mm256_loadu_ps(b)));
	for (size_t j = i; j < n; j++)
		out[j] = a[j - i];
}

static TARGET void softmax(float *x, size_t n)
{
	float most = x[0], total = 0, tail[8] = {0};
	size_t i = 0;

	for (size_t j = 1; j < n; j++)
		most = x[j] > most ? x[j] : most;
	for (; i + 8 <= n; i += 8) {
		__m256 e = exponential(
			_mm256_sub_ps(_mm256_loadu_ps(x + i), _mm256_set1_ps(most)));

		_mm256_storeu_ps(x + i, e);
		total += sum(e);
	}
	for (size_t j = i; j < n; j++)
		tail[j - i] = x[j] - most;
	_mm256_storeu_ps(tail, exponential(_mm256_loadu_ps(tail)));
	for (size_t j = i; j < n; j++)
		total += x[j] = tail[j - i];
	for (size_t j = 0; j < n; j++)
		x[j] /= total;
}

/* Once for each vector and product: the plain loop is good enough. */
static void quantise(const float *x, size_t n, int8_t *q, float *scale, int32_t *start)
{
	kernel_scalar.quantise(x, n, q, scale, start);
}

const struct kernel kernel_avx2 = {
	.name = "avx2",
	.multiply = {multiply_f32, multiply_f16, multiply_bf16, multiply_q8},
	.quantise = quantise,
	.dot = dot,
	.add_scaled = add_scaled,
	.gate = gate,
	.softmax = softmax,
};
#endif
