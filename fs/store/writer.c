/*
 * writer.c: the thread that alone writes, and the one that empties the WAL behind it.
 *
 * The writer takes what is queued, up to BATCH_RECS records, as one SQLite transaction.
 * It starts at once when a flush waits, else when a thousand records are there or
 * DELAY_NS after the first. When a flush asked for durability the COMMIT that reaches its
 * group syncs the WAL; if there is nothing left to write the WAL is synced alone.
 *
 * The WAL is copied into the file (a checkpoint, in SQLite's words) by a thread of its
 * own with its own connection, passively, so that no flush waits for that. SQLite begins
 * the WAL anew only when a writer finds all of it copied; under a load that never pauses
 * that does not happen, so at WAL_HARD pages the writer itself copies the rest.
 *
 * A batch that fails is rolled back, and its error kept for good: the file stays at the
 * end of the batch before. A lack of memory is tried again a few times; one of room on
 * the disk until there is some, with the batch in the queue meanwhile, so that a full
 * disk keeps nobody from going back to where there was room.
 */
#include "fs/store/impl.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include "common/cleanup.h"
#include "common/log.h"
#include "common/time.h"

#define BATCH_RECS 16384
#define FULL_RECS 1000
#define DELAY_NS 20000000L
#define SLICE_ROWS 2000
#define SLICE_EVERY 8 /* batches, while the queue does not run empty */
#define WAL_SOFT 2048 /* pages */
#define WAL_HARD 16384
#define NOMEM_TRIES 5
#define FULL_NS 200000000L /* between two tries while the disk is full */

struct batch {
	struct chunk *list;
	uint64_t last; /* number of the last group in it */
	bool durable;
};

bool ids_low(struct ids *i)
{
	uint64_t next = atomic_load(&i->next), reserved = atomic_load(&i->reserved);

	return next + i->reserve / 2 > reserved;
}

int ids_fill(struct db *db, struct ids *i, uint64_t *reserved)
{
	*reserved = atomic_load(&i->next) + i->reserve;
	db_text(db, SQL_META_PUT, 1, i->key);
	db_u64(db, SQL_META_PUT, 2, *reserved);
	return db_step(db, SQL_META_PUT);
}

/* --- applying --------------------------------------------------------------------------
 */

static int apply_one(void *arg, const struct group *g)
{
	struct store *s = arg;

	for (uint32_t i = 0; i < g->n; i++)
		if (g->rec[i].op == REC_PURGE)
			s->purging = true;
	return apply_group(&s->wr, g);
}

static int write_once(struct store *s, const struct batch *b, bool fill)
{
	uint64_t layers = 0, objects = 0;
	int err;

	err = db_durable(&s->wr, b->durable || fill);
	if (!err)
		err = db_step(&s->wr, SQL_BEGIN);
	if (!err)
		err = queue_each(b->list, apply_one, s);
	if (!err && fill)
		err = ids_fill(&s->wr, &s->layers, &layers);
	if (!err && fill)
		err = ids_fill(&s->wr, &s->objects, &objects);
	if (!err)
		err = db_step(&s->wr, SQL_COMMIT);
	if (err) {
		db_rollback(&s->wr);
		return err;
	}
	if (fill) {
		atomic_store(&s->layers.reserved, layers);
		atomic_store(&s->objects.reserved, objects);
	}
	return 0;
}

static void pause_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static int write_batch(struct store *s, const struct batch *b)
{
	bool fill = ids_low(&s->layers) || ids_low(&s->objects);
	int err, tries = 0;

	if (!b->list && !fill)
		return b->durable ? db_sync_wal(&s->wr) : 0;
	do {
		if (tries)
			pause_ms(10 << tries);
		err = write_once(s, b, fill);
	} while (err == -ENOMEM && ++tries < NOMEM_TRIES);
	return err;
}

/* --- purging ---------------------------------------------------------------------------
 */

static int purge_rows(struct store *s, uint64_t layer)
{
	static const enum sql_stmt slices[] = {SQL_PURGE_RUN, SQL_PURGE_NAME,
		SQL_PURGE_INODE, SQL_PURGE_PRINT, SQL_PURGE_XATTR, SQL_PURGE_STEP};
	int left = SLICE_ROWS, err = 0;

	for (size_t i = 0; i < sizeof(slices) / sizeof(*slices) && !err && left > 0;
		i++) {
		db_u64(&s->wr, slices[i], 1, layer);
		db_u64(&s->wr, slices[i], 2, (uint64_t)left);
		err = db_step(&s->wr, slices[i]);
		if (!err)
			left -= sqlite3_changes(s->wr.h);
	}
	if (!err && left > 0) {
		db_u64(&s->wr, SQL_PURGE_DONE, 1, layer);
		err = db_step(&s->wr, SQL_PURGE_DONE);
	}
	return err;
}

/* One slice. A purge that fails is no loss: it is tried again at the next open. */
static void purge_slice(struct store *s)
{
	int64_t layer = 0;
	int err;

	err = db_value(&s->wr, SQL_PURGE_FIRST, &layer);
	if (!err && !layer) {
		s->purging = false;
		return;
	}
	if (!err)
		err = db_durable(&s->wr, false);
	if (!err)
		err = db_step(&s->wr, SQL_BEGIN);
	if (!err)
		err = purge_rows(s, (uint64_t)layer);
	if (!err)
		err = db_step(&s->wr, SQL_COMMIT);
	if (!err)
		return;
	db_rollback(&s->wr);
	s->purging = false;
	log_warn("cannot reclaim rows of layer %lld in '%s/store.db': %s",
		(long long)layer, s->dir, strerror(-err));
}

