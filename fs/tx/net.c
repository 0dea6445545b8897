/*
 * net.c: the net change of a transaction: every object and every name that its layers
 * touch, once, with what it is at the end and what it was below.
 */
#include "fs/tx/impl.h"

#include <stdio.h>

struct nobj *net_obj(struct net *n, struct obj *o)
{
	return o->plan;
}

static struct nobj *obj_add(struct net *n, struct delta *d)
{
	struct nobj *b = d->obj->plan;

	if (b)
		return b;
	if (n->objs == n->obj_cap) {
		size_t cap = n->obj_cap ? n->obj_cap * 2 : 64;
		struct nobj **p = realloc(n->obj, cap * sizeof(*p));

		if (!p)
			return NULL;
		n->obj = p;
		n->obj_cap = cap;
	}
	b = calloc(1, sizeof(*b));
	if (!b)
		return NULL;
	b->o = d->obj;
	b->d = d;
	b->a = d->a;
	b->first_add = b->first_new = b->placed = SIZE_MAX;
	d->obj->plan = b;
	n->obj[n->objs++] = b;
	return b;
}

static size_t slot_of(const struct net *n, const struct nobj *dir, const char *name)
{
	return (name_hash(name) ^ (uint32_t)(dir->o->id * 0x9E3779B1u)) & (n->slots - 1);
}

/* The slot of a name, or the free one where it belongs. */
static uint32_t *slot_find(struct net *n, const struct nobj *dir, const char *name)
{
	size_t i = slot_of(n, dir, name);

	for (;; i = (i + 1) & (n->slots - 1)) {
		const struct nname *m = &n->name[n->slot[i] - 1];

		if (!n->slot[i] || (m->dir == dir && !strcmp(m->name, name)))
			return &n->slot[i];
	}
}

static int names_room(struct net *n)
{
	size_t cap = n->name_cap ? n->name_cap * 2 : 64;
	struct nname *p;
	uint32_t *slot;

	if (n->names < n->name_cap)
		return 0;
	p = realloc(n->name, cap * sizeof(*p));
	if (!p)
		return -ENOMEM;
	n->name = p;
	slot = calloc(cap * 2, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	n->name_cap = cap;
	free(n->slot);
	n->slot = slot;
	n->slots = cap * 2;
	for (size_t i = 0; i < n->names; i++)
		*slot_find(n, p[i].dir, p[i].name) = (uint32_t)i + 1;
	return 0;
}

/* Newer layers come first: what they said of a name stands, what an older one says of the
 * time before it is nearer to the base. */
static int name_add(struct net *n, struct nobj *dir, const struct nent *e)
{
	uint32_t *slot;

	if (names_room(n))
		return -ENOMEM;
	slot = slot_find(n, dir, e->name);
	if (*slot) {
		n->name[*slot - 1].was = e->was;
		return 0;
	}
	n->name[n->names++] =
		(struct nname){.dir = dir, .name = e->name, .now = e->obj, .was = e->was};
	*slot = (uint32_t)n->names;
	return 0;
}

static int delta_add(struct net *n, struct delta *d)
{
	struct nobj *b = obj_add(n, d);
	struct nent *e;
	uint32_t i;

	if (!b)
		return -ENOMEM;
	b->bottom = d;
	b->parts |= d->parts;
	names_each(&d->names, i, e)
	{
		int r = name_add(n, b, e);

		if (r)
			return r;
	}
	return 0;
}

static void classify(struct net *n)
{
	for (size_t i = 0; i < n->objs; i++) {
		struct nobj *b = n->obj[i];

		b->is_new = b->parts & PART_NEW && !b->o->has_base;
		b->gone = b->parts & PART_GONE && !b->d->a.nlink;
		b->content = b->parts & PART_DATA && S_ISREG(b->d->a.mode);
		b->attrs = b->parts & (PART_ATTR | PART_XATTR);
	}
	for (size_t i = 0; i < n->names; i++) {
		struct nname *m = &n->name[i];
		struct nobj *now = m->now ? m->now->plan : NULL;
		struct nobj *was = m->was ? m->was->plan : NULL;

		if (m->now == m->was)
			continue;
		if (now) {
			if (now->first_add == SIZE_MAX)
				now->first_add = i;
			now->added++;
		}
		if (was)
			was->removed++;
	}
	/* What keeps its place in the base is known by it, not by a further link. */
	for (size_t i = 0; i < n->objs; i++)
		if (n->obj[i]->o->has_base && !n->obj[i]->removed)
			n->obj[i]->first_add = SIZE_MAX;
}

int net_new(struct tree *t, struct layer *top, struct net **out)
{
	struct net *n = calloc(1, sizeof(*n));
	int r = 0;

	if (!n)
		return -ENOMEM;
	n->t = t;
	for (struct layer *l = top; l && !r; l = l->below) {
		struct delta *d;

		list_for_each (d, &l->deltas, in_layer) {
			r = d->orphan ? 0 : delta_add(n, d);
			if (r)
				break;
		}
	}
	if (r) {
		net_free(n);
		return r;
	}
	classify(n);
	*out = n;
	return 0;
}

void net_free(struct net *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->objs; i++) {
		n->obj[i]->o->plan = NULL;
		free(n->obj[i]->old_path);
		free(n->obj[i]->new_path);
		free(n->obj[i]);
	}
	free(n->obj);
	free(n->name);
	free(n->slot);
	free(n->moved);
	free(n);
}

