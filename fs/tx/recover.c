/*
 * recover.c: what the store holds when a mount begins: commits are finished, open work is
 * suspended, leftovers are reclaimed.
 */
#include "fs/tx/impl.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

struct found {
	struct txm *m;
	struct rec_layer *l;
	size_t n, cap;
	int err;
};

static int keep_layer(void *arg, const struct rec_layer *r)
{
	struct found *f = arg;

	if (f->n == f->cap) {
		size_t cap = f->cap ? f->cap * 2 : 64;
		struct rec_layer *p = realloc(f->l, cap * sizeof(*p));

		if (!p)
			return -ENOMEM;
		f->l = p;
		f->cap = cap;
	}
	f->l[f->n] = *r;
	f->l[f->n].label = strdup(r->label);
	return f->l[f->n].label ? (f->n++, 0) : -ENOMEM;
}

static int load_object(void *arg, const struct rec_object *r)
{
	return obj_load(((struct txm *)arg)->t, r);
}

static int load_parent(void *arg, const struct rec_object *r)
{
	return obj_load_parent(((struct txm *)arg)->t, r);
}

static int suspend(struct txm *m, const struct rec_layer *l)
{
	struct rec r = {.op = REC_LAYER, .layer = *l};
	struct tx *x = tx_new(m, l->id);

	if (!x)
		return -ENOMEM;
	x->state = TXFS_SUSPENDED;
	x->is_auto = l->kind == LAYER_AUTO;
	x->is_private = l->is_private;
	x->snapshot = l->snapshot;
	x->begun_ns = (int64_t)l->begun_ns;
	snprintf(x->label, sizeof(x->label), "%s", l->label);
	memcpy(x->token_hash, l->token_hash, sizeof(x->token_hash));
	r.layer.state = TXFS_SUSPENDED;
	return l->state == TXFS_SUSPENDED ? 0 : store_log(m->t->store, &r, 1);
}

/* --- finishing commits
 * ----------------------------------------------------------------------- */

static int copy_step(void *arg, const struct rec_step *r)
{
	return plan_copy(arg, r);
}

/* The rows say where things lay before the commit, or where its staged files lie. */
static void find_placed(struct txm *m, const struct plan *p)
{
	struct log l;

	log_init(&l);
	for (size_t i = 0; i < p->n; i++) {
		const struct rec_step *s = &p->step[i];
		struct obj *o = s->op == STEP_PLACE || s->op == STEP_SWAP
					? obj_with_row(m->t, s->object)
					: NULL;

		if (o && !obj_find_at(m->t, o, s->path))
			delta_log_place(m->t, o, &l);
		obj_put(m->t, o);
	}
	log_end(m->t, &l, 0);
}

/* @replayed: it had steps. A conflict here leaves the base's version; it is reported. Of
 * a commit that others followed it says nothing: those may have changed the same. */
static int replay(
	struct txm *m, const struct rec_layer *l, bool newest, bool *replayed, char **msg)
{
	struct plan *p = plan_new();
	struct outcome out;
	int r = p ? store_load_steps(m->t->store, l->id, copy_step, p) : -ENOMEM;

	*replayed = !r && p->n;
	if (*replayed && !(m->boot && p->step[p->n - 1].op == STEP_DONE &&
				 p->step[p->n - 1].ino == m->boot)) {
		checkpoint_run(m->t, p->step, p->n, &out);
		if (out.behind || (out.conflicts && newest)) {
			free(*msg);
			if (asprintf(msg,
				    "transaction %llu is committed; base is behind: %s",
				    (unsigned long long)l->id, out.first) < 0)
				*msg = NULL;
		}
		if (out.behind)
			r = -EIO;
		else
			find_placed(m, p);
	}
	plan_free(p);
	return r;
}

static int by_seq(const void *a, const void *b)
{
	const struct rec_layer *x = a, *y = b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int finish_commits(struct txm *m, struct found *f, char **msg)
{
	uint64_t newest = 0;
	bool replayed;
	int r = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->l[i].seq > newest)
			newest = f->l[i].seq;
	if (f->n)
		qsort(f->l, f->n, sizeof(*f->l), by_seq);
	for (size_t i = 0; i < f->n && !r; i++) {
		struct rec_layer *l = &f->l[i];

		if (l->state != TXFS_COMMITTED && l->state != TXFS_BEHIND)
			continue;
		r = replay(m, l, l->seq == newest, &replayed, msg);
		if (!r && replayed)
			bg_checkpointed(m, l->id, l->seq);
		if (!r && l->state == TXFS_BEHIND) {
			struct rec rec = {.op = REC_LAYER, .layer = *l};

			rec.layer.state = TXFS_COMMITTED;
			r = store_log(m->t->store, &rec, 1);
		}
	}
	return r;
}

