/*
 * links.c: does a file exist, and where do its links lead?
 *
 * The answer may hang (a dead network mount, a mount whose daemon is busy with us), so
 * a thread asks the kernel and the loop waits a bounded time. All paths of a command go
 * over at once: it is judged once to learn which paths matter, and once more when their
 * answers are there. While a late answer is still out, every further look is late
 * almost at once; nothing piles up.
 *
 * Pipes wake the other thread, not a condition variable: the kernel then runs it where
 * the waker ran, which costs a few microseconds; a futex wakes an idle processor first.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policyd/server/private.h"

struct look {
	enum rules_seen seen;
	char path[PATH_MAX], real[PATH_MAX];
};

struct links {
	pthread_t thread;
	int ask[2], done[2]; /* one byte: from the loop to the thread, and back */
	/* of whoever has the byte */
	size_t n;
	struct look look[LINKS_MAX];
	/* of the loop */
	bool out; /* the thread has it */
	bool collecting, late, overflow;
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
	char byte;

	while (read(l->ask[0], &byte, 1) == 1) {
		for (size_t i = 0; i < l->n; i++)
			l->look[i].seen = resolve(l->look[i].path, l->look[i].real);
		if (write(l->done[1], &byte, 1) != 1)
			break;
	}
	return NULL;
}

static void close_all(struct links *l)
{
	for (int i = 0; i < 2; i++) {
		if (l->ask[i] >= 0)
			close(l->ask[i]);
		if (l->done[i] >= 0)
			close(l->done[i]);
	}
}

int links_new(struct links **out)
{
	struct links *l = calloc(1, sizeof(*l));
	sigset_t all, before;
	int e;

	*out = NULL;
	if (!l)
		return -ENOMEM;
	l->ask[0] = l->ask[1] = l->done[0] = l->done[1] = -1;
	if (pipe2(l->ask, O_CLOEXEC) || pipe2(l->done, O_CLOEXEC)) {
		e = errno;
		close_all(l);
		free(l);
		return -e;
	}
	sigfillset(&all); /* signals are for the loop */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	e = pthread_create(&l->thread, NULL, links_thread, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (e) {
		close_all(l);
		free(l);
		return -e;
	}
	*out = l;
	return 0;
}

/* Has the thread given back what it has, within @ms? */
static bool returned(struct links *l, int ms)
{
	struct pollfd pf = {.fd = l->done[0], .events = POLLIN};
	char byte;

	if (l->out && poll(&pf, 1, ms) == 1 && read(l->done[0], &byte, 1) == 1)
		l->out = false;
	return !l->out;
}

/* A thread that hangs in the kernel is left behind: the process is about to end. */
void links_free(struct links *l)
{
	if (!l || !returned(l, 0))
		return;
	close(l->ask[1]);
	l->ask[1] = -1;
	pthread_join(l->thread, NULL);
	close_all(l);
	free(l);
}

void links_begin(struct links *l)
{
	l->late = !returned(l, LINKS_STUCK_MS);
	l->collecting = true;
	l->overflow = false;
	if (!l->late)
		l->n = 0;
}

static struct look *find(struct links *l, const char *path)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->look[i].path, path))
			return &l->look[i];
	return NULL;
}

enum rules_seen links_look(void *arg, const char *path, char *real, size_t size)
{
	struct links *l = arg;
	struct look *k = l->late ? NULL : find(l, path);

	if (l->late || (!l->collecting && !k))
		return RULES_LATE;
	if (!l->collecting) {
		if (k->seen != RULES_UNSEEN)
			snprintf(real, size, "%s", k->real);
		return k->seen;
	}
	if (k)
		return RULES_UNSEEN;
	if (l->n == LINKS_MAX || strlen(path) >= sizeof(k->path)) {
		l->overflow = true;
		return RULES_LATE;
	}
	strcpy(l->look[l->n++].path, path);
	return RULES_UNSEEN;
}

bool links_fetch(struct links *l)
{
	char byte = 0;

	l->collecting = false;
	if (l->late || !l->n)
		return l->late || l->overflow;
	l->out = write(l->ask[1], &byte, 1) == 1;
	l->late = !l->out || !returned(l, LINKS_WAIT_MS);
	return true;
}

void links_judge(struct links *l, const struct rules *r, const struct rules *ws,
	const struct shell_context *ctx, enum policy_cover cover,
	const struct shell_reading *reading, struct policy_answer *ans)
{
	const struct rules_look look = {links_look, l};

	if (!l) {
		rules_judge(r, ws, ctx, cover, reading, NULL, ans);
		return;
	}
	links_begin(l);
	rules_judge(r, ws, ctx, cover, reading, &look, ans);
	if (links_fetch(l))
		rules_judge(r, ws, ctx, cover, reading, &look, ans);
}
