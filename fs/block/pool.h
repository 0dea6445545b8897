/*
 * pool.h: the payload of one transaction: an append-only file of hashed chunks.
 *
 * Each transaction has one pool file, `pool/ID` in the store, so that an abort costs one
 * unlink. A chunk is written once and never changed; its place, length and XXH3-128 go
 * into the rows of the store (struct rec_run). Whoever wants SQLite blobs or another
 * medium instead replaces this file only.
 *
 * Threads: append and read from any thread at once. A pool is reference counted.
 */
#ifndef FS_BLOCK_POOL_H
#define FS_BLOCK_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POOL_BLOCK 4096u
#define POOL_CHUNK_MAX (128u << 10)
#define POOL_KEEP_FREE (16u << 20) /* bytes of the disk, or a 16th of a small one */

struct pool;

/** pool_open(dirfd, id, create, out): open `pool/ID` below @dirfd (the store directory);
 * the folder is made if missing. With @create a new empty file (-EEXIST if there is one);
 * else an existing one (-ENOENT), appending after its end. One reference. */
int pool_open(int dirfd, uint64_t id, bool create, struct pool **out);
struct pool *pool_get(struct pool *p);
void pool_put(struct pool *p); /* NULL: no-op */
uint64_t pool_id(const struct pool *p);

/** pool_append(p, data, bytes, off, hash): store a chunk of 1..POOL_CHUNK_MAX bytes; its
 * place and hash come back. -ENOSPC, -EDQUOT (limit), -EIO. Nothing is taken on error. */
int pool_append(
	struct pool *p, const void *data, size_t bytes, uint64_t *off, uint8_t hash[16]);

/** pool_read(p, chunk_off, chunk_bytes, hash, from, out, bytes): read @bytes beginning
 * @from bytes into a chunk, checking the hash of the whole chunk; beyond chunk_bytes
 * zeros. -EIO where the hash differs (logged once with the pool and place). */
int pool_read(struct pool *p, uint64_t chunk_off, uint32_t chunk_bytes,
	const uint8_t hash[16], uint32_t from, void *out, size_t bytes);

/** pool_sync(p): fdatasync. pool_bytes(p): size. pool_limit(p, bytes): 0 is no limit. */
int pool_sync(struct pool *p);
uint64_t pool_bytes(const struct pool *p);
void pool_limit(struct pool *p, uint64_t bytes);

/** pool_unlink(dirfd, id): remove the file; open pools go on. -ENOENT is 0. */
int pool_unlink(int dirfd, uint64_t id);

#endif
