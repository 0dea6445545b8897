/*
 * file.c: content of regular files: reading through the stack, writing whole blocks.
 *
 * A write stores chunks of whole 4 KiB blocks, aligned to POOL_CHUNK_MAX in the file;
 * what it does not cover of its first and last block is read from below first. A chunk
 * may be shorter than its blocks: the rest is zeros. Two rules keep stale bytes from
 * showing: no chunk ever holds bytes beyond the size of the file at that moment, and
 * below_bytes is a multiple of the block size, the block cut by a truncation being stored
 * anew.
 */
#include "fs/tree/impl.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <unistd.h>

#define PINNED_MAX 4096u
#define FILE_MAX ((1ull << 44) - POOL_BLOCK) /* of ext4 with blocks of 4 KiB */

static uint64_t block_up(uint64_t bytes)
{
	return (bytes + POOL_BLOCK - 1) / POOL_BLOCK * POOL_BLOCK;
}

/* What no layer has touched is read from the base, up to its end, and nothing else is
 * asked. */
static int read_untouched(struct node *n, char *buf, uint64_t off, size_t size)
{
	struct fdref *ref;
	size_t got = 0;
	int r = obj_fd(n->view->t, n->obj, &ref);

	if (r)
		return r;
	while (got < size) {
		ssize_t k = pread(ref->fd, buf + got, size - got, (off_t)(off + got));

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			r = -errno;
		if (k <= 0)
			break;
		got += (size_t)k;
	}
	fdcache_put(n->view->t->fds, ref);
	return r ? r : (int)got;
}

static bool untouched(struct node *n)
{
	struct stack s;

	node_stack(&s, n);
	return !stack_next(&s) && n->obj->has_base;
}

int tree_read(struct node *n, void *buf, uint64_t off, size_t size)
{
	struct tree *t = n->view->t;
	struct stack s;
	struct attr a;
	int r;

	pthread_rwlock_rdlock(&n->lock);
	if (untouched(n)) {
		r = read_untouched(n, buf, off, size);
		pthread_rwlock_unlock(&n->lock);
		return r;
	}
	node_stack(&s, n);
	r = stack_attr(t, &s, &a);
	if (!r && off >= a.size)
		size = 0;
	else if (!r && size > a.size - off)
		size = (size_t)(a.size - off);
	if (!r && size)
		r = stack_read(t, &s, a.size, buf, off, size);
	pthread_rwlock_unlock(&n->lock);
	return r ? r : (int)size;
}

/* Store @len bytes for the blocks from @off on. */
static int put_chunk(struct tree *t, struct delta *d, const void *buf, uint64_t off,
	size_t len, struct log *l)
{
	struct ext e = {
		.block = off / POOL_BLOCK,
		.count = (uint32_t)(block_up(len) / POOL_BLOCK),
		.chunk_bytes = (uint32_t)len,
	};
	int r = delta_pool(t, d, &e.pool);

	if (!r)
		r = pool_append(e.pool, buf, len, &e.chunk_off, e.hash);
	if (!r)
		r = delta_set_run(d, &e, l);
	return r;
}

static int put_hole(struct delta *d, uint64_t block, uint64_t blocks, struct log *l)
{
	while (blocks) {
		uint32_t n = blocks > (1u << 30) ? 1u << 30 : (uint32_t)blocks;
		struct ext e = {.block = block, .count = n, .chunk_off = EXT_HOLE};
		int r = delta_set_run(d, &e, l);

		if (r)
			return r;
		block += n;
		blocks -= n;
	}
	return 0;
}

/* Keep the base file under a partly stored one. */
static void pin(struct tree *t, struct node *n, struct delta *d)
{
	struct fdref *r;

	while (d->below)
		d = d->below;
	if (!d->has_print || d->basefd >= 0)
		return;
	if (atomic_fetch_add(&t->pinned, 1) >= PINNED_MAX || obj_fd(t, n->obj, &r)) {
		atomic_fetch_sub(&t->pinned, 1);
		return;
	}
	d->basefd = fcntl(r->fd, F_DUPFD_CLOEXEC, 0);
	if (d->basefd < 0)
		atomic_fetch_sub(&t->pinned, 1);
	fdcache_put(t->fds, r);
}

/* Before the first change of content: a small base file is stored whole, so that it never
 * depends on the base again; a big one keeps its base file open. */
static int first_write(
	struct node *n, struct delta *d, uint64_t from, uint64_t to, struct log *l)
{
	struct tree *t = n->view->t;
	uint64_t size = d->a.size;
	auto_free char *buf = NULL;
	struct stack s;
	int r;

