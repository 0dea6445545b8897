/*
 * sha256.c: SHA-256 in its plainest form, and by the instructions that many x86
 * processors have for it: each line of the record is hashed, which is a part of every
 * verdict's cost.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "policyd/audit/sha256.h"

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t k[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b,
	0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
	0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1,
	0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc,
	0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3,
	0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1,
	0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585,
	0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3,
	0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814,
	0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void plain_block(struct sha256 *c)
{
	uint32_t w[64], v[8];

	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)c->block[4 * i] << 24 |
		       (uint32_t)c->block[4 * i + 1] << 16 |
		       (uint32_t)c->block[4 * i + 2] << 8 | c->block[4 * i + 3];
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
	memcpy(v, c->h, sizeof(v));
	for (int i = 0; i < 64; i++) {
		uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
		uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
		uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
		uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (int i = 0; i < 8; i++)
		c->h[i] += v[i];
}

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>

/* State as the instructions want it: ABEF and CDGH. Four rounds a turn; the schedule of
 * the next sixteen words goes on beside them. */
__attribute__((target("sha,sse4.1,ssse3"))) static void fast_block(struct sha256 *c)
{
	const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bll, 0x0405060700010203ll);
	__m128i t = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)c->h), 0xb1);
	__m128i cdgh =
		_mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(c->h + 4)), 0x1b);
	__m128i abef = _mm_alignr_epi8(t, cdgh, 8);
	__m128i abef0, cdgh0, w[4];

	cdgh = _mm_blend_epi16(cdgh, t, 0xf0);
	abef0 = abef;
	cdgh0 = cdgh;
	for (int i = 0; i < 4; i++)
		w[i] = _mm_shuffle_epi8(
			_mm_loadu_si128((const __m128i *)(c->block + 16 * i)), swap);
	for (int i = 0; i < 16; i++) {
		__m128i m = w[i % 4], x;

		x = _mm_add_epi32(m, _mm_loadu_si128((const __m128i *)(k + 4 * i)));
		cdgh = _mm_sha256rnds2_epu32(cdgh, abef, x);
		abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(x, 0x0e));
		if (i >= 12)
			continue;
		x = _mm_sha256msg1_epu32(m, w[(i + 1) % 4]);
		x = _mm_add_epi32(x, _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4));
		w[i % 4] = _mm_sha256msg2_epu32(x, w[(i + 3) % 4]);
	}
	abef = _mm_add_epi32(abef, abef0);
	cdgh = _mm_add_epi32(cdgh, cdgh0);
	t = _mm_shuffle_epi32(abef, 0x1b);
	cdgh = _mm_shuffle_epi32(cdgh, 0xb1);
	_mm_storeu_si128((__m128i *)c->h, _mm_blend_epi16(t, cdgh, 0xf0));
	_mm_storeu_si128((__m128i *)(c->h + 4), _mm_alignr_epi8(cdgh, t, 8));
}

bool sha256_fast(void)
{
	unsigned a = 0, b = 0, cx = 0, d = 0;

	return __get_cpuid_count(7, 0, &a, &b, &cx, &d) && b & 1u << 29;
}
#else
static void fast_block(struct sha256 *c)
{
	plain_block(c);
}

bool sha256_fast(void)
{
	return false;
}
#endif

static void one_block(struct sha256 *c)
{
	if (c->fast)
		fast_block(c);
	else
		plain_block(c);
}

void sha256_init(struct sha256 *c)
{
	static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	memcpy(c->h, start, sizeof(start));
	c->bytes = 0;
	c->fast = false;
}

void sha256_init_fast(struct sha256 *c)
{
	sha256_init(c);
	c->fast = true;
}

void sha256_add(struct sha256 *c, const void *data, size_t n)
{
	const unsigned char *p = data;

	while (n) {
		size_t at = c->bytes % 64, take = 64 - at < n ? 64 - at : n;

		memcpy(c->block + at, p, take);
		c->bytes += take;
		p += take;
		n -= take;
		if (c->bytes % 64 == 0)
			one_block(c);
	}
}

void sha256_hex(struct sha256 *c, char out[65])
{
	uint64_t bits = c->bytes * 8;
	unsigned char len[8];

	sha256_add(c, "\x80", 1);
	while (c->bytes % 64 != 56)
		sha256_add(c, "", 1);
	for (int i = 0; i < 8; i++)
		len[i] = (unsigned char)(bits >> (56 - 8 * i));
	sha256_add(c, len, 8);
	for (int i = 0; i < 64; i++)
		out[i] = "0123456789abcdef"[c->h[i / 8] >> (28 - i % 8 * 4) & 15];
	out[64] = '\0';
}
