/*
 * impl.h: what store.c, writer.c, apply.c and load.c share.
 *
 * Three connections, each with one owner: `wr` the writer thread (before it starts and
 * after it ended: open and close), `rd` the loads under rd_lock, `ck` the checkpointer
 * thread. Locks, both leaves: `lock` (queue, counters, error), `rd_lock`.
 */
#ifndef FS_STORE_IMPL_H
#define FS_STORE_IMPL_H

#include <pthread.h>
#include <stdatomic.h>
#include "fs/store/db.h"
#include "fs/store/queue.h"
#include "fs/store/store.h"

/* Ids are reserved in the file ahead of use; half of a reserve left asks for the next. */
#define RESERVE_LAYERS 256
#define RESERVE_OBJECTS (1 << 20)

struct ids {
	const char *key;	       /* in the table meta */
	uint64_t reserve;	       /* how many ids at a time */
	atomic_uint_fast64_t next;     /* the next one to hand out */
	atomic_uint_fast64_t reserved; /* the file says: all below may have been used */
};

struct store {
	char *dir;
	int dirfd, lockfd;
	struct db wr, rd, ck;
	pthread_mutex_t rd_lock; /* recursive: a callback may load other rows */
	pthread_t writer, checkpointer;
	struct ids layers, objects;
	uint64_t last_seq;

	pthread_mutex_t lock;
	pthread_cond_t work; /* for the writer */
	pthread_cond_t done; /* for flushes and for those who wait for room */
	/* under lock: */
	struct queue queue;
	uint64_t logged, written, synced;   /* groups so far */
	uint64_t want_written, want_synced; /* highest group a flush waits for */
	int error;
	bool stop;
	bool writing;	      /* the writer has a batch in hand */
	unsigned int refused; /* batches that found no room */
	atomic_bool full;     /* the last one did: it waits in the queue */
	pthread_cond_t wal;   /* for the checkpointer */
	bool wal_wanted, wal_stop;

	/* the writer's own */
	bool purging;		   /* the table purge may hold rows */
	int wal_pages;		   /* length of the WAL after the last commit */
	unsigned int busy_batches; /* since the last slice of a purge */
};

/** apply_group(db, g): run the statements of one group. 0 or -errno; adds no transaction.
 */
int apply_group(struct db *db, const struct group *g);

/** ids_low(i): whether the reserve should be filled up. ids_fill(db, i): do it, inside a
 * transaction of the writer. */
bool ids_low(struct ids *i);
int ids_fill(struct db *db, struct ids *i, uint64_t *reserved);

/** writer_run(s): the writer thread; ends when s->stop is set and the queue is empty.
 * checkpointer_run(s): the other one. */
void *writer_run(void *s);
void *checkpointer_run(void *s);

#endif
