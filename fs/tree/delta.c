/*
 * delta.c: changing an object in the top layer, in memory and in the log together.
 *
 * Each request collects its records in a struct log and hands them to the store as one
 * group while it still holds the locks of what it changed; so the order of the groups is
 * the order of the changes, and what a crash leaves is a prefix of them.
 */
#include "fs/tree/impl.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define RACY_CONTENT_MAX (16u << 20)

void log_init(struct log *l)
{
	l->r = l->fixed;
	l->n = 0;
	l->cap = sizeof(l->fixed) / sizeof(*l->fixed);
	l->strs = NULL;
	l->err = 0;
}

struct lstr {
	struct lstr *next;
	char s[];
};

const char *log_str(struct log *l, const char *s)
{
	size_t len = strlen(s) + 1;
	struct lstr *c = malloc(sizeof(*c) + len);

	if (!c) {
		l->err = -ENOMEM;
		return "";
	}
	memcpy(c->s, s, len);
	c->next = l->strs;
	l->strs = c;
	return c->s;
}

static void free_strings(struct log *l)
{
	while (l->strs) {
		struct lstr *c = l->strs;

		l->strs = c->next;
		free(c);
	}
}

struct rec *log_add(struct log *l, enum rec_op op)
{
	if (l->n == l->cap) {
		struct rec *old = l->r == l->fixed ? NULL : l->r;
		struct rec *r = realloc(old, l->cap * 2 * sizeof(*r));

		if (!r) {
			l->err = -ENOMEM;
			l->n--; /* the group is lost anyhow; reuse the last place */
		} else {
			if (l->r == l->fixed)
				memcpy(r, l->fixed, sizeof(l->fixed));
			l->r = r;
			l->cap *= 2;
		}
	}
	memset(&l->r[l->n], 0, sizeof(*l->r));
	l->r[l->n].op = op;
	return &l->r[l->n++];
}

static void log_free(struct log *l)
{
	free_strings(l);
	if (l->r != l->fixed)
		free(l->r);
}

int log_end(struct tree *t, struct log *l, int err)
{
	int e = l->err;

	if (!e && l->n)
		e = store_log(t->store, l->r, l->n);
	log_free(l);
	return err ? err : e;
}

int log_commit(struct tree *t, struct log *l, bool *unsure)
{
	int r = l->err;

	*unsure = false;
	if (!r)
		r = store_commit(t->store, l->r, l->n, unsure);
	log_free(l);
	return r;
}

struct delta *delta_new(struct tree *t, struct layer *l, struct obj *o)
{
	struct delta *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->layer = l;
	d->obj = obj_get(o);
	d->basefd = -1;
	list_init(&d->in_obj);
	pthread_mutex_lock(&l->lock);
	list_add_tail(&d->in_layer, &l->deltas);
	l->count++;
	if (!l->first_ns)
		l->first_ns = tree_mono_ns();
	pthread_mutex_unlock(&l->lock);
	return d;
}

void delta_free(struct tree *t, struct delta *d)
{
	pthread_mutex_lock(&d->layer->lock);
	list_del(&d->in_layer);
	d->layer->count -= d->orphan ? 0 : 1;
	pthread_mutex_unlock(&d->layer->lock);
	list_del(&d->in_obj);
	if (d->basefd >= 0) {
		close(d->basefd);
		atomic_fetch_sub(&t->pinned, 1);
	}
	names_clear(t, &d->names);
	bmap_clear(&d->map);
	while (d->xattrs) {
		struct xent *x = d->xattrs;

		d->xattrs = x->next;
		free(x->value);
		free(x);
	}
	free(d->target);
	free(d->src);
	obj_put(t, d->obj);
	free(d);
}

/* What the base shows before this change. Where it is too young for its ctime to tell
 * about the next change, its content is taken as well. */
