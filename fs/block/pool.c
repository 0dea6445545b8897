/*
 * pool.c: one append-only file a transaction, every read checked by hash.
 *
 * Places are given out under a lock, bytes are written outside of it, so that appends of
 * several threads go to the disk side by side. A failed append gives its place back if it
 * is still the last; else the gap stays and is never read. A write that fails half-way is
 * harmless for the same reason: no row names it.
 *
 * A chunk is always read whole, since its hash covers it whole. Readers who want all of
 * it get it straight into their buffer; for a part a buffer of the thread is used.
 */
#include "fs/block/pool.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "common/cleanup.h"
#include "common/hash.h"
#include "common/log.h"
#include "common/mem.h"

struct pool {
	uint64_t id;
	int fd;
	atomic_uint refs;
	atomic_uint_fast64_t limit; /* bytes, 0: none */
	atomic_uint_fast64_t end;   /* written under lock */
	uint64_t room_to;	    /* there was room for growing that far; under lock */
	atomic_bool told;	    /* of a wrong hash, in the log */
	pthread_mutex_t lock;
};

struct pool_name {
	char s[32];
};

static struct pool_name name_of(uint64_t id)
{
	struct pool_name n;

	snprintf(n.s, sizeof(n.s), "pool/%llu", (unsigned long long)id);
	return n;
}

/* --- opening ---------------------------------------------------------------------------
 */

static int open_file(int dirfd, uint64_t id, bool create)
{
	int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (create ? O_CREAT | O_EXCL : 0);
	int fd = openat(dirfd, name_of(id).s, flags, 0600);

	if (fd < 0 && errno == ENOENT && create) {
		if (mkdirat(dirfd, "pool", 0700) && errno != EEXIST)
			return -errno;
		fd = openat(dirfd, name_of(id).s, flags, 0600);
	}
	return fd < 0 ? -errno : fd;
}

int pool_open(int dirfd, uint64_t id, bool create, struct pool **out)
{
	struct pool *p = mem_zalloc(sizeof(*p));
	struct stat st;
	int err;

	*out = NULL;
	if (!p)
		return -ENOMEM;
	p->fd = open_file(dirfd, id, create);
	if (p->fd < 0 || fstat(p->fd, &st)) {
		err = p->fd < 0 ? p->fd : -errno;
		if (p->fd >= 0)
			close(p->fd);
		free(p);
		return err;
	}
	p->id = id;
	atomic_init(&p->refs, 1);
	atomic_init(&p->end, (uint64_t)st.st_size);
	pthread_mutex_init(&p->lock, NULL);
	*out = p;
	return 0;
}

struct pool *pool_get(struct pool *p)
{
	atomic_fetch_add(&p->refs, 1);
	return p;
}

