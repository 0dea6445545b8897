/*
 * barrier.c: everything dirtied before now is in the daemon.
 *
 * Under write-through only pages of shared mappings can be dirty in the kernel. syncfs(2)
 * on a FUSE mount starts their writing and does not wait, nor does any request tell of
 * it. So a page of a hidden sentinel file is dirtied through a mapping, syncfs is called,
 * and the WRITE of the sentinel waited for: inodes are written in the order they were
 * dirtied, the sentinel last. Then whatever other workers had taken from the kernel by
 * that time is waited for too. Evidence, not proof: barrier_wait fails where the sentinel
 * does not come in time.
 *
 * The mapping is made in a process of its own: a fault on it, or its unmapping, waits for
 * this daemon with that process's mmap lock held; were the lock ours, a worker that needs
 * memory would wait for it, and nobody would answer.
 */
#include "fs/fuse/impl.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAIT_S 30

void barrier_sentinel_written(struct serve *s)
{
	auto_unlock pthread_mutex_t *l = lock(&s->barrier_lock);

	s->sentinel_writes++;
	pthread_cond_broadcast(&s->barrier_seen);
}

/* --- the process that dirties
 * ----------------------------------------------------------- */

static int dirty_and_sync(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW), r;
	volatile char *p;

	if (fd < 0)
		return -errno;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		r = -errno;
		close(fd);
		return r;
	}
	/* The first syncfs submits every dirty page: those it finds under writeback in a
	 * second pass, after files that were dirtied later. Only what is dirtied after it
	 * has returned is sure to come behind all of them. */
	r = syncfs(fd) < 0 ? -errno : 0;
	*p = (char)(*p + 1);
	if (!r)
		r = syncfs(fd) < 0 ? -errno : 0;
	munmap((void *)p, 4096);
	close(fd);
	return r;
}

static void dirtier(const char *path, int in, int out)
{
	char c;

	/* Nothing of the daemon's may stay open here: its end is told by closing. */
	prctl(PR_SET_NAME, "txfs-barrier");
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0)
		_exit(1);
	close_range(3, ~0u, 0);
	while (read(0, &c, 1) == 1) {
		int r = dirty_and_sync(path);

		if (write(1, &r, sizeof(r)) != sizeof(r))
			break;
	}
	_exit(0);
}

int barrier_start(struct serve *s)
{
	auto_free char *path = NULL;
	int to[2], from[2];

	if (asprintf(&path, "%s/.txfs/sentinel", s->o.mnt) < 0)
		return -ENOMEM;
	if (pipe2(to, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(from, O_CLOEXEC) < 0) {
		close(to[0]);
		close(to[1]);
		return -errno;
	}
	s->dirtier = fork();
	if (!s->dirtier) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(to[1]);
		close(from[0]);
		dirtier(path, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	s->barrier_to = to[1];
	s->barrier_from = from[0];
	return s->dirtier < 0 ? -EAGAIN : 0;
}

void barrier_stop(struct serve *s)
{
	if (s->dirtier <= 0)
		return;
	close(s->barrier_to);
	close(s->barrier_from);
	waitpid(s->dirtier, NULL, 0);
	s->dirtier = 0;
}

/* --- waiting
 * ------------------------------------------------------------------------------ */

static int wait_for_sentinel(struct serve *s, uint64_t before)
{
	struct timespec until;
	auto_unlock pthread_mutex_t *l = lock(&s->barrier_lock);

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += WAIT_S;
	while (s->sentinel_writes == before)
		if (pthread_cond_timedwait(&s->barrier_seen, &s->barrier_lock, &until))
			return -ETIMEDOUT;
	return 0;
}

/* Requests that other workers read before now, whatever they are. */
static void wait_for_workers(struct serve *s)
{
	uint64_t turn[MAX_WORKERS];

	for (int i = 0; i < s->workers; i++)
		turn[i] = atomic_load(&s->worker[i].turn);
	for (int i = 0; i < s->workers; i++)
		while (turn[i] & 1 && atomic_load(&s->worker[i].turn) == turn[i])
			usleep(20);
}

/* One caller at a time: txm->lock is held. */
int barrier_wait(void *serve)
{
	struct serve *s = serve;
	uint64_t before;
	int r;

	pthread_mutex_lock(&s->barrier_lock);
	before = s->sentinel_writes;
	pthread_mutex_unlock(&s->barrier_lock);
	if (write(s->barrier_to, "", 1) != 1 ||
		read(s->barrier_from, &r, sizeof(r)) != sizeof(r))
		return -EIO;
	if (r == -ENOENT || r == -ENOTCONN || r == -ENOTDIR)
		return 0; /* unmounted: no pages can be dirtied any more */
	if (!r)
		r = wait_for_sentinel(s, before);
	if (!r)
		wait_for_workers(s);
	return r;
}
