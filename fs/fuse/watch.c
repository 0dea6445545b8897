/*
 * watch.c: seeing what others change in the base, by inotify on the directories in use.
 *
 * A directory is watched before its entries are looked at, so nothing is missed. Where a
 * watch cannot be had, what the kernel caches gets a time-out of one second instead
 * (watched_all). Our own checkpoints cause events too; they find nothing that differs
 * from what is known.
 */
#include "fs/fuse/impl.h"

#include <poll.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

#define MASK                                                                           \
	(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_ATTRIB | \
		IN_ONLYDIR | IN_EXCL_UNLINK)

static int keep(struct serve *s, int wd, struct obj *dir)
{
	size_t need = (size_t)wd + 1;

	if (need > s->watched_cap) {
		size_t cap = s->watched_cap ? s->watched_cap * 2 : 256;
		struct obj **p;

		while (cap < need)
			cap *= 2;
		p = realloc(s->watched, cap * sizeof(*p));
		if (!p)
			return -ENOMEM;
		memset(p + s->watched_cap, 0, (cap - s->watched_cap) * sizeof(*p));
		s->watched = p;
		s->watched_cap = cap;
	}
	if (!s->watched[wd])
		s->watched[wd] = obj_get(dir);
	return 0;
}

void watch_dir(void *serve, struct obj *dir, int dirfd)
{
	struct serve *s = serve;
	char path[64];
	int wd;
	auto_unlock pthread_mutex_t *l = lock(&s->watch_lock);

	if (dir->watched || s->inotify < 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/.", dirfd);
	wd = inotify_add_watch(s->inotify, path, MASK);
	if (wd < 0 || keep(s, wd, dir)) {
		if (s->watched_all)
			log_warn("cannot watch more directories "
				 "(fs.inotify.max_user_watches); "
				 "changes behind the mount show within a second");
		s->watched_all = false;
		dir->watched = -1;
		return;
	}
	dir->watched = wd + 1;
}

static struct obj *watched_dir(struct serve *s, int wd, bool gone)
{
	auto_unlock pthread_mutex_t *l = lock(&s->watch_lock);
	struct obj *o;

	if (wd < 0 || (size_t)wd >= s->watched_cap || !s->watched[wd])
		return NULL;
	o = s->watched[wd];
	if (!gone)
		return obj_get(o);
	o->watched = 0;
	s->watched[wd] = NULL;
	return o;
}

static void one_event(struct serve *s, const struct inotify_event *e)
{
	struct obj *dir;

	if (e->mask & IN_Q_OVERFLOW) {
		txm_base_changed(s->m, NULL, NULL);
		return;
	}
	dir = watched_dir(s, e->wd, e->mask & IN_IGNORED);
	if (!dir)
		return;
	if (!(e->mask & IN_IGNORED))
		txm_base_changed(s->m, dir, e->len ? e->name : NULL);
	obj_put(s->t, dir);
}

/* What is looked at is the state of now, so one look serves all that is told of a name at
 * once. */
static bool repeats(const struct inotify_event *a, const struct inotify_event *b)
{
	return a && a->wd == b->wd && !((a->mask | b->mask) & IN_IGNORED) &&
	       a->len == b->len && !memcmp(a->name, b->name, a->len);
}

static void *watcher(void *arg)
{
	struct serve *s = arg;
	_Alignas(struct inotify_event) char buf[65536];
	struct pollfd p[2] = {{s->inotify, POLLIN, 0}, {s->watch_stop[0], POLLIN, 0}};

	while (poll(p, 2, -1) >= 0 || errno == EINTR) {
		const struct inotify_event *last = NULL;
		ssize_t n;

		if (p[1].revents)
			break;
		n = read(s->inotify, buf, sizeof(buf));
		for (char *q = buf; n > 0 && q < buf + n;) {
			const struct inotify_event *e = (void *)q;

			if (!repeats(last, e))
				one_event(s, e);
			last = e;
			q += sizeof(*e) + e->len;
		}
	}
	return NULL;
}

int watch_start(struct serve *s)
{
	int r;

	s->inotify = -1;
	s->watched_all = true;
	pthread_mutex_init(&s->watch_lock, NULL);
	if (s->o.exclusive)
		return 0;
	s->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (s->inotify < 0 || pipe(s->watch_stop) < 0) {
		s->watched_all = false;
		return 0;
	}
	r = pthread_create(&s->watcher, NULL, watcher, s);
	s->watching = !r;
	return -r;
}

void watch_stop(struct serve *s)
{
	if (s->watching) {
		if (write(s->watch_stop[1], "", 1) < 0)
			log_error("cannot stop the watcher: %s", strerror(errno));
		pthread_join(s->watcher, NULL);
		close(s->watch_stop[0]);
		close(s->watch_stop[1]);
	}
	if (s->inotify >= 0)
		close(s->inotify);
	for (size_t i = 0; i < s->watched_cap; i++)
		obj_put(s->t, s->watched[i]);
	free(s->watched);
}
