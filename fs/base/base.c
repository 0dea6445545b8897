/*
 * base.c: descriptor-relative reading of the base directory.
 */
#include "fs/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/cleanup.h"

#define NS 1000000000ll
#define PIECE_MAX 4000u
#define RACY_NS (20 * 1000000ll)

int base_open(const char *path)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int open_beneath(int dirfd, const char *rel, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)flags | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};
	long fd;

	do
		fd = syscall(SYS_openat2, dirfd, *rel ? rel : ".", &how, sizeof(how));
	while (fd < 0 && (errno == EINTR || errno == EAGAIN));
	return fd < 0 ? -errno : (int)fd;
}

/* The system takes paths of up to PATH_MAX bytes; trees go deeper. So a long one is
 * opened in pieces, each beneath the one before. */
int base_at(int rootfd, const char *rel, int flags)
{
	auto_close int at = -1;
	int dirfd = rootfd;

	while (strlen(rel) >= PIECE_MAX) {
		char piece[PIECE_MAX + 1];
		char *slash;
		int fd;

		memcpy(piece, rel, PIECE_MAX);
		piece[PIECE_MAX] = 0;
		slash = strrchr(piece, '/');
		if (!slash || slash == piece)
			return -ENAMETOOLONG;
		*slash = 0;
		fd = open_beneath(dirfd, piece, O_PATH | O_DIRECTORY);
		if (at >= 0)
			close(at);
		at = dirfd = fd;
		if (fd < 0)
			return fd;
		rel += slash - piece + 1;
	}
	return open_beneath(dirfd, rel, flags);
}

static int64_t ns_of(const struct statx_timestamp *t)
{
	return t->tv_sec * NS + t->tv_nsec;
}

int base_stat(int dirfd, const char *name, struct bstat *out)
{
	struct statx sx;
	struct timespec now;

	if (statx(dirfd, name, AT_SYMLINK_NOFOLLOW | (*name ? 0 : AT_EMPTY_PATH),
		    STATX_BASIC_STATS | STATX_BTIME, &sx) < 0)
		return -errno;
	clock_gettime(CLOCK_REALTIME, &now);
	*out = (struct bstat){
		.print =
			{
				.dev = makedev(sx.stx_dev_major, sx.stx_dev_minor),
				.ino = sx.stx_ino,
				.btime_ns = sx.stx_mask & STATX_BTIME
						    ? ns_of(&sx.stx_btime)
						    : 0,
				.mtime_ns = ns_of(&sx.stx_mtime),
				.ctime_ns = ns_of(&sx.stx_ctime),
				.size = sx.stx_size,
				.mode = sx.stx_mode,
				.uid = sx.stx_uid,
				.gid = sx.stx_gid,
				.nlink = sx.stx_nlink,
			},
		.rdev = makedev(sx.stx_rdev_major, sx.stx_rdev_minor),
		.blocks = sx.stx_blocks,
		.atime_ns = ns_of(&sx.stx_atime),
	};
	out->print.racy = now.tv_sec * NS + now.tv_nsec - out->print.ctime_ns < RACY_NS;
	return 0;
}

int base_list(
	int dirfd, int (*f)(void *, const char *, unsigned char, uint64_t), void *arg)
{
	int fd = base_at(dirfd, "", O_RDONLY | O_DIRECTORY);
	auto_dir DIR *d = NULL;
	struct dirent *e;
	int r;

	if (fd < 0)
		return fd;
	d = fdopendir(fd);
	if (!d) {
		r = -errno;
		close(fd);
		return r;
	}
	for (errno = 0; (e = readdir(d)); errno = 0) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		r = f(arg, e->d_name, e->d_type, e->d_ino);
		if (r)
			return r;
	}
	return -errno;
}

int base_readlink(int dirfd, const char *name, char **out)
{
	char buf[4097];
	ssize_t n = readlinkat(dirfd, name, buf, sizeof(buf) - 1);

	if (n < 0)
		return -errno;
	buf[n] = 0;
	*out = strdup(buf);
	return *out ? 0 : -ENOMEM;
}

/* The l*xattr calls have no *at form; the magic link of the directory's descriptor is a
 * path whose last part is not followed. */
static int proc_path(char *buf, size_t size, int dirfd, const char *name)
{
	int n = *name ? snprintf(buf, size, "/proc/self/fd/%d/%s", dirfd, name)
		      : snprintf(buf, size, "/proc/self/fd/%d/.", dirfd);

	return (size_t)n < size ? 0 : -ENAMETOOLONG;
}

ssize_t base_getxattr(
	int dirfd, const char *name, const char *xname, void *buf, size_t size)
{
	char path[320];
	int r = proc_path(path, sizeof(path), dirfd, name);
	ssize_t n;

	if (r)
		return r;
	n = lgetxattr(path, xname, buf, size);
	return n < 0 ? -errno : n;
}

ssize_t base_listxattr(int dirfd, const char *name, char *buf, size_t size)
{
	char path[320];
	int r = proc_path(path, sizeof(path), dirfd, name);
	ssize_t n;

	if (r)
		return r;
	n = llistxattr(path, buf, size);
	return n < 0 ? -errno : n;
}

int base_setxattr(int dirfd, const char *name, const char *xname, const void *v, size_t n)
{
	char path[320];
	int r = proc_path(path, sizeof(path), dirfd, name);

	if (r)
		return r;
	return lsetxattr(path, xname, v, n, 0) < 0 ? -errno : 0;
}

int base_removexattr(int dirfd, const char *name, const char *xname)
{
	char path[320];
	int r = proc_path(path, sizeof(path), dirfd, name);

	if (r)
		return r;
	return lremovexattr(path, xname) < 0 && errno != ENODATA ? -errno : 0;
}

bool base_unchanged(const struct base_print *a, const struct base_print *b)
{
	if (!base_same(a, b) || a->mode != b->mode || a->uid != b->uid ||
		a->gid != b->gid)
		return false;
	if (S_ISDIR(a->mode))
		return true;
	return a->size == b->size && a->mtime_ns == b->mtime_ns &&
	       a->ctime_ns == b->ctime_ns;
}

int base_content(int fd, uint64_t size, uint8_t hash[16])
{
	auto_free char *buf = malloc(1 << 20);
	XXH3_state_t *st = buf ? XXH3_createState() : NULL;
	XXH128_canonical_t c;
	uint64_t off = 0;
	ssize_t n = 0;

	if (!st)
		return -ENOMEM;
	XXH3_128bits_reset(st);
	while (off < size) {
		n = pread(fd, buf, 1 << 20, (off_t)off);
		if (n <= 0)
			break;
		XXH3_128bits_update(st, buf, (size_t)n);
		off += (uint64_t)n;
	}
	n = n < 0 ? -errno : 0;
	XXH128_canonicalFromHash(&c, XXH3_128bits_digest(st));
	memcpy(hash, c.digest, 16);
	XXH3_freeState(st);
	return (int)n;
}
