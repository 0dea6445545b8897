/*
 * tree.c: the whole: making and freeing a tree and its views; time; the checkpoint's
 * flag.
 */
#include "fs/tree/impl.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define FDS_CACHED 2048u
#define SLOTS 1024u

static int64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ns_of(ts);
}

int64_t tree_now_ns(void)
{
	return clock_ns(CLOCK_REALTIME_COARSE);
}

int64_t tree_mono_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* Writers first: a boundary must not starve under a stream of requests. */
static void gate_init(pthread_rwlock_t *gate)
{
	pthread_rwlockattr_t a;

	pthread_rwlockattr_init(&a);
	pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(gate, &a);
	pthread_rwlockattr_destroy(&a);
}

static int make_root(struct tree *t)
{
	struct bstat st;
	int r = base_stat(t->rootfd, "", &st);

	if (r)
		return r;
	t->root = obj_new(t);
	if (!t->root)
		return -ENOMEM;
	t->dev = st.print.dev;
	t->root->id = 1;
	t->root->st_ino = st.print.ino;
	t->root->has_base = true;
	t->root->print = st.print;
	return obj_alias(t, t->root, &st.print);
}

int tree_new(int rootfd, struct store *store, int stagefd, struct tree **out)
{
	struct tree *t = calloc(1, sizeof(*t));
	struct layer *l;
	int r = -ENOMEM;

	if (!t)
		return -ENOMEM;
	*t = (struct tree){.rootfd = rootfd, .store = store, .stagefd = stagefd};
	gate_init(&t->gate);
	list_init(&t->views);
	pthread_mutex_init(&t->ckpt_lock, NULL);
	pthread_cond_init(&t->ckpt_done, NULL);
	pthread_mutex_init(&t->objs_lock, NULL);
	pthread_mutex_init(&t->nodes_lock, NULL);
	t->ino_slots = t->node_slots = SLOTS;
	t->next_node = 1;
	t->by_ino = calloc(SLOTS, sizeof(*t->by_ino));
	t->by_id = calloc(SLOTS, sizeof(*t->by_id));
	t->by_obj = calloc(SLOTS, sizeof(*t->by_obj));
	t->fds = fdcache_new(FDS_CACHED);
	atomic_store(&t->last_seq, store_last_seq(store));
	if (t->by_ino && t->by_id && t->by_obj && t->fds)
		r = make_root(t);
	if (!r)
		r = view_new(t, 0, SEQ_LATEST, &t->main);
	l = r ? NULL : layer_new(LAYER_AUTO, 0, 0);
	if (!r && !l)
		r = -ENOMEM;
	if (r) {
		t->rootfd = -1;
		tree_free(t);
		return r;
	}
	layer_push(t->main, l);
	*out = t;
	return 0;
}

void tree_free(struct tree *t)
{
	struct view *v, *tmp;

	if (!t)
		return;
	list_for_each_safe (v, tmp, &t->views, link) {
		while (v->top)
			layer_pop(v, NULL, NULL);
		node_put(v->root);
		list_del(&v->link);
		view_put(v);
	}
	nodes_clear(t);
	objs_clear(t);
	fdcache_free(t->fds);
	if (t->root) {
		free(t->root->name);
		free(t->root);
	}
	if (t->rootfd >= 0)
		close(t->rootfd);
	pthread_rwlock_destroy(&t->gate);
	free(t);
}

int view_new(struct tree *t, uint64_t id, uint64_t snapshot, struct view **out)
{
	struct view *v = calloc(1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	*v = (struct view){.t = t, .id = id, .snapshot = snapshot, .refs = 1};
	v->number = (uint32_t)(id % 0x7fffff) + (id ? 1 : 0);
	list_init(&v->nodes);
	pthread_mutex_init(&v->renaming, NULL);
	v->root = node_of(v, t->root, NULL, NULL);
	if (!v->root) {
		view_put(v);
		return -ENOMEM;
	}
	list_add_tail(&v->link, &t->views);
	*out = v;
	return 0;
}

void view_put(struct view *v)
{
	if (atomic_fetch_sub(&v->refs, 1) != 1)
		return;
	pthread_mutex_destroy(&v->renaming);
	free(v);
}

void tree_wait_checkpoint(struct tree *t)
{
	pthread_mutex_lock(&t->ckpt_lock);
	while (t->ckpt_running)
		pthread_cond_wait(&t->ckpt_done, &t->ckpt_lock);
	pthread_mutex_unlock(&t->ckpt_lock);
}

void tree_checkpoint_runs(struct tree *t, bool runs)
{
	pthread_mutex_lock(&t->ckpt_lock);
	t->ckpt_running = runs;
	if (!runs)
		pthread_cond_broadcast(&t->ckpt_done);
	pthread_mutex_unlock(&t->ckpt_lock);
}