/* One step towards the root of what the transaction leaves. Takes references. */
static int step_up(struct net *n, struct obj *o, struct obj **parent, char name[256])
{
	struct nobj *b = o->plan;

	if (b && b->first_add != SIZE_MAX) {
		const struct nname *m = &n->name[b->first_add];

		snprintf(name, 256, "%s", m->name);
		*parent = obj_get(m->dir->o);
		return 0;
	}
	auto_unlock pthread_mutex_t *l = lock(&n->t->objs_lock);

	if (!o->has_base || !o->parent || !o->name)
		return -ENOENT;
	snprintf(name, 256, "%s", o->name);
	*parent = obj_get(o->parent);
	return 0;
}

/* A path as it is found: its end first, at the end of the buffer. */
struct backwards {
	char *buf;
	size_t cap, at; /* [at, cap) is used */
};

static int prepend(struct backwards *b, const char *name)
{
	size_t len = strlen(name), used = b->cap - b->at;

	if (b->at < len + 1) {
		size_t cap = b->cap * 2 + len + 64;
		char *p = malloc(cap);

		if (!p)
			return -ENOMEM;
		if (used)
			memcpy(p + cap - used, b->buf + b->at, used);
		free(b->buf);
		*b = (struct backwards){p, cap, cap - used};
	}
	b->at -= len + 1;
	memcpy(b->buf + b->at, name, len);
	b->buf[b->at + len] = used ? '/' : 0;
	return 0;
}

/* @b: NULL where only whether there is a path is asked. */
static int walk_up(struct net *n, struct obj *o, struct backwards *b)
{
	char name[256];
	size_t steps = 0;
	int r = 0;

	obj_get(o);
	while (!r && o != n->t->root) {
		struct obj *parent;

		r = ++steps > TREE_DEPTH_MAX ? -ENOENT : step_up(n, o, &parent, name);
		if (r)
			break;
		obj_put(n->t, o);
		o = parent;
		if (b)
			r = prepend(b, name);
	}
	obj_put(n->t, o);
	return r;
}

int net_path(struct net *n, struct obj *o, char **out)
{
	struct backwards b = {0};
	int r = walk_up(n, o, &b);

	*out = r ? NULL : strdup(b.buf ? b.buf + b.at : "");
	free(b.buf);
	return r ? r : *out ? 0 : -ENOMEM;
}

int net_name_path(struct net *n, const struct nname *m, char **out)
{
	auto_free char *dir = NULL;
	int r = net_path(n, m->dir->o, &dir);

	if (r)
		return r;
	return asprintf(out, "%s%s%s", dir, *dir ? "/" : "", m->name) < 0 ? -ENOMEM : 0;
}

/* --- rows for people
 * ------------------------------------------------------------------------ */

struct rows {
	struct change *c;
	size_t n, cap;
	uint64_t *counts; /* or NULL: only counted, by kind */
};

static void count_kind(uint64_t counts[3], enum txfs_change kind)
{
	counts[kind == TXFS_ADDED ? 0 : kind == TXFS_DELETED ? 2 : 1]++;
}

