/*
 * ioctl.h: the kernel-facing ABI of a txfs mount.
 *
 * All ioctls go to MNT/.txfs/ctl, which exists only in the root of the main view. Any
 * other file, and any other number, answers ENOTTY. libtxfs (client.h) is the only
 * program text that issues them; everybody else calls libtxfs.
 *
 * Every struct has a fixed size below 16 KiB, begins with version (TXFS_ABI) and flags
 * (bits that a call does not define must be zero: EINVAL), and ends in spare space that
 * must be zero. The ioctl itself returns 0 whenever the struct was understood; `error`
 * holds 0 or a positive errno, and `message` one line that names the subject. Strings are
 * NUL-terminated. Ids are never reused within a store.
 *
 * Authority: calls that change state carry the 32-byte token that begin returned; a wrong
 * one is EPERM. Uid 0 of the initial view is no substitute.
 */
#ifndef TXFS_IOCTL_H
#define TXFS_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define TXFS_ABI 1
#define TXFS_TOKEN_BYTES 32
#define TXFS_LABEL_BYTES 128 /* with NUL; also names of savepoints */
#define TXFS_MESSAGE_BYTES 512
#define TXFS_PAGE_BYTES 12288 /* rows in one answer of changes and list */

/** Life of a transaction, as `txfs ls` names it. */
enum txfs_state {
	TXFS_OPEN = 1,	    /* takes changes */
	TXFS_SUSPENDED = 2, /* its daemon or mount is gone; kept in the store */
	TXFS_COMMITTED = 3, /* the base shows it */
	TXFS_BEHIND = 4,    /* committed, but the base does not show all of it yet */
	TXFS_ABORTED = 5,
};

/* TXFS_IOC_BEGIN */
#define TXFS_BEGIN_PRIVATE 1u /* a view of its own; else the main view's transaction */
#define TXFS_BEGIN_FORCE 2u   /* main view: also while others have files open to write */
struct txfs_ioc_begin {
	__u32 version, flags;
	char label[TXFS_LABEL_BYTES]; /* in: may be empty */
	__u64 id;		      /* out */
	__u8 token[TXFS_TOKEN_BYTES]; /* out */
	char view[64];		      /* out, private: path below MNT, ".txfs/tx/ID" */
	__s32 error;		      /* out: EBUSY: one is open (id names it) */
	char message[TXFS_MESSAGE_BYTES];
	__u32 spare[15];
};

/* TXFS_IOC_COMMIT, _ABORT, _SAVEPOINT, _ROLLBACK, _RELEASE, _SYNC */
#define TXFS_COMMIT_DRY_RUN 1u /* commit: look for conflicts only */
struct txfs_ioc_end {
	__u32 version, flags;
	__u64 id;		       /* in: 0 is the main view's transaction */
	__u8 token[TXFS_TOKEN_BYTES];  /* in */
	char name[TXFS_LABEL_BYTES];   /* in: savepoint, rollback, release */
	__u64 seq;		       /* out, commit: place in the order of commits */
	__u64 added, changed, deleted; /* out: paths */
	__u64 conflicts;	       /* out: paths in conflict (error EBUSY) */
	__u64 behind;		       /* out: paths the base does not show (error 0) */
	__u64 total_ns;		       /* out: time taken by the daemon */
	__s32 error;		       /* out: EBUSY conflict, ENOENT, EPERM, EIO.. */
	char message[TXFS_MESSAGE_BYTES];
	__u32 spare[15];
};

/* TXFS_IOC_STATUS */
#define TXFS_STATUS_EXCLUSIVE 1u /* base=exclusive */
struct txfs_ioc_status {
	__u32 version, flags; /* flags out: TXFS_STATUS_* */
	__u64 pid;	      /* of the daemon */
	__u64 open_id;	      /* main view's transaction, 0: autocommit */
	char open_label[TXFS_LABEL_BYTES];
	__u64 open_since_ns;	       /* CLOCK_REALTIME */
	__u64 added, changed, deleted; /* of the open transaction */
	__u64 privates, suspended, behind;
	__u64 last_seq; /* newest commit */
	__u64 requests; /* FUSE requests since the mount that somebody waited for */
	__u64 store_bytes;
	__u64 pending; /* changes waiting for autocommit */
	char base[4096], mnt[4096], store[4096];
	__s32 error;
	__u32 spare[15];
};

