/*
 * impl.h: what the files of libtxfs share.
 */
#ifndef FS_CLIENT_IMPL_H
#define FS_CLIENT_IMPL_H

#include "txfs/client.h"

struct txfs {
	int fd;			  /* MNT/.txfs/ctl, -1 until connected */
	struct txfs_workspace *w; /* NULL until found */
	char *message;
};

/** say(t, err, fmt, ..): keep the line for txfs_message and return @err. */
int say(struct txfs *t, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* --- state.c --- */

/** state_sub(name, out): STATE/@name, made with mode 0700 if missing; caller frees. */
int state_sub(const char *name, char **out);

/** make_dirs(path): @path with its missing parents, each 0700. 0 or -errno. */
int make_dirs(const char *path);

/** path_hash(path, hex): XXH3-128 of the path, 33 bytes with NUL. */
void path_hash(const char *path, char hex[33]);

/** write_file(path, text): put a whole file in place at once, mode 0600. 0 or -errno. */
int write_file(const char *path, const char *text);

/** read_file(path, out): a whole small file (at most 64 KiB) as a string; caller frees.
 */
int read_file(const char *path, char **out);

/* --- mounts.c --- */

/** mount_at(mnt): whether a FUSE filesystem is mounted on @mnt (of this mount namespace).
 * Reads /proc, never the mount. */
bool mount_at(const char *mnt);

/** pid_start(pid): the start time of a process, to tell it from a later one of the same
 * number; 0 if there is none (zombies count as none). */
unsigned long long pid_start(int pid);

/* --- token.c: tokens of the transactions of one store --- */

int token_put(const char *store, uint64_t id, const __u8 token[TXFS_TOKEN_BYTES]);
int token_get(const char *store, uint64_t id, __u8 token[TXFS_TOKEN_BYTES]);
void token_del(const char *store, uint64_t id);

#endif
