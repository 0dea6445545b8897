/*
 * bmap.h: which blocks of a file a layer holds, and where.
 *
 * A map of disjoint extents, two levels of sorted arrays: segments of 1,024 blocks, and
 * the extents in each. Extents never cross a segment, so an insertion moves at most one
 * segment's extents. A zeroed struct bmap is an empty map. Not thread safe.
 */
#ifndef FS_BLOCK_BMAP_H
#define FS_BLOCK_BMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BMAP_SEG 1024u
#define EXT_HOLE UINT64_MAX /* chunk_off: the blocks are zeros */

struct pool;

/** An extent: @count blocks from @block on are found @skip blocks into a chunk. */
struct ext {
	uint64_t block;
	uint32_t count, skip;
	struct pool *pool; /* borrowed: the layer's transaction holds it */
	uint64_t chunk_off;
	uint32_t chunk_bytes;
	uint8_t hash[16];
};

struct bseg;
struct bmap {
	struct bseg **seg;
	size_t n, cap;
};

/* What an insertion did to the keys of the map, so that the same can be done to rows. */
typedef int (*bmap_note)(void *arg, bool put, const struct ext *e);

/** bmap_set(m, e, note, arg): map the blocks of @e, replacing what was there. note(arg,
 * false, old) is called for each key that vanished and note(arg, true, x) for each extent
 * that is new or was cut; it may be NULL. -ENOMEM: the map is unchanged. */
int bmap_set(struct bmap *m, const struct ext *e, bmap_note note, void *arg);

/** bmap_cut(m, block, note, arg): forget everything from @block on. */
int bmap_cut(struct bmap *m, uint64_t block, bmap_note note, void *arg);

/** bmap_find(m, block): the extent that holds @block or the first one after it; NULL. */
const struct ext *bmap_find(const struct bmap *m, uint64_t block);

/** bmap_each(m, f, arg): f(arg, ext) in order; non-zero ends and is returned. */
int bmap_each(const struct bmap *m, int (*f)(void *, const struct ext *), void *arg);

bool bmap_empty(const struct bmap *m);
void bmap_clear(struct bmap *m);

#endif
