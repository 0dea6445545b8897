/*
 * bmap.c: the two-level extent map.
 */
#include "fs/block/bmap.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"

struct bseg {
	uint64_t no; /* block / BMAP_SEG */
	unsigned int n, cap;
	struct ext *e; /* sorted by block */
};

/* Index of the first segment with number >= no. */
static size_t seg_at(const struct bmap *m, uint64_t no)
{
	size_t lo = 0, hi = m->n;

	if (m->n && m->seg[m->n - 1]->no < no)
		return m->n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (m->seg[mid]->no < no)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Index of the first extent that ends after @block. */
static unsigned int ext_at(const struct bseg *s, uint64_t block)
{
	unsigned int lo = 0, hi = s->n;

	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;

		if (s->e[mid].block + s->e[mid].count <= block)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct bseg *seg_make(struct bmap *m, uint64_t no)
{
	size_t i = seg_at(m, no);
	struct bseg *s;

	if (i < m->n && m->seg[i]->no == no)
		return m->seg[i];
	if (m->n == m->cap) {
		size_t cap = m->cap ? m->cap * 2 : 2;
		struct bseg **p = mem_alloc(cap * sizeof(*p));

		if (!p)
			return NULL;
		if (m->n)
			memcpy(p, m->seg, m->n * sizeof(*p));
		free(m->seg);
		m->seg = p;
		m->cap = cap;
	}
	s = mem_zalloc(sizeof(*s));
	if (!s)
		return NULL;
	s->no = no;
	memmove(m->seg + i + 1, m->seg + i, (m->n - i) * sizeof(*m->seg));
	m->seg[i] = s;
	m->n++;
	return s;
}

/* Room for two more extents: one inserted, one split off. */
static int seg_room(struct bseg *s)
{
	unsigned int cap = s->cap ? s->cap * 2 : 2;
	struct ext *e;

	if (s->n + 2 <= s->cap)
		return 0;
	while (cap < s->n + 2)
		cap *= 2;
	e = mem_alloc(cap * sizeof(*e));
	if (!e)
		return -ENOMEM;
	if (s->n)
		memcpy(e, s->e, s->n * sizeof(*e));
	free(s->e);
	s->e = e;
	s->cap = cap;
	return 0;
}

static void insert_at(struct bseg *s, unsigned int i, const struct ext *e)
{
	memmove(s->e + i + 1, s->e + i, (s->n - i) * sizeof(*s->e));
	s->e[i] = *e;
	s->n++;
}

static void remove_at(struct bseg *s, unsigned int i)
{
	s->n--;
	memmove(s->e + i, s->e + i + 1, (s->n - i) * sizeof(*s->e));
}

static int tell(bmap_note note, void *arg, bool put, const struct ext *e)
{
	return note ? note(arg, put, e) : 0;
}

/* Drop the blocks [from, to) out of @s; room for one split was made. */
static int seg_punch(
	struct bseg *s, uint64_t from, uint64_t to, bmap_note note, void *arg)
{
	unsigned int i = ext_at(s, from);
	int r = 0;

	while (!r && i < s->n && s->e[i].block < to) {
		struct ext *e = &s->e[i], old = *e;
		uint64_t end = old.block + old.count;

		if (old.block < from) {
			e->count = (uint32_t)(from - old.block);
			r = tell(note, arg, true, e);
			if (!r && end > to) {
				struct ext tail = old;

				tail.block = to;
				tail.count = (uint32_t)(end - to);
				tail.skip += (uint32_t)(to - old.block);
				insert_at(s, i + 1, &tail);
				return tell(note, arg, true, &tail);
			}
			i++;
		} else if (end > to) {
			r = tell(note, arg, false, &old);
			e->block = to;
			e->count = (uint32_t)(end - to);
			e->skip += (uint32_t)(to - old.block);
			return r ? r : tell(note, arg, true, e);
		} else {
			r = tell(note, arg, false, &old);
			remove_at(s, i);
		}
	}
	return r;
}

static int set_in_segment(struct bmap *m, const struct ext *e, bmap_note note, void *arg)
{
	struct bseg *s = m->seg[seg_at(m, e->block / BMAP_SEG)];
	int r;

	r = seg_punch(s, e->block, e->block + e->count, note, arg);
	insert_at(s, ext_at(s, e->block), e);
	return r ? r : tell(note, arg, true, e);
}

int bmap_set(struct bmap *m, const struct ext *e, bmap_note note, void *arg)
{
	uint64_t block = e->block, end = e->block + e->count;
	int r = 0;

	assert(e->count);
	/* All the memory first. Segments left empty by a failure hold nothing. */
	for (uint64_t no = block / BMAP_SEG; no <= (end - 1) / BMAP_SEG; no++) {
		struct bseg *s = seg_make(m, no);

		if (!s || seg_room(s))
			return -ENOMEM;
	}
	while (!r && block < end) {
		uint64_t stop = (block / BMAP_SEG + 1) * BMAP_SEG;
		struct ext part = *e;

		if (stop > end)
			stop = end;
		part.block = block;
		part.count = (uint32_t)(stop - block);
		if (e->chunk_off != EXT_HOLE)
			part.skip = e->skip + (uint32_t)(block - e->block);
		r = set_in_segment(m, &part, note, arg);
		block = stop;
	}
	return r;
}

int bmap_cut(struct bmap *m, uint64_t block, bmap_note note, void *arg)
{
	size_t i = seg_at(m, block / BMAP_SEG), keep = m->n;
	int r = 0;

	for (; !r && i < m->n; i++) {
		struct bseg *s = m->seg[i];

		r = seg_punch(s, block, UINT64_MAX, note, arg); /* splits nothing */
		if (!s->n && keep == m->n)
			keep = i;
	}
	while (m->n > keep && !m->seg[m->n - 1]->n) {
		free(m->seg[m->n - 1]->e);
		free(m->seg[--m->n]);
	}
	return r;
}

const struct ext *bmap_find(const struct bmap *m, uint64_t block)
{
	size_t i = seg_at(m, block / BMAP_SEG);

	for (; i < m->n; i++) {
		const struct bseg *s = m->seg[i];
		unsigned int j = ext_at(s, block);

		if (j < s->n)
			return &s->e[j];
	}
	return NULL;
}

int bmap_each(const struct bmap *m, int (*f)(void *, const struct ext *), void *arg)
{
	for (size_t i = 0; i < m->n; i++)
		for (unsigned int j = 0; j < m->seg[i]->n; j++) {
			int r = f(arg, &m->seg[i]->e[j]);

			if (r)
				return r;
		}
	return 0;
}

bool bmap_empty(const struct bmap *m)
{
	return bmap_find(m, 0) == NULL;
}

void bmap_clear(struct bmap *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->seg[i]->e);
		free(m->seg[i]);
	}
	free(m->seg);
	*m = (struct bmap){0};
}
