/*
 * stage.c: making new content on the base's own file system, before the commit point.
 *
 * Whatever the commit will put into the base exists here first, complete with content,
 * owner, mode, xattrs and times, and is synced; after that only renames are left to do.
 */
#include "fs/tx/impl.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define COPY_BYTES (1u << 20)
#define FSYNC_EACH 16 /* from here on one syncfs is cheaper */

static int write_full(int fd, const char *buf, uint64_t off, size_t n)
{
	while (n) {
		ssize_t w = pwrite(fd, buf, n, (off_t)off);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return -errno;
		buf += w;
		off += (uint64_t)w;
		n -= (size_t)w;
	}
	return 0;
}

static int copy_content(
	struct tree *t, const struct stack *s, uint64_t size, int fd, char *buf)
{
	uint64_t off = 0, end;
	bool data;
	int r = 0;

	while (!r && off < size) {
		r = stack_extent(t, s, size, off, &data, &end);
		if (!r && data && end - off > COPY_BYTES)
			end = off + COPY_BYTES;
		if (!r && data)
			r = stack_read(t, s, size, buf, off, (size_t)(end - off));
		if (!r && data)
			r = write_full(fd, buf, off, (size_t)(end - off));
		off = end;
	}
	if (!r && ftruncate(fd, (off_t)size) < 0)
		r = -errno;
	return r;
}

static int stage_file(
	struct tree *t, const struct nobj *b, const struct stack *s, char *buf, bool sync)
{
	int fd = openat(t->stagefd, b->staged,
		O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
	int r;

	if (fd < 0)
		return -errno;
	r = copy_content(t, s, b->a.size, fd, buf);
	if (!r && sync && fsync(fd) < 0)
		r = -errno;
	close(fd);
	return r;
}

static int stage_special(struct tree *t, const struct nobj *b, const struct stack *s)
{
	const struct attr *a = &b->a;
	char *target;
	int r;

	if (S_ISDIR(a->mode))
		return mkdirat(t->stagefd, b->staged, 0700) < 0 ? -errno : 0;
	if (!S_ISLNK(a->mode))
		return mknodat(t->stagefd, b->staged, (a->mode & S_IFMT) | 0600,
			       a->rdev) < 0
			       ? -errno
			       : 0;
	r = stack_readlink(t, s, &target);
	if (r)
		return r;
	r = symlinkat(target, t->stagefd, b->staged) < 0 ? -errno : 0;
	free(target);
	return r;
}

static int stage_xattrs(struct tree *t, const struct nobj *b, const struct stack *s)
{
	auto_free char *list = NULL, *value = NULL;
	ssize_t n = stack_listxattr(t, s, NULL, 0), size;
	int r = 0;

	if (n <= 0)
		return n == -EOPNOTSUPP ? 0 : (int)n;
	list = malloc((size_t)n);
	value = malloc(XATTR_SIZE_MAX);
	if (!list || !value)
		return -ENOMEM;
	n = stack_listxattr(t, s, list, (size_t)n);
	for (char *p = list; p < list + n && !r; p += strlen(p) + 1) {
		size = stack_getxattr(t, s, p, value, XATTR_SIZE_MAX);
		r = size < 0 ? (int)size
			     : base_setxattr(
				       t->stagefd, b->staged, p, value, (size_t)size);
	}
	return n < 0 ? (int)n : r;
}

static int stage_attrs(struct tree *t, const struct nobj *b)
{
	const struct attr *a = &b->a;
	struct timespec ts[2] = {ts_of(a->atime_ns), ts_of(a->mtime_ns)};

	if (fchownat(t->stagefd, b->staged, a->uid, a->gid, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (!S_ISLNK(a->mode) && fchmodat(t->stagefd, b->staged, a->mode & 07777, 0) < 0)
		return -errno;
	if (utimensat(t->stagefd, b->staged, ts, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	return 0;
}

static int stage_one(struct txm *m, struct view *v, struct nobj *b, char *buf, bool sync)
{
	struct tree *t = m->t;
	struct bstat st = {0};
	struct stack s;
	int r;

	stack_init(&s, v, b->o, b->d);
	if (S_ISREG(b->a.mode))
		r = stage_file(t, b, &s, buf, sync);
	else
		r = stage_special(t, b, &s);
	if (r) {
		if (r == -EEXIST)
			b->staged[0] = 0; /* not ours to remove */
		return r;
	}
	/* Owner before xattrs: chown clears capabilities; mode and times last. */
	if (fchownat(t->stagefd, b->staged, b->a.uid, b->a.gid, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	r = stage_xattrs(t, b, &s);
	if (!r)
		r = stage_attrs(t, b);
	if (!r)
		r = base_stat(t->stagefd, b->staged, &st);
	if (!r)
		/* cppcheck-suppress uninitStructMember ; base_stat() has set it */
		b->staged_print = st.print;
	return r;
}

static bool wants_staging(const struct nobj *b)
{
	return !b->gone && (b->is_new || b->content) && (b->o->has_base || b->added);
}

static int make_all(
	struct txm *m, struct net *n, uint64_t layer, struct view *v, size_t count)
{
	auto_free char *buf = malloc(COPY_BYTES);
	bool sync = count <= FSYNC_EACH;
	int r = buf ? 0 : -ENOMEM;

	for (size_t i = 0; i < n->objs && !r; i++) {
		struct nobj *b = n->obj[i];

		if (!wants_staging(b))
			continue;
		snprintf(b->staged, sizeof(b->staged), "s%llu-%llu",
			(unsigned long long)layer, (unsigned long long)b->o->id);
		r = stage_one(m, v, b, buf, sync);
	}
	if (r || !count)
		return r;
	return (sync ? fsync(m->t->stagefd) : syncfs(m->t->stagefd)) < 0 ? -errno : 0;
}

int stage_all(struct txm *m, struct net *n, struct view *v, uint64_t layer)
{
	size_t count = 0;
	int r;

	for (size_t i = 0; i < n->objs; i++)
		count += wants_staging(n->obj[i]);
	r = make_all(m, n, layer, v, count);
	if (r)
		stage_drop(m, n);
	return r;
}

int stage_remove(struct tree *t, const char *name)
{
	if (!unlinkat(t->stagefd, name, 0) || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	return unlinkat(t->stagefd, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

void stage_drop(struct txm *m, struct net *n)
{
	for (size_t i = 0; i < n->objs; i++)
		if (n->obj[i]->staged[0]) {
			stage_remove(m->t, n->obj[i]->staged);
			n->obj[i]->staged[0] = 0;
		}
}

static int sweep(void *arg, const char *name, unsigned char type, uint64_t ino)
{
	stage_remove(arg, name);
	return 0;
}

void stage_sweep(struct txm *m)
{
	base_list(m->t->stagefd, sweep, m->t);
}
