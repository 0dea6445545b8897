/*
 * sha256.h: SHA-256 (FIPS 180-4) of a few pieces of memory.
 */
#ifndef POLICYD_AUDIT_SHA256_H
#define POLICYD_AUDIT_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
	uint32_t h[8];
	uint64_t bytes;
	unsigned char block[64];
};

void sha256_init(struct sha256 *c);
void sha256_add(struct sha256 *c, const void *data, size_t n);
/** sha256_hex(c, out): end it, as 64 hex digits and a NUL. */
void sha256_hex(struct sha256 *c, char out[65]);

#endif