static void take_print(struct tree *t, struct delta *d)
{
	struct fdref *r;

	pthread_mutex_lock(&t->objs_lock);
	d->print = d->obj->print;
	d->has_print = d->obj->has_base && list_empty(&d->obj->behind);
	pthread_mutex_unlock(&t->objs_lock);
	if (!d->has_print || !d->print.racy || !S_ISREG(d->print.mode))
		return;
	d->print.racy = d->print.size <= RACY_CONTENT_MAX && !obj_fd(t, d->obj, &r);
	if (!d->print.racy)
		return;
	if (base_content(r->fd, d->print.size, d->print.content))
		d->print.racy = false;
	fdcache_put(t->fds, r);
}

/* objs_lock held. The first row takes a reference that lasts as long as the row. */
static void object_row(
	struct tree *t, struct obj *o, const struct base_print *print, struct log *l)
{
	struct rec *r = log_add(l, REC_OBJECT);

	r->object = (struct rec_object){
		.id = o->id,
		.st_ino = o->st_ino,
		.has_base = o->has_base && !o->in_stage,
		.parent = o->parent ? o->parent->id : 0,
		.name = log_str(l, o->name && o->parent ? o->name : ""),
		.print = *print,
		.ctime_ns = o->ctime_ns,
		.ctime_left_ns = o->ctime_left_ns,
	};
	row_add(t, o);
}

void delta_log_place(struct tree *t, struct obj *o, struct log *l)
{
	auto_unlock pthread_mutex_t *lk = lock(&t->objs_lock);

	object_row(t, o, &o->print, l);
}

void delta_log_print(const struct delta *d, struct log *l)
{
	if (d->has_print && !d->orphan)
		log_add(l, REC_PRINT)->print =
			(struct rec_print){d->layer->id, d->obj->id, d->print};
}

/* A mount below the base. */
static bool is_foreign(struct tree *t, struct obj *o)
{
	auto_unlock pthread_mutex_t *lk = lock(&t->objs_lock);

	return o->has_base && o->print.dev != t->dev;
}

int delta_for(struct node *n, uint32_t parts, struct log *l, struct delta **out)
{
	struct tree *t = n->view->t;
	struct layer *top = n->view->top;
	struct delta *d = n->top;
	struct stack s;
	struct attr a;
	int r;

	if (store_full(t->store))
		return -ENOSPC;
	if (d && d->layer == top) {
		d->parts |= parts;
		*out = d;
		return 0;
	}
	if (is_foreign(t, n->obj))
		return -EROFS;
	node_stack(&s, n);
	r = stack_attr(t, &s, &a);
	if (!r)
		r = layer_activate(t, top);
	if (!r)
		r = delta_log_object(t, n->obj, l);
	if (r)
		return r;
	d = delta_new(t, top, n->obj);
	if (!d)
		return -ENOMEM;
	d->a = a;
	d->parts = parts;
	d->below_bytes =
		S_ISREG(a.mode) ? (a.size + POOL_BLOCK - 1) / POOL_BLOCK * POOL_BLOCK : 0;
	if (!n->top) {
		take_print(t, d);
		delta_log_print(d, l);
		if (d->has_print && node_pin(n))
			l->err = -ENOMEM;
	}
	d->node = node_get(n);
	d->below = n->top;
	n->top = d;
	*out = d;
	return 0;
}

int delta_log_object(struct tree *t, struct obj *o, struct log *l)
{
	auto_unlock pthread_mutex_t *lk = lock(&t->objs_lock);

	for (; o && !o->logged; o = o->parent)
		object_row(t, o, &o->print, l);
	return l->err;
}

void delta_log_inode(const struct delta *d, struct log *l)
{
	struct rec *r;

	if (d->orphan)
		return;
	r = log_add(l, REC_INODE);
	r->inode = (struct rec_inode){
		.layer = d->layer->id,
		.object = d->obj->id,
		.mode = d->a.mode,
		.uid = d->a.uid,
		.gid = d->a.gid,
		.nlink = d->a.nlink,
		.size = d->a.size,
		.rdev = d->a.rdev,
		.mtime_ns = d->a.mtime_ns,
		.ctime_ns = d->a.ctime_ns,
		.atime_ns = d->a.atime_ns,
		.below = d->below_bytes,
		.parts = d->parts,
		.target = d->target,
	};
}

