/*
 * client.h: libtxfs, the only way to speak to a txfs mount.
 *
 * A `struct txfs` is one connection to one mounted workspace. Functions return 0 or
 * -errno; after an error txfs_message() holds one line that names the subject and the
 * next step. A connection is not thread safe; use one for each thread. Calls block until
 * the daemon answered (commit: until the base shows the change, which may take seconds).
 *
 * Tokens: begin keeps its token in the state directory (mode 0600), so that any later
 * process of the same user outside of a sandbox can end the transaction. Sandboxes do not
 * see the state directory.
 *
 * State directory: $TXFS_STATE_DIR if set; else /var/lib/txfs for root, else
 * $XDG_STATE_HOME/txfs, else ~/.local/state/txfs. It holds `workspaces/` (the registry),
 * `tokens/`, `store/` (default stores) and `mnt/` (mounts made for a run).
 */
#ifndef TXFS_CLIENT_H
#define TXFS_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "txfs/ioctl.h"

struct txfs;

/** A line of the registry of workspaces; strings belong to the struct. */
struct txfs_workspace {
	char *base;    /* absolute path of the real directory */
	char *mnt;     /* where it is mounted */
	char *store;   /* the store directory */
	uint64_t view; /* the transaction whose view the looked-up path lies in, or 0 */
	int pid;       /* daemon, 0 if not known to run */
};

void txfs_workspace_free(struct txfs_workspace *w);

/** txfs_state_dir(out): absolute path of the state directory, made with mode 0700 if it
 * is missing; caller frees *out. 0 or -errno. */
int txfs_state_dir(char **out);

/** txfs_default_store(base, out): where the store of the canonical path @base lies unless
 * one was chosen: STATE/store/HASH; its parent is made, itself not. Caller frees *out. */
int txfs_default_store(const char *base, char **out);

/** txfs_workspace_find(path, out): the registered workspace whose mount point, base or
 * view @path lies in (by path, not by inode; longest match wins). -ENOENT if none.
 * Caller frees *out by txfs_workspace_free. Does not touch the mount. */
int txfs_workspace_find(const char *path, struct txfs_workspace **out);

/** txfs_workspace_add(w), txfs_workspace_del(mnt): the daemon's own registration. */
int txfs_workspace_add(const struct txfs_workspace *w);
int txfs_workspace_del(const char *mnt);

/** txfs_open(dir, out): connect to the mounted workspace that @dir lies in.
 * -ENOENT: no workspace there; -ENOTCONN: its mount is dead; -EACCES.
 * On error *out may still be set, to ask it for its message; close it always. */
int txfs_open(const char *dir, struct txfs **out);

/** txfs_open_or_mount(dir, out, mounted): as txfs_open; where @dir is no mounted
 * workspace, run `txfs mount` for it on a mount point below the state directory and
 * connect. *mounted tells whether this call mounted it. */
int txfs_open_or_mount(const char *dir, struct txfs **out, bool *mounted);

/** txfs_unmount_idle(t): unmount what txfs_open_or_mount mounted, if no transaction is
 * open there; closes @t in any case. 0, or -EBUSY if it stays mounted. */
int txfs_unmount_idle(struct txfs *t);

void txfs_close(struct txfs *t);
const char *txfs_message(const struct txfs *t);
const char *txfs_mnt(const struct txfs *t);
const char *txfs_base(const struct txfs *t);

/** txfs_view_id(t): the private transaction in whose view the opened DIR lies, or 0. */
uint64_t txfs_view_id(const struct txfs *t);

/** txfs_resolve(t, tx, id): an id or a label (as --tx takes) to an id. NULL: the view
 * that the opened directory lies in, else the main view's (0). -ENOENT, -EEXIST (two
 * match). */
int txfs_resolve(struct txfs *t, const char *tx, uint64_t *id);

struct txfs_begun {
	uint64_t id;
	char view[4352]; /* absolute path of the private view, or of the mount */
};

/** txfs_begin(t, flags, label, out): TXFS_BEGIN_*; label may be NULL.
 * -EBUSY: a transaction is open on the main view (out->id), or others write there. */
int txfs_begin(
	struct txfs *t, unsigned int flags, const char *label, struct txfs_begun *out);

/** Numbers of an ended (or dry-run) call; see struct txfs_ioc_end. */
struct txfs_ended {
	uint64_t seq, added, changed, deleted, conflicts, behind, total_ns;
};

/** txfs_commit(t, id, flags, out): -EBUSY: conflict, the transaction stays open and
 * txfs_changes(.., TXFS_CHANGES_CONFLICTS, ..) names the paths; 0 with out->behind != 0:
 * committed, but the base is behind. @out may be NULL. */
int txfs_commit(struct txfs *t, uint64_t id, unsigned int flags, struct txfs_ended *out);
int txfs_abort(struct txfs *t, uint64_t id, struct txfs_ended *out);
int txfs_savepoint(struct txfs *t, uint64_t id, const char *name);
int txfs_rollback(struct txfs *t, uint64_t id, const char *name);
int txfs_release(struct txfs *t, uint64_t id, const char *name);

/** txfs_sync(t): commit what the main view's autocommit holds and wait for the base. */
int txfs_sync(struct txfs *t);

int txfs_status(struct txfs *t, struct txfs_ioc_status *out);

/** txfs_list(t, flags, row, arg): call row(arg, r) for each transaction; a non-zero
 * answer ends the walk and is returned. TXFS_LIST_LOG: the history instead. */
int txfs_list(struct txfs *t, unsigned int flags,
	int (*row)(void *arg, const struct txfs_row_tx *r), void *arg);

/** txfs_changes(t, id, flags, row, arg): call row for each changed path, in order. @path
 * and @to (NULL unless renamed) are NUL-terminated, relative, and valid for the call. */
int txfs_changes(struct txfs *t, uint64_t id, unsigned int flags,
	int (*row)(void *arg, const struct txfs_row_change *r, const char *path,
		const char *to),
	void *arg);

#endif
