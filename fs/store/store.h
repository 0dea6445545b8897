/*
 * store.h: everything durable, behind one writer.
 *
 * The store is one directory: `store.db` (SQLite, WAL) and, beside it, `pool/` with the
 * payload files of transactions (fs/block). This layer knows rows, not their meaning.
 *
 * Writing. store_log() takes a group of records and returns at once; a single writer
 * thread applies the groups in the order of the calls, at least a thousand records a
 * SQLite transaction when there are so many. A group is never split over two SQLite
 * transactions, so what a crash leaves is always a prefix of the groups. store_flush()
 * waits until all that was logged before it is in the file. There is no other way to
 * write.
 *
 * The commit point of a txfs transaction is a group that holds REC_LAYER with state
 * committed, its seq and its REC_STEPs, followed by store_flush(s, STORE_DURABLE).
 *
 * Errors. The writer keeps the first error for good: from then on store_log and
 * store_flush return it (-EIO, -ENOSPC, -EDQUOT..), the file stays at the last good
 * prefix, and nothing logged after the failure is ever written.
 *
 * Threads: store_log, store_flush and store_error from any; loads only before the first
 * store_log or under the caller's own exclusion (they use a second, reading connection).
 * Lock order: the store's locks are leaves; no callback is called under them except
 * loads.
 */
#ifndef FS_STORE_STORE_H
#define FS_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/print.h"

struct store;

enum layer_kind { LAYER_TX = 1, LAYER_SAVEPOINT = 2, LAYER_AUTO = 3, LAYER_UNDO = 4 };
/* layer states are enum txfs_state of txfs/ioctl.h, and: */
#define LAYER_MERGED 6 /* a released savepoint: its rows count as its parent's */
#define LAYER_PURGED \
	7 /* rows and payload are gone; the row of the layer stays for the log */

struct rec_layer {
	uint64_t id;
	int kind, state;
	uint64_t parent;   /* savepoint: the layer below; else 0 */
	uint64_t seq;	   /* place in the order of commits, 0 before */
	uint64_t snapshot; /* seq of the newest commit that it saw when it began */
	bool is_private;
	const char *label;	     /* never NULL */
	uint8_t token_hash[16];	     /* XXH3-128 of the token */
	uint64_t begun_ns, ended_ns; /* CLOCK_REALTIME */
	uint64_t added, changed, deleted;
};

struct rec_object {
	uint64_t id;
	uint64_t st_ino;  /* what stat shows through the mount */
	bool has_base;	  /* false: made anew, nothing below it shows through */
	uint64_t parent;  /* has_base: object of the base directory it lies in */
	const char *name; /* has_base: its name there (bytes, no NUL inside) */
	struct base_print print;
	int64_t ctime_ns;      /* ctime shown through the mount, 0: the base's */
	int64_t ctime_left_ns; /* the base's own ctime after our checkpoint; while it is
				  unchanged, ctime_ns is shown */
};

struct rec_inode {
	uint64_t layer, object;
	uint32_t mode, uid, gid; /* mode with file type */
	uint32_t nlink;
	uint64_t size, rdev;
	int64_t mtime_ns, ctime_ns, atime_ns;
	uint64_t below;	    /* bytes of content that show through from below */
	uint32_t parts;	    /* PART_* that this layer changed (for conflicts) */
	const char *target; /* symlink, else NULL */
};

/* What the base showed when a layer's change of an object began. */
struct rec_print {
	uint64_t layer, object;
	struct base_print print;
};

struct rec_name {
	uint64_t layer, dir;
	const char *name;
	uint64_t object; /* 0: whiteout */
	uint64_t was;	 /* what it meant below this layer, 0: nothing */
};

struct rec_xattr {
	uint64_t layer, object;
	const char *name;
	const void *value; /* NULL: removed */
	size_t size;
};

/*
 * A run: blocks [block, block + count) of 4 KiB come from a payload chunk of the pool
 * file, beginning `skip` blocks into it. A chunk has at most POOL_CHUNK_MAX bytes; what
 * it lacks to fill its last block reads as zeros. chunk_off == RUN_HOLE: zeros, no chunk.
 */
#define RUN_HOLE UINT64_MAX
struct rec_run {
	uint64_t layer, object;
	uint64_t block, count; /* key is (layer, object, block) */
	uint64_t pool;	       /* id of the pool file: the transaction's layer id */
	uint64_t chunk_off;    /* bytes in the pool file */
	uint32_t chunk_bytes, skip;
	uint8_t hash[16]; /* XXH3-128 of the chunk */
};

/* A step of a checkpoint; meaning in fs/tx/checkpoint.c. Paths are relative to base. */
struct rec_step {
	uint64_t layer, n;
	uint32_t op;
	uint64_t object;
	uint64_t ino; /* what the step expects to move, exchange or remove */
	int64_t btime_ns;
	uint64_t ino2; /* what it leaves or replaces */
	int64_t btime2_ns;
	const char *path, *path2; /* never NULL, may be "" */
	uint32_t mode, uid, gid;
	int64_t mtime_ns, atime_ns;
	uint32_t flags;
	const void *blob; /* xattrs and the like */
	size_t blob_size;
};

