/*
 * commit.c: one transaction into the base: all of it or nothing.
 *
 *	cut       a fresh layer is pushed; what lies below no longer changes
 *	check     conflicts with later commits and with the base
 *	stage     new content on the base's file system, synced
 *	decide    one durable group in the store: the commit point
 *	publish   in one moment: every view that may see it sees it, from memory
 *	checkpoint the base is brought there, step by step; views see no mix
 *	settle    views read the base again; what was learned is recorded
 *
 * Until "decide" every failure undoes the cut and leaves everything as it was. After it
 *the transaction is committed whatever happens; what the base lacks is kept as "behind".
 */
#include "fs/tx/impl.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

struct commit {
	struct txm *m;
	struct tx *x;
	struct view *v;
	struct layer *l; /* frozen */
	struct net *n;
	struct plan *p;
	struct undo *u;
	struct foot *f;
	uint64_t seq, counts[3];
	struct outcome out;
};

static void commit_free(struct commit *c)
{
	net_free(c->n);
	plan_free(c->p);
	undo_free(c->m, c->u, false);
	foot_free(c->m, c->f);
	free(c);
}

/* --- cut
 * ----------------------------------------------------------------------------------- */

static int cut(struct commit *c)
{
	struct tree *t = c->m->t;
	struct layer *fresh = layer_new(LAYER_AUTO, 0, 0);
	int r = 0;

	if (!fresh)
		return -ENOMEM;
	pthread_rwlock_wrlock(&t->gate);
	while (!r && c->v->top->below)
		r = layer_merge_top(c->v);
	c->l = c->v->top;
	layer_push(c->v, fresh);
	if (!r && c->v == t->main)
		r = layer_keep_orphans(c->v);
	pthread_rwlock_unlock(&t->gate);
	return r;
}

/* The transaction goes on: what was written since the cut belongs to it. */
static int uncut(struct commit *c)
{
	struct tree *t = c->m->t;
	int r;

	pthread_rwlock_wrlock(&t->gate);
	r = layer_merge_top(c->v);
	pthread_rwlock_unlock(&t->gate);
	return r;
}

/* --- check, stage, decide
 * --------------------------------------------------------------------- */

static int prepare(struct commit *c)
{
	struct txm *m = c->m;
	int r = net_new(m->t, c->l, &c->n);

	if (!r)
		r = net_count(c->n, c->counts);
	if (!r)
		r = conflicts_find(m, c->x, c->n);
	if (!r)
		r = stage_all(m, c->n, c->v, c->l->id);
	if (r)
		return r;
	r = plan_make(m, c->n, c->l->id, &c->p);
	c->seq = atomic_load(&m->t->last_seq) + 1;
	if (!r && undo_wanted(m, c->x))
		r = undo_make(m, c->n, c->seq, &c->u);
	c->f = r ? NULL : foot_new(c->n, c->seq);
	if (!r && !c->f)
		r = -ENOMEM;
	if (r)
		stage_drop(m, c->n);
	return r;
}

static void place_row(
	struct commit *c, struct nobj *b, struct log *l, struct rec_object *r)
{
	auto_unlock pthread_mutex_t *lk = lock(&c->m->t->objs_lock);

	if (b->first_add != SIZE_MAX) {
		const struct nname *k = &c->n->name[b->first_add];

		r->parent = k->dir->o->id;
		r->name = log_str(l, k->name);
	} else if (b->o->parent) {
		r->parent = b->o->parent->id;
		r->name = log_str(l, b->o->name);
	}
}

/* The base objects that the commit makes or replaces are known by their staged inodes, so
 * the identity of each is part of the commit itself. */
static void log_identity(struct commit *c, struct log *l)
{
	for (size_t i = 0; i < c->n->objs; i++) {
		struct nobj *b = c->n->obj[i];
		struct rec *r;

		if (!b->staged[0])
			continue;
		r = log_add(l, REC_OBJECT);
		r->object = (struct rec_object){
			.id = b->o->id,
			.st_ino = b->o->st_ino,
			.has_base = true,
			.name = "",
			.print = b->staged_print,
			.ctime_ns = b->d->a.ctime_ns,
		};
		place_row(c, b, l, &r->object);
	}
}