	for (struct delta *b = d->below; b; b = b->below)
		if (b->parts & PART_DATA)
			return 0;
	if (!d->below_bytes || !bmap_empty(&d->map))
		return 0;
	if (from == 0 && to >= size) {
		d->below_bytes = 0;
		return 0;
	}
	if (size > TREE_SMALL) {
		pin(t, n, d);
		return 0;
	}
	buf = malloc(size);
	if (!buf)
		return -ENOMEM;
	node_stack(&s, n);
	r = stack_read(t, &s, size, buf, 0, size);
	if (!r)
		r = put_chunk(t, d, buf, 0, size, l);
	if (!r)
		d->below_bytes = 0;
	return r;
}

/* One chunk of a write: [off, off + n) lies in one aligned piece of POOL_CHUNK_MAX. */
static int write_piece(struct node *n, struct delta *d, const char *buf, uint64_t off,
	size_t len, struct log *l)
{
	auto_free char *scratch = NULL;
	struct tree *t = n->view->t;
	uint64_t start = off / POOL_BLOCK * POOL_BLOCK, end = off + len,
		 stop = block_up(end);
	struct stack s;
	int r = 0;

	if (stop > d->a.size)
		stop = d->a.size > end ? d->a.size : end;
	if (start == off && stop == end)
		return put_chunk(t, d, buf, off, len, l);
	scratch = malloc((size_t)(stop - start));
	if (!scratch)
		return -ENOMEM;
	node_stack(&s, n);
	if (off > start) {
		size_t head = (size_t)(off - start), have = head;

		if (start >= d->a.size)
			have = 0;
		else if (d->a.size - start < head)
			have = (size_t)(d->a.size - start);
		r = stack_read(t, &s, d->a.size, scratch, start, have);
		memset(scratch + have, 0, head - have);
	}
	memcpy(scratch + (off - start), buf, len);
	if (!r && stop > end)
		r = stack_read(t, &s, d->a.size, scratch + (end - start), end,
			(size_t)(stop - end));
	return r ? r : put_chunk(t, d, scratch, start, (size_t)(stop - start), l);
}

/* *@done: bytes written, also where an error ended it. */
static int write_all(struct node *n, struct delta *d, const char *buf, uint64_t off,
	size_t size, struct log *l, size_t *done)
{
	*done = 0;
	while (*done < size) {
		uint64_t stop = (off / POOL_CHUNK_MAX + 1) * POOL_CHUNK_MAX;
		size_t left = size - *done;
		size_t part = left < stop - off ? left : (size_t)(stop - off);
		int r = write_piece(n, d, buf + *done, off, part, l);

		if (r)
			return r;
		off += part;
		*done += part;
		if (off > d->a.size)
			d->a.size = off;
	}
	return 0;
}

/* security.capability goes with every write; looked for where it can be. */
static int kill_caps(struct node *n, struct delta *d, struct log *l)
{
	const struct xent *x = delta_find_xattr(d, "security.capability");

	if (d->parts & (PART_DATA | PART_NEW) && !(x && x->value))
		return 0;
	return delta_kill_caps(n, d, l);
}

static int write_in(struct node *n, struct delta *d, const void *buf, uint64_t off,
	size_t size, bool kill_suid, struct log *l, size_t *done)
{
	uint64_t below = d->below_bytes;
	bool first = !(d->parts & PART_DATA);
	int r = kill_caps(n, d, l);

	if (!r && first)
		r = first_write(n, d, off, off + size, l);
	if (!r)
		r = write_all(n, d, buf, off, size, l, done);
	if (r && !*done) { /* what was there is there still */
		if (bmap_empty(&d->map))
			d->below_bytes = below;
		return r;
	}
	d->parts |= PART_DATA;
	d->a.mtime_ns = d->a.ctime_ns = tree_now_ns();
	if (kill_suid)
		attr_kill_suid(&d->a);
	return 0;
}

int tree_write(struct node *n, const void *buf, uint64_t off, size_t size, bool kill_suid)
{
	struct tree *t = n->view->t;
	struct delta *d;
	size_t done = 0;
	struct log l;
	int r, e;

	if (off > FILE_MAX - size)
		return -EFBIG;
	log_init(&l);
	pthread_rwlock_wrlock(&n->lock);
	r = e = delta_for(n, 0, &l, &d);
	if (!r) {
		r = write_in(n, d, buf, off, size, kill_suid, &l, &done);
		delta_log_inode(d, &l); /* also of a write that came to half */
	}
	e = log_end(t, &l, e);
	pthread_rwlock_unlock(&n->lock);
	return r ? r : e ? e : (int)done;
}

