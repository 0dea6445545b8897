/*
 * serve.h: the face of fs/fuse: put a directory under txfs and serve it.
 */
#ifndef FS_FUSE_SERVE_H
#define FS_FUSE_SERVE_H

#include <stdbool.h>
#include <stdint.h>

struct mount_opts {
	const char *base, *mnt, *store;
	bool exclusive, hide_submounts, strict_fsync, allow_other, foreground, dry_run;
	double interval_s;
	const char *no_features; /* comma list */
	int workers;
	uint64_t quota_bytes; /* 0: none */
};

/** serve_mount(o, msg): fork the daemon that serves @o->base at @o->mnt, and return in
 * the caller when it serves: 0, or -errno with one line in *msg (caller frees). */
int serve_mount(const struct mount_opts *o, char **msg);

#endif
