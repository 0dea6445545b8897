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
 */
#include "fs/fuse/impl.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define WAIT_S 30

void barrier_sentinel_written(struct serve *s)
{
	auto_unlock pthread_mutex_t *l = lock(&s->barrier_lock);

	s->sentinel_writes++;
	pthread_cond_broadcast(&s->barrier_seen);
}

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

static int dirty_and_sync(int fd)
{
	volatile char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int r;

	if (p == MAP_FAILED)
		return -errno;
	*p = (char)(*p + 1);
	r = syncfs(fd) < 0 ? -errno : 0;
	munmap((void *)p, 4096);
	return r;
}

int barrier_wait(void *serve)
{
	struct serve *s = serve;
	auto_free char *path = NULL;
	uint64_t before;
	int fd, r;

	if (asprintf(&path, "%s/.txfs/sentinel", s->o.mnt) < 0)
		return -ENOMEM;
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0) /* unmounted: no pages can be dirtied any more */
		return errno == ENOENT || errno == ENOTCONN || errno == ENOTDIR ? 0
										: -errno;
	pthread_mutex_lock(&s->barrier_lock);
	before = s->sentinel_writes;
	pthread_mutex_unlock(&s->barrier_lock);
	r = dirty_and_sync(fd);
	if (!r)
		r = wait_for_sentinel(s, before);
	close(fd);
	if (!r)
		wait_for_workers(s);
	return r;
}
