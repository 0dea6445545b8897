/*
 * background.c: the thread that commits what autocommit gathered, syncs the base behind
 * checkpoints and reclaims what is no longer needed. Nobody waits for it.
 */
#include "fs/tx/impl.h"

#include <time.h>
#include <unistd.h>

#define IDLE_MS 1000
#define FENCE_SLICE 256
#define FENCE_PAUSE_US 5000

static void add_done(struct txm *m, struct done d)
{
	auto_unlock pthread_mutex_t *l = lock(&m->bg_lock);

	if (m->ndone == m->done_cap) {
		size_t cap = m->done_cap ? m->done_cap * 2 : 16;
		struct done *p = realloc(m->done, cap * sizeof(*p));

		if (!p)
			return; /* replayed and reclaimed at the next mount */
		m->done = p;
		m->done_cap = cap;
	}
	m->done[m->ndone++] = d;
}

void bg_checkpointed(struct txm *m, uint64_t layer, uint64_t seq)
{
	add_done(m, (struct done){.id = layer, .seq = seq});
}

void bg_fence(struct txm *m, struct view *v)
{
	pthread_mutex_lock(&m->bg_lock);
	if (m->ndead == m->dead_cap) {
		size_t cap = m->dead_cap ? m->dead_cap * 2 : 16;
		struct view **p = realloc(m->dead, cap * sizeof(*p));

		if (p) {
			m->dead = p;
			m->dead_cap = cap;
		}
	}
	if (m->ndead < m->dead_cap) {
		m->dead[m->ndead++] = v;
		v = NULL;
	}
	pthread_cond_broadcast(&m->bg_wake);
	pthread_mutex_unlock(&m->bg_lock);
	if (v) {
		node_put(v->root);
		view_put(v);
	}
}

/* The next slice of @v's nodes that the kernel knows, moved to the end of the list. */
static size_t nodes_of(struct view *v, struct inval *i, size_t left)
{
	auto_unlock pthread_mutex_t *l = lock(&v->t->nodes_lock);
	size_t n = 0;

	while (n < left && n < FENCE_SLICE && !list_empty(&v->nodes)) {
		struct node *node = list_first(&v->nodes, struct node, in_view);

		list_del(&node->in_view);
		list_add_tail(&node->in_view, &v->nodes);
		if (node->nlookup)
			inval_add_inode(i, node->id);
		n++;
	}
	return n;
}

static size_t count_nodes(struct view *v)
{
	auto_unlock pthread_mutex_t *l = lock(&v->t->nodes_lock);
	size_t n = 0;

	for (struct list *p = v->nodes.next; p != &v->nodes; p = p->next)
		n++;
	return n;
}

/* Unhurried: whoever begins the next transaction wants the machine now. */
static void fence_view(struct txm *m, struct view *v)
{
	size_t left = count_nodes(v), n;

	while (left && !m->stop) {
		struct inval i = {0};

		n = nodes_of(v, &i, left);
		inval_send(m, &i);
		if (!n)
			break;
		left -= n;
		if (left)
			usleep(FENCE_PAUSE_US);
	}
	node_put(v->root);
	view_put(v);
}

static void fence_dead(struct txm *m)
{
	for (;;) {
		struct view *v = NULL;

		pthread_mutex_lock(&m->bg_lock);
		if (m->ndead)
			v = m->dead[--m->ndead];
		pthread_mutex_unlock(&m->bg_lock);
		if (!v)
			return;
		fence_view(m, v);
	}
}

/* Rows of a commit stay as long as somebody's conflicts may be looked for in them. */
static void reclaim_layer(struct txm *m, struct done *d, uint64_t oldest)
{
	struct rec r[2] = {{.op = REC_STEPS_DEL}, {.op = REC_PURGE}};
	bool first = !d->synced, last = d->seq <= oldest;

	r[0].layer.id = r[1].layer.id = d->id;
	if (first)
		pool_unlink(store_dirfd(m->t->store), d->id);
	if (first || last)
		store_log(m->t->store, first ? r : r + 1, (size_t)first + last);
	d->synced = true;
	if (!last)
		add_done(m, *d);
}

