/*
 * tx.c: the life of a transaction: begin, savepoints, abort; who may end it.
 */
#include "fs/tx/impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>

#include "common/hash.h"

int64_t wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ns_of(ts);
}

void tx_say(char msg[TXFS_MESSAGE_BYTES], const char *fmt, ...)
{
	va_list ap;

	if (*msg)
		return; /* the first word is the cause */
	va_start(ap, fmt);
	vsnprintf(msg, TXFS_MESSAGE_BYTES, fmt, ap);
	va_end(ap);
}

struct tx *tx_find(struct txm *m, uint64_t id)
{
	struct tx *x;

	list_for_each (x, &m->txs, link) {
		if (x->id == id)
			return x;
	}
	return NULL;
}

struct tx *tx_main(struct txm *m)
{
	struct tx *x;

	list_for_each (x, &m->txs, link) {
		if (x->state == TXFS_OPEN && x->view == m->t->main && !x->is_auto)
			return x;
	}
	return NULL;
}

struct tx *tx_new(struct txm *m, uint64_t id)
{
	struct tx *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->id = id;
	list_add_tail(&x->link, &m->txs);
	return x;
}

void tx_drop(struct txm *m, struct tx *x)
{
	conflicts_clear(x);
	list_del(&x->link);
	free(x);
}

/* --- views that end
 * ------------------------------------------------------------------------ */

void tx_end_view(struct txm *m, struct tx *x, struct inval *i)
{
	struct view *v = x->view;

	for (struct layer *l = v->top; l; l = l->below) {
		struct delta *d;

		list_for_each (d, &l->deltas, in_layer)
			if (d->node)
				inval_add_inode(i, d->node->id);
	}
	v->dead = true;
	list_del(&v->link);
}

void tx_bury(struct txm *m, struct tx *x)
{
	struct view *v = x->view;

	if (!v || !v->dead)
		return;
	while (v->top)
		layer_pop(v, NULL, NULL);
	x->view = NULL;
	bg_fence(m, v);
}

void tx_main_latest(struct txm *m, struct inval *i)
{
	struct view *v = m->t->main;
	struct foot *f;

	for (struct list *p = m->foots.next; p != &m->foots; p = p->next) {
		f = foot_first(p->prev);
		if (foot_seq(f) > v->snapshot)
			foot_inval(m, f, v, i);
	}
	v->snapshot = SEQ_LATEST;
}

struct popping {
	struct view *v;
	struct inval *i;
};

/* Names the layer had moved lead to their old nodes again. */
static void replace_names(struct popping *p, struct node *n, const struct delta *d)
{
	struct nent *e;
	uint32_t k;

	names_each(&d->names, k, e)
	{
		struct node *was = e->was ? node_find(p->v, e->was) : NULL;
		struct node *now = e->obj ? node_find(p->v, e->obj) : NULL;

		if (now && e->obj != e->was)
			node_unseen(now, n, e->name);
		node_put(now);
		inval_add_entry(p->i, n->id, e->name);
		if (!was)
			continue;
		node_put(node_of(p->v, e->was, n, e->name));
		node_put(was);
	}
	if (n->list)
		n->list->stale = true;
}

static void fence(void *arg, struct node *n, struct delta *d)
{
	const uint32_t hard = PART_DATA | PART_LINKS | PART_NEW | PART_GONE;
	struct popping *p = arg;

	if (S_ISDIR(d->a.mode))
		replace_names(p, n, d);
	if (S_ISDIR(d->a.mode) ? d->parts & PART_NEW : d->parts & hard) {
		/* Names it kept lead to the old id: with one name it is known, else all
		 * go. */
		if (n->parent && n->name)
			inval_add_entry(p->i, n->parent->id, n->name);
		if (!S_ISDIR(d->a.mode) && d->a.nlink > 1)
			p->i->all = true;
		node_retire(n);
	}
	inval_add_inode(p->i, n->id);
}

void tx_pop(struct txm *m, struct view *v, struct inval *i)
{
	struct popping p = {v, i};

	layer_pop(v, fence, &p);
}

/* --- begin
 * ------------------------------------------------------------------------------------ */

