/*
 * layer.c: pushing, merging and dropping layers; they move under the exclusive gate only.
 */
#include "fs/tree/impl.h"

#include <stdlib.h>
#include <time.h>

struct layer *layer_new(int kind, uint64_t id, uint64_t tx)
{
	struct layer *l = calloc(1, sizeof(*l));
	struct timespec now;

	if (!l)
		return NULL;
	clock_gettime(CLOCK_REALTIME, &now);
	*l = (struct layer){.kind = kind, .id = id, .tx = tx};
	l->begun_ns = ns_of(now);
	pthread_mutex_init(&l->lock, NULL);
	list_init(&l->deltas);
	return l;
}

void layer_free(struct tree *t, struct layer *l)
{
	if (!l)
		return;
	while (!list_empty(&l->deltas)) {
		struct delta *d = list_first(&l->deltas, struct delta, in_layer);
		struct node *n = d->node;

		delta_free(t, d);
		node_put(n);
	}
	pool_put(l->pool);
	for (size_t i = 0; i < l->nkept; i++)
		pool_put(l->kept[i]);
	free(l->kept);
	pthread_mutex_destroy(&l->lock);
	free(l->label);
	free(l);
}

static int keep_pool(struct layer *l, struct pool *p)
{
	struct pool **q;

	if (!p)
		return 0;
	q = realloc(l->kept, (l->nkept + 1) * sizeof(*q));
	if (!q)
		return -ENOMEM;
	l->kept = q;
	q[l->nkept++] = pool_get(p);
	return 0;
}

uint64_t layer_count(struct layer *l)
{
	auto_unlock pthread_mutex_t *lk = lock(&l->lock);

	return l->count;
}

void layer_push(struct view *v, struct layer *l)
{
	l->below = v->top;
	l->view = v;
	v->top = l;
}

int layer_log(struct tree *t, const struct layer *l, int state, int64_t ended_ns,
	const uint64_t counts[3])
{
	struct rec r = {.op = REC_LAYER};

	layer_row(l, state, ended_ns, counts, &r);
	return store_log(t->store, &r, 1);
}

void layer_row(const struct layer *l, int state, int64_t ended_ns,
	const uint64_t counts[3], struct rec *r)
{
	*r = (struct rec){.op = REC_LAYER};
	r->layer = (struct rec_layer){
		.id = l->id,
		.kind = l->kind,
		.state = state,
		.parent = l->kind == LAYER_SAVEPOINT ? l->tx : 0,
		.seq = l->seq,
		.snapshot = l->snapshot,
		.is_private = l->is_private,
		.label = l->label ? l->label : "",
		.begun_ns = (uint64_t)l->begun_ns,
		.ended_ns = (uint64_t)ended_ns,
	};
	memcpy(r->layer.token_hash, l->token_hash, sizeof(l->token_hash));
	if (counts) {
		r->layer.added = counts[0];
		r->layer.changed = counts[1];
		r->layer.deleted = counts[2];
	}
}

int layer_activate(struct tree *t, struct layer *l)
{
	auto_unlock pthread_mutex_t *lk = lock(&l->lock);

	if (l->id)
		return 0;
	l->id = l->tx = store_next_layer(t->store);
	l->snapshot = atomic_load(&t->last_seq);
	return layer_log(t, l, TXFS_OPEN, 0, NULL);
}

/* Take @d out of its node's chain. */
static void unchain(struct delta *d)
{
	struct delta **p = &d->node->top;

	while (*p && *p != d)
		p = &(*p)->below;
	if (*p)
		*p = d->below;
	d->below = NULL;
}

void layer_detach_lowest(struct view *v, struct layer *l)
{
	struct delta *d;

	list_for_each (d, &l->deltas, in_layer) {
		struct node *n = d->node;

		unchain(d);
		d->node = NULL;
		node_put(n);
	}
	if (v->top == l) {
		v->top = NULL;
	} else {
		struct layer *up = v->top;

		while (up->below != l)
			up = up->below;
		up->below = NULL;
	}
	l->view = NULL;
}

static int copy_ext(void *arg, const struct ext *e)
{
	return bmap_set(arg, e, NULL, NULL);
}

static int keep_orphan(struct tree *t, struct layer *to, struct delta *d)
{
	struct delta *c = delta_new(t, to, d->obj);
	int r = c ? 0 : -ENOMEM;

	if (r)
		return r;
	to->count--; /* nothing to commit */
	c->orphan = true;
	c->a = d->a;
	c->parts = d->parts;
	c->below_bytes = d->below_bytes;
	c->node = node_get(d->node);
	c->below = d;
	d->node->top = c;
	r = bmap_each(&d->map, copy_ext, &c->map);
	for (struct xent *x = d->xattrs; x && !r; x = x->next)
		r = delta_set_xattr(c, x->name, x->value, x->size, NULL);
	return r;
}

int layer_keep_orphans(struct view *v)
{
	struct layer *to = v->top, *from = to->below;
	int64_t first = to->first_ns;
	struct delta *d;
	size_t n = 0;
	int r = 0;

	list_for_each (d, &from->deltas, in_layer) {
		if (r || !(d->parts & PART_GONE) || d->a.nlink || S_ISDIR(d->a.mode) ||
			d->node->top != d || !node_known(d->node))
			continue;
		r = keep_orphan(v->t, to, d);
		n++;
	}
	to->first_ns = first;
	if (n && !r)
		r = keep_pool(to, from->pool);
	for (size_t i = 0; n && !r && i < from->nkept; i++)
		r = keep_pool(to, from->kept[i]);
	return r;
}

/* The name that the base has for it in the directory where it was seen last; the last
 * name itself may be one that is just being undone. */
