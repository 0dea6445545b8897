/*
 * store.c: opening and closing a store, its ids, and the callers' side of the queue.
 */
#include "fs/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/cleanup.h"
#include "common/mem.h"
#include "fs/store/impl.h"

/* --- opening ---------------------------------------------------------------------------
 */

static char *explain(const char *dir, int err, const char *cause)
{
	switch (err) {
	case -EBUSY:
		return mem_printf(
			"store '%s' is in use by another process; "
			"unmount its workspace first, or choose another with --store",
			dir);
	case -EPROTO:
		return mem_printf(
			"cannot open '%s/store.db': %s; "
			"use a newer txfs, or choose another store with --store",
			dir, cause ? cause : "its schema is newer");
	case -EUCLEAN:
		return mem_printf(
			"'%s/store.db' is damaged: %s; restore it from a copy, or "
			"move the store away and mount again without its "
			"transactions",
			dir, cause ? cause : "it is not a store");
	case -ENOSPC:
	case -EDQUOT:
		return mem_printf(
			"cannot open store '%s': %s; make room, or choose another "
			"with --store",
			dir, strerror(-err));
	case -ENOMEM: return NULL;
	default:
		return mem_printf(
			"cannot open store '%s': %s; choose another with --store", dir,
			(err == -EIO || err == -EOPNOTSUPP) && cause ? cause
								     : strerror(-err));
	}
}

static int open_dir(struct store *s, const char *dir)
{
	if (mkdir(dir, 0700) && errno != EEXIST)
		return -errno;
	s->dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dirfd < 0)
		return -errno;
	s->dir = realpath(dir, NULL);
	return s->dir ? 0 : -errno;
}

static int take_lock(struct store *s)
{
	s->lockfd =
		openat(s->dirfd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (s->lockfd < 0)
		return -errno;
	if (flock(s->lockfd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	return 0;
}

/* SQLite would make a database of an empty file, and of a short one report nothing better
 * than we can. Before SQLite has it open: closing a descriptor later would drop its
 * locks. */
static int check_magic(struct store *s, char **cause)
{
	static const char magic[16] = "SQLite format 3";
	auto_close int fd =
		openat(s->dirfd, "store.db", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char head[16];
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	n = read(fd, head, sizeof(head));
	if (n < 0)
		return -errno;
	if (n == 0 || (n == sizeof(head) && !memcmp(head, magic, sizeof(head))))
		return 0;
	*cause = mem_strdup("it is not a database");
	return -EUCLEAN;
}

static int ids_init(struct store *s, struct ids *i, const char *key, uint64_t reserve,
	enum sql_stmt max)
{
	int64_t next = 0, used = 0;
	int err;

	i->key = key;
	i->reserve = reserve;
	db_text(&s->wr, SQL_META_GET, 1, key);
	err = db_value(&s->wr, SQL_META_GET, &next);
	if (!err)
		err = db_value(&s->wr, max, &used);
	if (next <= used)
		next = used + 1;
	atomic_store(&i->next, (uint64_t)next);
	return err;
}

/* Write what the file says about ids in a commit of its own: a reserve, or on a clean end
 * exactly what was used. */
static int ids_save(struct store *s, bool reserve)
{
	uint64_t value[2];
	struct ids *ids[2] = {&s->layers, &s->objects};
	int err;

	err = db_durable(&s->wr, true);
	if (!err)
		err = db_step(&s->wr, SQL_BEGIN);
	for (int k = 0; k < 2 && !err; k++) {
		if (!reserve)
			ids[k]->reserve = 0;
		err = ids_fill(&s->wr, ids[k], &value[k]);
	}
	if (!err)
		err = db_step(&s->wr, SQL_COMMIT);
	if (err)
		db_rollback(&s->wr);
	for (int k = 0; k < 2 && !err; k++)
		atomic_store(&ids[k]->reserved, value[k]);
	return err;
}

static int open_db(struct store *s, char **cause)
{
	auto_free char *path = mem_printf("%s/store.db", s->dir);
	struct db *all[] = {&s->wr, &s->rd, &s->ck};
	int64_t seq = 0, purge = 0;
	int err;

	if (!path)
		return -ENOMEM;
	err = check_magic(s, cause);
	for (int i = 0; i < 3 && !err; i++)
		err = db_open(path, all[i], cause);
	if (!err)
		err = ids_init(
			s, &s->layers, "next_layer", RESERVE_LAYERS, SQL_LAYER_MAX);
	if (!err)
		err = ids_init(
			s, &s->objects, "next_object", RESERVE_OBJECTS, SQL_OBJECT_MAX);
	if (!err)
		err = db_value(&s->wr, SQL_LAYER_MAX_SEQ, &seq);
	if (!err)
		err = db_value(&s->wr, SQL_PURGE_FIRST, &purge);
	if (!err)
		err = ids_save(s, true);
	if (!err && fsync(s->dirfd))
		err = -errno;
	s->last_seq = (uint64_t)seq;
	s->purging = purge != 0;
	return err;
}

/* Threads of ours take no signals: those are for the program's own. */
static int start(struct store *s)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&s->checkpointer, NULL, checkpointer_run, s);
	if (!err) {
		err = pthread_create(&s->writer, NULL, writer_run, s);
		if (err) {
			pthread_mutex_lock(&s->lock);
			s->wal_stop = true;
			pthread_cond_signal(&s->wal);
			pthread_mutex_unlock(&s->lock);
			pthread_join(s->checkpointer, NULL);
		}
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -err;
}

static struct store *store_new(void)
{
	struct store *s = mem_zalloc(sizeof(*s));
	pthread_mutexattr_t recursive;
	pthread_condattr_t monotonic;

	if (!s)
		return NULL;
	s->dirfd = s->lockfd = -1;
	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&s->rd_lock, &recursive);
	pthread_mutexattr_destroy(&recursive);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->work, &monotonic);
	pthread_cond_init(&s->done, &monotonic);
	pthread_cond_init(&s->wal, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return s;
}

/* The lock goes last, when nothing of ours touches the files any more. */
static void store_free(struct store *s, bool keep_wal)
{
	db_close(&s->ck, true);
	db_close(&s->rd, true);
	db_close(&s->wr, keep_wal);
	queue_free(s->queue.first);
	pthread_cond_destroy(&s->wal);
	pthread_cond_destroy(&s->done);
	pthread_cond_destroy(&s->work);
	pthread_mutex_destroy(&s->lock);
	pthread_mutex_destroy(&s->rd_lock);
	if (s->dirfd >= 0)
		close(s->dirfd);
	if (s->lockfd >= 0)
		close(s->lockfd);
	free(s->dir);
	free(s);
}

int store_open(const char *dir, struct store **out, char **msg)
{
	auto_free char *cause = NULL;
	struct store *s = store_new();
	int err;

	*out = NULL;
	*msg = NULL;
	if (!s)
		return -ENOMEM;
	err = open_dir(s, dir);
	if (!err)
		err = take_lock(s);
	if (!err)
		err = open_db(s, &cause);
	if (!err)
		err = start(s);
	if (err) {
		*msg = explain(dir, err, cause);
		store_free(s, true);
		return err;
	}
	*out = s;
	return 0;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->work);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->writer, NULL);
	pthread_mutex_lock(&s->lock);
	s->wal_stop = true;
	pthread_cond_signal(&s->wal);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->checkpointer, NULL);
	if (!s->error && ids_save(s, false))
		s->error = -EIO;
	store_free(s, s->error != 0);
}

