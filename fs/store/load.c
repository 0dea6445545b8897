/*
 * load.c: rows become records again.
 *
 * Loads run on the reading connection. The lock is recursive, so that a callback may load
 * rows of another kind; the same kind again would disturb the statement it stands in.
 */
#include "fs/store/impl.h"

#include <errno.h>
#include <string.h>
#include "common/cleanup.h"

static uint64_t u64(sqlite3_stmt *st, int col)
{
	return (uint64_t)sqlite3_column_int64(st, col);
}

static uint32_t u32(sqlite3_stmt *st, int col)
{
	return (uint32_t)sqlite3_column_int64(st, col);
}

static int64_t i64(sqlite3_stmt *st, int col)
{
	return sqlite3_column_int64(st, col);
}

static const char *str(sqlite3_stmt *st, int col)
{
	return (const char *)sqlite3_column_text(st, col);
}

static void hash(sqlite3_stmt *st, int col, uint8_t out[16])
{
	const void *p = sqlite3_column_blob(st, col);

	memset(out, 0, 16);
	if (p && sqlite3_column_bytes(st, col) == 16)
		memcpy(out, p, 16);
}

static const void *blob(sqlite3_stmt *st, int col, size_t *size)
{
	const void *p = sqlite3_column_blob(st, col);

	*size = (size_t)sqlite3_column_bytes(st, col);
	if (!p && sqlite3_column_type(st, col) != SQLITE_NULL)
		p = ""; /* empty, but there */
	return p;
}

/* What to do with a row; `call` makes the record and passes it on. */
struct sink {
	int (*call)(const struct sink *k, sqlite3_stmt *st);
	union {
		int (*layer)(void *, const struct rec_layer *);
		int (*object)(void *, const struct rec_object *);
		int (*inode)(void *, const struct rec_inode *);
		int (*print)(void *, const struct rec_print *);
		int (*name)(void *, const struct rec_name *);
		int (*xattr)(void *, const struct rec_xattr *);
		int (*run)(void *, const struct rec_run *);
		int (*step)(void *, const struct rec_step *);
	} f;
	void *arg;
};

static int load(
	struct store *s, enum sql_stmt which, uint64_t layer, const struct sink *k)
{
	auto_unlock pthread_mutex_t *l = lock(&s->rd_lock);
	sqlite3_stmt *st = s->rd.st[which];
	int rc, err = 0;

	if (sqlite3_bind_parameter_count(st))
		db_u64(&s->rd, which, 1, layer);
	while (!err && (rc = sqlite3_step(st)) != SQLITE_DONE)
		err = rc == SQLITE_ROW ? k->call(k, st) : db_errno(&s->rd, rc);
	sqlite3_reset(st);
	return err;
}

static int layer_row(const struct sink *k, sqlite3_stmt *st)
{
	struct rec_layer r = {
		.id = u64(st, 0),
		.kind = (int)u32(st, 1),
		.state = (int)u32(st, 2),
		.parent = u64(st, 3),
		.seq = u64(st, 4),
		.snapshot = u64(st, 5),
		.is_private = u32(st, 6) != 0,
		.label = str(st, 7),
		.begun_ns = u64(st, 9),
		.ended_ns = u64(st, 10),
		.added = u64(st, 11),
		.changed = u64(st, 12),
		.deleted = u64(st, 13),
	};

	hash(st, 8, r.token_hash);
	return r.label ? k->f.layer(k->arg, &r) : -ENOMEM;
}

static struct base_print print_at(sqlite3_stmt *st, int first)
{
	struct base_print p = {
		.dev = u64(st, first),
		.ino = u64(st, first + 1),
		.btime_ns = i64(st, first + 2),
		.mtime_ns = i64(st, first + 3),
		.ctime_ns = i64(st, first + 4),
		.size = u64(st, first + 5),
		.mode = u32(st, first + 6),
		.uid = u32(st, first + 7),
		.gid = u32(st, first + 8),
		.nlink = u32(st, first + 9),
		.racy = u32(st, first + 10) != 0,
	};

	hash(st, first + 11, p.content);
	return p;
}

static int object_row(const struct sink *k, sqlite3_stmt *st)
{
	struct rec_object r = {
		.id = u64(st, 0),
		.st_ino = u64(st, 1),
		.has_base = u32(st, 2) != 0,
		.parent = u64(st, 3),
		.name = str(st, 4),
		.print = print_at(st, 5),
		.ctime_ns = i64(st, 17),
		.ctime_left_ns = i64(st, 18),
	};

	return r.name ? k->f.object(k->arg, &r) : -ENOMEM;
}

static int print_row(const struct sink *k, sqlite3_stmt *st)
{
	struct rec_print r = {
		.layer = u64(st, 0),
		.object = u64(st, 1),
		.print = print_at(st, 2),
	};

	return k->f.print(k->arg, &r);
}