/* What suspended transactions will be compared with. */
static int load_foots(struct txm *m, struct found *f)
{
	uint64_t oldest = oldest_snapshot(m, true);

	for (size_t i = 0; i < f->n; i++) {
		struct foot *foot;

		if (f->l[i].state != TXFS_COMMITTED || f->l[i].seq <= oldest)
			continue;
		foot = foot_load(m, f->l[i].id, f->l[i].seq);
		if (!foot)
			return -ENOMEM;
		list_add_tail(foot_link(foot), &m->foots);
	}
	return 0;
}

struct pools {
	struct txm *m;
	struct found *f;
};

static int drop_pool(void *arg, const char *name, unsigned char type, uint64_t ino)
{
	struct pools *p = arg;
	uint64_t id = strtoull(name, NULL, 10);

	for (size_t i = 0; i < p->f->n; i++)
		if (p->f->l[i].id == id && p->f->l[i].state != TXFS_ABORTED &&
			p->f->l[i].state != TXFS_COMMITTED)
			return 0;
	pool_unlink(store_dirfd(p->m->t->store), id);
	return 0;
}

static void drop_pools(struct txm *m, struct found *f)
{
	struct pools p = {m, f};
	int fd = openat(
		store_dirfd(m->t->store), "pool", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	base_list(fd, drop_pool, &p);
	close(fd);
}

/* --- a store whose directory was made anew
 * ------------------------------------------------- */

static int count_step(void *arg, const struct rec_step *r)
{
	++*(size_t *)arg;
	return 1;
}

/* Work that would be applied to the wrong tree. */
static bool has_unfinished(struct txm *m, const struct found *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct rec_layer *l = &f->l[i];
		size_t steps = 0;

		if ((l->kind == LAYER_TX || l->kind == LAYER_AUTO) &&
			(l->state == TXFS_OPEN || l->state == TXFS_SUSPENDED))
			return true;
		if (l->state != TXFS_COMMITTED && l->state != TXFS_BEHIND)
			continue;
		store_load_steps(m->t->store, l->id, count_step, &steps);
		if (steps)
			return true;
	}
	return false;
}

static int drop_row(void *arg, const struct rec_object *r)
{
	struct txm *m = arg;
	struct rec del = {.op = REC_OBJECT_DEL, .object.id = r->id};

	return store_log(m->t->store, &del, 1);
}

static int load_objects(struct txm *m, const struct found *f)
{
	struct store *s = m->t->store;
	int r = store_load_objects(s, load_object, m);

	if (r != -EXDEV)
		return r ? r : store_load_objects(s, load_parent, m);
	return has_unfinished(m, f) ? r : store_load_objects(s, drop_row, m);
}

int recover_all(struct txm *m, char **msg)
{
	struct found f = {.m = m};
	int r = store_load_layers(m->t->store, keep_layer, &f);

	if (!r)
		r = load_objects(m, &f);
	if (!r)
		r = finish_commits(m, &f, msg);
	for (size_t i = 0; i < f.n && !r; i++) {
		const struct rec_layer *l = &f.l[i];

		if ((l->kind == LAYER_TX || l->kind == LAYER_AUTO) &&
			(l->state == TXFS_OPEN || l->state == TXFS_SUSPENDED))
			r = suspend(m, l);
	}
	if (!r)
		r = load_foots(m, &f);
	if (!r) {
		drop_pools(m, &f);
		stage_sweep(m);
	}
	for (size_t i = 0; i < f.n; i++)
		free((char *)f.l[i].label);
	free(f.l);
	return r;
}

/* --- a suspended transaction, in memory again
 * ----------------------------------------------------- */

struct loading {
	struct txm *m;
	struct tx *x;
	struct view *v;
	struct layer *l;
	struct pool *pool; /* the transaction's, shared by its layers */
	struct found layers;
};

static struct delta *delta_of(struct loading *g, uint64_t object, bool make)
{
	struct obj *o = obj_with_row(g->m->t, object);
	struct node *n = o ? node_of(g->v, o, NULL, NULL) : NULL;
	struct delta *d = n ? n->top : NULL;

	if (n && (!d || d->layer != g->l)) {
		d = make ? delta_new(g->m->t, g->l, o) : NULL;
		if (d) {
			d->node = node_get(n);
			d->below = n->top;
			n->top = d;
		}
	}
	node_put(n);
	obj_put(g->m->t, o);
	return d;
}

static int load_inode(void *arg, const struct rec_inode *r)
{
	struct delta *d = delta_of(arg, r->object, true);
	struct loading *g = arg;
	char *lost;

	if (!d) {
		if (asprintf(&lost, "(object %llu)", (unsigned long long)r->object) < 0)
			return -ENOMEM;
		return conflict_add(g->x, lost);
	}
	d->a = (struct attr){r->mode, r->uid, r->gid, r->nlink, r->size, r->rdev,
		r->mtime_ns, r->ctime_ns, r->atime_ns};
	d->below_bytes = r->below;
	d->parts = r->parts;
	d->target = r->target ? strdup(r->target) : NULL;
	if (!d->obj->has_base)
		d->obj->print.mode = r->mode;
	return r->target && !d->target ? -ENOMEM : 0;
}