static char *name_in_base(const struct node *n)
{
	auto_unlock pthread_mutex_t *l = lock(&n->view->t->objs_lock);
	const struct obj *o = n->obj;

	return n->parent && o->has_base && o->parent == n->parent->obj && o->name
		       ? strdup(o->name)
		       : NULL;
}

/* What lower layers say of the object goes on at the node that replaces a retired one. */
static void hand_over(struct node *n)
{
	auto_free char *base_name = name_in_base(n);
	const char *name = base_name ? base_name : n->parent ? n->name : NULL;
	struct node *to = node_of(n->view, n->obj, n->parent, name);

	if (!to)
		return; /* no memory: the object answers ESTALE until it is looked up
			   again */
	for (struct delta *d = n->top; d; d = d->below) {
		d->node = node_get(to);
		node_put(n);
	}
	to->top = steal(&n->top);
	if (base_name)
		node_pin(to); /* no memory: found by the base's name only */
	node_put(to);
}

void layer_pop(
	struct view *v, void (*f)(void *, struct node *, struct delta *), void *arg)
{
	struct layer *l = v->top;

	while (!list_empty(&l->deltas)) {
		struct delta *d = list_first(&l->deltas, struct delta, in_layer);
		struct node *n = d->node;

		if (f)
			f(arg, n, d);
		unchain(d);
		delta_free(v->t, d);
		if (n->stale && n->top)
			hand_over(n);
		node_put(n);
	}
	v->top = l->below;
	if (v->top && v->top->tx == l->tx && !v->top->pool)
		v->top->pool = steal(&l->pool);
	layer_free(v->t, l);
}

/* --- merging
 * ------------------------------------------------------------------------------ */

static int put_ext(void *arg, const struct ext *e)
{
	struct merge {
		struct delta *to;
		struct log *l;
	} *m = arg;

	return delta_set_run(m->to, e, m->l);
}

static int merge_names(
	struct tree *t, struct delta *from, struct delta *to, struct log *l)
{
	struct nent *e;
	uint32_t i;
	int r;

	names_each(&from->names, i, e)
	{
		r = delta_set_name(t, to, log_str(l, e->name), e->obj, e->was, l);
		if (r)
			return r;
	}
	return 0;
}

/* @from lies directly over @to, of the same object. */
static int merge_delta(
	struct tree *t, struct delta *from, struct delta *to, struct log *l)
{
	struct {
		struct delta *to;
		struct log *l;
	} m = {to, l};
	int r;

	to->a = from->a;
	to->parts |= from->parts;
	r = merge_names(t, from, to, l);
	if (!r)
		r = delta_cut_runs(to, from->below_bytes / POOL_BLOCK, l);
	if (from->below_bytes < to->below_bytes)
		to->below_bytes = from->below_bytes;
	if (!r)
		r = bmap_each(&from->map, put_ext, &m);
	for (struct xent *x = from->xattrs; x && !r; x = x->next)
		r = delta_set_xattr(to, x->name, x->value, x->size, l);
	delta_log_inode(to, l);
	return r;
}

static int log_ext(void *arg, const struct ext *e)
{
	struct merge {
		struct delta *to;
		struct log *l;
	} *m = arg;

	delta_log_run(m->to, true, e, m->l);
	return 0;
}

/* Write all rows of @d anew, under the layer it belongs to now. */
static void log_whole(struct delta *d, struct log *l)
{
	struct {
		struct delta *to;
		struct log *l;
	} m = {d, l};
	struct nent *e;
	uint32_t i;

	names_each(&d->names, i, e)
	{
		struct rec *r = log_add(l, REC_NAME);

		r->name = (struct rec_name){d->layer->id, d->obj->id, e->name,
			e->obj ? e->obj->id : 0, e->was ? e->was->id : 0};
	}
	for (struct xent *x = d->xattrs; x; x = x->next) {
		struct rec *r = log_add(l, REC_XATTR);

		r->xattr = (struct rec_xattr){
			d->layer->id, d->obj->id, x->name, x->value, x->size};
	}
	bmap_each(&d->map, log_ext, &m);
	delta_log_print(d, l);
	delta_log_inode(d, l);
}

static void move_delta(struct delta *d, struct layer *to)
{
	struct layer *from = d->layer;

	list_del(&d->in_layer);
	from->count -= d->orphan ? 0 : 1;
	d->layer = to;
	list_add_tail(&d->in_layer, &to->deltas);
	to->count += d->orphan ? 0 : 1;
}

int layer_merge_top(struct view *v)
{
	struct tree *t = v->t;
	struct layer *top = v->top, *to = top->below;
	struct delta *d, *tmp;
	struct log l;
	struct rec *r;
	int err = 0;

	log_init(&l);
	if (!to->first_ns)
		to->first_ns = top->first_ns;
	if (!to->pool && top->pool)
		to->pool = pool_get(top->pool);
	for (size_t i = 0; i < top->nkept && !err; i++)
		err = keep_pool(to, top->kept[i]);
	list_for_each_safe (d, tmp, &top->deltas, in_layer) {
		struct node *n = d->node;

		if (d->below && d->below->layer == to) {
			int e = merge_delta(t, d, d->below, &l);

			err = err ? err : e;
			unchain(d);
			delta_free(t, d);
			node_put(n);
		} else {
			move_delta(d, to);
			log_whole(d, &l);
		}
	}
	if (top->id) {
		layer_row(top, LAYER_MERGED, 0, NULL, log_add(&l, REC_LAYER));
		r = log_add(&l, REC_PURGE);
		r->layer.id = top->id;
	}
	v->top = to;
	err = log_end(t, &l, err);
	layer_free(t, top);
	return err;
}