static int inode_row(const struct sink *k, sqlite3_stmt *st)
{
	struct rec_inode r = {
		.layer = u64(st, 0),
		.object = u64(st, 1),
		.mode = u32(st, 2),
		.uid = u32(st, 3),
		.gid = u32(st, 4),
		.nlink = u32(st, 5),
		.size = u64(st, 6),
		.rdev = u64(st, 7),
		.mtime_ns = i64(st, 8),
		.ctime_ns = i64(st, 9),
		.atime_ns = i64(st, 10),
		.below = u64(st, 11),
		.parts = u32(st, 12),
		.target = str(st, 13),
	};

	return k->f.inode(k->arg, &r);
}

static int name_row(const struct sink *k, sqlite3_stmt *st)
{
	struct rec_name r = {
		.layer = u64(st, 0),
		.dir = u64(st, 1),
		.name = str(st, 2),
		.object = u64(st, 3),
		.was = u64(st, 4),
	};

	return r.name ? k->f.name(k->arg, &r) : -ENOMEM;
}

static int xattr_row(const struct sink *k, sqlite3_stmt *st)
{
	struct rec_xattr r = {
		.layer = u64(st, 0),
		.object = u64(st, 1),
		.name = str(st, 2),
	};

	r.value = blob(st, 3, &r.size);
	return r.name ? k->f.xattr(k->arg, &r) : -ENOMEM;
}

static int run_row(const struct sink *k, sqlite3_stmt *st)
{
	struct rec_run r = {
		.layer = u64(st, 0),
		.object = u64(st, 1),
		.block = u64(st, 2),
		.count = u64(st, 3),
		.pool = u64(st, 4),
		.chunk_off = u64(st, 5),
		.chunk_bytes = u32(st, 6),
		.skip = u32(st, 7),
	};

	hash(st, 8, r.hash);
	return k->f.run(k->arg, &r);
}

static int step_row(const struct sink *k, sqlite3_stmt *st)
{
	struct rec_step r = {
		.layer = u64(st, 0),
		.n = u64(st, 1),
		.op = u32(st, 2),
		.object = u64(st, 3),
		.ino = u64(st, 4),
		.btime_ns = i64(st, 5),
		.ino2 = u64(st, 6),
		.btime2_ns = i64(st, 7),
		.path = str(st, 8),
		.path2 = str(st, 9),
		.mode = u32(st, 10),
		.uid = u32(st, 11),
		.gid = u32(st, 12),
		.mtime_ns = i64(st, 13),
		.atime_ns = i64(st, 14),
		.flags = u32(st, 15),
	};

	r.blob = blob(st, 16, &r.blob_size);
	return r.path && r.path2 ? k->f.step(k->arg, &r) : -ENOMEM;
}

int store_load_layers(
	struct store *s, int (*f)(void *, const struct rec_layer *), void *arg)
{
	return load(s, SQL_LAYER_ALL, 0, &(struct sink){layer_row, {.layer = f}, arg});
}

int store_load_objects(
	struct store *s, int (*f)(void *, const struct rec_object *), void *arg)
{
	return load(s, SQL_OBJECT_ALL, 0, &(struct sink){object_row, {.object = f}, arg});
}

int store_load_prints(struct store *s, uint64_t layer,
	int (*f)(void *, const struct rec_print *), void *arg)
{
	return load(s, SQL_PRINT_OF, layer, &(struct sink){print_row, {.print = f}, arg});
}

int store_load_inodes(struct store *s, uint64_t layer,
	int (*f)(void *, const struct rec_inode *), void *arg)
{
	return load(s, SQL_INODE_OF, layer, &(struct sink){inode_row, {.inode = f}, arg});
}

int store_load_names(struct store *s, uint64_t layer,
	int (*f)(void *, const struct rec_name *), void *arg)
{
	return load(s, SQL_NAME_OF, layer, &(struct sink){name_row, {.name = f}, arg});
}

int store_load_xattrs(struct store *s, uint64_t layer,
	int (*f)(void *, const struct rec_xattr *), void *arg)
{
	return load(s, SQL_XATTR_OF, layer, &(struct sink){xattr_row, {.xattr = f}, arg});
}

int store_load_runs(struct store *s, uint64_t layer,
	int (*f)(void *, const struct rec_run *), void *arg)
{
	return load(s, SQL_RUN_OF, layer, &(struct sink){run_row, {.run = f}, arg});
}

int store_load_steps(struct store *s, uint64_t layer,
	int (*f)(void *, const struct rec_step *), void *arg)
{
	return load(s, SQL_STEP_OF, layer, &(struct sink){step_row, {.step = f}, arg});
}
