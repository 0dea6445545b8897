/*
 * queue.c: copying records with what they point to.
 */
#include "fs/store/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "common/mem.h"

#define CHUNK_BYTES (256u << 10)
#define ALIGN16(n) (((n) + 15) & ~(size_t)15)

/* Where a record points to: up to three pieces. Strings count with their NUL. */
struct piece {
	const void **at;
	size_t size;
};

static void add_text(struct piece *p, int *n, const char **s)
{
	if (!*s)
		return;
	p[*n].at = (const void **)s;
	p[(*n)++].size = strlen(*s) + 1;
}

static void add_blob(struct piece *p, int *n, const void **b, size_t size)
{
	if (!*b)
		return;
	p[*n].at = b;
	p[(*n)++].size = size;
}

static int pieces(struct rec *r, struct piece p[3])
{
	int n = 0;

	switch (r->op) {
	case REC_LAYER: add_text(p, &n, &r->layer.label); break;
	case REC_OBJECT: add_text(p, &n, &r->object.name); break;
	case REC_INODE: add_text(p, &n, &r->inode.target); break;
	case REC_NAME:
	case REC_NAME_DEL: add_text(p, &n, &r->name.name); break;
	case REC_XATTR:
		add_text(p, &n, &r->xattr.name);
		add_blob(p, &n, &r->xattr.value, r->xattr.size);
		break;
	case REC_XATTR_DEL: add_text(p, &n, &r->xattr.name); break;
	case REC_STEP:
		add_text(p, &n, &r->step.path);
		add_text(p, &n, &r->step.path2);
		add_blob(p, &n, &r->step.blob, r->step.blob_size);
		break;
	case REC_OBJECT_DEL:
	case REC_PRINT:
	case REC_INODE_DEL:
	case REC_RUN:
	case REC_RUN_DEL:
	case REC_STEPS_DEL:
	case REC_PURGE: break;
	}
	return n;
}

size_t queue_group_bytes(const struct rec *r, size_t n)
{
	size_t bytes = sizeof(struct group) + n * sizeof(*r);

	for (size_t i = 0; i < n; i++) {
		struct rec copy = r[i];
		struct piece p[3];

		for (int k = pieces(&copy, p); k-- > 0;)
			bytes += p[k].size;
	}
	return ALIGN16(bytes);
}

static void copy_group(struct group *g, const struct rec *r, size_t n, size_t bytes)
{
	unsigned char *to = (unsigned char *)&g->rec[n];

	g->n = (uint32_t)n;
	g->bytes = bytes;
	for (size_t i = 0; i < n; i++) {
		struct piece p[3];
		int count;

		g->rec[i] = r[i];
		count = pieces(&g->rec[i], p);
		for (int k = 0; k < count; k++) {
			if (p[k].size)
				memcpy(to, *p[k].at, p[k].size);
			*p[k].at = to;
			to += p[k].size;
		}
	}
}

static struct chunk *room_for(struct queue *q, size_t bytes)
{
	struct chunk *c = q->last;

	if (c && c->cap - c->used >= bytes)
		return c;
	c = mem_alloc(sizeof(*c) + (bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES));
	if (!c)
		return NULL;
	memset(c, 0, sizeof(*c));
	c->cap = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
	if (q->last)
		q->last->next = c;
	else
		q->first = c;
	q->last = c;
	return c;
}

int queue_put(struct queue *q, const struct rec *r, size_t n, size_t bytes)
{
	struct chunk *c = room_for(q, bytes);

	if (!c)
		return -ENOMEM;
	copy_group((struct group *)(c->data + c->used), r, n, bytes);
	c->used += bytes;
	c->groups++;
	c->recs += (unsigned int)n;
	q->bytes += bytes;
	q->recs += n;
	return 0;
}

struct chunk *queue_take(struct queue *q, size_t recs)
{
	struct chunk *first = q->first, *c = first;
	size_t taken = 0;

	for (; c; c = c->next) {
		taken += c->recs;
		q->recs -= c->recs;
		q->bytes -= c->used;
		if (taken >= recs)
			break;
	}
	q->first = c ? c->next : NULL;
	if (!q->first)
		q->last = NULL;
	if (c)
		c->next = NULL;
	return first;
}

void queue_put_back(struct queue *q, struct chunk *list)
{
	struct chunk *last = NULL;

	for (struct chunk *c = list; c; c = c->next) {
		q->recs += c->recs;
		q->bytes += c->used;
		last = c;
	}
	if (!last)
		return;
	last->next = q->first;
	q->first = list;
	if (!q->last)
		q->last = last;
}

void queue_cancel(struct queue *q, size_t nth)
{
	struct chunk *c = q->first;
	size_t at = 0;

	for (; c && nth >= c->groups; c = c->next)
		nth -= c->groups;
	if (!c)
		return;
	for (; nth; nth--)
		at += ((struct group *)(c->data + at))->bytes;
	((struct group *)(c->data + at))->n = 0;
}

void queue_free(struct chunk *list)
{
	while (list) {
		struct chunk *next = list->next;

		free(list);
		list = next;
	}
}

int queue_each(const struct chunk *c, int (*f)(void *, const struct group *), void *arg)
{
	for (; c; c = c->next) {
		size_t at = 0;

		while (at < c->used) {
			const struct group *g = (const struct group *)(c->data + at);
			int rc = f(arg, g);

			if (rc)
				return rc;
			at += g->bytes;
		}
	}
	return 0;
}
