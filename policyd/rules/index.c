/*
 * index.c: which rules may apply to a program. Rules that name it literally hang in a
 * hash table; patterns, and rules without a program, are in a list beside it. Both are
 * walked together, in the order of the rules.
 */
#include <stdlib.h>
#include <string.h>

#include "policyd/rules/private.h"

enum { NONE = ~0u };

struct index {
	size_t mask;
	unsigned *bucket; /* first rule of each hash, NONE: none */
	unsigned *next;	  /* of each rule: the next of the same hash */
	unsigned *other;  /* rules that are not in the table, in order */
	size_t n_other;
};

static bool literal(const struct rule *x)
{
	return x->program && !strpbrk(x->program, "*?[\\");
}

static size_t hash(const char *s)
{
	size_t h = 14695981039346656037u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	return h ^ h >> 29;
}

struct index *index_new(const struct rules *r)
{
	struct index *x = calloc(1, sizeof(*x));
	size_t size = 64;

	while (size < r->n * 2)
		size *= 2;
	if (!x)
		return NULL;
	x->mask = size - 1;
	x->bucket = malloc(size * sizeof(*x->bucket));
	x->next = malloc((r->n + 1) * sizeof(*x->next));
	x->other = malloc((r->n + 1) * sizeof(*x->other));
	if (!x->bucket || !x->next || !x->other) {
		index_free(x);
		return NULL;
	}
	memset(x->bucket, 0xff, size * sizeof(*x->bucket));
	for (size_t i = r->n; i-- > 0;) { /* from the end: lists come out in order */
		unsigned *b;

		if (!literal(&r->rule[i]))
			continue;
		b = &x->bucket[hash(r->rule[i].program) & x->mask];
		x->next[i] = *b;
		*b = (unsigned)i;
	}
	for (size_t i = 0; i < r->n; i++)
		if (!literal(&r->rule[i]))
			x->other[x->n_other++] = (unsigned)i;
	return x;
}

void index_free(struct index *x)
{
	if (!x)
		return;
	free(x->bucket);
	free(x->next);
	free(x->other);
	free(x);
}

void index_first(struct index_walk *w, const struct index *x, const char *program)
{
	*w = (struct index_walk){.index = x, .named = x->bucket[hash(program) & x->mask]};
}

const struct rule *index_next(struct index_walk *w, const struct rules *r)
{
	const struct index *x = w->index;
	size_t other = w->other < x->n_other ? x->other[w->other] : NONE;
	size_t take = w->named;

	if (w->named == NONE && other == NONE)
		return NULL;
	if (other < w->named) {
		take = other;
		w->other++;
	} else {
		w->named = x->next[w->named];
	}
	return &r->rule[take];
}
