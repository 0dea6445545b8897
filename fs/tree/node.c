/*
 * node.c: what the kernel holds: nodes, their ids, their places, their end.
 *
 * Ids come from a counter and are never reused. A retired node stays in the table of ids
 * until the kernel forgets it, so that whoever still holds it gets ESTALE, and leaves the
 * table of objects, so that the view makes a new one.
 */
#include "fs/tree/impl.h"

#include <stdlib.h>

static size_t slot_of(const struct tree *t, uint64_t key)
{
	return (key * 0x9E3779B97F4A7C15ull >> 20) & (t->node_slots - 1);
}

static size_t obj_slot(const struct tree *t, const struct view *v, const struct obj *o)
{
	return slot_of(t, ((uint64_t)(uintptr_t)v >> 4) * 31 + o->id);
}

static void rehash(struct tree *t)
{
	size_t old = t->node_slots;
	struct node **id = calloc(old * 2, sizeof(*id)),
		    **ob = calloc(old * 2, sizeof(*ob));

	if (!id || !ob) {
		free(id);
		free(ob);
		return;
	}
	struct node **was_id = t->by_id, **was_ob = t->by_obj;

	t->by_id = id;
	t->by_obj = ob;
	t->node_slots = old * 2;
	for (size_t i = 0; i < old; i++) {
		while (was_id[i]) {
			struct node *n = was_id[i], **p = &id[slot_of(t, n->id)];

			was_id[i] = n->hash_id;
			n->hash_id = *p;
			*p = n;
		}
		while (was_ob[i]) {
			struct node *n = was_ob[i],
				    **p = &ob[obj_slot(t, n->view, n->obj)];

			was_ob[i] = n->hash_obj;
			n->hash_obj = *p;
			*p = n;
		}
	}
	free(was_id);
	free(was_ob);
}

static struct node *find_id(struct tree *t, uint64_t id)
{
	struct node *n = t->by_id[slot_of(t, id)];

	while (n && n->id != id)
		n = n->hash_id;
	return n;
}

static struct node *find_obj(struct tree *t, struct view *v, struct obj *o)
{
	struct node *n = t->by_obj[obj_slot(t, v, o)];

	while (n && (n->view != v || n->obj != o))
		n = n->hash_obj;
	return n;
}

static void unhash_obj(struct tree *t, struct node *n)
{
	struct node **p = &t->by_obj[obj_slot(t, n->view, n->obj)];

	while (*p && *p != n)
		p = &(*p)->hash_obj;
	if (*p)
		*p = n->hash_obj;
	list_del(&n->by_obj);
}

static void unhash_id(struct tree *t, struct node *n)
{
	struct node **p = &t->by_id[slot_of(t, n->id)];

	while (*p != n)
		p = &(*p)->hash_id;
	*p = n->hash_id;
	t->node_used--;
}

/* What must be given up outside of nodes_lock once nodes have died. */
struct dead {
	struct node *first; /* linked by hash_id */
};

static void put_locked(struct tree *t, struct node *n, struct dead *d)
{
	while (n && --n->refs == 0) {
		struct node *parent = n->parent;

		if (!n->stale)
			unhash_obj(t, n);
		unhash_id(t, n);
		list_del(&n->in_view);
		n->hash_id = d->first;
		d->first = n;
		n->parent = NULL;
		n = parent;
	}
}

static void bury(struct tree *t, struct dead *d)
{
	while (d->first) {
		struct node *n = d->first;

		d->first = n->hash_id;
		dirlist_free(n->list);
		dirlist_free(n->pins);
		obj_put(t, n->obj);
		view_put(n->view);
		pthread_rwlock_destroy(&n->lock);
		free(n->name);
		free(n);
	}
}

struct node *node_by_id(struct tree *t, uint64_t id)
{
	auto_unlock pthread_mutex_t *l = lock(&t->nodes_lock);

	return find_id(t, id);
}

struct node *node_get(struct node *n)
{
	auto_unlock pthread_mutex_t *l = lock(&n->view->t->nodes_lock);

	n->refs++;
	return n;
}

void node_put(struct node *n)
{
	struct tree *t;
	struct dead d = {0};

	if (!n)
		return;
	t = n->view->t;
	pthread_mutex_lock(&t->nodes_lock);
	put_locked(t, n, &d);
	pthread_mutex_unlock(&t->nodes_lock);
	bury(t, &d);
}

struct node *node_find(struct view *v, struct obj *o)
{
	auto_unlock pthread_mutex_t *l = lock(&v->t->nodes_lock);
	struct node *n = find_obj(v->t, v, o);

	if (n)
		n->refs++;
	return n;
}

/* Remember where @n was seen. *name is taken, or what was there before left in it. */
static void seen_at(
	struct tree *t, struct node *n, struct node *parent, char **name, struct dead *d)
{
	struct node *old = n->parent;
	char *old_name = n->name;

	if (old == parent && old_name && !strcmp(old_name, *name))
		return;
	parent->refs++;
	n->parent = parent;
	n->name = *name;
	*name = old_name;
	put_locked(t, old, d);
}

struct node *node_of(struct view *v, struct obj *o, struct node *parent, const char *name)
{
	struct tree *t = v->t;
	auto_free char *copy = name ? strdup(name) : NULL;
	struct dead d = {0};
	struct node *n;