/* @unsure: the disk failed on the way, and the group may be in the file all the same. */
static int decide(struct commit *c, bool *unsure)
{
	struct log l;

	log_init(&l);
	c->l->seq = c->seq;
	layer_row(c->l, TXFS_COMMITTED, wall_ns(), c->counts, log_add(&l, REC_LAYER));
	for (size_t i = 0; i < c->p->n; i++)
		log_add(&l, REC_STEP)->step = c->p->step[i];
	log_identity(c, &l);
	return log_commit(c->m->t, &l, unsure);
}

/* --- publish
 * ---------------------------------------------------------------------------------- */

static void publish_layer(struct commit *c)
{
	struct delta *d;

	layer_detach_lowest(c->v, c->l);
	list_for_each (d, &c->l->deltas, in_layer)
		list_add(&d->in_obj, &d->obj->behind);
	for (size_t i = 0; i < c->n->objs; i++) {
		struct nobj *b = c->n->obj[i];

		b->d->a = b->a;
		if (b->staged[0])
			obj_alias(c->m->t, b->o, &b->staged_print);
	}
}

static void publish(struct commit *c)
{
	struct txm *m = c->m;
	struct tree *t = m->t;
	struct inval i = {0};

	pthread_rwlock_wrlock(&t->gate);
	if (c->x->is_private)
		tx_end_view(m, c->x, &i);
	publish_layer(c);
	if (c->u)
		undo_publish(m, steal(&c->u));
	atomic_store(&t->last_seq, c->seq);
	if (c->x->is_private && t->main->snapshot >= c->seq)
		foot_inval(m, c->f, t->main, &i);
	if (!c->x->is_private && !c->x->is_auto)
		tx_main_latest(m, &i);
	pthread_rwlock_unlock(&t->gate);
	list_add_tail(foot_link(c->f), &m->foots);
	c->f = NULL;
	inval_send(m, &i);
	tx_bury(m, c->x);
}

/* --- settle
 * -------------------------------------------------------------------------------------
 */

/* Views whose changes of this object began on the base as it was before: only the commit
 * itself has moved it. */
static void refresh_prints(
	struct tree *t, struct obj *o, const struct base_print *was, struct log *l)
{
	struct node *n;
	auto_unlock pthread_mutex_t *lk = lock(&t->nodes_lock);

	list_for_each (n, &o->nodes, by_obj) {
		struct delta *d = n->top;

		while (d && d->below)
			d = d->below;
		if (d && (!d->has_print || base_unchanged(&d->print, was))) {
			d->print = o->print;
			d->print.racy = false;
			d->has_print = true;
			delta_log_print(d, l);
		}
	}
}

static int settle_place(struct commit *c, struct nobj *b)
{
	struct tree *t = c->m->t;
	struct nname *k;

	if (b->gone) {
		/* Before-images and open descriptors may still want it. */
		b->o->unlink_last = b->taken[0];
		return obj_place(t, b->o, NULL, b->taken[0] ? b->taken : NULL);
	}
	if (b->placed != SIZE_MAX) {
		k = &c->n->name[b->placed];
		return obj_place(t, b->o, k->dir->o, k->name);
	}
	return b->place_lost && b->new_path ? obj_find_at(t, b->o, b->new_path) : 0;
}

/* Its file's identity and place. Nothing is looked at: until all are placed, a path may
 * lead in a circle (a directory moved into its own child). */
static void settle_at(struct commit *c, struct nobj *b)
{
	struct tree *t = c->m->t;
	struct base_print was = b->st.print;

	obj_forget_fds(t, b->o);
	if (b->staged[0]) {
		pthread_mutex_lock(&t->objs_lock);
		b->o->print = b->staged_print;
		b->o->has_base = true;
		pthread_mutex_unlock(&t->objs_lock);
		if (b->in_base)
			obj_unalias(t, &was);
	}
	b->settles = !settle_place(c, b) && !b->gone && (b->staged[0] || b->in_base);
}

static void settle_rows(struct commit *c, struct nobj *b, struct log *l)
{
	struct tree *t = c->m->t;

	if (b->gone && b->o->logged) {
		log_add(l, REC_OBJECT_DEL)->object.id = b->o->id;
		obj_unlog(t, b->o);
	}
	if (!b->settles)
		return;
	b->o->ctime_ns = b->d->a.ctime_ns;
	b->o->ctime_left_ns = b->settled_ctime_ns;
	refresh_prints(t, b->o, &b->st.print, l);
	if (b->o->logged)
		delta_log_place(t, b->o, l);
}

