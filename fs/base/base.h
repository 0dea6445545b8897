/*
 * base.h: the user's real directory, reached by descriptors only.
 *
 * Every path goes through openat2 with RESOLVE_BENEATH | NO_SYMLINKS | NO_XDEV from the
 * descriptor taken at mount, so that a daemon that runs as root is never led out of the
 * tree by somebody who can change it. Nothing here writes to the base; the checkpoint
 * (fs/tx) does, through base_dir().
 *
 * All functions return 0 or a descriptor, or -errno; all may read the disk; all are safe
 * from any thread.
 */
#ifndef FS_BASE_BASE_H
#define FS_BASE_BASE_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include "common/print.h"

/** What statx says of a base object. */
struct bstat {
	struct base_print print;
	uint64_t rdev, blocks;
	int64_t atime_ns;
};

/** base_open(path): O_PATH descriptor of the directory @path. */
int base_open(const char *path);

/** base_at(rootfd, rel, flags): open @rel ("" is the root itself) beneath @rootfd.
 * -EXDEV, -ELOOP where the path would leave the tree or cross a mount or symlink. */
int base_at(int rootfd, const char *rel, int flags);

/** base_stat(dirfd, name, out): of @name in @dirfd, never following; name "" is @dirfd.
 */
int base_stat(int dirfd, const char *name, struct bstat *out);

/** base_list(dirfd, f, arg): f(arg, name, d_type, ino) for each entry but . and ..; a
 * non-zero answer ends the walk and is returned. @dirfd may be O_PATH. */
int base_list(int dirfd,
	int (*f)(void *, const char *name, unsigned char type, uint64_t ino), void *arg);

/** base_readlink(dirfd, name, out): target as a new string. */
int base_readlink(int dirfd, const char *name, char **out);

/* Extended attributes of @name in @dirfd, never following. As the system calls, but
 * -errno. */
ssize_t base_getxattr(
	int dirfd, const char *name, const char *xname, void *buf, size_t size);
ssize_t base_listxattr(int dirfd, const char *name, char *buf, size_t size);
int base_setxattr(
	int dirfd, const char *name, const char *xname, const void *v, size_t n);
int base_removexattr(int dirfd, const char *name, const char *xname);

/** base_same(a, b): same object: device, inode and birth. */
static inline bool base_same(const struct base_print *a, const struct base_print *b)
{
	return a->ino == b->ino && a->dev == b->dev && a->btime_ns == b->btime_ns;
}

/** base_unchanged(a, b): same object and nothing about it moved (see P3). A directory's
 * size and times follow its entries and are left out. */
bool base_unchanged(const struct base_print *a, const struct base_print *b);

/** base_content(fd, size, hash): XXH3-128 of the first @size bytes of @fd. */
int base_content(int fd, uint64_t size, uint8_t hash[16]);

#endif
