/*
 * place.h: where a mount takes place: what must be true of base, mount point and store
 * before anything begins, and the mount itself.
 */
#ifndef FS_FUSE_PLACE_H
#define FS_FUSE_PLACE_H

#include <fuse_lowlevel.h>

#include "fs/fuse/serve.h"
#include "fs/tree/tree.h"

struct place {
	int basefd,
		stagefd; /* stagefd: the staging directory, on the base's file system */
	char hidden[64]; /* its name in the base's root, if it had to be there */
};

/** place_check(p, o, msg): open the base; refuse what cannot be served. A dead mount of
 * ours on the mount point is detached. 0 or -errno with *msg. */
int place_check(struct place *p, const struct mount_opts *o, char **msg);

/** place_stage(p, storefd, store, msg): the staging directory. */
int place_stage(struct place *p, int storefd, const char *store, char **msg);

/** place_unstage(t): remove it where it is empty and not in the store. */
void place_unstage(struct tree *t);

/** place_mount(se, mnt, allow_other, msg): the mounted /dev/fuse descriptor, or -errno.
 */
int place_mount(struct fuse_session *se, const char *mnt, bool allow_other, char **msg);

/** place_dry_run(o, msg): check, and say in *msg what would be done. */
int place_dry_run(const struct mount_opts *o, char **msg);

#endif
