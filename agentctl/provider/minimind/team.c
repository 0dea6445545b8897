/*
 * team.c: a few threads that share the rows of one product.
 *
 * `next` holds the number of the piece of work above the next part to be taken, so that a
 * part can only be taken of the piece that is under way. The caller cannot go on to
 * another piece before every part that was taken is done, so who has taken one may read
 * the rest; who comes too late finds nothing to take. Who has spun long enough sleeps
 * under the lock; whoever makes the change looks at `asleep` to know whether to wake.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "agentctl/provider/minimind/team.h"
#include "common/mem.h"

enum { SPINS = 2000, PARTS_EACH = 4 };

struct worker {
	struct team *team;
	pthread_t thread;
	unsigned number;
};

struct team {
	unsigned n;
	struct worker workers[TEAM_MAX]; /* from 1 on; the caller is 0 */
	team_work work;
	void *context;
	atomic_uint round,
		finished; /* pieces of work begun; parts of the last one done */
	_Atomic uint64_t next;
	atomic_bool over;
	/* lock: asleep may only grow under it */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	atomic_uint asleep;
};

static void pause_cpu(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

/* Wait while *word is @value (equal), or until it is. */
static void wait_while(struct team *t, atomic_uint *word, unsigned value, bool equal)
{
	for (int i = 0; i < SPINS; i++) {
		if ((atomic_load_explicit(word, memory_order_acquire) == value) != equal)
			return;
		pause_cpu();
	}
	pthread_mutex_lock(&t->lock);
	atomic_fetch_add(&t->asleep, 1);
	while ((atomic_load(word) == value) == equal)
		pthread_cond_wait(&t->changed, &t->lock);
	atomic_fetch_sub(&t->asleep, 1);
	pthread_mutex_unlock(&t->lock);
}

static void wake(struct team *t)
{
	if (atomic_load(&t->asleep) == 0)
		return;
	pthread_mutex_lock(&t->lock);
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
}

/* Take parts of the piece @round and do them until there are none. */
static void take_parts(struct team *t, unsigned round, unsigned thread)
{
	unsigned parts = t->n * PARTS_EACH;
	uint64_t next = atomic_load(&t->next);

	while (next >> 32 == round && (uint32_t)next < parts) {
		if (!atomic_compare_exchange_weak(&t->next, &next, next + 1))
			continue;
		t->work(t->context, (uint32_t)next, parts, thread);
		if (atomic_fetch_add(&t->finished, 1) + 1 == parts)
			wake(t);
		next = atomic_load(&t->next);
	}
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct team *t = w->team;
	unsigned round = 0;

	for (;;) {
		wait_while(t, &t->round, round, true);
		round = atomic_load(&t->round);
		if (atomic_load(&t->over))
			return NULL;
		take_parts(t, round, w->number);
	}
}

void team_run(struct team *t, team_work work, void *context)
{
	unsigned round;

	if (t->n == 1) {
		work(context, 0, 1, 0);
		return;
	}
	t->work = work;
	t->context = context;
	atomic_store(&t->finished, 0);
	round = atomic_load(&t->round) + 1;
	atomic_store(&t->next, (uint64_t)round << 32);
	atomic_store(&t->round, round);
	wake(t);
	take_parts(t, round, 0);
	wait_while(t, &t->finished, t->n * PARTS_EACH, false);
}

static int start(struct team *t, unsigned number)
{
	struct worker *w = &t->workers[number];
	sigset_t all, old;
	int r;

	w->team = t;
	w->number = number;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&w->thread, NULL, worker_main, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -r;
}

int team_open(struct team **out, unsigned n)
{
	struct team *t = mem_zalloc(sizeof *t);
	int r;

	*out = NULL;
	if (!t)
		return -ENOMEM;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->changed, NULL);
	n = n < 1 ? 1 : n > TEAM_MAX ? TEAM_MAX : n;
	for (t->n = 1; t->n < n; t->n++) {
		r = start(t, t->n);
		if (r != 0) {
			team_close(t);
			return r;
		}
	}
	*out = t;
	return 0;
}

void team_close(struct team *t)
{
	if (!t)
		return;
	atomic_store(&t->over, true);
	atomic_fetch_add(&t->round, 1);
	wake(t);
	for (unsigned i = 1; i < t->n; i++)
		pthread_join(t->workers[i].thread, NULL);
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

unsigned team_size(const struct team *t)
{
	return t->n;
}
