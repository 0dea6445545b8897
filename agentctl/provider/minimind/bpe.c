/*
 * bpe.c: joining pairs of a piece of text in the order of the list of merges.
 *
 * Symbols are a linked list in an array; a heap holds the pairs that could be joined, the
 * lowest rank and then the leftmost on top. A pair on top that is no longer what stands
 * there is dropped. So a piece of n bytes takes n log n, however it is made.
 */
#include <errno.h>
#include <stdlib.h>
#include "agentctl/provider/minimind/bpe.h"

enum { NONE = UINT32_MAX };

struct bpe_symbol {
	uint32_t id, before, after; /* NONE at the ends; id NONE: joined to the left */
};

struct bpe_pair {
	uint32_t rank, at, left, right, joined;
};

static int by_key(const void *a, const void *b)
{
	const struct merge *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

void bpe_sort(struct bpe *b)
{
	size_t n = 0;

	if (b->n == 0)
		return;
	qsort(b->merges, b->n, sizeof *b->merges, by_key);
	for (size_t i = 0; i < b->n; i++) {
		if (n > 0 && b->merges[n - 1].key == b->merges[i].key)
			n--;
		b->merges[n++] = b->merges[i];
	}
	b->n = n;
}

static const struct merge *find(const struct bpe *b, uint32_t left, uint32_t right)
{
	uint64_t key = (uint64_t)left << 32 | right;
	size_t low = 0, high = b->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (b->merges[mid].key < key)
			low = mid + 1;
		else
			high = mid;
	}
	return low < b->n && b->merges[low].key == key ? &b->merges[low] : NULL;
}

static int earlier(const struct bpe_pair *a, const struct bpe_pair *b)
{
	return a->rank != b->rank ? a->rank < b->rank : a->at < b->at;
}

static void push(struct bpe_pair *heap, size_t *n, struct bpe_pair p)
{
	size_t i = (*n)++;

	while (i > 0 && earlier(&p, &heap[(i - 1) / 2])) {
		heap[i] = heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	heap[i] = p;
}

static struct bpe_pair pop(struct bpe_pair *heap, size_t *n)
{
	struct bpe_pair top = heap[0], p = heap[--*n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < *n) {
		if (child + 1 < *n && earlier(&heap[child + 1], &heap[child]))
			child++;
		if (!earlier(&heap[child], &p))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = p;
	return top;
}

/* Put the pair that begins at @at on the heap, if there is one and it can be joined. */
static void offer(const struct bpe *b, struct bpe_room *room, size_t *heap_n, uint32_t at)
{
	const struct bpe_symbol *s = room->symbols;
	const struct merge *m;

	if (at == NONE || s[at].after == NONE)
		return;
	m = find(b, s[at].id, s[s[at].after].id);
	if (m)
		push(room->heap, heap_n,
			(struct bpe_pair){
				m->rank, at, s[at].id, s[s[at].after].id, m->joined});
}

static int make_room(struct bpe_room *room, size_t n)
{
	struct bpe_symbol *symbols;
	struct bpe_pair *heap;

	if (n <= room->cap)
		return 0;
	symbols = realloc(room->symbols, n * sizeof *symbols);
	if (!symbols)
		return -ENOMEM;
	room->symbols = symbols;
	/* at first n - 1 pairs, and each joining takes one off and adds at most two */
	heap = realloc(room->heap, 2 * n * sizeof *heap);
	if (!heap)
		return -ENOMEM;
	room->heap = heap;
	room->cap = n;
	return 0;
}

static void join(struct bpe_symbol *s, const struct bpe_pair *p)
{
	uint32_t gone = s[p->at].after;

	s[p->at].id = p->joined;
	s[p->at].after = s[gone].after;
	if (s[gone].after != NONE)
		s[s[gone].after].before = p->at;
	s[gone].id = NONE;
}

long bpe_join(const struct bpe *b, struct bpe_room *room, uint32_t *ids, size_t n)
{
	size_t heap_n = 0, left = 0;
	struct bpe_symbol *s;

	if (n < 2)
		return (long)n;
	if (n > UINT32_MAX / 4 || make_room(room, n) != 0)
		return -ENOMEM;
	s = room->symbols;
	for (uint32_t i = 0; i < n; i++)
		s[i] = (struct bpe_symbol){
			ids[i], i ? i - 1 : NONE, i + 1 < n ? i + 1 : NONE};
	for (uint32_t i = 0; i < n; i++)
		offer(b, room, &heap_n, i);
	while (heap_n > 0) {
		struct bpe_pair p = pop(room->heap, &heap_n);

		if (s[p.at].id != p.left || s[p.at].after == NONE ||
			s[s[p.at].after].id != p.right)
			continue;
		join(s, &p);
		offer(b, room, &heap_n, s[p.at].before);
		offer(b, room, &heap_n, p.at);
	}
	for (uint32_t i = 0; i != NONE; i = s[i].after)
		ids[left++] = s[i].id;
	return (long)left;
}

void bpe_room_free(struct bpe_room *room)
{
	free(room->symbols);
	free(room->heap);
	*room = (struct bpe_room){0};
}
