/*
 * impl.h: what the files of fs/fuse share.
 *
 * Threads: workers read requests and answer them; control threads run what may wait for a
 * commit (ioctls, fsync); the watcher follows the base; the manager's background thread.
 * Only the last three send notifications or wait for the barrier. A worker waits for the
 * disk, for locks of fs/tree, and for a checkpoint that has the base in movement; never
 * for a control thread that waits for the kernel.
 */
#ifndef FS_FUSE_IMPL_H
#define FS_FUSE_IMPL_H

#include <dirent.h>
#include <errno.h>
#include <fuse_lowlevel.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/awake.h"
#include "fs/fuse/serve.h"
#include "fs/tx/tx.h"

#define MAX_WORKERS 64
#define CONTROL_THREADS 4
#define FOREVER 1e9 /* seconds; until told otherwise */

/* Nodes that are not files of anybody: the hidden directory of the main view. */
enum {
	CTL_BASE = 1, /* .txfs itself */
	CTL_CTL,
	CTL_SENTINEL,
	CTL_TX,
	CTL_LAST,
};
#define CTL_ID(n) ((1ull << 62) + (n))

struct worker {
	struct serve *s;
	pthread_t thread;
	_Atomic uint64_t turn; /* odd: in a request */
	char *buf;	       /* for what is read, max_write bytes */
};

struct job {
	struct list link;
	void (*run)(struct serve *s, struct job *j);
	fuse_req_t req;
	unsigned int cmd;
	long pid; /* of the caller */
	struct view *view;
	union {
		struct txfs_ioc_begin begin;
		struct txfs_ioc_end end;
		struct txfs_ioc_status status;
		struct txfs_ioc_page page;
	} io;
};

struct serve {
	struct mount_opts o;
	struct tree *t;
	struct txm *m;
	struct store *store;
	struct fuse_session *se;
	int devfd, basefd;
	uint32_t uid, gid;
	bool watched_all;    /* every base directory in use is watched */
	bool registered;     /* in the state directory, by us */
	_Atomic bool epochs; /* the kernel knows INC_EPOCH */
	_Atomic uint64_t requests;
	struct worker worker[MAX_WORKERS];
	int workers;
	struct awake awake;
	pthread_t signals;
	bool hears;	     /* signals runs */
	_Atomic bool ending; /* it has to end */

	/* barrier.c */
	pthread_mutex_t barrier_lock;
	pthread_cond_t barrier_seen;
	uint64_t sentinel_writes;
	pid_t dirtier;
	int barrier_to, barrier_from;

	/* control.c */
	pthread_mutex_t jobs_lock;
	pthread_cond_t jobs_wake;
	struct list jobs;
	pthread_t control[CONTROL_THREADS];
	int controls;
	bool stop;

	/* watch.c */
	int inotify, watch_stop[2];
	pthread_t watcher;
	bool watching;
	pthread_mutex_t watch_lock;
	struct obj **watched; /* by watch descriptor */
	size_t watched_cap;
};

#define OP_READDIRPLUS 44u

/* --- serve.c --- */

/** serve_over(s, fd): serve tree and manager, which the caller made, over @fd, where
 * somebody speaks the kernel's protocol; no mount. serve_over_end: after the other side
 * has closed it. */
int serve_over(struct serve *s, int fd);
void serve_over_end(struct serve *s);

/* --- raw.c: what libfuse 3.14 does not know --- */

struct raw {
	uint32_t opcode;
	uint64_t unique;
	bool kill_suid; /* of WRITE and SETATTR */
	bool answered;	/* somebody waits: all but FORGET */
};
/** raw_current(): of the request that this thread serves. */
const struct raw *raw_current(void);
/** raw_read(mem, n): look at a request before libfuse does. */
void raw_read(const void *mem, size_t n);
int raw_attach(struct serve *s, int fd);
/** raw_inc_epoch(s): make every cached name doubtful, in O(1). -EINVAL: old kernel. */
int raw_inc_epoch(struct serve *s);

/* --- ops --- */

extern const struct fuse_lowlevel_ops serve_ops;
struct worker *worker_current(void);

/** enter(s, ino, n): take the gate and find the node. 0, or -ESTALE; leave() in any case.
 */
int enter(struct serve *s, fuse_ino_t ino, struct node **n);
void leave(struct serve *s);

/* Do @expr with the gate and the node of @ino in @n, again after a checkpoint if it says
 * so. */
#define WITH_NODE(s, ino, n, r, expr)                 \
	do {                                          \
		(r) = enter(s, ino, &(n));            \
		if (!(r))                             \
			(r) = (expr);                 \
		leave(s);                             \
		if ((r) == -TREE_AGAIN)               \
			tree_wait_checkpoint((s)->t); \
	} while ((r) == -TREE_AGAIN)

static inline struct serve *serve_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

double name_timeout(const struct serve *s);
void stat_fill(const struct node *n, const struct attr *a, struct stat *st);
void reply_node(
	fuse_req_t req, struct node *n, const struct attr *a); /* counts, puts @n */

void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name);
void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup);
void op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *f);
void op_mknod(
	fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev);
void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode);
void op_symlink(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name);
void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name);
void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name);
void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t to,
	const char *to_name, unsigned int flags);
void op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name);
void op_readlink(fuse_req_t req, fuse_ino_t ino);
void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *st, int set,
	struct fuse_file_info *fi);
void op_statfs(fuse_req_t req, fuse_ino_t ino);
void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
	struct fuse_file_info *fi);
void op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t off,
	struct fuse_file_info *fi);
void op_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t off, off_t len,
	struct fuse_file_info *fi);
void op_lseek(
	fuse_req_t req, fuse_ino_t ino, off_t off, int whence, struct fuse_file_info *fi);
void op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi);
void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
	struct fuse_file_info *fi);
void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
	struct fuse_file_info *fi);
void op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size);
void op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size);
void op_setxattr(fuse_req_t req, fuse_ino_t ino, const char *name, const char *value,
	size_t size, int flags);
void op_removexattr(fuse_req_t req, fuse_ino_t ino, const char *name);
void op_ioctl(fuse_req_t req, fuse_ino_t ino, unsigned int cmd, void *arg,
	struct fuse_file_info *fi, unsigned int flags, const void *in, size_t in_size,
	size_t out_size);

/* --- hidden.c: .txfs --- */

static inline bool is_hidden(fuse_ino_t ino)
{
	return ino >= CTL_ID(0);
}
/** hidden_lookup(s, parent, name, e): 0 with *e filled; -ENOENT; 1: not ours. A private
 * view's root comes with a lookup counted. */
int hidden_lookup(
	struct serve *s, fuse_ino_t parent, const char *name, struct fuse_entry_param *e);
int hidden_stat(struct serve *s, fuse_ino_t ino, struct stat *st);
void hidden_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off);

/* --- barrier.c, control.c, notify.c, watch.c --- */

/** barrier_start(s): make the process that dirties the sentinel; before any thread. */
int barrier_start(struct serve *s);
void barrier_stop(struct serve *s);
int barrier_wait(void *serve);
void barrier_sentinel_written(struct serve *s);

int control_start(struct serve *s);
void control_stop(struct serve *s);
void control_post(struct serve *s, struct job *j);

void notify_invalidate(void *serve, const struct inval *i);

/** writers_find(mnt, caller, msg, size): -EBUSY with a line in @msg if a process of
 * another session than that of process @caller has a file below @mnt open for writing. */
int writers_find(const char *mnt, long caller, char *msg, size_t size);

int watch_start(struct serve *s);
void watch_stop(struct serve *s);
void watch_dir(void *serve, struct obj *dir, int dirfd);

#endif