/*
 * TXFS_IOC_LIST: transactions, oldest first, as rows of struct txfs_row_tx.
 * TXFS_IOC_CHANGES: paths changed by a transaction, sorted by path, as txfs_row_change.
 * Begin with cursor 0; go on with the cursor that came back until it is 0.
 */
#define TXFS_CHANGES_CONFLICTS 1u /* the paths that the last commit call reported */
#define TXFS_LIST_LOG 1u	  /* also committed and aborted ones, newest first */
struct txfs_ioc_page {
	__u32 version, flags;
	__u64 id;	   /* changes: transaction, 0 is the main view's */
	__u64 cursor;	   /* in and out */
	__u32 count, used; /* out: rows, bytes of them in rows[] */
	__s32 error;
	__u32 spare[15];
	__u8 rows[TXFS_PAGE_BYTES];
};

struct txfs_row_tx {
	__u32 bytes; /* of this row */
	__u32 state; /* enum txfs_state */
	__u64 id, seq;
	__u64 begun_ns, ended_ns; /* CLOCK_REALTIME; ended 0 while open */
	__u64 added, changed, deleted;
	__u32 is_private, is_auto; /* auto: a group of the main view's own changes */
	char label[TXFS_LABEL_BYTES];
	char view[64]; /* below MNT, or empty */
};

/** What happened to a path; the letter is what `txfs diff` prints. */
enum txfs_change {
	TXFS_ADDED = '+',
	TXFS_CONTENT = '~',
	TXFS_ATTR = 'm',
	TXFS_DELETED = '-',
	TXFS_RENAMED = '>', /* path is the old name, to the new one */
};

struct txfs_row_change {
	__u32 bytes;		/* of this row with its names, multiple of 8 */
	__u32 kind;		/* enum txfs_change */
	__u32 mode;		/* st_mode now (before, if deleted) */
	__u32 path_len, to_len; /* bytes, without NUL */
	__u32 pad;
	__u64 size;   /* bytes, now */
	char names[]; /* path, NUL, to, NUL */
};

#define TXFS_IOC_MAGIC 0xF7
#define TXFS_IOC_BEGIN _IOWR(TXFS_IOC_MAGIC, 1, struct txfs_ioc_begin)
#define TXFS_IOC_COMMIT _IOWR(TXFS_IOC_MAGIC, 2, struct txfs_ioc_end)
#define TXFS_IOC_ABORT _IOWR(TXFS_IOC_MAGIC, 3, struct txfs_ioc_end)
#define TXFS_IOC_SAVEPOINT _IOWR(TXFS_IOC_MAGIC, 4, struct txfs_ioc_end)
#define TXFS_IOC_ROLLBACK _IOWR(TXFS_IOC_MAGIC, 5, struct txfs_ioc_end)
#define TXFS_IOC_RELEASE _IOWR(TXFS_IOC_MAGIC, 6, struct txfs_ioc_end)
#define TXFS_IOC_SYNC _IOWR(TXFS_IOC_MAGIC, 7, struct txfs_ioc_end)
#define TXFS_IOC_STATUS _IOWR(TXFS_IOC_MAGIC, 8, struct txfs_ioc_status)
#define TXFS_IOC_LIST _IOWR(TXFS_IOC_MAGIC, 9, struct txfs_ioc_page)
#define TXFS_IOC_CHANGES _IOWR(TXFS_IOC_MAGIC, 10, struct txfs_ioc_page)

_Static_assert(sizeof(struct txfs_ioc_begin) == 816, "ABI");
_Static_assert(sizeof(struct txfs_ioc_end) == 808, "ABI");
_Static_assert(sizeof(struct txfs_ioc_status) < 16384, "ABI");
_Static_assert(sizeof(struct txfs_ioc_page) < 16384, "ABI");

#endif