	if (name && !copy)
		return NULL;
	pthread_mutex_lock(&t->nodes_lock);
	n = find_obj(t, v, o);
	if (!n) {
		n = calloc(1, sizeof(*n));
		if (!n) {
			pthread_mutex_unlock(&t->nodes_lock);
			return NULL;
		}
		n->id = t->next_node++;
		n->view = v;
		n->obj = obj_get(o);
		pthread_rwlock_init(&n->lock, NULL);
		atomic_fetch_add(&v->refs, 1);
		n->hash_id = t->by_id[slot_of(t, n->id)];
		t->by_id[slot_of(t, n->id)] = n;
		n->hash_obj = t->by_obj[obj_slot(t, v, o)];
		t->by_obj[obj_slot(t, v, o)] = n;
		list_add(&n->by_obj, &o->nodes);
		list_add_tail(&n->in_view, &v->nodes);
		if (++t->node_used > t->node_slots)
			rehash(t);
	}
	n->refs++;
	if (parent)
		seen_at(t, n, parent, &copy, &d);
	pthread_mutex_unlock(&t->nodes_lock);
	bury(t, &d);
	return n;
}

/* The base may come to mean another file by this name; this view does not. */
int node_pin(struct node *n)
{
	auto_unlock pthread_mutex_t *l = lock(&n->view->t->nodes_lock);

	if (!n->parent)
		return 0;
	if (!n->parent->pins)
		n->parent->pins = calloc(1, sizeof(struct dirlist));
	if (!n->parent->pins)
		return -ENOMEM;
	dirlist_set(n->parent->pins, n->name, n->id, 0);
	return n->parent->pins->stale ? -ENOMEM : 0;
}

struct obj *node_pinned(struct node *dir, const char *name)
{
	auto_unlock pthread_mutex_t *l = lock(&dir->view->t->nodes_lock);
	const struct dent *e = dirlist_find(dir->pins, name);
	struct node *n = e ? find_id(dir->view->t, e->ino) : NULL;

	return n && n->top && n->parent == dir && !strcmp(n->name, name) ? obj_get(n->obj)
									 : NULL;
}

void node_unplace(struct node *n)
{
	struct tree *t = n->view->t;
	struct dead d = {0};
	struct node *parent;

	pthread_mutex_lock(&t->nodes_lock);
	parent = n->parent;
	n->parent = NULL;
	put_locked(t, parent, &d);
	pthread_mutex_unlock(&t->nodes_lock);
	bury(t, &d);
}

void node_unseen(struct node *n, struct node *parent, const char *name)
{
	struct tree *t = n->view->t;
	bool there;

	pthread_mutex_lock(&t->nodes_lock);
	there = n->parent == parent && !strcmp(n->name, name);
	pthread_mutex_unlock(&t->nodes_lock);
	if (there)
		node_unplace(n);
}

void node_lookup(struct node *n)
{
	auto_unlock pthread_mutex_t *l = lock(&n->view->t->nodes_lock);

	if (n->nlookup++ == 0)
		n->refs++;
}

bool node_known(struct node *n)
{
	auto_unlock pthread_mutex_t *l = lock(&n->view->t->nodes_lock);

	return n->nlookup;
}

void node_forget(struct tree *t, uint64_t id, uint64_t nlookup)
{
	struct dead d = {0};
	struct node *n;

	pthread_mutex_lock(&t->nodes_lock);
	n = find_id(t, id);
	if (n && n->nlookup) {
		n->nlookup -= nlookup < n->nlookup ? nlookup : n->nlookup;
		if (!n->nlookup)
			put_locked(t, n, &d);
	}
	pthread_mutex_unlock(&t->nodes_lock);
	bury(t, &d);
}

void node_retire(struct node *n)
{
	struct tree *t = n->view->t;
	auto_unlock pthread_mutex_t *l = lock(&t->nodes_lock);

	if (n->stale)
		return;
	unhash_obj(t, n);
	n->stale = true;
}

int node_path(struct node *n, char **out)
{
	auto_unlock pthread_mutex_t *l = lock(&n->view->t->nodes_lock);
	struct node *root = n->view->root, *p;
	size_t len = 0;
	char *s;

	for (p = n; p != root; p = p->parent) {
		if (!p->parent)
			return -ENOENT;
		len += strlen(p->name) + 1;
	}
	s = malloc(len + 1);
	if (!s)
		return -ENOMEM;
	*out = s;
	if (!len) {
		*s = 0;
		return 0;
	}
	s += len - 1;
	*s = 0;
	for (p = n; p != root; p = p->parent) {
		size_t l2 = strlen(p->name);

		s -= l2;
		memcpy(s, p->name, l2);
		if (s > *out)
			*--s = '/';
	}
	return 0;
}

uint64_t view_ino(const struct view *v, uint64_t st_ino)
{
	return st_ino | (uint64_t)v->number << INO_VIEW_SHIFT;
}

uint64_t node_ino(const struct node *n)
{
	return view_ino(n->view, n->obj->st_ino);
}

/* At the end nothing may ask any more: free what the kernel never forgot. */
void nodes_clear(struct tree *t)
{
	struct dead d = {0};

	for (size_t i = 0; i < t->node_slots; i++)
		for (struct node *n = t->by_id[i], *next; n; n = next) {
			next = n->hash_id;
			if (!n->stale)
				list_del(&n->by_obj);
			list_del(&n->in_view);
			n->hash_id = d.first;
			d.first = n;
		}
	bury(t, &d);
	free(t->by_id);
	free(t->by_obj);
}
