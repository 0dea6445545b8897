/*
 * fdcache.c: hash table and LRU list of referenced descriptors.
 */
#include "fs/base/fdcache.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/list.h"

#define BUCKETS 1024

struct entry {
	struct fdref ref; /* first: what callers hold */
	uint64_t key;
	unsigned int refs; /* holders, and one for the cache */
	struct entry *next;
	struct list lru;
};

struct fdcache {
	pthread_mutex_t lock; /* all below, and entries' refs */
	struct entry *bucket[BUCKETS];
	struct list lru; /* least recently used first */
	unsigned int used, max;
};

struct fdcache *fdcache_new(unsigned int max)
{
	struct fdcache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	pthread_mutex_init(&c->lock, NULL);
	list_init(&c->lru);
	c->max = max;
	return c;
}

static void unref(struct entry *e)
{
	if (--e->refs)
		return;
	close(e->ref.fd);
	free(e);
}

static struct entry **find(struct fdcache *c, uint64_t key)
{
	struct entry **p = &c->bucket[(key * 0x9E3779B97F4A7C15ull) >> 54];

	while (*p && (*p)->key != key)
		p = &(*p)->next;
	return p;
}

static void forget(struct fdcache *c, struct entry **p)
{
	struct entry *e = *p;

	*p = e->next;
	list_del(&e->lru);
	c->used--;
	unref(e);
}

void fdcache_free(struct fdcache *c)
{
	if (!c)
		return;
	while (!list_empty(&c->lru))
		forget(c, find(c, list_first(&c->lru, struct entry, lru)->key));
	pthread_mutex_destroy(&c->lock);
	free(c);
}

struct fdref *fdcache_get(struct fdcache *c, uint64_t key)
{
	auto_unlock pthread_mutex_t *l = lock(&c->lock);
	struct entry *e = *find(c, key);

	if (!e)
		return NULL;
	e->refs++;
	list_del(&e->lru);
	list_add_tail(&e->lru, &c->lru);
	return &e->ref;
}

struct fdref *fdcache_add(struct fdcache *c, uint64_t key, int fd)
{
	struct entry *e = calloc(1, sizeof(*e)), **p;

	if (!e) {
		close(fd);
		return NULL;
	}
	auto_unlock pthread_mutex_t *l = lock(&c->lock);

	p = find(c, key);
	if (*p) {
		close(fd);
		free(e);
		(*p)->refs++;
		return &(*p)->ref;
	}
	*e = (struct entry){.ref.fd = fd, .key = key, .refs = 2};
	*p = e;
	list_add_tail(&e->lru, &c->lru);
	if (++c->used > c->max)
		forget(c, find(c, list_first(&c->lru, struct entry, lru)->key));
	return &e->ref;
}

void fdcache_put(struct fdcache *c, struct fdref *r)
{
	if (!r)
		return;
	auto_unlock pthread_mutex_t *l = lock(&c->lock);

	unref((struct entry *)r);
}

void fdcache_drop(struct fdcache *c, uint64_t key)
{
	auto_unlock pthread_mutex_t *l = lock(&c->lock);
	struct entry **p = find(c, key);

	if (*p)
		forget(c, p);
}