int file_resize(struct node *n, struct delta *d, uint64_t size, struct log *l)
{
	struct tree *t = n->view->t;
	uint64_t cut = block_up(size);
	char block[POOL_BLOCK];
	int r;

	if (!S_ISREG(d->a.mode))
		return S_ISDIR(d->a.mode) ? -EISDIR : -EINVAL;
	if (size > FILE_MAX)
		return -EFBIG;
	if (size >= d->a.size) {
		r = first_write(n, d, d->a.size, size, l);
		d->a.size = size;
		return r;
	}
	if (size == 0) {
		d->below_bytes = 0;
		d->a.size = 0;
		return delta_cut_runs(d, 0, l);
	}
	r = first_write(n, d, size, size, l);
	if (!r && size % POOL_BLOCK) {
		uint64_t from = size / POOL_BLOCK * POOL_BLOCK;
		struct stack s;

		node_stack(&s, n);
		r = stack_read(t, &s, d->a.size, block, from, (size_t)(size - from));
		if (!r)
			r = put_chunk(t, d, block, from, (size_t)(size - from), l);
	}
	if (!r)
		r = delta_cut_runs(d, cut / POOL_BLOCK, l);
	if (r)
		return r;
	if (cut < d->below_bytes)
		d->below_bytes = cut;
	d->a.size = size;
	return 0;
}

/* Zeros in [off, end), within the file's size; whole blocks become holes. */
static int zero_range(
	struct node *n, struct delta *d, uint64_t off, uint64_t end, struct log *l)
{
	static const char zeros[POOL_BLOCK];
	uint64_t first = block_up(off), last = end / POOL_BLOCK * POOL_BLOCK;
	size_t done;
	int r = 0;

	if (end > d->a.size)
		end = d->a.size;
	if (off >= end)
		return 0;
	if (first > end || first > last)
		return write_all(n, d, zeros, off, (size_t)(end - off), l, &done);
	if (first > off)
		r = write_all(n, d, zeros, off, (size_t)(first - off), l, &done);
	if (end == d->a.size)
		last = block_up(end);
	if (!r && last > first)
		r = put_hole(d, first / POOL_BLOCK, (last - first) / POOL_BLOCK, l);
	if (!r && end > last)
		r = write_all(n, d, zeros, last, (size_t)(end - last), l, &done);
	return r;
}

static int fallocate_in(struct node *n, struct delta *d, int mode, uint64_t off,
	uint64_t len, struct log *l)
{
	uint64_t end = off + len;
	int r = 0;

	if (!S_ISREG(d->a.mode))
		return S_ISDIR(d->a.mode) ? -EISDIR : -ENODEV;
	r = first_write(n, d, off, off, l);
	if (!r && mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE))
		r = zero_range(n, d, off, end, l);
	if (!r && !(mode & FALLOC_FL_KEEP_SIZE) && end > d->a.size)
		d->a.size = end;
	d->parts |= PART_DATA;
	d->a.mtime_ns = d->a.ctime_ns = tree_now_ns();
	return r; /* the kernel asks for suid to be cleared by itself */
}

int tree_fallocate(struct node *n, int mode, uint64_t off, uint64_t len)
{
	const int known =
		FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE;
	struct delta *d;
	struct log l;
	int r;

	if (mode & ~known)
		return -EOPNOTSUPP;
	if (!len)
		return -EINVAL;
	if (off > FILE_MAX || len > FILE_MAX - off)
		return -EFBIG;
	log_init(&l);
	pthread_rwlock_wrlock(&n->lock);
	r = delta_for(n, 0, &l, &d);
	if (!r)
		r = fallocate_in(n, d, mode, off, len, &l);
	if (!r)
		delta_log_inode(d, &l);
	r = log_end(n->view->t, &l, r);
	pthread_rwlock_unlock(&n->lock);
	return r;
}

static int64_t seek_in(
	struct node *n, const struct stack *s, uint64_t size, uint64_t off, bool want)
{
	bool data;
	uint64_t end;
	int r;

	if (off >= size)
		return -ENXIO;
	while (off < size) {
		r = stack_extent(n->view->t, s, size, off, &data, &end);
		if (r)
			return r;
		if (data == want)
			return (int64_t)off;
		off = end;
	}
	return want ? -ENXIO : (int64_t)size;
}

int64_t tree_seek(struct node *n, int64_t off, int whence)
{
	struct stack s;
	struct attr a;
	int64_t r;

	if (whence != SEEK_DATA && whence != SEEK_HOLE)
		return -EINVAL;
	if (off < 0)
		return -ENXIO;
	pthread_rwlock_rdlock(&n->lock);
	node_stack(&s, n);
	r = stack_attr(n->view->t, &s, &a);
	if (!r)
		r = seek_in(n, &s, a.size, (uint64_t)off, whence == SEEK_DATA);
	pthread_rwlock_unlock(&n->lock);
	return r;
}
