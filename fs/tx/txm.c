/*
 * txm.c: one manager for one mount: starting after recovery, ending in good order; and
 * changes of the base that came from elsewhere.
 */
#include "fs/tx/impl.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/hash.h"

static int no_barrier(void *arg)
{
	return 0;
}

uint64_t boot_now(void)
{
	char id[64];
	uint8_t h[16];
	uint64_t n = 0;
	auto_close int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, id, sizeof(id));

	if (len <= 0)
		return 0;
	hash128(id, (size_t)len, h);
	memcpy(&n, h, sizeof(n));
	return n;
}

int txm_new(struct tree *t, const struct txm_opts *o, const struct txm_hooks *h,
	struct txm **out, char **msg)
{
	struct txm *m = calloc(1, sizeof(*m));
	int r;

	*msg = NULL;
	if (!m)
		return -ENOMEM;
	m->t = t;
	m->boot = boot_now();
	m->o = *o;
	m->h = *h;
	if (!m->h.barrier)
		m->h.barrier = no_barrier;
	pthread_mutex_init(&m->lock, NULL);
	pthread_mutex_init(&m->bg_lock, NULL);
	pthread_cond_init(&m->bg_wake, NULL);
	list_init(&m->txs);
	list_init(&m->foots);
	list_init(&m->undos);
	r = recover_all(m, msg);
	if (r) {
		txm_close(m);
		return r;
	}
	m->recovered = true;
	*out = m;
	return 0;
}

int txm_start(struct txm *m)
{
	return bg_start(m);
}

static void suspend_open(struct txm *m, struct tx *x)
{
	for (struct layer *l = x->view ? x->view->top : NULL; l; l = l->below)
		if (l->id && l->kind != LAYER_AUTO)
			layer_log(m->t, l,
				l->kind == LAYER_TX ? TXFS_SUSPENDED : TXFS_OPEN, 0,
				NULL);
}

void txm_close(struct txm *m)
{
	struct txfs_ioc_end io = {0};
	struct tx *x, *tmp;
	bool needed;

	if (!m)
		return;
	needed = !m->recovered;
	m->stop = true; /* from now on the kernel is neither asked nor told */
	bg_stop(m);
	pthread_mutex_lock(&m->lock);
	if (!tx_main(m) && !commit_behind(m, &io))
		commit_pending(m, &io);
	list_for_each_safe (x, tmp, &m->txs, link) {
		needed |= x->state == TXFS_BEHIND;
		if (x->state == TXFS_OPEN)
			suspend_open(m, x);
		if (x->behind)
			commit_leave(x->behind);
		tx_drop(m, x);
	}
	while (!list_empty(&m->undos)) {
		struct undo *u = list_first(&m->undos, struct undo, link);

		pthread_rwlock_wrlock(&m->t->gate);
		undo_free(m, u, true);
		pthread_rwlock_unlock(&m->t->gate);
	}
	while (!list_empty(&m->foots)) {
		struct foot *f = foot_first(&m->foots);

		list_del(foot_link(f));
		foot_free(m, f);
	}
	pthread_mutex_unlock(&m->lock);
	bg_stop(m); /* sync and reclaim what was just committed */
	if (!needed)
		stage_sweep(m); /* deleted files that something still knew */
	store_flush(m->t->store, STORE_DURABLE);
	changes_free(m->page, m->pages);
	free(m->txrow);
	free(m->done);
	free(m->dead);
	free(m);
}

/* --- the base, changed by others
 * ---------------------------------------------------------------- */

/* Does @v take this name from somewhere above the base? */
static bool covered(struct view *v, struct node *dir, const char *name)
{
	struct stack s;
	struct delta *d;

	bool found = false;

	pthread_rwlock_rdlock(&dir->lock);
	stack_init(&s, v, dir->obj, dir->top);
	while (!found && (d = stack_next(&s)))
		found = names_find(&d->names, name) != NULL;
	pthread_rwlock_unlock(&dir->lock);
	return found;
}

static bool touched(struct view *v, struct node *n)
{
	struct stack s;

	bool any;

	pthread_rwlock_rdlock(&n->lock);
	stack_init(&s, v, n->obj, n->top);
	any = stack_next(&s) != NULL;
	pthread_rwlock_unlock(&n->lock);
	return any;
}

static void inval_obj(struct txm *m, struct obj *o, struct inval *i)
{
	struct view *v;

	list_for_each (v, &m->t->views, link) {
		struct node *n = node_find(v, o);

		if (n && !touched(v, n))
			inval_add_inode(i, n->id);
		if (n)
			tree_list_stale(n);
		node_put(n);
	}
}

static void inval_name(struct txm *m, struct obj *dir, const char *name, struct inval *i)
{
	struct view *v;

	list_for_each (v, &m->t->views, link) {
		struct node *n = node_find(v, dir);

		if (n && !covered(v, n, name))
			inval_add_entry(i, n->id, name);
		node_put(n);
	}
}

static bool same_as_known(struct tree *t, struct obj *o, const struct bstat *st)
{
	auto_unlock pthread_mutex_t *l = lock(&t->objs_lock);

	return base_unchanged(&o->print, &st->print) && o->print.size == st->print.size &&
	       o->print.mtime_ns == st->print.mtime_ns;
}

static void look(struct txm *m, struct obj *dir, const char *name, struct inval *i)
{
	struct tree *t = m->t;
	struct obj *o = NULL;
	struct bstat st, dst;
	struct fdref *ref;
	int r = obj_dir(t, dir, &ref);

	if (r)
		return;
	if (!base_stat(ref->fd, "", &dst) && !same_as_known(t, dir, &dst)) {
		obj_stat(t, dir, &dst);
		inval_obj(m, dir, i);
	}
	r = *name ? base_stat(ref->fd, name, &st) : -ENOENT;
	fdcache_put(t->fds, ref);
	if (!r)
		o = obj_at_name(t, dir, name, &st);
	if (!o) { /* gone, or another one than known */
		if (*name)
			inval_name(m, dir, name, i);
		return;
	}
	if (!same_as_known(t, o, &st)) {
		struct bstat again;

		obj_stat(t, o, &again);
		inval_obj(m, o, i);
	}
	obj_put(t, o);
}

void txm_base_changed(struct txm *m, struct obj *dir, const char *name)
{
	struct inval i = {0};

	tree_wait_checkpoint(m->t);
	pthread_rwlock_rdlock(&m->t->gate);
	if (dir)
		look(m, dir, name ? name : "", &i);
	else
		i.all = true;
	pthread_rwlock_unlock(&m->t->gate);
	inval_send(m, &i);
}
