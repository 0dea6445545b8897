/*
 * sha256.h: SHA-256 (FIPS 180-4) of a few pieces of memory.
 */
#ifndef POLICYD_AUDIT_SHA256_H
#define POLICYD_AUDIT_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sha256 {
	uint32_t h[8];
	uint64_t bytes;
	unsigned char block[64];
	bool fast;
};

/** sha256_init(c): begin. sha256_init_fast: the same by the processor's own instructions,
 * only where sha256_fast() says that it has them. */
void sha256_init(struct sha256 *c);
void sha256_init_fast(struct sha256 *c);
bool sha256_fast(void);
void sha256_add(struct sha256 *c, const void *data, size_t n);
/** sha256_hex(c, out): end it, as 64 hex digits and a NUL. */
void sha256_hex(struct sha256 *c, char out[65]);

#endif
