/*
 * test-store.c: rows come back, in order, whatever happens to the process.
 */
#define SQL_TABLES /* the texts of the statements are looked at */
#include "fs/store/db.h"
#include "tests/unit/fs/suites.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "common/cleanup.h"
#include "fs/store/store.h"

static char dir[256];

static void setup(void)
{
	char top[256];

	snprintf(dir, sizeof(dir), "%.240s/store", scratch(top));
}

static struct store *open_ok(void)
{
	struct store *s = NULL;
	char *msg = NULL;
	int err = store_open(dir, &s, &msg);

	ck_assert_msg(err == 0, "open: %d %s", err, msg ? msg : "");
	ck_assert_ptr_null(msg);
	return s;
}

/* Opens, expects the error and a message with these words in it. */
static void open_fails(int want, const char *word, const char *word2)
{
	struct store *s = NULL;
	char *msg = NULL;
	int err = store_open(dir, &s, &msg);

	ck_assert_int_eq(err, want);
	ck_assert_ptr_null(s);
	ck_assert_ptr_nonnull(msg);
	ck_assert_msg(strstr(msg, word) && strstr(msg, word2), "%s", msg);
	ck_assert_ptr_null(strchr(msg, '\n'));
	free(msg);
}

static void write_at(const char *name, const char *bytes, size_t n, off_t at)
{
	auto_free char *path = NULL;
	auto_close int fd = -1;

	ck_assert_int_gt(asprintf(&path, "%s/%s", dir, name), 0);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, bytes, n, at), (ssize_t)n);
}