/* --- the WAL ---------------------------------------------------------------------------
 */

static int checkpoint(struct store *s, struct db *db)
{
	int rc = sqlite3_wal_checkpoint_v2(
		db->h, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);

	if (rc == SQLITE_OK || rc == SQLITE_BUSY)
		return 0;
	log_warn("cannot copy the WAL into '%s/store.db': %s", s->dir,
		strerror(-db_errno(db, rc)));
	/* What a failed fsync left in memory counts as clean to the kernel: a second try
	 * would succeed without having written it. */
	return rc == SQLITE_IOERR_FSYNC ? -EIO : 0;
}

static void keep_error(struct store *s, int err)
{
	if (!s->error) {
		s->error = err;
		log_error("cannot write '%s/store.db': %s; the store stays as it was",
			s->dir, strerror(-err));
	}
	queue_free(queue_take(&s->queue, SIZE_MAX));
	pthread_cond_broadcast(&s->done);
}

void *checkpointer_run(void *arg)
{
	struct store *s = arg;

	pthread_mutex_lock(&s->lock);
	while (!s->wal_stop) {
		int err;

		if (!s->wal_wanted) {
			pthread_cond_wait(&s->wal, &s->lock);
			continue;
		}
		s->wal_wanted = false;
		pthread_mutex_unlock(&s->lock);
		err = checkpoint(s, &s->ck);
		pthread_mutex_lock(&s->lock);
		if (err)
			keep_error(s, err);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static int on_wal(void *arg, sqlite3 *h, const char *name, int pages)
{
	struct store *s = arg;

	s->wal_pages = pages;
	return SQLITE_OK;
}

static int care_for_wal(struct store *s)
{
	if (s->wal_pages >= WAL_HARD)
		return checkpoint(s, &s->wr);
	if (s->wal_pages >= WAL_SOFT) {
		auto_unlock pthread_mutex_t *l = lock(&s->lock);

		s->wal_wanted = true;
		pthread_cond_signal(&s->wal);
	}
	return 0;
}

/* --- the thread ------------------------------------------------------------------------
 */

static bool flush_waits(const struct store *s)
{
	return s->want_written > s->written || s->want_synced > s->synced;
}

static bool has_work(struct store *s)
{
	return s->queue.recs || s->queue.first || flush_waits(s) || ids_low(&s->layers) ||
	       ids_low(&s->objects);
}

/* Give a small queue the time to grow, a full disk that to get room. */
static void linger(struct store *s)
{
	struct timespec until = ts_in(CLOCK_MONOTONIC, s->full ? FULL_NS : DELAY_NS);

	while (!s->stop && !flush_waits(s) && (s->full || s->queue.recs < FULL_RECS))
		if (pthread_cond_timedwait(&s->work, &s->lock, &until) == ETIMEDOUT)
			return;
}

static struct batch take_batch(struct store *s)
{
	struct batch b = {.last = s->written};

	b.list = queue_take(&s->queue, BATCH_RECS);
	for (struct chunk *c = b.list; c; c = c->next)
		b.last += c->groups;
	b.durable = s->want_synced > s->synced && b.last >= s->want_synced;
	return b;
}

/* Who waits for a flush hears it; the batch is tried again. */
static void wait_for_room(struct store *s, struct batch *b, int err)
{
	if (!s->full)
		log_error("no room for '%s/store.db': %s; nothing more is changed until "
			  "there is some",
			s->dir, strerror(-err));
	queue_put_back(&s->queue, b->list);
	b->list = NULL;
	if (!s->full) { /* what is copied from the WAL makes room in it */
		s->wal_wanted = true;
		pthread_cond_signal(&s->wal);
	}
	s->full = true;
	s->refused++;
	s->want_written = s->written;
	s->want_synced = s->synced;
}

/* Called with the lock held; gives it up while writing. */
static void do_batch(struct store *s)
{
	struct batch b = take_batch(s);
	int err, care;

	s->writing = true;
	pthread_mutex_unlock(&s->lock);
	err = write_batch(s, &b);
	care = err ? 0 : care_for_wal(s);
	pthread_mutex_lock(&s->lock);
	s->writing = false;
	if ((err == -ENOSPC || err == -EDQUOT) && !s->stop && !s->error)
		wait_for_room(s, &b, err);
	else if (err || care || s->error)
		keep_error(s, err ? err : care);
	if (!err && !s->error) {
		s->full = false;
		s->written = b.last;
		if (b.durable)
			s->synced = b.last;
	}
	queue_free(b.list);
	pthread_cond_broadcast(&s->done);
}

static void do_slice(struct store *s)
{
	s->busy_batches = 0;
	pthread_mutex_unlock(&s->lock);
	purge_slice(s);
	if (s->wal_pages >= WAL_SOFT)
		care_for_wal(s);
	pthread_mutex_lock(&s->lock);
}

void *writer_run(void *arg)
{
	struct store *s = arg;

	sqlite3_wal_hook(s->wr.h, on_wal, s);
	pthread_mutex_lock(&s->lock);
	for (;;) {
		if (s->error) {
			if (s->stop)
				break;
			pthread_cond_broadcast(&s->done);
			pthread_cond_wait(&s->work, &s->lock);
		} else if (has_work(s)) {
			linger(s);
			do_batch(s);
			if (s->purging && ++s->busy_batches >= SLICE_EVERY)
				do_slice(s);
		} else if (s->stop) {
			break;
		} else if (s->purging) {
			do_slice(s);
		} else {
			pthread_cond_wait(&s->work, &s->lock);
		}
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}