static void hash_token(const uint8_t token[TXFS_TOKEN_BYTES], uint8_t out[16])
{
	hash128(token, TXFS_TOKEN_BYTES, out);
}

static int new_token(uint8_t token[TXFS_TOKEN_BYTES])
{
	return getrandom(token, TXFS_TOKEN_BYTES, 0) == TXFS_TOKEN_BYTES ? 0 : -EIO;
}

static int begin_layer(struct txm *m, struct layer *l, const struct txfs_ioc_begin *io)
{
	l->kind = LAYER_TX;
	l->is_private = io->flags & TXFS_BEGIN_PRIVATE;
	l->snapshot = atomic_load(&m->t->last_seq);
	l->label = strndup(io->label, TXFS_LABEL_BYTES - 1);
	hash_token(io->token, l->token_hash);
	return l->label ? layer_log(m->t, l, TXFS_OPEN, 0, NULL) : -ENOMEM;
}

static int begin_private(struct txm *m, struct txfs_ioc_begin *io, struct tx *x)
{
	struct layer *l = layer_new(LAYER_TX, x->id, x->id);
	int r = l ? begin_layer(m, l, io) : -ENOMEM;

	pthread_rwlock_wrlock(&m->t->gate);
	if (!r)
		r = view_new(m->t, x->id, l->snapshot, &x->view);
	if (!r)
		layer_push(x->view, l);
	pthread_rwlock_unlock(&m->t->gate);
	if (r) {
		layer_free(m->t, l);
		return r;
	}
	x->is_private = true;
	x->snapshot = l->snapshot;
	x->begun_ns = l->begun_ns;
	snprintf(io->view, sizeof(io->view), ".txfs/tx/%llu", (unsigned long long)x->id);
	return 0;
}

/* The main view's automatic layer becomes the transaction's: what came since it was last
 * committed falls on this side, whole. */
static int begin_main(struct txm *m, struct txfs_ioc_begin *io, struct tx *x)
{
	struct view *v = m->t->main;
	struct layer *l;
	int r;

	pthread_rwlock_wrlock(&m->t->gate);
	l = v->top;
	if (!l->id)
		l->id = l->tx = x->id;
	x->id = l->id;
	l->begun_ns = wall_ns();
	r = begin_layer(m, l, io);
	if (!r)
		v->snapshot = l->snapshot;
	pthread_rwlock_unlock(&m->t->gate);
	x->view = v;
	x->snapshot = l->snapshot;
	x->begun_ns = l->begun_ns;
	return r;
}

static int begin_locked(struct txm *m, struct txfs_ioc_begin *io)
{
	struct txfs_ioc_end flush = {0};
	struct tx *x = tx_main(m);
	int r;

	if (x && !(io->flags & TXFS_BEGIN_PRIVATE)) {
		io->id = x->id;
		tx_say(io->message,
			"transaction %llu is open here; commit or abort it first, or use "
			"a savepoint",
			(unsigned long long)x->id);
		return -EBUSY;
	}
	r = m->h.barrier(m->h.arg);
	if (!r && !x)
		r = commit_pending(m, &flush);
	if (r && r != -EBUSY)
		return r;
	r = new_token(io->token);
	x = r ? NULL : tx_new(m, store_next_layer(m->t->store));
	if (!x)
		return r ? r : -ENOMEM;
	r = io->flags & TXFS_BEGIN_PRIVATE ? begin_private(m, io, x)
					   : begin_main(m, io, x);
	if (r) {
		tx_drop(m, x);
		return r;
	}
	x->state = TXFS_OPEN;
	snprintf(x->label, sizeof(x->label), "%s", io->label);
	hash_token(io->token, x->token_hash);
	io->id = x->id;
	return 0;
}

void txm_begin(struct txm *m, struct txfs_ioc_begin *io)
{
	auto_unlock pthread_mutex_t *l = lock(&m->lock);
	int r;

	io->label[TXFS_LABEL_BYTES - 1] = 0;
	r = begin_locked(m, io);
	io->error = -r;
	if (r)
		tx_say(io->message, "cannot begin: %s", strerror(-r));
}

/* --- ending
 * -------------------------------------------------------------------------------------
 */

