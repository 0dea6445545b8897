/*
 * bpe.h: joining pairs of a piece of text in the order of the list of merges.
 */
#ifndef AGENTCTL_MINIMIND_BPE_H
#define AGENTCTL_MINIMIND_BPE_H

#include <stddef.h>
#include <stdint.h>

/** The pair of ids (key: left in the upper half) that becomes one; lower ranks first. */
struct merge {
	uint64_t key;
	uint32_t rank, joined;
};

struct bpe {
	struct merge *merges; /* sorted by key, each key once */
	size_t n;
};

/** Working room for one piece, kept from piece to piece. */
struct bpe_room {
	struct bpe_symbol *symbols;
	struct bpe_pair *heap;
	size_t cap;
};

/** bpe_sort(b): put the merges in order; of the same pair the last rank counts. */
void bpe_sort(struct bpe *b);

/** bpe_join(b, room, ids, n): join in place; returns how many are left, or -ENOMEM. */
long bpe_join(const struct bpe *b, struct bpe_room *room, uint32_t *ids, size_t n);
void bpe_room_free(struct bpe_room *room);

#endif