void pool_put(struct pool *p)
{
	if (!p || atomic_fetch_sub(&p->refs, 1) != 1)
		return;
	close(p->fd);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

uint64_t pool_id(const struct pool *p)
{
	return p->id;
}

/* --- writing ---------------------------------------------------------------------------
 */

/* Payload leaves the last part of the disk to the database, so that what is to be told to
 * it, an abort first of all, still finds room. Asked once in some MiB. */
static int look_for_room(struct pool *p, uint64_t end)
{
	struct statvfs st;
	uint64_t have, keep;

	if (fstatvfs(p->fd, &st) < 0)
		return -errno;
	have = (uint64_t)st.f_bavail * st.f_frsize;
	keep = (uint64_t)st.f_blocks * st.f_frsize / 16;
	if (keep > POOL_KEEP_FREE)
		keep = POOL_KEEP_FREE;
	if (have <= keep)
		return -ENOSPC;
	have = (have - keep) / 2;
	p->room_to = end + (have < POOL_KEEP_FREE ? have : POOL_KEEP_FREE);
	return 0;
}

static int take_place(struct pool *p, size_t bytes, uint64_t *off)
{
	auto_unlock pthread_mutex_t *l = lock(&p->lock);
	uint64_t end = atomic_load(&p->end), limit = atomic_load(&p->limit);

	if (limit && (end > limit || bytes > limit - end))
		return -EDQUOT;
	if (end + bytes > p->room_to) {
		int err = look_for_room(p, end + bytes);

		if (err)
			return err;
	}
	*off = end;
	atomic_store(&p->end, end + bytes);
	return 0;
}

static void give_back(struct pool *p, uint64_t off, size_t bytes)
{
	auto_unlock pthread_mutex_t *l = lock(&p->lock);

	if (atomic_load(&p->end) == off + bytes)
		atomic_store(&p->end, off);
}

static int write_all(int fd, const char *data, size_t bytes, uint64_t off)
{
	while (bytes) {
		ssize_t n = pwrite(fd, data, bytes, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		data += n;
		bytes -= (size_t)n;
		off += (uint64_t)n;
	}
	return 0;
}

int pool_append(
	struct pool *p, const void *data, size_t bytes, uint64_t *off, uint8_t hash[16])
{
	uint64_t place;
	int err;

	assert(bytes > 0 && bytes <= POOL_CHUNK_MAX);
	err = take_place(p, bytes, &place);
	if (err)
		return err;
	err = write_all(p->fd, data, bytes, place);
	if (err) {
		give_back(p, place, bytes);
		return err;
	}
	hash128(data, bytes, hash);
	*off = place;
	return 0;
}

/* --- reading ---------------------------------------------------------------------------
 */

static int read_all(int fd, char *out, size_t bytes, uint64_t off)
{
	while (bytes) {
		ssize_t n = pread(fd, out, bytes, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		out += n;
		bytes -= (size_t)n;
		off += (uint64_t)n;
	}
	return 0;
}

static int read_chunk(
	struct pool *p, uint64_t off, uint32_t bytes, const uint8_t hash[16], void *out)
{
	uint8_t have[16];
	int err;

	err = read_all(p->fd, out, bytes, off);
	if (!err) {
		hash128(out, bytes, have);
		if (!memcmp(have, hash, sizeof(have)))
			return 0;
		err = -EIO;
	}
	if (!atomic_exchange(&p->told, true))
		log_error(
			"pool file %llu is damaged: the chunk of %u bytes at %llu is not "
			"what was written",
			(unsigned long long)p->id, bytes, (unsigned long long)off);
	return err;
}

int pool_read(struct pool *p, uint64_t chunk_off, uint32_t chunk_bytes,
	const uint8_t hash[16], uint32_t from, void *out, size_t bytes)
{
	static _Thread_local char part[POOL_CHUNK_MAX];
	size_t have = from < chunk_bytes ? chunk_bytes - from : 0;
	int err;

	if (!chunk_bytes || chunk_bytes > POOL_CHUNK_MAX)
		return -EIO;
	if (have > bytes)
		have = bytes;
	if (from == 0 && have == chunk_bytes) {
		err = read_chunk(p, chunk_off, chunk_bytes, hash, out);
	} else {
		err = read_chunk(p, chunk_off, chunk_bytes, hash, part);
		if (!err && have)
			memcpy(out, part + from, have);
	}
	if (!err && bytes > have)
		memset((char *)out + have, 0, bytes - have);
	return err;
}

/* --- the rest --------------------------------------------------------------------------
 */

int pool_sync(struct pool *p)
{
	return fdatasync(p->fd) ? -errno : 0;
}

uint64_t pool_bytes(const struct pool *p)
{
	return atomic_load(&p->end);
}

void pool_limit(struct pool *p, uint64_t bytes)
{
	atomic_store(&p->limit, bytes);
}

int pool_unlink(int dirfd, uint64_t id)
{
	return unlinkat(dirfd, name_of(id).s, 0) && errno != ENOENT ? -errno : 0;
}
