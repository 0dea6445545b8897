/*
 * queue.h: groups of records, copied and kept in order until the writer takes them.
 *
 * Private to fs/store. Groups lie one behind the other in chunks of memory: one
 * allocation serves about a thousand records, and what the writer took goes back in one
 * piece. A group never spans two chunks. No lock in here: the store's guards it.
 */
#ifndef FS_STORE_QUEUE_H
#define FS_STORE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "fs/store/store.h"

struct group {
	uint32_t n;   /* records */
	size_t bytes; /* of the group with its strings, to the next one */
	struct rec rec[];
};

struct chunk {
	struct chunk *next;
	size_t used, cap; /* bytes of data */
	unsigned int groups, recs;
	_Alignas(16) unsigned char data[];
};

struct queue {
	struct chunk *first, *last;
	size_t bytes, recs; /* in all chunks */
};

/** queue_group_bytes(r, n): what a copy of the group needs. */
size_t queue_group_bytes(const struct rec *r, size_t n);

/** queue_put(q, r, n, bytes): copy a group to the end; @bytes as above. 0 or -ENOMEM. */
int queue_put(struct queue *q, const struct rec *r, size_t n, size_t bytes);

/** queue_take(q, recs): the first chunks with together at least @recs records (or all),
 * as a list that the caller gives to queue_free. */
struct chunk *queue_take(struct queue *q, size_t recs);

/** queue_put_back(q, list): what queue_take gave, to the front again. */
void queue_put_back(struct queue *q, struct chunk *list);

/** queue_cancel(q, nth): the nth group from the front, from 0, will do nothing. */
void queue_cancel(struct queue *q, size_t nth);

void queue_free(struct chunk *list);

/** queue_each(c, f, arg): call f(arg, group) for each group of a list, in order; a
 * non-zero answer ends the walk and is returned. */
int queue_each(const struct chunk *c, int (*f)(void *, const struct group *), void *arg);

#endif