static int row(struct rows *rs, enum txfs_change kind, const struct nobj *b, char *path,
	char *to)
{
	if (rs->counts) {
		count_kind(rs->counts, kind);
		free(path);
		free(to);
		return 0;
	}
	if (rs->n == rs->cap) {
		size_t cap = rs->cap ? rs->cap * 2 : 32;
		struct change *p = realloc(rs->c, cap * sizeof(*p));

		if (!p) {
			free(path);
			free(to);
			return -ENOMEM;
		}
		rs->c = p;
		rs->cap = cap;
	}
	rs->c[rs->n++] = (struct change){
		.kind = kind,
		.mode = b ? b->d->a.mode : 0,
		.size = b ? b->d->a.size : 0,
		.path = path,
		.to = to,
	};
	return 0;
}

static int copy_row(
	struct rows *rs, enum txfs_change kind, const struct nobj *b, const char *path)
{
	char *p = path ? strdup(path) : NULL;

	return p || !path ? row(rs, kind, b, p, NULL) : -ENOMEM;
}

static bool same_type(const struct nobj *a, const struct nobj *b)
{
	return a && b && ((a->d->a.mode ^ b->d->a.mode) & S_IFMT) == 0;
}

/* A name that means another object than before. */
static int name_row(struct net *n, struct nname *m, struct rows *rs)
{
	struct nobj *now = m->now ? m->now->plan : NULL,
		    *was = m->was ? m->was->plan : NULL;
	auto_free char *path = NULL;
	char *old;
	int r;

	if (m->now == m->was || (m->now && !now))
		return 0;
	r = rs->counts ? walk_up(n, m->dir->o, NULL) : net_name_path(n, m, &path);
	if (r)
		return r == -ENOENT ? 0 : r;
	if (!now) { /* a moved object shows as renamed, at its new name */
		if (was && was->added && !was->is_new)
			return 0;
		return copy_row(rs, TXFS_DELETED, was, path);
	}
	if (!now->is_new && now->removed && &n->name[now->first_add] == m) {
		r = obj_path(n->t, now->o, &old);
		if (r == -ENOENT) /* the base has lost it since */
			return copy_row(rs, TXFS_ADDED, now, path);
		return r ? r : row(rs, TXFS_RENAMED, now, old, steal(&path));
	}
	if (m->was && was && !was->added && same_type(now, was) &&
		!S_ISDIR(now->d->a.mode))
		return copy_row(rs, TXFS_CONTENT, now, path);
	r = m->was && was && !was->added ? copy_row(rs, TXFS_DELETED, was, path) : 0;
	return r ? r : copy_row(rs, TXFS_ADDED, now, path);
}

static int obj_row_of(struct net *n, struct nobj *b, struct rows *rs)
{
	bool content = b->parts & (PART_DATA | PART_XATTR);
	char *path = NULL;
	int r;

	if (b->is_new || b->gone || !(content || b->parts & PART_ATTR))
		return 0;
	r = rs->counts ? walk_up(n, b->o, NULL) : net_path(n, b->o, &path);
	if (r)
		return r == -ENOENT ? 0 : r;
	return row(rs, b->content ? TXFS_CONTENT : TXFS_ATTR, b, path, NULL);
}

static int by_path(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	int c = strcmp(x->path, y->path);

	return c ? c : (int)y->kind - (int)x->kind;
}

static int all_rows(struct net *n, struct rows *rs)
{
	int r = 0;

	for (size_t i = 0; i < n->names && !r; i++)
		r = name_row(n, &n->name[i], rs);
	for (size_t i = 0; i < n->objs && !r; i++)
		r = obj_row_of(n, n->obj[i], rs);
	return r;
}

int net_count(struct net *n, uint64_t counts[3])
{
	struct rows rs = {.counts = counts};

	memset(counts, 0, 3 * sizeof(*counts));
	return all_rows(n, &rs);
}

int net_changes(struct net *n, struct change **out, size_t *count)
{
	struct rows rs = {0};
	int r = all_rows(n, &rs);

	if (r) {
		changes_free(rs.c, rs.n);
		return r;
	}
	if (rs.n)
		qsort(rs.c, rs.n, sizeof(*rs.c), by_path);
	*out = rs.c;
	*count = rs.n;
	return 0;
}

void changes_free(struct change *c, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(c[i].path);
		free(c[i].to);
	}
	free(c);
}
