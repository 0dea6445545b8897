/*
 * names.c: the changed entries of a directory in one layer: a hash table of names.
 */
#include "fs/tree/impl.h"

#include <stdlib.h>

uint32_t name_hash(const char *name)
{
	uint32_t h = 2166136261u;

	while (*name)
		h = (h ^ (unsigned char)*name++) * 16777619u;
	return h;
}

struct nent *names_find(const struct names *m, const char *name)
{
	uint32_t h = name_hash(name);
	struct nent *e;

	if (!m->n)
		return NULL;
	for (e = m->bucket[h & (m->cap - 1)]; e; e = e->next)
		if (e->hash == h && !strcmp(e->name, name))
			return e;
	return NULL;
}

static int names_grow(struct names *m)
{
	uint32_t cap = m->cap ? m->cap * 2 : 4;
	struct nent **b = calloc(cap, sizeof(*b));

	if (!b)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->cap; i++)
		while (m->bucket[i]) {
			struct nent *e = m->bucket[i];

			m->bucket[i] = e->next;
			e->next = b[e->hash & (cap - 1)];
			b[e->hash & (cap - 1)] = e;
		}
	free(m->bucket);
	m->bucket = b;
	m->cap = cap;
	return 0;
}

struct nent *names_add(struct names *m, const char *name)
{
	size_t len = strlen(name);
	struct nent *e;

	if (m->n >= m->cap && names_grow(m))
		return NULL;
	e = calloc(1, sizeof(*e) + len + 1);
	if (!e)
		return NULL;
	memcpy(e->name, name, len + 1);
	e->hash = name_hash(name);
	e->next = m->bucket[e->hash & (m->cap - 1)];
	m->bucket[e->hash & (m->cap - 1)] = e;
	m->n++;
	return e;
}

void names_del(struct tree *t, struct names *m, const char *name)
{
	struct nent *e = names_find(m, name), **p;

	if (!e)
		return;
	for (p = &m->bucket[e->hash & (m->cap - 1)]; *p != e; p = &(*p)->next)
		;
	*p = e->next;
	m->n--;
	obj_put(t, e->obj);
	obj_put(t, e->was);
	free(e);
}

void names_clear(struct tree *t, struct names *m)
{
	for (uint32_t i = 0; i < m->cap; i++)
		while (m->bucket[i]) {
			struct nent *e = m->bucket[i];

			m->bucket[i] = e->next;
			obj_put(t, e->obj);
			obj_put(t, e->was);
			free(e);
		}
	free(m->bucket);
	*m = (struct names){0};
}
