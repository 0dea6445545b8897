/*
 * undo.c: before-images: what a commit replaces, for the views that must not see it.
 *
 * They are made from the base as the commit found it and published in the same moment as
 * the commit, before the first step of its checkpoint. Old content is not copied: it is
 * the replaced file itself, which the checkpoint leaves in the staging directory.
 */
#include "fs/tx/impl.h"

#include <stdio.h>
#include <sys/stat.h>

bool undo_wanted(struct txm *m, const struct tx *except)
{
	struct tx *x;

	list_for_each (x, &m->txs, link) {
		if (x != except && x->state == TXFS_OPEN && !x->is_auto)
			return true;
	}
	return false;
}

static int old_xattrs(struct txm *m, struct nobj *b)
{
	auto_free char *buf = malloc(65536);
	struct fdref *dir;
	char name[256];
	int r;

	if (!buf)
		return -ENOMEM;
	r = obj_at(m->t, b->o, &dir, name);
	if (r)
		return r;
	for (const struct delta *c = b->d; c && !r; c = c->below)
		for (const struct xent *x = c->xattrs; x && !r; x = x->next) {
			ssize_t n = base_getxattr(dir->fd, name, x->name, buf, 65536);

			if (n >= 0 || n == -ENODATA)
				r = delta_set_xattr(b->image, x->name, n < 0 ? NULL : buf,
					n < 0 ? 0 : (size_t)n, NULL);
		}
	fdcache_put(m->t->fds, dir);
	return r;
}

static int stage_keeps(struct undo *u, const char *name)
{
	char **p = realloc(u->staged, (u->n + 1) * sizeof(*p));

	if (!p)
		return -ENOMEM;
	u->staged = p;
	p[u->n] = strdup(name);
	return p[u->n] ? (u->n++, 0) : -ENOMEM;
}

/* Content, attributes and xattrs of one object. */
static int image_obj(struct txm *m, struct undo *u, struct nobj *b)
{
	struct delta *d;

	if (!b->in_base)
		return 0;
	b->image = d = delta_new(m->t, u->layer, b->o);
	if (!d)
		return -ENOMEM;
	attr_of_base(m->t, b->o, &b->st, &d->a);
	d->print = b->st.print;
	d->below_bytes = UINT64_MAX;
	if (b->gone)
		return 0; /* the object itself moves to the staging directory */
	if (b->content && !b->gone) {
		const char *src = b->taken[0] ? b->taken : b->staged;

		d->terminal = true;
		d->src = strdup(src);
		return d->src ? stage_keeps(u, src) : -ENOMEM;
	}
	return b->attrs ? old_xattrs(m, b) : 0;
}

static int image_names(struct net *n)
{
	for (size_t i = 0; i < n->names; i++) {
		struct nname *k = &n->name[i];
		struct delta *d = k->dir->image;
		struct nent *e;

		if (!d || k->now == k->base_now)
			continue;
		e = names_add(&d->names, k->name);
		if (!e)
			return -ENOMEM;
		e->obj = k->base_now ? obj_get(k->base_now) : NULL;
	}
	return 0;
}

int undo_make(struct txm *m, struct net *n, uint64_t seq, struct undo **out)
{
	struct undo *u = calloc(1, sizeof(*u));
	int r = 0;

	if (!u)
		return -ENOMEM;
	u->seq = seq;
	list_init(&u->link);
	u->layer = layer_new(LAYER_UNDO, 0, 0);
	if (!u->layer) {
		free(u);
		return -ENOMEM;
	}
	u->layer->seq = seq;
	for (size_t i = 0; i < n->objs && !r; i++)
		r = image_obj(m, u, n->obj[i]);
	if (!r)
		r = image_names(n);
	if (r) {
		undo_free(m, u, false);
		return r;
	}
	*out = u;
	return 0;
}

void undo_publish(struct txm *m, struct undo *u)
{
	struct delta *d;

	list_for_each (d, &u->layer->deltas, in_layer)
		list_add_tail(&d->in_obj, &d->obj->undo);
	list_add_tail(&u->link, &m->undos);
}

static bool seen_by_the_living(struct tree *t, struct obj *o)
{
	auto_unlock pthread_mutex_t *l = lock(&t->nodes_lock);
	struct node *n;

	list_for_each (n, &o->nodes, by_obj)
		if (!n->view->dead)
			return true;
	return false;
}

/* A removed file goes with its object, which the kernel may remember for long; where only
 * views that ended know it, it goes now. */
static void drop_removed(struct tree *t, struct obj *o)
{
	auto_free char *name = NULL;

	if (seen_by_the_living(t, o))
		return;
	pthread_mutex_lock(&t->objs_lock);
	if (o->in_stage && o->unlink_last && o->name && list_empty(&o->undo)) {
		name = strdup(o->name);
		o->unlink_last = !name;
	}
	pthread_mutex_unlock(&t->objs_lock);
	if (name)
		stage_remove(t, name);
}

void undo_free(struct txm *m, struct undo *u, bool published)
{
	struct delta *d;

	if (!u)
		return;
	if (published)
		list_for_each (d, &u->layer->deltas, in_layer) {
			list_del(&d->in_obj);
			drop_removed(m->t, d->obj);
		}
	list_del(&u->link);
	layer_free(m->t, u->layer);
	for (size_t i = 0; i < u->n; i++) {
		if (published)
			stage_remove(m->t, u->staged[i]);
		free(u->staged[i]);
	}
	free(u->staged);
	free(u);
}

/* The oldest commit that some open transaction does not see. */
uint64_t oldest_snapshot(struct txm *m, bool suspended)
{
	uint64_t oldest = UINT64_MAX;
	struct tx *x;

	list_for_each (x, &m->txs, link) {
		bool counts = (x->state == TXFS_OPEN && !x->is_auto) ||
			      (suspended && x->state == TXFS_SUSPENDED);

		if (counts && x->snapshot < oldest)
			oldest = x->snapshot;
	}
	return oldest;
}

void undo_trim(struct txm *m)
{
	uint64_t oldest = oldest_snapshot(m, false), foots = oldest_snapshot(m, true);
	struct undo *u, *tmp;

	pthread_rwlock_wrlock(&m->t->gate);
	list_for_each_safe (u, tmp, &m->undos, link) {
		if (u->seq <= oldest)
			undo_free(m, u, true);
	}
	pthread_rwlock_unlock(&m->t->gate);
	while (!list_empty(&m->foots)) {
		struct foot *f = foot_first(&m->foots);

		if (foot_seq(f) > foots)
			break;
		list_del(foot_link(f));
		foot_free(m, f);
	}
}