static void sql(const char *text)
{
	auto_free char *path = NULL;
	sqlite3 *h = NULL;

	ck_assert_int_gt(asprintf(&path, "%s/store.db", dir), 0);
	ck_assert_int_eq(sqlite3_open(path, &h), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(h, text, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(h);
}

/* --- rows ------------------------------------------------------------------------------
 */

static const struct rec_layer a_layer = {.id = 7,
	.kind = LAYER_TX,
	.state = 3,
	.parent = 2,
	.seq = 41,
	.snapshot = 40,
	.is_private = true,
	.label = "two\nlines",
	.token_hash = {1, 2, 3, 255},
	.begun_ns = 1700000000123456789,
	.ended_ns = 1700000001123456789,
	.added = 1,
	.changed = 2,
	.deleted = 3};

static const struct rec_object an_object = {.id = 9,
	.st_ino = UINT64_MAX,
	.has_base = true,
	.parent = 1,
	.name = "na\xffme",
	.print = {.dev = 3,
		.ino = 4,
		.btime_ns = -5,
		.mtime_ns = 6,
		.ctime_ns = 7,
		.size = 1ull << 62,
		.mode = 0100644,
		.uid = UINT32_MAX,
		.gid = 8,
		.nlink = 2,
		.racy = true,
		.content = {9, 8, 7}},
	.ctime_ns = 10,
	.ctime_left_ns = 11};

static const struct rec_inode an_inode = {.layer = 7,
	.object = 9,
	.mode = 0120777,
	.uid = 1,
	.gid = 2,
	.nlink = 3,
	.size = 4,
	.rdev = 5,
	.mtime_ns = 6,
	.ctime_ns = 7,
	.atime_ns = 8,
	.below = 9,
	.parts = 10,
	.target = "to/here"};

static const struct rec_run a_run = {.layer = 7,
	.object = 9,
	.block = 100,
	.count = 3,
	.pool = 7,
	.chunk_off = RUN_HOLE,
	.chunk_bytes = 12000,
	.skip = 1,
	.hash = {4, 5, 6}};

static const struct rec_step a_step = {.layer = 7,
	.n = 1,
	.op = 2,
	.object = 9,
	.ino = 3,
	.btime_ns = 4,
	.ino2 = 5,
	.btime2_ns = 6,
	.path = "a",
	.path2 = "",
	.mode = 0644,
	.uid = 7,
	.gid = 8,
	.mtime_ns = 9,
	.atime_ns = 10,
	.flags = 11,
	.blob = "\0\1",
	.blob_size = 2};

static int seen;

static int check_layer(void *arg, const struct rec_layer *r)
{
	seen++;
	ck_assert_uint_eq(r->id, a_layer.id);
	ck_assert_int_eq(r->kind, a_layer.kind);
	ck_assert_int_eq(r->state, a_layer.state);
	ck_assert_uint_eq(r->parent, a_layer.parent);
	ck_assert_uint_eq(r->seq, a_layer.seq);
	ck_assert_uint_eq(r->snapshot, a_layer.snapshot);
	ck_assert(r->is_private);
	ck_assert_str_eq(r->label, a_layer.label);
	ck_assert_mem_eq(r->token_hash, a_layer.token_hash, 16);
	ck_assert_uint_eq(r->begun_ns, a_layer.begun_ns);
	ck_assert_uint_eq(r->ended_ns, a_layer.ended_ns);
	ck_assert_uint_eq(r->added * 100 + r->changed * 10 + r->deleted, 123);
	return 0;
}

static int check_object(void *arg, const struct rec_object *r)
{
	const struct base_print *p = &r->print, *q = &an_object.print;

	seen++;
	ck_assert_uint_eq(r->id, an_object.id);
	ck_assert_uint_eq(r->st_ino, an_object.st_ino);
	ck_assert(r->has_base && p->racy);
	ck_assert_uint_eq(r->parent, an_object.parent);
	ck_assert_str_eq(r->name, an_object.name);
	ck_assert_uint_eq(p->dev, q->dev);
	ck_assert_uint_eq(p->ino, q->ino);
	ck_assert_int_eq(p->btime_ns, q->btime_ns);
	ck_assert_int_eq(p->mtime_ns, q->mtime_ns);
	ck_assert_int_eq(p->ctime_ns, q->ctime_ns);
	ck_assert_uint_eq(p->size, q->size);
	ck_assert_uint_eq(p->mode, q->mode);
	ck_assert_uint_eq(p->uid, q->uid);
	ck_assert_uint_eq(p->gid, q->gid);
	ck_assert_uint_eq(p->nlink, q->nlink);
	ck_assert_mem_eq(p->content, q->content, 16);
	ck_assert_int_eq(r->ctime_ns, an_object.ctime_ns);
	ck_assert_int_eq(r->ctime_left_ns, an_object.ctime_left_ns);
	return 0;
}

static int check_inode(void *arg, const struct rec_inode *r)
{
	seen++;
	ck_assert_uint_eq(r->layer, an_inode.layer);
	ck_assert_uint_eq(r->object, an_inode.object);
	ck_assert_uint_eq(r->mode, an_inode.mode);
	ck_assert_uint_eq(r->uid, an_inode.uid);
	ck_assert_uint_eq(r->gid, an_inode.gid);
	ck_assert_uint_eq(r->nlink, an_inode.nlink);
	ck_assert_uint_eq(r->size, an_inode.size);
	ck_assert_uint_eq(r->rdev, an_inode.rdev);
	ck_assert_int_eq(r->mtime_ns, an_inode.mtime_ns);
	ck_assert_int_eq(r->ctime_ns, an_inode.ctime_ns);
	ck_assert_int_eq(r->atime_ns, an_inode.atime_ns);
	ck_assert_uint_eq(r->below, an_inode.below);
	ck_assert_uint_eq(r->parts, an_inode.parts);
	ck_assert_str_eq(r->target, an_inode.target);
	return 0;
}

static int check_run(void *arg, const struct rec_run *r)
{
	seen++;
	ck_assert_mem_eq(r, &a_run, sizeof(*r));
	return 0;
}

static int check_step(void *arg, const struct rec_step *r)
{
	seen++;
	ck_assert_uint_eq(r->n, a_step.n);
	ck_assert_uint_eq(r->op, a_step.op);
	ck_assert_uint_eq(r->object, a_step.object);
	ck_assert_uint_eq(r->ino, a_step.ino);
	ck_assert_int_eq(r->btime_ns, a_step.btime_ns);
	ck_assert_uint_eq(r->ino2, a_step.ino2);
	ck_assert_int_eq(r->btime2_ns, a_step.btime2_ns);
	ck_assert_str_eq(r->path, "a");
	ck_assert_str_eq(r->path2, "");
	ck_assert_uint_eq(r->mode, a_step.mode);
	ck_assert_uint_eq(r->uid, a_step.uid);
	ck_assert_uint_eq(r->gid, a_step.gid);
	ck_assert_int_eq(r->mtime_ns, a_step.mtime_ns);
	ck_assert_int_eq(r->atime_ns, a_step.atime_ns);
	ck_assert_uint_eq(r->flags, a_step.flags);
	ck_assert_uint_eq(r->blob_size, 2);
	ck_assert_mem_eq(r->blob, "\0\1", 2);
	return 0;
}

/* Names: "gone" is a whiteout, "here" is object 9; in that order. */
static int check_name(void *arg, const struct rec_name *r)
{
	ck_assert_uint_eq(r->layer, 7);
	ck_assert_uint_eq(r->dir, 1);
	ck_assert_str_eq(r->name, seen ? "here" : "gone");
	ck_assert_uint_eq(r->object, seen ? 9 : 0);
	ck_assert_uint_eq(r->was, seen ? 8 : 0);
	seen++;
	return 0;
}

/* Attributes: "user.a" empty but there, "user.b" removed. */
static int check_xattr(void *arg, const struct rec_xattr *r)
{
	ck_assert_str_eq(r->name, seen ? "user.b" : "user.a");
	ck_assert_uint_eq(r->size, 0);
	if (seen)
		ck_assert_ptr_null(r->value);
	else
		ck_assert_ptr_nonnull(r->value);
	seen++;
	return 0;
}

static void check_all(struct store *s)
{
	seen = 0;
	ck_assert_int_eq(store_load_layers(s, check_layer, NULL), 0);
	ck_assert_int_eq(store_load_objects(s, check_object, NULL), 0);
	ck_assert_int_eq(store_load_inodes(s, 7, check_inode, NULL), 0);
	ck_assert_int_eq(store_load_runs(s, 7, check_run, NULL), 0);
	ck_assert_int_eq(store_load_steps(s, 7, check_step, NULL), 0);
	ck_assert_int_eq(seen, 5);
	seen = 0;
	ck_assert_int_eq(store_load_names(s, 7, check_name, NULL), 0);
	ck_assert_int_eq(seen, 2);
	seen = 0;
	ck_assert_int_eq(store_load_xattrs(s, 7, check_xattr, NULL), 0);
	ck_assert_int_eq(seen, 2);
}

START_TEST(every_row_comes_back)
{
	struct store *s = open_ok();
	const struct rec group[] = {
		{.op = REC_LAYER, .layer = a_layer},
		{.op = REC_OBJECT, .object = an_object},
		{.op = REC_INODE, .inode = an_inode},
		{.op = REC_NAME, .name = {7, 1, "here", 9, 8}},
		{.op = REC_NAME, .name = {7, 1, "gone", 0, 0}},
		{.op = REC_XATTR, .xattr = {7, 9, "user.b", NULL, 0}},
		{.op = REC_XATTR, .xattr = {7, 9, "user.a", "", 0}},
		{.op = REC_RUN, .run = a_run},
		{.op = REC_STEP, .step = a_step},
	};

	ck_assert_uint_eq(store_last_seq(s), 0);
	ck_assert_int_eq(store_log(s, group, sizeof(group) / sizeof(*group)), 0);
	ck_assert_int_eq(store_flush(s, STORE_WRITTEN), 0);
	check_all(s);
	store_close(s);
	s = open_ok();
	ck_assert_uint_eq(store_last_seq(s), 41);
	ck_assert_uint_gt(store_next_layer(s), 7);
	ck_assert_uint_gt(store_next_object(s), 9);
	check_all(s);
	store_close(s);
}
END_TEST

static int stop_at_once(void *arg, const struct rec_name *r)
{
	seen++;
	return -ECANCELED;
}

static int count_name(void *arg, const struct rec_name *r)
{
	seen++;
	return 0;
}

static int count_inode(void *arg, const struct rec_inode *r)
{
	seen++;
	return 0;
}

static int count_xattr(void *arg, const struct rec_xattr *r)
{
	seen++;
	return 0;
}

static int count_run(void *arg, const struct rec_run *r)
{
	seen++;
	return 0;
}

static int count_step(void *arg, const struct rec_step *r)
{
	seen++;
	return 0;
}

static int count_object(void *arg, const struct rec_object *r)
{
	seen++;
	return 0;
}

START_TEST(rows_are_replaced_and_deleted_by_key)
{
	struct store *s = open_ok();
	const struct rec put[] = {
		{.op = REC_OBJECT, .object = an_object},
		{.op = REC_INODE, .inode = an_inode},
		{.op = REC_INODE, .inode = an_inode},
		{.op = REC_NAME, .name = {7, 1, "x", 9, 0}},
		{.op = REC_NAME, .name = {7, 1, "x", 8, 0}},
		{.op = REC_XATTR, .xattr = {7, 9, "user.a", "1", 1}},
		{.op = REC_XATTR, .xattr = {7, 9, "user.a", "2", 1}},
		{.op = REC_RUN, .run = a_run},
		{.op = REC_RUN, .run = a_run},
		{.op = REC_STEP, .step = a_step},
		{.op = REC_STEP, .step = a_step},
	};
	const struct rec del[] = {
		{.op = REC_OBJECT_DEL, .object = {.id = 9}},
		{.op = REC_INODE_DEL, .inode = {.layer = 7, .object = 9}},
		{.op = REC_NAME_DEL, .name = {7, 1, "x", 0, 0}},
		{.op = REC_XATTR_DEL,
			.xattr = {.layer = 7, .object = 9, .name = "user.a"}},
		{.op = REC_RUN_DEL, .run = {.layer = 7, .object = 9, .block = 100}},
		{.op = REC_STEPS_DEL, .layer = {.id = 7}},
	};

	seen = 0;
	store_log(s, put, sizeof(put) / sizeof(*put));
	ck_assert_int_eq(store_flush(s, STORE_WRITTEN), 0);
	ck_assert_int_eq(store_load_names(s, 7, stop_at_once, NULL), -ECANCELED);
	store_load_inodes(s, 7, count_inode, NULL);
	store_load_names(s, 7, count_name, NULL);
	store_load_xattrs(s, 7, count_xattr, NULL);
	store_load_runs(s, 7, count_run, NULL);
	store_load_steps(s, 7, count_step, NULL);
	ck_assert_int_eq(seen, 6);
	seen = 0;
	store_log(s, del, sizeof(del) / sizeof(*del));
	ck_assert_int_eq(store_flush(s, STORE_DURABLE), 0);
	store_load_objects(s, count_object, NULL);
	store_load_inodes(s, 7, count_inode, NULL);
	store_load_names(s, 7, count_name, NULL);
	store_load_xattrs(s, 7, count_xattr, NULL);
	store_load_runs(s, 7, count_run, NULL);
	store_load_steps(s, 7, count_step, NULL);
	ck_assert_int_eq(seen, 0);
	store_close(s);
}
END_TEST

/* --- prefixes and ids ------------------------------------------------------------------
 */

/* Group k is the rows 3k, 3k+1, 3k+2 of directory 1 in layer 1. */
static int log_group(struct store *s, uint64_t k)
{
	struct rec r[3];
	char names[3][24];

	for (int i = 0; i < 3; i++) {
		snprintf(names[i], sizeof(names[i]), "%012llu",
			(unsigned long long)(3 * k + (uint64_t)i));
		r[i] = (struct rec){
			.op = REC_NAME, .name = {1, 1, names[i], 3 * k + 1, 0}};
	}
	return store_log(s, r, 3);
}

static int check_next(void *arg, const struct rec_name *r)
{
	char want[24];

	snprintf(want, sizeof(want), "%012d", seen++);
	ck_assert_str_eq(r->name, want);
	return 0;
}

static int whole_groups(struct store *s)
{
	seen = 0;
	ck_assert_int_eq(store_load_names(s, 1, check_next, NULL), 0);
	ck_assert_int_eq(seen % 3, 0);
	return seen / 3;
}

static void child_writes(int out)
{
	struct store *s = open_ok();
	uint64_t ids[2] = {0, 0};

	for (uint64_t k = 0;; k++) {
		log_group(s, k);
		if (k % 500 == 499)
			store_flush(s, STORE_WRITTEN);
		ids[0] = store_next_layer(s);
		ids[1] = store_next_object(s);
		if (k % 500 == 499 &&
			write(out, (uint64_t[3]){k + 1, ids[0], ids[1]}, 24) < 0)
			_exit(1);
	}
}

START_TEST(kill_in_mid_write_leaves_a_prefix)
{
	uint64_t said[3] = {0, 0, 0}, got[3];
	int p[2], groups;
	struct store *s;
	pid_t pid;

	ck_assert_int_eq(pipe(p), 0);
	pid = fork();
	if (pid == 0)
		child_writes(p[1]);
	close(p[1]);
	srand((unsigned int)_i);
	usleep((useconds_t)(30000 + rand() % 100000));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	while (read(p[0], got, sizeof(got)) == sizeof(got))
		memcpy(said, got, sizeof(got));
	close(p[0]);
	s = open_ok();
	groups = whole_groups(s);
	ck_assert_uint_ge((uint64_t)groups, said[0]);
	ck_assert_uint_gt(store_next_layer(s), said[1]);
	ck_assert_uint_gt(store_next_object(s), said[2]);
	store_close(s);
}
END_TEST

START_TEST(ids_are_small_after_a_clean_close)
{
	struct store *s = open_ok();

	ck_assert_uint_eq(store_next_layer(s), 1);
	ck_assert_uint_eq(store_next_layer(s), 2);
	ck_assert_uint_eq(store_next_object(s), 1);
	store_close(s);
	s = open_ok();
	ck_assert_uint_eq(store_next_layer(s), 3);
	ck_assert_uint_eq(store_next_object(s), 2);
	store_close(s);
}
END_TEST

START_TEST(a_long_queue_waits_for_room)
{
	static char big[60000];
	struct store *s = open_ok();
	struct rec r = {.op = REC_XATTR, .xattr = {1, 0, "user.x", big, sizeof(big)}};

	for (uint64_t i = 0; i < 2000; i++) { /* 120 MB */
		r.xattr.object = i;
		ck_assert_int_eq(store_log(s, &r, 1), 0);
	}
	ck_assert_int_eq(store_flush(s, STORE_DURABLE), 0);
	seen = 0;
	store_load_xattrs(s, 1, count_xattr, NULL);
	ck_assert_int_eq(seen, 2000);
	/* all in the WAL, but copied behind the writer and begun anew */
	ck_assert_uint_lt(store_bytes(s), 2u * 2000 * sizeof(big) + (64u << 20));
	store_close(s);
}
END_TEST

/* --- purge -----------------------------------------------------------------------------
 */

static int rows_of_layer(struct store *s)
{
	seen = 0;
	store_load_inodes(s, 1, count_inode, NULL);
	store_load_names(s, 1, count_name, NULL);
	store_load_xattrs(s, 1, count_xattr, NULL);
	store_load_runs(s, 1, count_run, NULL);
	store_load_steps(s, 1, count_step, NULL);
	return seen;
}

static void fill_layer(struct store *s, uint64_t layer)
{
	char name[24];

	for (uint64_t i = 0; i < 3000; i++) {
		const struct rec r[] = {
			{.op = REC_INODE, .inode = {.layer = layer, .object = i}},
			{.op = REC_NAME, .name = {layer, i % 3, name, i, 0}},
			{.op = REC_XATTR, .xattr = {layer, i, "user.a", "v", 1}},
			{.op = REC_RUN, .run = {.layer = layer, .object = 1, .block = i}},
			{.op = REC_STEP,
				.step = {.layer = layer,
					.n = i,
					.path = "",
					.path2 = ""}},
		};

		snprintf(name, sizeof(name), "%llu", (unsigned long long)i);
		ck_assert_int_eq(store_log(s, r, 5), 0);
	}
	ck_assert_int_eq(store_flush(s, STORE_WRITTEN), 0);
}

static void wait_purged(struct store *s)
{
	for (int i = 0; i < 1000 && rows_of_layer(s); i++)
		usleep(10000);
	ck_assert_int_eq(rows_of_layer(s), 0);
}

START_TEST(purge_takes_all_rows_of_one_layer)
{
	struct store *s = open_ok();
	const struct rec purge = {.op = REC_PURGE, .layer = {.id = 1}};

	fill_layer(s, 1);
	fill_layer(s, 2);
	ck_assert_int_eq(rows_of_layer(s), 15000);
	ck_assert_int_eq(store_log(s, &purge, 1), 0);
	ck_assert_int_eq(store_flush(s, STORE_WRITTEN), 0);
	wait_purged(s);
	seen = 0;
	store_load_runs(s, 2, count_run, NULL);
	ck_assert_int_eq(seen, 3000);
	store_close(s);
}
END_TEST

START_TEST(purge_goes_on_after_a_kill)
{
	const struct rec purge = {.op = REC_PURGE, .layer = {.id = 1}};
	struct store *s;
	pid_t pid = fork();

	if (pid == 0) {
		s = open_ok();
		fill_layer(s, 1);
		store_log(s, &purge, 1);
		store_flush(s, STORE_WRITTEN);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	s = open_ok();
	wait_purged(s);
	store_close(s);
}
END_TEST

/* --- what open says --------------------------------------------------------------------
 */

START_TEST(second_open_is_busy)
{
	struct store *s = open_ok();

	open_fails(-EBUSY, dir, "in use");
	store_close(s);
	store_close(NULL);
	store_close(open_ok());
}
END_TEST

START_TEST(newer_schema_is_refused)
{
	store_close(open_ok());
	sql("PRAGMA user_version=99");
	open_fails(-EPROTO, "schema 99", "newer txfs");
}
END_TEST

START_TEST(foreign_database_is_refused)
{
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	sql("CREATE TABLE t(x)");
	open_fails(-EUCLEAN, "store.db", "another program");
}
END_TEST

START_TEST(rubbish_is_damaged)
{
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	write_at("store.db", "no database at all, but text", 28, 0);
	open_fails(-EUCLEAN, "store.db", "move the store away");
}
END_TEST

START_TEST(missing_table_is_damaged)
{
	store_close(open_ok());
	sql("DROP TABLE run");
	open_fails(-EUCLEAN, "store.db", "run");
}
END_TEST

START_TEST(overwritten_schema_page_is_damaged)
{
	static char noise[3000];

	memset(noise, 0xa5, sizeof(noise));
	store_close(open_ok());
	write_at("store.db", noise, sizeof(noise), 100);
	open_fails(-EUCLEAN, "store.db", "damaged");
}
END_TEST

START_TEST(missing_parent_is_named)
{
	strcat(dir, "/no/such");
	open_fails(-ENOENT, dir, "--store");
}
END_TEST

START_TEST(file_in_place_of_the_directory_is_named)
{
	int fd = open(dir, O_CREAT | O_WRONLY, 0600);

	ck_assert_int_ge(fd, 0);
	close(fd);
	open_fails(-ENOTDIR, dir, "--store");
}
END_TEST

START_TEST(directory_is_private)
{
	struct stat st;

	store_close(open_ok());
	ck_assert_int_eq(stat(dir, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0700);
}
END_TEST

/* --- statements ------------------------------------------------------------------------
 */

/* A plan's line "SCAN t" reads a table from end to end; "SCAN CONSTANT ROW" does not. */
static void check_plan(sqlite3 *h, int n)
{
	char text[2048];
	sqlite3_stmt *st = NULL;
	bool scans = false;

	snprintf(text, sizeof(text), "EXPLAIN QUERY PLAN %s", sql_stmts[n].text);
	ck_assert_msg(sqlite3_prepare_v2(h, text, -1, &st, NULL) == SQLITE_OK, "%s: %s",
		sql_stmts[n].name, sqlite3_errmsg(h));
	while (sqlite3_step(st) == SQLITE_ROW) {
		const char *plan = (const char *)sqlite3_column_text(st, 3);

		if (!strncmp(plan, "SCAN", 4) && strcmp(plan, "SCAN CONSTANT ROW"))
			scans = true;
		ck_assert_msg(!strstr(plan, "TEMP B-TREE"), "%s sorts: %s",
			sql_stmts[n].name, plan);
	}
	ck_assert_msg(scans == (sql_stmts[n].scans != 0), "%s: %s", sql_stmts[n].name,
		scans ? "scans a table, not marked as meant"
		      : "marked as a scan, but is none");
	sqlite3_finalize(st);
}

START_TEST(no_statement_scans_a_table_unmeant)
{
	auto_free char *path = NULL;
	char *msg = NULL;
	struct db db;

	store_close(open_ok());
	ck_assert_int_gt(asprintf(&path, "%s/store.db", dir), 0);
	ck_assert_int_eq(db_open(path, &db, &msg), 0);
	for (int i = 0; i < SQL_N; i++) {
		ck_assert_ptr_nonnull(db.st[i]);
		if (i != SQL_BEGIN && i != SQL_COMMIT && i != SQL_ROLLBACK)
			check_plan(db.h, i);
	}
	db_close(&db, false);
}
END_TEST

START_TEST(every_column_of_the_schema_has_a_comment)
{
	bool commented = true;

	for (const char *p = strstr(sql_steps[0], "INTEGER NOT NULL"); p && commented;
		p = strstr(p + 1, "INTEGER NOT NULL")) {
		const char *line = p;

		while (line > sql_steps[0] && line[-1] != '\n')
			line--;
		/* keys explain themselves */
		if (!strncmp(line, "  layer", 7) ||
			!strncmp(line, "  object INTEGER NOT", 20) ||
			!strncmp(line, "  value", 7))
			continue;
		commented = strcspn(p, "-") < strcspn(p, "\n");
		ck_assert_msg(commented, "%.40s", line);
	}
}
END_TEST

Suite *suite_store(void)
{
	Suite *s = suite_create("store");
	TCase *t = tcase_create("store");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, every_row_comes_back);
	tcase_add_test(t, rows_are_replaced_and_deleted_by_key);
	tcase_add_loop_test(t, kill_in_mid_write_leaves_a_prefix, 0, 6);
	tcase_add_test(t, ids_are_small_after_a_clean_close);
	tcase_add_test(t, a_long_queue_waits_for_room);
	tcase_add_test(t, purge_takes_all_rows_of_one_layer);
	tcase_add_test(t, purge_goes_on_after_a_kill);
	tcase_add_test(t, second_open_is_busy);
	tcase_add_test(t, newer_schema_is_refused);
	tcase_add_test(t, foreign_database_is_refused);
	tcase_add_test(t, rubbish_is_damaged);
	tcase_add_test(t, missing_table_is_damaged);
	tcase_add_test(t, overwritten_schema_page_is_damaged);
	tcase_add_test(t, missing_parent_is_named);
	tcase_add_test(t, file_in_place_of_the_directory_is_named);
	tcase_add_test(t, directory_is_private);
	tcase_add_test(t, no_statement_scans_a_table_unmeant);
	tcase_add_test(t, every_column_of_the_schema_has_a_comment);
	suite_add_tcase(s, t);
	return s;
}