/* The transaction that @io means, if it is there and the token is right. */
static int authorised(struct txm *m, struct txfs_ioc_end *io, struct tx **out)
{
	struct tx *x = io->id ? tx_find(m, io->id) : tx_main(m);
	uint8_t hash[16];

	io->name[TXFS_LABEL_BYTES - 1] = 0;
	if (!x || x->state == TXFS_BEHIND) {
		if (io->id)
			tx_say(io->message,
				"no open transaction %llu; txfs ls shows what there is",
				(unsigned long long)io->id);
		else
			tx_say(io->message,
				"no transaction is open here; begin one first");
		return -ENOENT;
	}
	hash_token(io->token, hash);
	if (memcmp(hash, x->token_hash, sizeof(hash)) && !x->is_auto) {
		tx_say(io->message,
			"transaction %llu: wrong token; only who began it may end it",
			(unsigned long long)x->id);
		return -EPERM;
	}
	*out = x;
	return 0;
}

static void tell_conflicts(const struct tx *x, struct txfs_ioc_end *io)
{
	if (x->conflicts == 1)
		tx_say(io->message,
			"conflict: '%s' was changed since transaction %llu began; "
			"nothing was committed",
			x->conflict[0], (unsigned long long)x->id);
	else
		tx_say(io->message,
			"conflict: '%s' and %zu more were changed since transaction %llu "
			"began; nothing was committed",
			x->conflict[0], x->conflicts - 1, (unsigned long long)x->id);
}

static int commit_locked(struct txm *m, struct txfs_ioc_end *io)
{
	struct txfs_ioc_end flush = {0};
	struct tx *x;
	int r = authorised(m, io, &x);
	bool loaded = false;

	if (r)
		return r;
	r = m->h.barrier(m->h.arg);
	if (!r)
		r = commit_behind(m, io);
	if (!r && x->view != m->t->main && (r = commit_pending(m, &flush)) == -EBUSY)
		r = 0;
	if (!r && x->state == TXFS_SUSPENDED) {
		r = recover_load(m, x);
		loaded = !r;
	}
	if (r)
		return r;
	r = commit_tx(m, x, io);
	if (r == -EBUSY)
		tell_conflicts(x, io);
	if (loaded && (r || io->flags & TXFS_COMMIT_DRY_RUN))
		recover_unload(m, x);
	return r;
}

static void run(struct txm *m, struct txfs_ioc_end *io, const char *verb,
	int (*f)(struct txm *, struct txfs_ioc_end *))
{
	int64_t start = tree_mono_ns();
	int r;

	pthread_mutex_lock(&m->lock);
	r = f(m, io);
	pthread_mutex_unlock(&m->lock);
	io->error = -r;
	io->total_ns = (uint64_t)(tree_mono_ns() - start);
	if (r == -ENOSPC)
		tx_say(io->message,
			"cannot %s: no space left on the file system of the base or of "
			"the "
			"store; nothing was changed, make room and try again",
			verb);
	else if (r)
		tx_say(io->message, "cannot %s: %s", verb, strerror(-r));
}

void txm_commit(struct txm *m, struct txfs_ioc_end *io)
{
	run(m, io, "commit", commit_locked);
}

static void purge(struct txm *m, uint64_t layer)
{
	struct rec r = {.op = REC_PURGE, .layer.id = layer};

	store_log(m->t->store, &r, 1);
	pool_unlink(store_dirfd(m->t->store), layer);
}

/* One row decides; everything else is reclaiming. */
static int log_end_of(struct txm *m, struct tx *x, int state, const uint64_t counts[3])
{
	struct layer l = {
		.id = x->id,
		.kind = x->is_auto ? LAYER_AUTO : LAYER_TX,
		.snapshot = x->snapshot,
		.is_private = x->is_private,
		.label = x->label,
		.begun_ns = x->begun_ns,
	};

	memcpy(l.token_hash, x->token_hash, sizeof(l.token_hash));
	return layer_log(m->t, &l, state, wall_ns(), counts);
}

int tx_said(struct txm *m)
{
	int r = store_flush(m->t->store, STORE_WRITTEN);

	return r == -ENOSPC || r == -EDQUOT ? 0 : r;
}