enum rec_op {
	REC_LAYER,	/* insert or replace */
	REC_OBJECT,	/* insert or replace */
	REC_OBJECT_DEL, /* object.id only: the object is gone for good */
	REC_INODE,	/* insert or replace */
	REC_INODE_DEL,	/* inode.layer, inode.object */
	REC_PRINT,	/* insert or replace */
	REC_NAME,	/* insert or replace */
	REC_NAME_DEL, /* name.layer, name.dir, name.name: no row (not even a whiteout) */
	REC_XATTR,
	REC_XATTR_DEL,
	REC_RUN,     /* insert or replace at its key */
	REC_RUN_DEL, /* run.layer, run.object, run.block */
	REC_STEP,
	REC_STEPS_DEL, /* layer.id: its checkpoint is done and safe; all its steps at once
			*/
	REC_PURGE, /* layer.id: delete its rows of inode, name, xattr, run, step (not the
		      layer row), in slices of bounded work between other groups. A crash
		      or close does not forget it. Log nothing of that layer after it. */
};

struct rec {
	enum rec_op op;
	union {
		struct rec_layer layer;
		struct rec_object object;
		struct rec_inode inode;
		struct rec_print print;
		struct rec_name name;
		struct rec_xattr xattr;
		struct rec_run run;
		struct rec_step step;
	};
};

/**
 * store_open(dir, out, msg): open or create the store in @dir (made with mode 0700 if its
 * parent exists), take its lock (flock on `lock`, held until close), start the writer.
 * -EBUSY: in use by another process; -EPROTO: schema is newer than this program;
 * -EUCLEAN: damaged; -EACCES, -EROFS, -ENOSPC.. as the system says. *msg (caller frees)
 * is one line that names the file and the next step. May read the disk for seconds.
 */
int store_open(const char *dir, struct store **out, char **msg);

/** store_close(s): write what was logged, wait for it, checkpoint the WAL, stop. NULL:
 * no-op. */
void store_close(struct store *s);

/** store_dirfd(s): descriptor of the store directory, owned by @s. */
int store_dirfd(const struct store *s);

/** store_log(s, r, n): log one group of @n records; strings and blobs are copied. Returns
 * 0 or the kept error or -ENOMEM (then nothing of the group was taken). Does not wait for
 * the disk unless more than STORE_QUEUE_MAX bytes are queued (-ENOSPC where they wait for
 * room on a full one). */
int store_log(struct store *s, const struct rec *r, size_t n);
#define STORE_QUEUE_MAX (64u << 20)

enum store_flush_how {
	STORE_WRITTEN, /* survives the death of this process */
	STORE_DURABLE, /* survives a power cut (WAL synced) */
};
/** store_flush(s, how): wait until everything logged before is in the file. 0 or -errno;
 * after -ENOSPC it is still queued, and is written when there is room. */
int store_flush(struct store *s, enum store_flush_how how);

/** store_commit(s, r, n, unsure): log a group that is durable when this returns 0, and
 * will never be in the file when it fails; unless *unsure: then it may be, and the store
 * takes nothing more. Waits for the disk. */
int store_commit(struct store *s, const struct rec *r, size_t n, bool *unsure);

/** store_full(s): the disk had no room at the last try. Never blocks. */
bool store_full(struct store *s);

/** store_error(s): the kept error, or 0. */
int store_error(struct store *s);

/** store_bytes(s): size of the store's database and WAL, from memory or fstat. */
uint64_t store_bytes(struct store *s);

/** store_next_layer(s), store_next_object(s): ids never handed out before by this store,
 * also not before a crash. Layer ids are small; atomic, never block. */
uint64_t store_next_layer(struct store *s);
uint64_t store_next_object(struct store *s);

/** store_last_seq(s): the highest seq of any layer in the file at open time. */
uint64_t store_last_seq(struct store *s);

/* Loads: call f(arg, row) for each row in the order given; a non-zero answer ends the
 * load and is returned. Rows and their strings are valid during the call only. */
int store_load_layers(struct store *s, int (*f)(void *, const struct rec_layer *),
	void *arg); /* by id */
int store_load_objects(struct store *s, int (*f)(void *, const struct rec_object *),
	void *arg); /* by id */
int store_load_inodes(struct store *s, uint64_t layer,
	int (*f)(void *, const struct rec_inode *), void *arg);
int store_load_prints(struct store *s, uint64_t layer,
	int (*f)(void *, const struct rec_print *), void *arg);
int store_load_names(struct store *s, uint64_t layer,
	int (*f)(void *, const struct rec_name *), void *arg);
int store_load_xattrs(struct store *s, uint64_t layer,
	int (*f)(void *, const struct rec_xattr *), void *arg);
int store_load_runs(struct store *s, uint64_t layer,
	int (*f)(void *, const struct rec_run *), void *arg);
int store_load_steps(struct store *s, uint64_t layer,
	int (*f)(void *, const struct rec_step *), void *arg); /* by n */

#endif
