/*
 * links.c: does a file exist, and where do its links lead?
 *
 * The answer may hang (a dead network mount, a mount whose daemon is busy with us), so
 * a thread asks the kernel and the loop waits a bounded time. While a late answer is
 * still out, every further look is late at once; nothing piles up.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "policyd/server/private.h"

struct links {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	/* under lock: one question and its answer */
	enum { IDLE, ASKED, ANSWERED } state;
	bool abandoned, stop;
	char path[PATH_MAX], real[PATH_MAX];
	enum rules_seen seen;
	/* of the loop alone */
	struct timespec until;
	unsigned looks;
};

/* The longest part that exists is resolved, the rest is kept as it is. */
static enum rules_seen resolve(const char *path, char *real)
{
	char head[PATH_MAX], tail[PATH_MAX] = "", out[PATH_MAX];
	struct stat st;
	bool whole = true;

	snprintf(head, sizeof(head), "%s", path);
	while (!realpath(head, out)) {
		char *slash = strrchr(head, '/'), rest[PATH_MAX];

		if (!slash || (errno != ENOENT && errno != ENOTDIR && errno != EACCES))
			return RULES_UNSEEN;
		whole = false;
		/* a dangling link: whoever writes through it creates its target */
		if (!lstat(head, &st) && S_ISLNK(st.st_mode)) {
			ssize_t n = readlink(head, out, sizeof(out) - 1);

			if (n > 0 && out[0] == '/') {
				out[n] = '\0';
				snprintf(real, PATH_MAX, "%s", out);
				return RULES_EXISTS;
			}
		}
		snprintf(rest, sizeof(rest), "%s", tail);
		if (snprintf(tail, sizeof(tail), "%s%s", slash, rest) >=
			(int)sizeof(tail))
			return RULES_UNSEEN;
		*slash = '\0';
		if (!*head)
			snprintf(head, sizeof(head), "/");
		if (!strcmp(head, "/") && slash == head && !realpath("/", out))
			return RULES_UNSEEN;
	}
	if (snprintf(real, PATH_MAX, "%s%s", strcmp(out, "/") || !*tail ? out : "",
		    tail) >= PATH_MAX)
		return RULES_UNSEEN;
	return whole ? RULES_EXISTS : RULES_ABSENT;
}

static void *links_thread(void *arg)
{
	struct links *l = arg;
	char path[PATH_MAX], real[PATH_MAX];

	pthread_mutex_lock(&l->lock);
	for (;;) {
		enum rules_seen seen;

		while (l->state != ASKED && !l->stop)
			pthread_cond_wait(&l->work, &l->lock);
		if (l->stop)
			break;
		memcpy(path, l->path, sizeof(path));
		pthread_mutex_unlock(&l->lock);
		seen = resolve(path, real);
		pthread_mutex_lock(&l->lock);
		l->seen = seen;
		memcpy(l->real, real, sizeof(real));
		l->state = l->abandoned ? IDLE : ANSWERED;
		l->abandoned = false;
		pthread_cond_signal(&l->done);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

int links_new(struct links **out)
{
	struct links *l = calloc(1, sizeof(*l));
	pthread_condattr_t attr;
	sigset_t all, before;
	int e;

	*out = NULL;
	if (!l)
		return -ENOMEM;
	pthread_mutex_init(&l->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&l->work, NULL);
	pthread_cond_init(&l->done, &attr);
	pthread_condattr_destroy(&attr);
	sigfillset(&all); /* signals are for the loop */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	e = pthread_create(&l->thread, NULL, links_thread, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (e) {
		free(l);
		return -e;
	}
	*out = l;
	return 0;
}

/* A thread that hangs in the kernel is left behind: the process is about to end. */
void links_free(struct links *l)
{
	bool hangs;

	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	l->stop = true;
	hangs = l->state == ASKED;
	pthread_cond_signal(&l->work);
	pthread_mutex_unlock(&l->lock);
	if (hangs)
		return;
	pthread_join(l->thread, NULL);
	pthread_mutex_destroy(&l->lock);
	pthread_cond_destroy(&l->work);
	pthread_cond_destroy(&l->done);
	free(l);
}

void links_begin(struct links *l)
{
	clock_gettime(CLOCK_MONOTONIC, &l->until);
	l->until.tv_nsec += LINKS_WAIT_MS * 1000000L;
	if (l->until.tv_nsec >= 1000000000L) {
		l->until.tv_nsec -= 1000000000L;
		l->until.tv_sec++;
	}
	l->looks = 0;
}

enum rules_seen links_look(void *arg, const char *path, char *real, size_t size)
{
	struct links *l = arg;
	auto_unlock pthread_mutex_t *held = NULL;

	if (++l->looks > LINKS_MAX || strlen(path) >= sizeof(l->path))
		return RULES_LATE;
	held = lock(&l->lock);
	if (l->state == ASKED)
		return RULES_LATE;
	strcpy(l->path, path);
	l->state = ASKED;
	pthread_cond_signal(&l->work);
	while (l->state == ASKED)
		if (pthread_cond_timedwait(&l->done, &l->lock, &l->until) == ETIMEDOUT &&
			l->state == ASKED) {
			l->abandoned = true;
			return RULES_LATE;
		}
	l->state = IDLE;
	if (l->seen != RULES_UNSEEN)
		snprintf(real, size, "%s", l->real);
	return l->seen;
}