struct note {
	struct delta *d;
	struct log *l;
};

void delta_log_run(const struct delta *d, bool put, const struct ext *e, struct log *l)
{
	struct rec *r;

	if (d->orphan)
		return;
	r = log_add(l, put ? REC_RUN : REC_RUN_DEL);
	r->run = (struct rec_run){
		.layer = d->layer->id,
		.object = d->obj->id,
		.block = e->block,
		.count = e->count,
		.pool = e->pool ? pool_id(e->pool) : 0,
		.chunk_off = e->chunk_off,
		.chunk_bytes = e->chunk_bytes,
		.skip = e->skip,
	};
	memcpy(r->run.hash, e->hash, sizeof(e->hash));
}

static int note_run(void *arg, bool put, const struct ext *e)
{
	struct note *n = arg;

	delta_log_run(n->d, put, e, n->l);
	return 0;
}

int delta_set_run(struct delta *d, const struct ext *e, struct log *l)
{
	struct note n = {d, l};

	return bmap_set(&d->map, e, note_run, &n);
}

int delta_cut_runs(struct delta *d, uint64_t block, struct log *l)
{
	struct note n = {d, l};

	return bmap_cut(&d->map, block, note_run, &n);
}

int delta_set_name(struct tree *t, struct delta *d, const char *name, struct obj *o,
	struct obj *was, struct log *l)
{
	struct nent *e = names_find(&d->names, name);
	struct rec *r;

	if (!e) {
		e = names_add(&d->names, name);
		if (!e)
			return -ENOMEM;
		e->was = was ? obj_get(was) : NULL;
	}
	obj_put(t, e->obj);
	e->obj = o ? obj_get(o) : NULL;
	r = log_add(l, o || e->was ? REC_NAME : REC_NAME_DEL);
	r->name = (struct rec_name){
		.layer = d->layer->id,
		.dir = d->obj->id,
		.name = name,
		.object = o ? o->id : 0,
		.was = e->was ? e->was->id : 0,
	};
	if (!o && !e->was)
		names_del(t, &d->names, name);
	return 0;
}

struct xent *delta_find_xattr(const struct delta *d, const char *name)
{
	struct xent *x = d->xattrs;

	while (x && strcmp(x->name, name))
		x = x->next;
	return x;
}

int delta_set_xattr(
	struct delta *d, const char *name, const void *v, size_t n, struct log *l)
{
	struct xent *x = delta_find_xattr(d, name);
	void *copy = NULL;
	struct rec *r;

	if (v) {
		copy = malloc(n ? n : 1);
		if (!copy)
			return -ENOMEM;
		if (n)
			memcpy(copy, v, n);
	}
	if (!x) {
		x = calloc(1, sizeof(*x) + strlen(name) + 1);
		if (!x) {
			free(copy);
			return -ENOMEM;
		}
		memcpy(x->name, name, strlen(name) + 1);
		x->next = d->xattrs;
		d->xattrs = x;
	}
	free(x->value);
	x->value = copy;
	x->size = n;
	if (!l || d->orphan)
		return 0;
	r = log_add(l, REC_XATTR);
	r->xattr = (struct rec_xattr){
		.layer = d->layer->id,
		.object = d->obj->id,
		.name = x->name,
		.value = copy,
		.size = n,
	};
	return 0;
}

int delta_pool(struct tree *t, struct delta *d, struct pool **out)
{
	struct layer *l = d->layer;
	int r = layer_activate(t, l);

	if (r)
		return r;
	auto_unlock pthread_mutex_t *lk = lock(&l->lock);

	for (struct layer *b = l->below; b && b->tx == l->tx && !l->pool; b = b->below)
		if (b->pool)
			l->pool = pool_get(b->pool);
	if (!l->pool) {
		r = pool_open(store_dirfd(t->store), l->tx, true, &l->pool);
		if (r == -EEXIST)
			r = pool_open(store_dirfd(t->store), l->tx, false, &l->pool);
		if (r)
			return r;
		pool_limit(l->pool, t->quota_bytes);
	}
	*out = l->pool;
	return 0;
}