static void drop_behind(struct layer *l)
{
	struct delta *d;

	list_for_each (d, &l->deltas, in_layer)
		list_del(&d->in_obj);
}

static int by_object(const void *a, const void *b)
{
	const struct nobj *const *x = a, *const *y = b;

	return (*x)->o->id < (*y)->o->id ? -1 : (*x)->o->id > (*y)->o->id;
}

/* The net change's objects were sorted by id. */
static struct nobj *step_obj(struct net *n, const struct rec_step *s)
{
	struct obj o = {.id = s->object};
	struct nobj key = {.o = &o}, *k = &key, **p;

	p = bsearch(&k, n->obj, n->objs, sizeof(k), by_object);
	return p ? *p : NULL;
}

/* What the checkpoint took out and nobody will look at again. */
static void drop_replaced(struct commit *c)
{
	struct tree *t = c->m->t;

	if (c->n->objs)
		qsort(c->n->obj, c->n->objs, sizeof(*c->n->obj), by_object);
	for (size_t i = 0; i < c->p->n; i++) {
		const struct rec_step *s = &c->p->step[i];
		struct nobj *b = step_obj(c->n, s);
		bool itself = b && !strcmp(s->path2, b->taken);

		if (s->op != STEP_TAKE && s->op != STEP_SWAP)
			continue;
		if (itself && (b->gone || (b->placed != SIZE_MAX && !b->staged[0])))
			continue; /* it went on to its new place, or goes with its object
				   */
		if (b && b->image && b->image->src && !strcmp(b->image->src, s->path2))
			continue; /* a before-image */
		stage_remove(t, s->path2);
	}
}

static void settle_places(struct commit *c)
{
	struct tree *t = c->m->t;

	pthread_rwlock_wrlock(&t->gate);
	/* Directories first: a link's other name is looked for below them. */
	for (size_t i = 0; i < c->n->objs; i++)
		if (S_ISDIR(c->n->obj[i]->d->a.mode))
			settle_at(c, c->n->obj[i]);
	for (size_t i = 0; i < c->n->objs; i++)
		if (!S_ISDIR(c->n->obj[i]->d->a.mode))
			settle_at(c, c->n->obj[i]);
	pthread_rwlock_unlock(&t->gate);
}

/* What the base says of each now; requests go on between two. */
static void settle_prints(struct commit *c)
{
	struct tree *t = c->m->t;
	struct bstat st;

	for (size_t i = 0; i < c->n->objs; i++) {
		struct nobj *b = c->n->obj[i];

		if (!b->settles)
			continue;
		pthread_rwlock_rdlock(&t->gate);
		b->settles = !obj_stat(t, b->o, &st);
		if (b->settles)
			b->settled_ctime_ns = st.print.ctime_ns;
		pthread_rwlock_unlock(&t->gate);
	}
}

/* The base shows the commit: read from there again. */
static void settle(struct commit *c)
{
	struct tree *t = c->m->t;
	struct log l;

	drop_replaced(c); /* a link less moves the ctime: before prints are taken */
	settle_places(c);
	settle_prints(c);
	log_init(&l);
	pthread_rwlock_wrlock(&t->gate);
	drop_behind(c->l);
	for (size_t i = 0; i < c->n->objs; i++)
		settle_rows(c, c->n->obj[i], &l);
	tree_checkpoint_runs(t, false);
	pthread_rwlock_unlock(&t->gate);
	log_end(t, &l, 0);
}

/* --- the whole
 * ------------------------------------------------------------------------------------ */

static void found_at(struct tree *t, struct obj *o, struct obj *dir, const char *name,
	const struct base_print *print)
{
	obj_forget_fds(t, o);
	obj_place(t, o, dir, name);
	pthread_mutex_lock(&t->objs_lock);
	o->print = *print;
	pthread_mutex_unlock(&t->objs_lock);
}

static bool lies_at(int dirfd, const char *path, const struct base_print *print)
{
	auto_close int fd = base_at(dirfd, path, O_PATH);
	struct bstat st;

	return fd >= 0 && !base_stat(fd, "", &st) && base_same(&st.print, print);
}