static void log_savepoints_dead(struct txm *m, struct view *v)
{
	for (struct layer *l = v->top; l; l = l->below)
		if (l->kind == LAYER_SAVEPOINT && l->id) {
			struct rec r = {.op = REC_PURGE, .layer.id = l->id};

			layer_log(m->t, l, TXFS_ABORTED, wall_ns(), NULL);
			store_log(m->t->store, &r, 1);
		}
}

static int abort_main(struct txm *m, struct inval *i)
{
	struct view *v = m->t->main;
	struct layer *fresh = layer_new(LAYER_AUTO, 0, 0);

	if (!fresh)
		return -ENOMEM;
	pthread_rwlock_wrlock(&m->t->gate);
	while (v->top)
		tx_pop(m, v, i);
	layer_push(v, fresh);
	tx_main_latest(m, i);
	pthread_rwlock_unlock(&m->t->gate);
	return 0;
}

static void count_lost(struct txm *m, struct tx *x, struct txfs_ioc_end *io)
{
	struct net *n;
	uint64_t counts[3];

	if (!x->view)
		return;
	pthread_rwlock_wrlock(&m->t->gate);
	if (!net_new(m->t, x->view->top, &n)) {
		if (!net_count(n, counts)) {
			io->added = counts[0];
			io->changed = counts[1];
			io->deleted = counts[2];
		}
		net_free(n);
	}
	pthread_rwlock_unlock(&m->t->gate);
}

static int abort_locked(struct txm *m, struct txfs_ioc_end *io)
{
	struct inval i = {0};
	struct tx *x;
	int r = authorised(m, io, &x);

	if (r)
		return r;
	if (x->view == m->t->main)
		r = m->h.barrier(m->h.arg);
	if (r)
		return r;
	count_lost(m, x, io);
	r = log_end_of(
		m, x, TXFS_ABORTED, (uint64_t[]){io->added, io->changed, io->deleted});
	if (r)
		return r;
	if (x->view)
		log_savepoints_dead(m, x->view);
	if (x->view == m->t->main) {
		r = abort_main(m, &i);
	} else if (x->view) {
		pthread_rwlock_wrlock(&m->t->gate);
		tx_end_view(m, x, &i);
		pthread_rwlock_unlock(&m->t->gate);
	}
	inval_send(m, &i);
	tx_bury(m, x);
	purge(m, x->id);
	tx_drop(m, x);
	undo_trim(m);
	return r ? r : tx_said(m);
}

void txm_abort(struct txm *m, struct txfs_ioc_end *io)
{
	run(m, io, "abort", abort_locked);
}

/* --- savepoints
 * ------------------------------------------------------------------------------------ */

static int open_tx(struct txm *m, struct txfs_ioc_end *io, struct tx **x)
{
	int r = authorised(m, io, x);

	if (!r && (*x)->state != TXFS_OPEN) {
		tx_say(io->message, "transaction %llu is suspended; commit or abort it",
			(unsigned long long)(*x)->id);
		r = -EINVAL;
	}
	if (!r && !*io->name) {
		tx_say(io->message, "a savepoint needs a name");
		r = -EINVAL;
	}
	return r ? r : m->h.barrier(m->h.arg);
}

static struct layer *savepoint_find(struct view *v, const char *name)
{
	struct layer *l = v->top;

	while (l && (l->kind != LAYER_SAVEPOINT || strcmp(l->label, name)))
		l = l->below;
	return l;
}

static int push_savepoint(struct txm *m, struct tx *x, const char *name)
{
	struct layer *l =
		layer_new(LAYER_SAVEPOINT, store_next_layer(m->t->store), x->id);

	if (l)
		l->label = strdup(name);
	if (!l || !l->label) {
		layer_free(m->t, l);
		return -ENOMEM;
	}
	layer_push(x->view, l);
	return layer_log(m->t, l, TXFS_OPEN, 0, NULL);
}

static int savepoint_locked(struct txm *m, struct txfs_ioc_end *io)
{
	struct tx *x;
	int r = open_tx(m, io, &x);

	if (r)
		return r;
	if (savepoint_find(x->view, io->name)) {
		tx_say(io->message,
			"savepoint '%s' exists; release it or take another name",
			io->name);
		return -EEXIST;
	}
	pthread_rwlock_wrlock(&m->t->gate);
	r = push_savepoint(m, x, io->name);
	pthread_rwlock_unlock(&m->t->gate);
	return r;
}