/* Payload goes only after a sync of the base that began after the checkpoint ended. */
static void reclaim(struct txm *m)
{
	struct done *done;
	uint64_t oldest;
	bool sync = false;
	size_t n;

	pthread_mutex_lock(&m->bg_lock);
	done = steal(&m->done);
	n = m->ndone;
	m->ndone = m->done_cap = 0;
	pthread_mutex_unlock(&m->bg_lock);
	for (size_t i = 0; i < n; i++)
		sync |= !done[i].synced;
	if (sync && syncfs(m->t->stagefd) < 0) {
		log_error("cannot sync the base: %s", strerror(errno));
		n = 0; /* the steps stay, to be replayed at the next mount */
	}
	pthread_mutex_lock(&m->lock);
	oldest = oldest_snapshot(m, true);
	pthread_mutex_unlock(&m->lock);
	for (size_t i = 0; i < n; i++)
		reclaim_layer(m, &done[i], oldest);
	free(done);
}

static bool autocommit_due(struct txm *m)
{
	struct view *v = m->t->main;
	struct layer *l;
	bool due;

	pthread_rwlock_rdlock(&m->t->gate);
	l = v->top;
	pthread_mutex_lock(&l->lock);
	due = l->kind == LAYER_AUTO && l->first_ns &&
	      (double)(tree_mono_ns() - l->first_ns) >= m->o.interval_s * 1e9;
	pthread_mutex_unlock(&l->lock);
	pthread_rwlock_unlock(&m->t->gate);
	return due;
}

static void autocommit(struct txm *m)
{
	struct txfs_ioc_end io = {0};
	int r;

	pthread_mutex_lock(&m->lock);
	r = m->stop ? 0 : m->h.barrier(m->h.arg);
	if (!r && !tx_main(m) && !commit_behind(m, &io))
		r = commit_pending(m, &io);
	pthread_mutex_unlock(&m->lock);
	if (r && r != -EBUSY)
		log_error("cannot commit automatically: %s",
			*io.message ? io.message : strerror(-r));
}

static void pause_for(struct txm *m, long ms)
{
	struct timespec until = ts_in(CLOCK_REALTIME, ms * 1000000ll);

	pthread_mutex_lock(&m->bg_lock);
	if (!m->stop)
		pthread_cond_timedwait(&m->bg_wake, &m->bg_lock, &until);
	pthread_mutex_unlock(&m->bg_lock);
}

static void *background(void *arg)
{
	struct txm *m = arg;
	long ms = (long)(m->o.interval_s * 500);
	int64_t synced = tree_mono_ns();

	if (ms > IDLE_MS / 2)
		ms = IDLE_MS / 2;
	if (ms < 10)
		ms = 10;
	while (!m->stop) {
		pause_for(m, ms);
		if (m->stop)
			break;
		if (autocommit_due(m))
			autocommit(m);
		if (tree_mono_ns() - synced > IDLE_MS * 1000000ll) {
			reclaim(m);
			synced = tree_mono_ns();
		}
	}
	return NULL;
}

static void *fencer(void *arg)
{
	struct txm *m = arg;

	while (!m->stop) {
		pthread_mutex_lock(&m->bg_lock);
		while (!m->stop && !m->ndead)
			pthread_cond_wait(&m->bg_wake, &m->bg_lock);
		pthread_mutex_unlock(&m->bg_lock);
		fence_dead(m);
	}
	return NULL;
}

int bg_start(struct txm *m)
{
	int r = pthread_create(&m->bg, NULL, background, m);

	m->bg_runs = !r;
	if (!r)
		r = pthread_create(&m->fence, NULL, fencer, m);
	m->fence_runs = m->bg_runs && !r;
	return -r;
}

void bg_stop(struct txm *m)
{
	pthread_mutex_lock(&m->bg_lock);
	m->stop = true;
	pthread_cond_broadcast(&m->bg_wake);
	pthread_mutex_unlock(&m->bg_lock);
	if (m->bg_runs)
		pthread_join(m->bg, NULL);
	if (m->fence_runs)
		pthread_join(m->fence, NULL);
	m->bg_runs = m->fence_runs = false;
	fence_dead(m);
	reclaim(m);
}