static int load_name(void *arg, const struct rec_name *r)
{
	struct loading *g = arg;
	struct delta *d = delta_of(g, r->dir, false);
	struct nent *e;

	if (!d)
		return 0;
	e = names_add(&d->names, r->name);
	if (!e)
		return -ENOMEM;
	e->obj = r->object ? obj_with_row(g->m->t, r->object) : NULL;
	e->was = r->was ? obj_with_row(g->m->t, r->was) : NULL;
	return 0;
}

static int load_xattr(void *arg, const struct rec_xattr *r)
{
	struct delta *d = delta_of(arg, r->object, false);

	return d ? delta_set_xattr(d, r->name, r->value, r->size, NULL) : 0;
}

static int load_run(void *arg, const struct rec_run *r)
{
	struct loading *g = arg;
	struct delta *d = delta_of(g, r->object, false);
	struct ext e = {
		.block = r->block,
		.count = (uint32_t)r->count,
		.skip = r->skip,
		.chunk_off = r->chunk_off,
		.chunk_bytes = r->chunk_bytes,
	};
	int err;

	if (!d)
		return 0;
	if (e.chunk_off != EXT_HOLE && !g->pool) {
		err = pool_open(store_dirfd(g->m->t->store), r->pool, false, &g->pool);
		if (err)
			return err;
	}
	if (g->pool && !g->l->pool)
		g->l->pool = pool_get(g->pool);
	e.pool = g->l->pool;
	memcpy(e.hash, r->hash, sizeof(e.hash));
	return bmap_set(&d->map, &e, NULL, NULL);
}

/* What the base showed when the oldest change of each object began. */
static int load_print(void *arg, const struct rec_print *r)
{
	struct delta *d = delta_of(arg, r->object, false);

	if (d && !d->below) {
		d->print = r->print;
		d->has_print = true;
	}
	return 0;
}

static int load_layer(struct loading *g, const struct rec_layer *row)
{
	struct store *s = g->m->t->store;
	int r;

	g->l = layer_new(row->kind, row->id, g->x->id);
	if (!g->l)
		return -ENOMEM;
	g->l->label = strdup(row->label);
	g->l->snapshot = row->snapshot;
	g->l->is_private = row->is_private;
	g->l->begun_ns = (int64_t)row->begun_ns;
	memcpy(g->l->token_hash, row->token_hash, sizeof(g->l->token_hash));
	layer_push(g->v, g->l);
	r = store_load_inodes(s, row->id, load_inode, g);
	if (!r)
		r = store_load_prints(s, row->id, load_print, g);
	if (!r)
		r = store_load_names(s, row->id, load_name, g);
	if (!r)
		r = store_load_xattrs(s, row->id, load_xattr, g);
	if (!r)
		r = store_load_runs(s, row->id, load_run, g);
	return r;
}

static bool belongs(const struct rec_layer *l, const struct tx *x)
{
	return l->id == x->id ||
	       (l->kind == LAYER_SAVEPOINT && l->parent == x->id &&
		       (l->state == TXFS_OPEN || l->state == TXFS_SUSPENDED));
}

int recover_load(struct txm *m, struct tx *x)
{
	struct loading g = {.m = m, .x = x};
	int r = store_flush(m->t->store, STORE_WRITTEN);

	if (r)
		return r;
	pthread_rwlock_wrlock(&m->t->gate);
	r = view_new(m->t, x->id, x->snapshot, &g.v);
	if (!r)
		g.v->hidden = true;
	pthread_rwlock_unlock(&m->t->gate);
	if (r)
		return r;
	x->view = g.v;
	x->is_private = true;
	r = store_load_layers(m->t->store, keep_layer, &g.layers);
	for (size_t i = 0; i < g.layers.n; i++) {
		if (!r && belongs(&g.layers.l[i], x))
			r = load_layer(&g, &g.layers.l[i]);
		free((char *)g.layers.l[i].label);
	}
	free(g.layers.l);
	pool_put(g.pool);
	if (!r && x->conflicts)
		r = -EBUSY;
	if (r)
		recover_unload(m, x);
	return r;
}

void recover_unload(struct txm *m, struct tx *x)
{
	struct view *v = x->view;

	if (!v)
		return;
	pthread_rwlock_wrlock(&m->t->gate);
	v->dead = true;
	list_del(&v->link);
	pthread_rwlock_unlock(&m->t->gate);
	while (v->top)
		layer_pop(v, NULL, NULL);
	node_put(v->root);
	view_put(v);
	x->view = NULL;
}