/* --- use -------------------------------------------------------------------------------
 */

int store_dirfd(const struct store *s)
{
	return s->dirfd;
}

/* Lock held. */
static int log_group(struct store *s, const struct rec *r, size_t n)
{
	size_t bytes = queue_group_bytes(r, n);
	int err;

	while (!s->error && s->queue.bytes && s->queue.bytes + bytes > STORE_QUEUE_MAX) {
		if (s->full)
			return -ENOSPC;
		pthread_cond_wait(&s->done, &s->lock);
	}
	if (s->error || !n)
		return s->error;
	err = queue_put(&s->queue, r, n, bytes);
	if (err)
		return err;
	s->logged++;
	/* Once for the first, when the writer may be asleep, and once for a full batch.
	 */
	if (s->queue.recs == n || (s->queue.recs >= 1000 && s->queue.recs - n < 1000))
		pthread_cond_signal(&s->work);
	return 0;
}

int store_log(struct store *s, const struct rec *r, size_t n)
{
	auto_unlock pthread_mutex_t *l = lock(&s->lock);

	return log_group(s, r, n);
}

/* Lock held. -ENOSPC: a try since then found the disk full. */
static int flush_to(struct store *s, enum store_flush_how how, uint64_t want)
{
	unsigned int refused = s->refused;
	const uint64_t *have = how == STORE_DURABLE ? &s->synced : &s->written;
	uint64_t *asked = how == STORE_DURABLE ? &s->want_synced : &s->want_written;

	if (!s->error && *have < want) {
		if (*asked < want)
			*asked = want;
		pthread_cond_signal(&s->work);
	}
	while (!s->error && *have < want && s->refused == refused)
		pthread_cond_wait(&s->done, &s->lock);
	return s->error ? s->error : *have < want ? -ENOSPC : 0;
}

int store_flush(struct store *s, enum store_flush_how how)
{
	auto_unlock pthread_mutex_t *l = lock(&s->lock);

	return flush_to(s, how, s->logged);
}

int store_commit(struct store *s, const struct rec *r, size_t n, bool *unsure)
{
	auto_unlock pthread_mutex_t *l = lock(&s->lock);
	int err = log_group(s, r, n);
	uint64_t group = s->logged;

	*unsure = false;
	if (err)
		return err;
	err = flush_to(s, STORE_DURABLE, group);
	while (err && s->writing)
		pthread_cond_wait(&s->done, &s->lock);
	if (!err || (!s->error && s->synced >= group))
		return 0;
	if (!s->error && s->written < group) {
		queue_cancel(&s->queue, (size_t)(group - s->written - 1));
		return err;
	}
	*unsure = true; /* nothing may follow it before the next open has looked */
	if (!s->error)
		s->error = err;
	return err;
}

bool store_full(struct store *s)
{
	return s->full;
}

int store_error(struct store *s)
{
	auto_unlock pthread_mutex_t *l = lock(&s->lock);

	return s->error;
}

static uint64_t size_of(int dirfd, const char *name)
{
	struct stat st;

	return fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) ? 0 : (uint64_t)st.st_size;
}

uint64_t store_bytes(struct store *s)
{
	return size_of(s->dirfd, "store.db") + size_of(s->dirfd, "store.db-wal");
}

static uint64_t ids_take(struct store *s, struct ids *i)
{
	uint64_t id = atomic_fetch_add(&i->next, 1);

	/* Just below the mark, and then now and again, wake the writer for more. */
	if (ids_low(i) && id % (i->reserve / 16) == 0) {
		auto_unlock pthread_mutex_t *l = lock(&s->lock);

		pthread_cond_signal(&s->work);
	}
	return id;
}

uint64_t store_next_layer(struct store *s)
{
	return ids_take(s, &s->layers);
}

uint64_t store_next_object(struct store *s)
{
	return ids_take(s, &s->objects);
}

uint64_t store_last_seq(struct store *s)
{
	return s->last_seq;
}
