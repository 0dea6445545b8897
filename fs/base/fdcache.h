/*
 * fdcache.h: a bounded number of open descriptors of base objects, the least recently
 * used closed first.
 *
 * Keys are object ids. A descriptor stays open while somebody holds its reference, also
 * after it was dropped from the cache. Thread safe; its one lock is a leaf.
 */
#ifndef FS_BASE_FDCACHE_H
#define FS_BASE_FDCACHE_H

#include <stdint.h>

struct fdcache;
struct fdref {
	int fd;
};

/** fdcache_new(max): at most @max cached; held ones come on top. NULL: no memory. */
struct fdcache *fdcache_new(unsigned int max);
void fdcache_free(struct fdcache *c);

/** fdcache_get(c, key): a reference to the cached descriptor, or NULL. */
struct fdref *fdcache_get(struct fdcache *c, uint64_t key);

/** fdcache_add(c, key, fd): cache @fd (owned from here on) and return a reference; where
 * another thread was first, @fd is closed and theirs returned. NULL (fd closed): no
 * memory. */
struct fdref *fdcache_add(struct fdcache *c, uint64_t key, int fd);

/** fdcache_put(c, r): give a reference back; NULL: no-op. */
void fdcache_put(struct fdcache *c, struct fdref *r);

/** fdcache_drop(c, key): forget the entry of @key. */
void fdcache_drop(struct fdcache *c, uint64_t key);

#endif