/* Where an object's file lies after a checkpoint that stopped: at its new place, in the
 * staging directory, or where it was with its new content. */
static void find_behind(struct commit *c, struct nobj *b)
{
	struct nname *k = b->placed != SIZE_MAX ? &c->n->name[b->placed] : NULL;
	const struct base_print *is = b->staged[0] ? &b->staged_print : &b->st.print;
	struct tree *t = c->m->t;

	if (k && lies_at(t->rootfd, b->new_path, is))
		found_at(t, b->o, k->dir->o, k->name, is);
	else if (b->taken[0] && lies_at(t->stagefd, b->taken, &b->st.print))
		found_at(t, b->o, NULL, b->taken, &b->st.print);
	else if (!k && b->staged[0] && b->in_base &&
		 lies_at(t->stagefd, b->staged, &b->st.print))
		found_at(t, b->o, b->o->parent, b->o->name, is);
}

static void keep_behind(struct commit *c, struct txfs_ioc_end *io)
{
	struct tx *x = c->x;
	struct tree *t = c->m->t;

	pthread_rwlock_wrlock(&t->gate);
	for (size_t i = 0; i < c->n->objs; i++)
		find_behind(c, c->n->obj[i]);
	tree_checkpoint_runs(t, false);
	pthread_rwlock_unlock(&t->gate);
	x->state = TXFS_BEHIND;
	x->seq = c->seq;
	x->behind = c;
	layer_log(c->m->t, c->l, TXFS_BEHIND, wall_ns(), c->counts);
	io->behind = c->out.behind;
	tx_say(io->message, "committed; base is behind: %s", c->out.first);
}

/* As long as the machine runs, the base keeps what was done there even if this process
 * dies: the steps are not repeated then, over what somebody changed since. */
static void log_done(struct commit *c)
{
	struct rec r = {
		.op = REC_STEP,
		.step = {.layer = c->l->id,
			.n = c->p->n,
			.op = STEP_DONE,
			.path = "",
			.path2 = "",
			.ino = c->m->boot},
	};

	if (c->m->boot && !store_log(c->m->t->store, &r, 1))
		store_flush(c->m->t->store, STORE_WRITTEN);
}

static void all_done(struct commit *c)
{
	struct txm *m = c->m;

	settle(c);
	log_done(c);
	bg_checkpointed(m, c->l->id, c->seq);
	net_free(steal(&c->n));
	layer_free(m->t, c->l);
	tx_drop(m, c->x);
	undo_trim(m);
	commit_free(c);
}

static void after_decision(struct commit *c, struct txfs_ioc_end *io)
{
	/* Requests wait for a running checkpoint, and the kernel may wait for requests
	 * when it is told to forget names: so it is told before. */
	publish(c);
	tree_checkpoint_runs(c->m->t, true);
	checkpoint_run(c->m->t, c->p->step, c->p->n, &c->out);
	io->seq = c->seq;
	if (c->out.behind) {
		keep_behind(c, io);
		return;
	}
	if (c->out.conflicts) {
		io->behind = c->out.conflicts;
		tx_say(io->message,
			"committed, but not over what changed in the base: %s",
			c->out.first);
	}
	all_done(c);
}

/* An empty transaction is free: its view ends; nothing is written but its row. */
static int nothing_to_do(struct commit *c)
{
	struct txm *m = c->m;
	struct inval i = {0};
	uint64_t zero[3] = {0};
	bool has_row = c->l->id;

	if (has_row)
		layer_log(m->t, c->l, TXFS_COMMITTED, wall_ns(), zero);
	pthread_rwlock_wrlock(&m->t->gate);
	if (c->x->is_private) {
		tx_end_view(m, c->x, &i);
	} else {
		layer_detach_lowest(c->v, c->l);
		tx_main_latest(m, &i);
	}
	pthread_rwlock_unlock(&m->t->gate);
	inval_send(m, &i);
	if (!c->x->is_private)
		layer_free(m->t, c->l);
	tx_bury(m, c->x);
	tx_drop(m, c->x);
	undo_trim(m);
	return has_row ? tx_said(m) : 0;
}

