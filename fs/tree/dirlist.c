/*
 * dirlist.c: a directory's listing with stable cookies, made at the first reading.
 *
 * Entries are appended and marked dead, never moved, so a reader that stopped in the
 * middle goes on where it was whatever changed since. When the base changed behind, the
 * list is merged with a fresh one: what is still there keeps its cookie.
 */
#include "fs/tree/impl.h"

#include <dirent.h>
#include <stdlib.h>

void dirlist_free(struct dirlist *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++)
		free(l->e[i].name);
	free(l->e);
	free(l->slot);
	free(l);
}

static struct dent *find(struct dirlist *l, const char *name)
{
	size_t i;

	if (!l || !l->slots)
		return NULL;
	for (i = name_hash(name) & (l->slots - 1); l->slot[i];
		i = (i + 1) & (l->slots - 1))
		if (!strcmp(l->e[l->slot[i] - 1].name, name))
			return &l->e[l->slot[i] - 1];
	return NULL;
}

const struct dent *dirlist_find(struct dirlist *l, const char *name)
{
	return find(l, name);
}

static void put_slot(struct dirlist *l, size_t index)
{
	size_t i = name_hash(l->e[index].name) & (l->slots - 1);

	while (l->slot[i])
		i = (i + 1) & (l->slots - 1);
	l->slot[i] = (uint32_t)index + 1;
}

static int grow(struct dirlist *l)
{
	size_t cap = l->cap ? l->cap * 2 : 16;
	struct dent *e = realloc(l->e, cap * sizeof(*e));
	uint32_t *slot;

	if (!e)
		return -ENOMEM;
	l->e = e;
	slot = calloc(cap * 2, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	l->cap = cap;
	free(l->slot);
	l->slot = slot;
	l->slots = cap * 2;
	for (size_t i = 0; i < l->n; i++)
		put_slot(l, i);
	return 0;
}

static int set(struct dirlist *l, const char *name, uint64_t ino, uint8_t type)
{
	struct dent *e = find(l, name);

	if (!e) {
		char *copy = strdup(name);

		if (!copy || (l->n == l->cap && grow(l))) {
			free(copy);
			return -ENOMEM;
		}
		e = &l->e[l->n++];
		*e = (struct dent){.name = copy};
		put_slot(l, l->n - 1);
	}
	e->ino = ino;
	e->type = type;
	e->dead = false;
	e->seen = true;
	return 0;
}

void dirlist_set(struct dirlist *l, const char *name, uint64_t ino, uint8_t type)
{
	if (l && set(l, name, ino, type))
		l->stale = true;
}

void dirlist_del(struct dirlist *l, const char *name)
{
	struct dent *e = find(l, name);

	if (e)
		e->dead = true;
}

struct fill {
	struct node *n;
	struct dirlist *l;
};

static int fill(void *arg, const char *name, struct obj *o, uint8_t type, uint64_t ino)
{
	struct fill *f = arg;

	if (!o)
		ino = obj_known_ino(f->n->view->t, f->n->obj, name, ino);
	return set(f->l, name, view_ino(f->n->view, ino), type);
}

/* A file changed here is still there, whatever the base has under its name now. */
static int fill_pinned(struct fill *f, const char *name)
{
	struct tree *t = f->n->view->t;
	struct delta *d;
	struct stack s;
	struct obj *o;
	int r;

	node_stack(&s, f->n);
	while ((d = stack_next(&s)))
		if (names_find(&d->names, name))
			return 0; /* the name itself was changed */
	o = node_pinned(f->n, name);
	if (!o)
		return 0;
	r = set(f->l, name, view_ino(f->n->view, o->st_ino),
		(uint8_t)IFTODT(o->print.mode));
	obj_put(t, o);
	return r;
}

/* Node lock held for writing. */
static int make(struct node *n)
{
	struct dirlist *l = n->list ? n->list : calloc(1, sizeof(*l));
	struct fill f = {n, l};
	struct stack s;
	int r;

	if (!l)
		return -ENOMEM;
	n->list = l;
	for (size_t i = 0; i < l->n; i++)
		l->e[i].seen = false;
	node_stack(&s, n);
	r = stack_list(n->view->t, &s, fill, &f);
	for (size_t i = 0; n->pins && i < n->pins->n && !r; i++)
		r = fill_pinned(&f, n->pins->e[i].name);
	l->stale = r != 0;
	for (size_t i = 0; i < l->n && !r; i++)
		if (!l->e[i].seen)
			l->e[i].dead = true;
	return r;
}

void tree_list_stale(struct node *n)
{
	pthread_rwlock_wrlock(&n->lock);
	if (n->list)
		n->list->stale = true;
	pthread_rwlock_unlock(&n->lock);
}

/* 0 with the node's lock held for reading, or an error without it. Entries are looked up
 * while the list is read, so the lock for writing is given up first. */
static int list_for_reading(struct node *n)
{
	int r = 0;

	for (;;) {
		pthread_rwlock_rdlock(&n->lock);
		if (n->list && !n->list->stale)
			return 0;
		pthread_rwlock_unlock(&n->lock);
		pthread_rwlock_wrlock(&n->lock);
		if (!n->list || n->list->stale)
			r = make(n);
		pthread_rwlock_unlock(&n->lock);
		if (r)
			return r;
	}
}

static uint64_t parent_ino(struct node *n)
{
	struct tree *t = n->view->t;
	auto_unlock pthread_mutex_t *l = lock(&t->nodes_lock);

	return node_ino(n->parent ? n->parent : n);
}

int tree_readdir(struct node *n, uint64_t cookie,
	int (*f)(void *, const char *, uint64_t, uint8_t, uint64_t), void *arg)
{
	int r = list_for_reading(n);

	if (r)
		return r;
	if (cookie == 0) {
		if (f(arg, ".", node_ino(n), DT_DIR, 1))
			goto out;
		cookie = 1;
	}
	if (cookie == 1) {
		if (f(arg, "..", parent_ino(n), DT_DIR, 2))
			goto out;
		cookie = 2;
	}
	for (size_t i = cookie - 2; i < n->list->n; i++) {
		struct dent e = n->list->e[i];
		bool full;

		if (e.dead)
			continue;
		/* it may lock the directory, and what the name means; names stay */
		pthread_rwlock_unlock(&n->lock);
		full = f(arg, e.name, e.ino, e.type, i + 3);
		pthread_rwlock_rdlock(&n->lock);
		if (full)
			break;
	}
out:
	pthread_rwlock_unlock(&n->lock);
	return 0;
}
