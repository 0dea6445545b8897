/*
 * loader.c: reading of rules files, in a thread of its own: a file may lie on a disk that
 * hangs, and ten thousand rules with their examples take a while.
 *
 * Two kinds of work. A reload reads all rules of the daemon; the loop is woken by a
 * descriptor and takes them over. A workspace's own file is looked at when its workspace
 * is asked about, at most once a second; the loop waits a bounded time for that. What the
 * thread has read is handed over in `fresh` and put into use, and the old freed, by the
 * loop alone, so that rules in use never go away under it.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/time.h"
#include "policyd/server/private.h"

enum { MAX_PLACES = 64, FRESH_MS = 1000, ERR = 512 };

/** A workspace: its rules, and what its file looked like when they were read. */
struct place {
	char *workspace;
	const struct rules *rules; /* of the loop */
	bool known;		   /* of the loop: read well once, also if not there */
	char err[ERR];		   /* of the loop */
	long used_ms;		   /* of the loop */
	/* under lock */
	bool asked, ready, fresh_good;
	struct rules *fresh;
	char fresh_err[ERR];
	long looked_ms;
	/* of the thread */
	struct stat seen;
	bool has_seen;
};

struct loader {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	int fd;
	const struct rules_source *source;
	size_t n_sources;
	struct place place[MAX_PLACES];
	/* under lock */
	unsigned long wanted, served;
	struct rules *loaded;
	char err[ERR];
	bool news, stop, busy;
};

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000L + t.tv_nsec / 1000000;
}

/* --- the thread ----------------------------------------------------------------------
 */

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Called with the lock, which is given up while files are read. */
static void look_at(struct loader *l, struct place *p)
{
	auto_free char *workspace = strdup(p->workspace);
	char path[PATH_MAX], err[ERR] = "";
	struct rules *rules = NULL;
	struct stat st;
	bool same = false;
	int e;

	pthread_mutex_unlock(&l->lock);
	e = workspace ? rules_workspace_file(workspace, path, sizeof(path)) : -ENOMEM;
	memset(&st, 0, sizeof(st));
	if (!e && lstat(path, &st) && errno != ENOENT && errno != ENOTDIR)
		e = -errno;
	if (!e) {
		same = p->has_seen && same_file(&st, &p->seen);
		if (!same)
			e = rules_load_workspace(path, &rules, err, sizeof(err));
	}
	if (e && !*err)
		snprintf(err, sizeof(err), "cannot read rules '%.400s': %s", path,
			strerror(-e));
	pthread_mutex_lock(&l->lock);
	p->seen = st;
	p->has_seen = true;
	p->asked = false;
	p->looked_ms = now_ms();
	if (same)
		return;
	rules_free(p->fresh);
	p->fresh = rules;
	p->fresh_good = !e;
	p->ready = true;
	snprintf(p->fresh_err, sizeof(p->fresh_err), "%s", err);
}

static void reload(struct loader *l)
{
	unsigned long ticket = l->wanted;
	struct rules *rules = NULL;
	char err[ERR] = "";
	uint64_t one = 1;
	int e;

	pthread_mutex_unlock(&l->lock);
	e = rules_load(l->source, l->n_sources, &rules, err, sizeof(err));
	if (e && !*err)
		snprintf(err, sizeof(err), "%s", strerror(-e));
	pthread_mutex_lock(&l->lock);
	rules_free(l->loaded);
	l->loaded = rules;
	snprintf(l->err, sizeof(l->err), "%s", err);
	l->served = ticket;
	l->news = true;
	if (write(l->fd, &one, sizeof(one)) < 0)
		l->news = true; /* full: the loop is awake already */
}

static struct place *asked_place(struct loader *l)
{
	for (size_t i = 0; i < MAX_PLACES; i++)
		if (l->place[i].asked)
			return &l->place[i];
	return NULL;
}