static int no_savepoint(struct txfs_ioc_end *io)
{
	tx_say(io->message, "no savepoint '%s' in this transaction", io->name);
	return -ENOENT;
}

static int rollback_locked(struct txm *m, struct txfs_ioc_end *io)
{
	struct inval i = {0};
	struct layer *to, *l;
	struct tx *x;
	int r = open_tx(m, io, &x);

	if (r)
		return r;
	to = savepoint_find(x->view, io->name);
	if (!to)
		return no_savepoint(io);
	pthread_rwlock_wrlock(&m->t->gate);
	do {
		struct rec p = {.op = REC_PURGE};

		l = x->view->top;
		p.layer.id = l->id;
		layer_log(m->t, l, TXFS_ABORTED, wall_ns(), NULL);
		store_log(m->t->store, &p, 1);
		r = l == to;
		tx_pop(m, x->view, &i);
	} while (!r);
	r = push_savepoint(m, x, io->name);
	pthread_rwlock_unlock(&m->t->gate);
	inval_send(m, &i);
	return r ? r : tx_said(m);
}

static int release_locked(struct txm *m, struct txfs_ioc_end *io)
{
	struct layer *to;
	struct tx *x;
	bool last = false;
	int r = open_tx(m, io, &x);

	if (r)
		return r;
	to = savepoint_find(x->view, io->name);
	if (!to)
		return no_savepoint(io);
	pthread_rwlock_wrlock(&m->t->gate);
	while (!r && !last) {
		last = x->view->top == to;
		r = layer_merge_top(x->view);
	}
	pthread_rwlock_unlock(&m->t->gate);
	return r;
}

void txm_savepoint(struct txm *m, struct txfs_ioc_end *io)
{
	run(m, io, "set a savepoint", savepoint_locked);
}

void txm_rollback(struct txm *m, struct txfs_ioc_end *io)
{
	run(m, io, "roll back", rollback_locked);
}

void txm_release(struct txm *m, struct txfs_ioc_end *io)
{
	run(m, io, "release", release_locked);
}

/* --- waiting for what is pending
 * ----------------------------------------------------------------------- */

static int sync_locked(struct txm *m, struct txfs_ioc_end *io)
{
	int r = m->h.barrier(m->h.arg);

	if (!r)
		r = commit_behind(m, io);
	if (!r && !tx_main(m))
		r = commit_pending(m, io);
	if (!r)
		r = store_flush(m->t->store, STORE_DURABLE);
	return r;
}

void txm_sync(struct txm *m, struct txfs_ioc_end *io)
{
	run(m, io, "sync", sync_locked);
}

int txm_fsync(struct txm *m, struct view *v)
{
	struct txfs_ioc_end io = {0};
	bool automatic;
	int r;

	pthread_rwlock_rdlock(&m->t->gate);
	automatic = !v->dead && v == m->t->main && v->top->kind == LAYER_AUTO;
	pthread_rwlock_unlock(&m->t->gate);
	if (!automatic)
		return store_flush(
			m->t->store, m->o.strict_fsync ? STORE_DURABLE : STORE_WRITTEN);
	pthread_mutex_lock(&m->lock);
	r = tx_main(m) ? store_flush(m->t->store, STORE_WRITTEN) : commit_pending(m, &io);
	pthread_mutex_unlock(&m->lock);
	return r == -EBUSY ? -ESTALE : r;
}

struct node *txm_view(struct txm *m, uint64_t id)
{
	struct view *v;
	struct node *n = NULL;

	/* Not under txm->lock: a LOOKUP may not wait for a commit. The gate is held. */
	list_for_each (v, &m->t->views, link) {
		if (v->id == id && id && !v->dead && !v->hidden)
			n = node_get(v->root);
	}
	return n;
}

void txm_each_private(struct txm *m, void (*f)(void *, uint64_t), void *arg)
{
	struct view *v;

	list_for_each (v, &m->t->views, link) {
		if (v->id && !v->dead && !v->hidden)
			f(arg, v->id);
	}
}
