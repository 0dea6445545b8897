/*
 * hash.h: XXH3, behind one seam.
 *
 * Hashes are written in xxHash's canonical (big-endian) form, so that a file moves
 * between machines. They guard against damage, not against an adversary.
 */
#ifndef COMMON_HASH_H
#define COMMON_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_BYTES 16

/** hash128(data, n, out): XXH3-128 of @n bytes. */
void hash128(const void *data, size_t n, uint8_t out[HASH_BYTES]);

/** hash64(data, n): XXH3-64 of @n bytes, for tables in memory. */
uint64_t hash64(const void *data, size_t n);

/** hash_hex(hash, out): 32 hex digits and NUL. */
void hash_hex(const uint8_t hash[HASH_BYTES], char out[2 * HASH_BYTES + 1]);

/** A hash of pieces: hash_new (NULL: no memory), hash_add.., hash_end writes it and frees
 * @h. hash_free(h): drop it unfinished; NULL is fine. One thread at a time. */
struct hash;
struct hash *hash_new(void);
void hash_add(struct hash *h, const void *data, size_t n);
void hash_end(struct hash *h, uint8_t out[HASH_BYTES]);
void hash_free(struct hash *h);

#endif
