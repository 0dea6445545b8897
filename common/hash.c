/*
 * hash.c: XXH3 compiled in from its header, so that who links us needs no library.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/hash.h"

void hash128(const void *data, size_t n, uint8_t out[HASH_BYTES])
{
	XXH128_canonicalFromHash((XXH128_canonical_t *)out, XXH3_128bits(data, n));
}

uint64_t hash64(const void *data, size_t n)
{
	return XXH3_64bits(data, n);
}

void hash_hex(const uint8_t hash[HASH_BYTES], char out[2 * HASH_BYTES + 1])
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < HASH_BYTES; i++) {
		out[2 * i] = digits[hash[i] >> 4];
		out[2 * i + 1] = digits[hash[i] & 15];
	}
	out[2 * HASH_BYTES] = 0;
}

struct hash *hash_new(void)
{
	XXH3_state_t *s = XXH3_createState();

	if (s)
		XXH3_128bits_reset(s);
	return (struct hash *)s;
}

void hash_add(struct hash *h, const void *data, size_t n)
{
	XXH3_128bits_update((XXH3_state_t *)h, data, n);
}

void hash_end(struct hash *h, uint8_t out[HASH_BYTES])
{
	XXH3_state_t *s = (XXH3_state_t *)h;

	XXH128_canonicalFromHash((XXH128_canonical_t *)out, XXH3_128bits_digest(s));
	XXH3_freeState(s);
}

void hash_free(struct hash *h)
{
	XXH3_freeState((XXH3_state_t *)h);
}
