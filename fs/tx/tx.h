/*
 * tx.h: transactions over the tree: begin, savepoint, commit, abort, and what becomes of
 * them after a crash.
 *
 * One struct txm serves one mount. Its calls are made from threads that serve no FUSE
 * requests: they wait for each other, for the barrier and for the disk. One boundary runs
 * at a time (txm->lock); requests go on meanwhile, except for the moments in which the
 * tree's gate is held.
 *
 * All functions return 0 or -errno. Where a message is asked for, it is one line with the
 * subject and the next step.
 */
#ifndef FS_TX_TX_H
#define FS_TX_TX_H

#include <stdbool.h>
#include <stdint.h>

#include "fs/tree/tree.h"
#include "txfs/ioctl.h"

struct txm;

/** What the kernel must forget after a change that did not come through its own calls. */
struct inval {
	struct inval_entry {
		uint64_t parent; /* node id */
		char *name;
	} * entry;
	size_t entries, entry_cap;
	uint64_t *inode; /* node ids: attributes and pages */
	size_t inodes, inode_cap;
	bool all; /* memory was short: forget everything */
};

struct txm_hooks {
	/* Wait until every page dirtied so far is in the daemon. */
	int (*barrier)(void *arg);
	/* Tell the kernel; called without any lock. */
	void (*invalidate)(void *arg, const struct inval *i);
	void *arg;
};

struct txm_opts {
	double interval_s; /* of autocommit */
	bool strict_fsync;
};

/** txm_new(t, o, h, out): recover what the store holds, then serve. The base is brought
 * to what was committed before this returns; open transactions become suspended. *msg is
 * a line about what was found, or NULL; caller frees. */
int txm_new(struct tree *t, const struct txm_opts *o, const struct txm_hooks *h,
	struct txm **out, char **msg);

/** txm_start(m): start autocommit and reclaiming in the background. */
int txm_start(struct txm *m);

/** txm_close(m): commit what autocommit holds, suspend what is open, stop, free. */
void txm_close(struct txm *m);

/* The ioctls; each fills error and message. */
void txm_begin(struct txm *m, struct txfs_ioc_begin *io);
void txm_commit(struct txm *m, struct txfs_ioc_end *io);
void txm_abort(struct txm *m, struct txfs_ioc_end *io);
void txm_savepoint(struct txm *m, struct txfs_ioc_end *io);
void txm_rollback(struct txm *m, struct txfs_ioc_end *io);
void txm_release(struct txm *m, struct txfs_ioc_end *io);
void txm_sync(struct txm *m, struct txfs_ioc_end *io);
void txm_status(struct txm *m, struct txfs_ioc_status *io);
void txm_list(struct txm *m, struct txfs_ioc_page *io);
void txm_changes(struct txm *m, struct txfs_ioc_page *io);

/** txm_fsync(m, v): what fsync(2) of a file in view @v promises (see DESIGN.md). Blocks.
 */
int txm_fsync(struct txm *m, struct view *v);

/** txm_view(m, id): the root of the open private transaction @id, referenced, or NULL. */
struct node *txm_view(struct txm *m, uint64_t id);

/** txm_each_private(m, f, arg): f(arg, id) for each open private transaction. */
void txm_each_private(struct txm *m, void (*f)(void *arg, uint64_t id), void *arg);

/** txm_base_changed(m, dir, name): something happened behind the mount to @name in base
 * directory @dir (NULL: anything may have). Called by the watcher's thread. */
void txm_base_changed(struct txm *m, struct obj *dir, const char *name);

#endif