static int up_to_decision(struct commit *c, bool dry, bool *empty)
{
	bool unsure = false;
	int r = cut(c);

	*empty = !r && !c->l->count && !dry;
	if (r || *empty)
		return r;
	c->x->id = c->l->id;
	r = prepare(c);
	if (!r && !dry)
		r = decide(c, &unsure);
	/* Where it is not known, the next mount finds out, and may need what is staged.
	 */
	if ((r || dry) && c->n && !unsure)
		stage_drop(c->m, c->n);
	if (r || dry)
		uncut(c);
	return r;
}

int commit_tx(struct txm *m, struct tx *x, struct txfs_ioc_end *io)
{
	struct commit *c = calloc(1, sizeof(*c));
	bool dry = io->flags & TXFS_COMMIT_DRY_RUN, empty;
	int r;

	if (!c)
		return -ENOMEM;
	*c = (struct commit){.m = m, .x = x, .v = x->view};
	r = up_to_decision(c, dry, &empty);
	io->conflicts = x->conflicts;
	io->added = c->counts[0];
	io->changed = c->counts[1];
	io->deleted = c->counts[2];
	if (!r && !dry && !empty) {
		after_decision(c, io);
		return 0;
	}
	if (!r && empty)
		r = nothing_to_do(c);
	commit_free(c);
	return r;
}

/* --- the automatic group
 * ----------------------------------------------------------------------------- */

/* Nobody waits for an answer here: the base's version shows, ours is kept aside. */
static void suspend_group(struct txm *m, struct tx *x)
{
	struct inval i = {0};
	struct layer *l, *fresh = layer_new(LAYER_AUTO, 0, 0);

	if (!fresh)
		return; /* it stays pending and is tried again */
	pthread_rwlock_wrlock(&m->t->gate);
	l = m->t->main->top;
	layer_log(m->t, l, TXFS_SUSPENDED, 0, NULL);
	x->id = l->id;
	tx_pop(m, m->t->main, &i);
	layer_push(m->t->main, fresh);
	pthread_rwlock_unlock(&m->t->gate);
	x->state = TXFS_SUSPENDED;
	x->view = NULL;
	inval_send(m, &i);
	log_warn("changes collide with the base and are kept as transaction %llu: '%s'",
		(unsigned long long)x->id, x->conflicts ? x->conflict[0] : "?");
}

int commit_pending(struct txm *m, struct txfs_ioc_end *io)
{
	struct view *v = m->t->main;
	struct tx *x;
	int r;

	if (v->top->kind != LAYER_AUTO || v->top->below || !layer_count(v->top))
		return 0;
	x = tx_new(m, v->top->id);
	if (!x)
		return -ENOMEM;
	x->is_auto = true;
	x->view = v;
	x->state = TXFS_OPEN;
	x->snapshot = SEQ_LATEST;
	r = commit_tx(m, x, io);
	if (r == -EBUSY)
		suspend_group(m, x);
	else if (r)
		tx_drop(m, x);
	return r;
}

/* --- what the base does not show yet
 * --------------------------------------------------------------------- */

void commit_leave(struct commit *c)
{
	struct tree *t = c->m->t;

	pthread_rwlock_wrlock(&t->gate);
	drop_behind(c->l);
	pthread_rwlock_unlock(&t->gate);
	net_free(steal(&c->n));
	layer_free(t, c->l);
	commit_free(c);
}

int commit_behind(struct txm *m, struct txfs_ioc_end *io)
{
	struct tx *x, *tmp;

	list_for_each_safe (x, tmp, &m->txs, link) {
		struct commit *c = x->behind;

		if (x->state != TXFS_BEHIND)
			continue;
		tree_checkpoint_runs(m->t, true);
		checkpoint_run(m->t, c->p->step, c->p->n, &c->out);
		if (c->out.behind) {
			tree_checkpoint_runs(m->t, false);
			tx_say(io->message,
				"transaction %llu is committed, but the base is behind: "
				"%s",
				(unsigned long long)x->id, c->out.first);
			return -EIO;
		}
		for (size_t i = 0; i < c->n->objs; i++)
			c->n->obj[i]->o->plan = c->n->obj[i];
		layer_log(m->t, c->l, TXFS_COMMITTED, wall_ns(), c->counts);
		all_done(c);
	}
	return 0;
}