static void *loader_thread(void *arg)
{
	struct loader *l = arg;
	struct place *p;

	pthread_mutex_lock(&l->lock);
	for (;;) {
		while (!l->stop && l->wanted == l->served && !asked_place(l))
			pthread_cond_wait(&l->work, &l->lock);
		if (l->stop)
			break;
		l->busy = true;
		p = asked_place(l);
		if (p)
			look_at(l, p);
		else
			reload(l);
		l->busy = false;
		pthread_cond_broadcast(&l->done);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

/* --- the face ------------------------------------------------------------------------
 */

int loader_new(struct loader **out, const struct rules_source *source, size_t n)
{
	struct loader *l = calloc(1, sizeof(*l));
	pthread_condattr_t attr;
	sigset_t all, before;
	int e;

	*out = NULL;
	if (!l)
		return -ENOMEM;
	l->source = source;
	l->n_sources = n;
	l->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (l->fd < 0) {
		e = -errno;
		free(l);
		return e;
	}
	pthread_mutex_init(&l->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&l->work, NULL);
	pthread_cond_init(&l->done, &attr);
	pthread_condattr_destroy(&attr);
	sigfillset(&all); /* signals are for the loop */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	e = pthread_create(&l->thread, NULL, loader_thread, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (e) {
		close(l->fd);
		free(l);
		return -e;
	}
	*out = l;
	return 0;
}

/* A thread that hangs in the kernel is left behind: the process is about to end. */
void loader_free(struct loader *l)
{
	bool busy;

	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	l->stop = true;
	busy = l->busy;
	pthread_cond_signal(&l->work);
	pthread_mutex_unlock(&l->lock);
	if (busy)
		return;
	pthread_join(l->thread, NULL);
	for (size_t i = 0; i < MAX_PLACES; i++) {
		free(l->place[i].workspace);
		rules_free((struct rules *)l->place[i].rules);
		rules_free(l->place[i].fresh);
	}
	rules_free(l->loaded);
	pthread_mutex_destroy(&l->lock);
	pthread_cond_destroy(&l->work);
	pthread_cond_destroy(&l->done);
	close(l->fd);
	free(l);
}

int loader_fd(const struct loader *l)
{
	return l->fd;
}

unsigned long loader_reload(struct loader *l)
{
	auto_unlock pthread_mutex_t *held = lock(&l->lock);

	pthread_cond_signal(&l->work);
	return ++l->wanted;
}

unsigned long loader_done(struct loader *l, struct rules **rules, char *err, size_t size)
{
	auto_unlock pthread_mutex_t *held = lock(&l->lock);
	uint64_t n;

	if (read(l->fd, &n, sizeof(n)) < 0 && errno != EAGAIN)
		return 0;
	if (!l->news)
		return 0;
	l->news = false;
	*rules = steal(&l->loaded);
	snprintf(err, size, "%s", l->err);
	return l->served;
}

/* The place of a workspace; a new one takes the place that was not used the longest. */
static struct place *find_place(struct loader *l, const char *workspace)
{
	struct place *oldest = NULL;
	char *copy;

	for (size_t i = 0; i < MAX_PLACES; i++) {
		struct place *p = &l->place[i];

		if (p->workspace && !strcmp(p->workspace, workspace))
			return p;
		if (p->asked || (oldest && !oldest->workspace))
			continue;
		if (!oldest || !p->workspace || p->used_ms < oldest->used_ms)
			oldest = p;
	}
	copy = oldest ? strdup(workspace) : NULL;
	if (!copy)
		return NULL;
	free(oldest->workspace);
	rules_free((struct rules *)oldest->rules);
	rules_free(oldest->fresh);
	*oldest = (struct place){.workspace = copy, .looked_ms = -FRESH_MS};
	return oldest;
}

static void wait_for(struct loader *l, struct place *p)
{
	struct timespec end = ts_in(CLOCK_MONOTONIC, LOADER_WAIT_MS * 1000000LL);

	while (p->asked)
		if (pthread_cond_timedwait(&l->done, &l->lock, &end) == ETIMEDOUT)
			return;
}

static void take_fresh(struct place *p)
{
	if (!p->ready)
		return;
	p->ready = false;
	snprintf(p->err, sizeof(p->err), "%s", p->fresh_err);
	if (!p->fresh_good)
		return; /* the earlier form stays */
	rules_free((struct rules *)p->rules);
	p->rules = steal(&p->fresh);
	p->known = true;
}

enum loader_found loader_workspace(struct loader *l, const char *workspace,
	const struct rules **rules, char *err, size_t size)
{
	auto_unlock pthread_mutex_t *held = lock(&l->lock);
	struct place *p = find_place(l, workspace);
	long now = now_ms();

	*rules = NULL;
	if (!p)
		return LOADER_LATE;
	p->used_ms = now;
	if (now - p->looked_ms >= FRESH_MS) {
		p->asked = true;
		pthread_cond_signal(&l->work);
		wait_for(l, p);
	}
	take_fresh(p);
	snprintf(err, size, "%s", p->err);
	*rules = p->rules;
	if (p->known)
		return p->rules ? LOADER_RULES : LOADER_NONE;
	return *p->err ? LOADER_BROKEN : LOADER_LATE;
}
