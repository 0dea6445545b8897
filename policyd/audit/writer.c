/*
 * writer.c: lines to the disk.
 *
 * Two buffers: one is filled under the lock, the other written without it, then they
 * change places. What could not be written stays, from the byte where the disk stopped,
 * and is tried again each second, so that no line is ever half there. Between two buffers
 * a file that is full gets its number and a new one is begun. A lock beside the files
 * keeps a second writer out.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/time.h"
#include "policyd/audit/chain.h"
#include "policyd/audit/writer.h"

enum { GATHER_MS = 5 };

struct writer {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t work, idle;
	/* under lock */
	char *fill;
	size_t n_fill, room;
	bool stop, busy, sealed, hurry;
	unsigned long failures;
	/* of the thread, and of writer_open */
	char *spill;
	size_t n_spill;
	int dir, fd, lock_fd;
	size_t size, file_bytes, keep;
	unsigned long first; /* number of the first line in the file */
	bool torn, complained;
};

static void now_and(struct timespec *t, long ms)
{
	*t = ts_in(CLOCK_MONOTONIC, ms * 1000000LL);
}

/* --- files ---------------------------------------------------------------------------
 */

static int open_file(struct writer *w)
{
	struct stat st;

	w->fd = openat(w->dir, AUDIT_FILE,
		O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (w->fd < 0 || fchmod(w->fd, 0600) || fstat(w->fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	w->size = (size_t)st.st_size;
	w->first = 0;
	return 0;
}

static void drop_oldest(struct writer *w)
{
	for (;;) {
		unsigned long oldest = 0, n = 0;
		int fd = openat(w->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		auto_dir DIR *d = fd < 0 ? NULL : fdopendir(fd);
		struct dirent *e;
		char name[64];

		while (d && (e = readdir(d))) {
			unsigned long number = chain_old_number(e->d_name);

			n += number != 0;
			if (number && (!oldest || number < oldest))
				oldest = number;
		}
		if (n <= w->keep)
			return;
		snprintf(name, sizeof(name), AUDIT_OLD, oldest);
		if (unlinkat(w->dir, name, 0))
			return;
	}
}

static void turn_file(struct writer *w)
{
	char name[64];
	int old = w->fd;

	snprintf(name, sizeof(name), AUDIT_OLD, w->first);
	if (renameat(w->dir, AUDIT_FILE, w->dir, name))
		return; /* it grows on */
	if (open_file(w)) {
		if (w->fd >= 0)
			close(w->fd);
		w->fd = old;
		renameat(w->dir, name, w->dir, AUDIT_FILE);
		return;
	}
	fdatasync(old);
	close(old);
	drop_oldest(w);
}

/* Number and hash of the last whole line of a file. False: it has none. */
static bool last_line(struct writer *w, int fd, struct writer_start *start)
{
	off_t size = lseek(fd, 0, SEEK_END);
	off_t from = size > AUDIT_MAX_LINE ? size - AUDIT_MAX_LINE : 0;
	auto_free char *buf = malloc(AUDIT_MAX_LINE + 1);
	ssize_t n = buf ? pread(fd, buf, AUDIT_MAX_LINE, from) : -1;
	char *line, *end;

	if (n <= 0)
		return false;
	buf[n] = '\0';
	w->torn = buf[n - 1] != '\n';
	end = w->torn ? strrchr(buf, '\n') : buf + n - 1;
	if (!end)
		return false;
	*end = '\0';
	line = strrchr(buf, '\n');
	line = line ? line + 1 : buf;
	if (!chain_line_hash(line, (size_t)(end - line), start->head))
		memset(start->head, '0', 64);
	start->number = chain_line_number(line);
	return true;
}

static void first_number(struct writer *w)
{
	char buf[64] = "";

	if (pread(w->fd, buf, sizeof(buf) - 1, 0) > 0)
		w->first = chain_line_number(buf);
}

static void take_up(struct writer *w, struct writer_start *start)
{
	unsigned long newest = 0;
	char name[64];
	int fd = openat(w->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_dir DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	auto_close int old = -1;

	memset(start, 0, sizeof(*start));
	memset(start->head, '0', 64);
	first_number(w);
	if (last_line(w, w->fd, start) || w->size)
		return;
	while (d && (e = readdir(d)))
		if (chain_old_number(e->d_name) > newest)
			newest = chain_old_number(e->d_name);
	snprintf(name, sizeof(name), AUDIT_OLD, newest);
	old = newest ? openat(w->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	if (old >= 0)
		last_line(w, old, start);
	w->torn = false;
}

/* --- the thread ----------------------------------------------------------------------
 */

/* As much of the buffer as the disk takes. 0 when all is out, or -errno. */
static int spill(struct writer *w)
{
	if (w->torn && w->n_spill) {
		if (write(w->fd, "\n", 1) != 1)
			return -errno;
		w->torn = false;
	}
	if (!w->size && w->n_spill)
		w->first = chain_line_number(w->spill);
	while (w->n_spill) {
		ssize_t n = write(w->fd, w->spill, w->n_spill);

		if (n < 0)
			return -errno;
		w->n_spill -= (size_t)n;
		memmove(w->spill, w->spill + n, w->n_spill);
		w->size += (size_t)n;
	}
	return 0;
}

static void complain(struct writer *w, int e)
{
	pthread_mutex_lock(&w->lock);
	w->failures++;
	pthread_mutex_unlock(&w->lock);
	if (!w->complained)
		fprintf(stderr, "policyd: cannot write the audit log: %s\n",
			strerror(-e));
	w->complained = true;
}

/* A line a wake-up would cost the loop more than all the rest of a verdict; so lines
 * gather for a moment. */
static void gather(struct writer *w)
{
	struct timespec end;

	now_and(&end, GATHER_MS);
	while (!w->stop && !w->hurry)
		if (pthread_cond_timedwait(&w->work, &w->lock, &end) == ETIMEDOUT)
			break;
	w->hurry = false;
}

static void *writer_thread(void *arg)
{
	struct writer *w = arg;
	bool sealed;
	int e;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (!w->n_fill && !w->n_spill && !w->stop) {
			w->busy = false;
			pthread_cond_broadcast(&w->idle);
			pthread_cond_wait(&w->work, &w->lock);
		}
		if (!w->n_fill && !w->n_spill)
			break;
		w->busy = true;
		gather(w);
		if (!w->n_spill) {
			char *swap = w->spill;

			w->spill = w->fill;
			w->n_spill = w->n_fill;
			w->fill = swap;
			w->n_fill = 0;
		}
		sealed = w->sealed;
		pthread_mutex_unlock(&w->lock);
		if ((e = spill(w)))
			complain(w, e);
		else
			w->complained = false;
		if (!e && w->size >= w->file_bytes && !sealed && w->first)
			turn_file(w);
		pthread_mutex_lock(&w->lock);
		if (e) {
			struct timespec t;

			if (w->stop)
				break;
			now_and(&t, 1000);
			pthread_cond_timedwait(&w->work, &w->lock, &t);
		}
	}
	w->busy = false;
	pthread_cond_broadcast(&w->idle);
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* --- the face ------------------------------------------------------------------------
 */

static void discard(struct writer *w)
{
	if (w->fd >= 0)
		close(w->fd);
	if (w->lock_fd >= 0)
		close(w->lock_fd);
	if (w->dir >= 0)
		close(w->dir);
	free(w->fill);
	free(w->spill);
	free(w);
}

/* A writer that is just ending gets a moment. */
static int take_lock(struct writer *w)
{
	const struct timespec step = {.tv_nsec = 10 * 1000 * 1000};

	w->lock_fd = openat(w->dir, "audit.lock",
		O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (w->lock_fd < 0)
		return -errno;
	for (int i = 0; i < 100; i++) {
		if (!flock(w->lock_fd, LOCK_EX | LOCK_NB))
			return 0;
		nanosleep(&step, NULL);
	}
	return -EBUSY;
}

static int start_thread(struct writer *w)
{
	pthread_condattr_t attr;
	sigset_t all, before;
	int e;

	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->work, &attr);
	pthread_cond_init(&w->idle, &attr);
	pthread_condattr_destroy(&attr);
	sigfillset(&all); /* signals are for the loop */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	e = pthread_create(&w->thread, NULL, writer_thread, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -e;
}

int writer_open(struct writer **out, const char *dir, size_t file_bytes, size_t keep,
	size_t queue_bytes, struct writer_start *start)
{
	struct writer *w = calloc(1, sizeof(*w));
	int e;

	*out = NULL;
	if (!w)
		return -ENOMEM;
	w->fd = w->lock_fd = -1;
	w->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	w->file_bytes = file_bytes;
	w->keep = keep;
	w->room = queue_bytes;
	w->fill = malloc(queue_bytes);
	w->spill = malloc(queue_bytes);
	e = w->dir < 0 ? -errno : !w->fill || !w->spill ? -ENOMEM : take_lock(w);
	if (!e)
		e = open_file(w);
	if (!e) {
		take_up(w, start);
		if (w->size >= file_bytes && w->first)
			turn_file(w); /* later it may be sealed */
		e = start_thread(w);
	}
	if (e) {
		discard(w);
		return e;
	}
	*out = w;
	return 0;
}

/* A thread that hangs in the kernel is left behind: the process is about to end. */
void writer_close(struct writer *w)
{
	struct timespec end;
	bool hangs;

	if (!w)
		return;
	now_and(&end, 1000);
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->work);
	while (w->busy || w->n_fill)
		if (pthread_cond_timedwait(&w->idle, &w->lock, &end) == ETIMEDOUT)
			break;
	hangs = w->busy;
	pthread_mutex_unlock(&w->lock);
	if (hangs)
		return;
	pthread_join(w->thread, NULL);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->work);
	pthread_cond_destroy(&w->idle);
	discard(w);
}

bool writer_flush(struct writer *w, long ms)
{
	auto_unlock pthread_mutex_t *held = lock(&w->lock);
	struct timespec end;

	now_and(&end, ms);
	while (w->busy || w->n_fill) {
		w->hurry = true;
		pthread_cond_signal(&w->work);
		if (pthread_cond_timedwait(&w->idle, &w->lock, &end) == ETIMEDOUT)
			return false;
	}
	return true;
}

bool writer_room(struct writer *w, size_t n)
{
	auto_unlock pthread_mutex_t *held = lock(&w->lock);

	return w->n_fill + n <= w->room;
}

void writer_put(struct writer *w, const char *line, size_t n)
{
	auto_unlock pthread_mutex_t *held = lock(&w->lock);

	memcpy(w->fill + w->n_fill, line, n);
	w->n_fill += n;
	if (!w->busy)
		pthread_cond_signal(&w->work);
}

void writer_seal(struct writer *w)
{
	auto_unlock pthread_mutex_t *held = lock(&w->lock);

	w->sealed = true;
}

unsigned long writer_failures(struct writer *w)
{
	auto_unlock pthread_mutex_t *held = lock(&w->lock);

	return w->failures;
}
