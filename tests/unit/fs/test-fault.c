/*
 * test-fault.c: the n-th write, sync or allocation fails, for every n.
 *
 * A VFS in front of SQLite's own counts what goes to the disk and refuses one; the SQLite
 * allocator and mem.c do the same with memory. Whatever fails, what a flush reported is
 * in the file afterwards, what is in the file is a prefix, and the next open works.
 */
#include "tests/unit/fs/suites.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include "common/log.h"
#include "common/mem.h"
#include "fs/store/store.h"

static char dir[256];

static void setup(void)
{
	char top[256];

	snprintf(dir, sizeof(dir), "%.240s/store", scratch(top));
	log_open("/dev/null", LOG_LEVEL_ERROR);
}

/* Fails when it was asked as often as the countdown said, and once only. */
struct countdown {
	atomic_long left;
	atomic_bool hit;
};

static struct countdown io = {-1, false}, sqlite_mem = {-1, false};
static int io_code;
static atomic_bool disk_is_full; /* each write fails */

static void arm(struct countdown *c, long n)
{
	atomic_store(&c->hit, false);
	atomic_store(&c->left, n);
}

static bool due(struct countdown *c)
{
	if (atomic_load(&c->left) < 0 || atomic_fetch_sub(&c->left, 1) != 0)
		return false;
	atomic_store(&c->hit, true);
	return true;
}

/* --- the VFS: files of the default one, with our methods in front
 * ----------------------- */

struct shim_file {
	sqlite3_file base;
	sqlite3_file *real;
};

#define REAL(f) (((struct shim_file *)(f))->real)
#define PASS(f, method, ...) REAL(f)->pMethods->method(REAL(f), ##__VA_ARGS__)

static int f_close(sqlite3_file *f)
{
	return PASS(f, xClose);
}

static int f_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
	return PASS(f, xRead, p, n, at);
}

static int f_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	if (due(&io) || atomic_load(&disk_is_full)) {
		if (n > 1) /* torn */
			PASS(f, xWrite, p, n / 2, at);
		return io_code;
	}
	return PASS(f, xWrite, p, n, at);
}

static int f_truncate(sqlite3_file *f, sqlite3_int64 n)
{
	return due(&io) ? SQLITE_IOERR_TRUNCATE : PASS(f, xTruncate, n);
}

static int f_sync(sqlite3_file *f, int flags)
{
	return due(&io) ? SQLITE_IOERR_FSYNC : PASS(f, xSync, flags);
}

static int f_size(sqlite3_file *f, sqlite3_int64 *n)
{
	return PASS(f, xFileSize, n);
}

static int f_lock(sqlite3_file *f, int l)
{
	return PASS(f, xLock, l);
}

static int f_unlock(sqlite3_file *f, int l)
{
	return PASS(f, xUnlock, l);
}

static int f_reserved(sqlite3_file *f, int *out)
{
	return PASS(f, xCheckReservedLock, out);
}

static int f_control(sqlite3_file *f, int op, void *arg)
{
	return PASS(f, xFileControl, op, arg);
}

static int f_sector(sqlite3_file *f)
{
	return PASS(f, xSectorSize);
}

static int f_device(sqlite3_file *f)
{
	return PASS(f, xDeviceCharacteristics);
}

static int f_shm_map(sqlite3_file *f, int pg, int n, int extend, void volatile **out)
{
	return PASS(f, xShmMap, pg, n, extend, out);
}

static int f_shm_lock(sqlite3_file *f, int at, int n, int flags)
{
	return PASS(f, xShmLock, at, n, flags);
}

static void f_shm_barrier(sqlite3_file *f)
{
	PASS(f, xShmBarrier);
}

static int f_shm_unmap(sqlite3_file *f, int del)
{
	return PASS(f, xShmUnmap, del);
}

static const sqlite3_io_methods methods = {2, f_close, f_read, f_write, f_truncate,
	f_sync, f_size, f_lock, f_unlock, f_reserved, f_control, f_sector, f_device,
	f_shm_map, f_shm_lock, f_shm_barrier, f_shm_unmap, NULL, NULL};

static sqlite3_vfs *real_vfs;
static sqlite3_vfs shim_vfs;

static int v_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out)
{
	struct shim_file *s = (struct shim_file *)f;
	int rc;

	s->real = (sqlite3_file *)(s + 1);
	rc = real_vfs->xOpen(real_vfs, name, s->real, flags, out);
	f->pMethods = rc == SQLITE_OK ? &methods : NULL;
	return rc;
}

static void use_shim(void)
{
	real_vfs = sqlite3_vfs_find(NULL);
	shim_vfs = *real_vfs;
	shim_vfs.szOsFile = (int)sizeof(struct shim_file) + real_vfs->szOsFile;
	shim_vfs.zName = "fault";
	shim_vfs.pNext = NULL;
	shim_vfs.xOpen = v_open;
	ck_assert_int_eq(sqlite3_vfs_register(&shim_vfs, 1), SQLITE_OK);
}

/* --- memory ----------------------------------------------------------------------------
 */

static sqlite3_mem_methods real_mem;

static void *m_alloc(int n)
{
	return due(&sqlite_mem) ? NULL : real_mem.xMalloc(n);
}

static void *m_realloc(void *p, int n)
{
	return due(&sqlite_mem) ? NULL : real_mem.xRealloc(p, n);
}

static void use_mem(void)
{
	sqlite3_mem_methods m;

	ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_mem), SQLITE_OK);
	m = real_mem;
	m.xMalloc = m_alloc;
	m.xRealloc = m_realloc;
	ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_MALLOC, &m), SQLITE_OK);
	ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0), SQLITE_OK);
}

/* --- the work that is disturbed --------------------------------------------------------
 */

#define GROUPS 12

static int log_group(struct store *s, int k)
{
	char name[24];
	const struct rec r[2] = {
		{.op = REC_NAME, .name = {1, 1, name, 1, 0}},
		{.op = REC_NAME, .name = {1, 2, name, 1, 0}},
	};

	snprintf(name, sizeof(name), "%06d", k);
	return store_log(s, r, 2);
}

/* Groups that a flush reported as written; -1: not even opened. */
static int work(void)
{
	struct store *s = NULL;
	char *msg = NULL;
	int flushed = 0, err;

	err = store_open(dir, &s, &msg);
	if (err) {
		ck_assert_ptr_null(s);
		free(msg);
		return -1;
	}
	for (int k = 0; k < GROUPS; k++) {
		if (log_group(s, k) == 0 &&
			store_flush(s, k % 3 ? STORE_WRITTEN : STORE_DURABLE) == 0)
			flushed = k + 1;
		else
			break;
	}
	err = store_error(s);
	ck_assert(err == 0 || log_group(s, 99) == err);
	store_close(s);
	return flushed;
}

static int rows;

static int check_row(void *arg, const struct rec_name *r)
{
	char want[24];

	snprintf(want, sizeof(want), "%06d", rows % 1000000);
	if (r->dir == 1) {
		ck_assert_str_eq(r->name, want);
		rows++;
	} else {
		(*(int *)arg)++;
	}
	return 0;
}

static void check_prefix(int flushed)
{
	struct store *s = NULL;
	char *msg = NULL;
	int twins = 0;

	ck_assert_int_eq(store_open(dir, &s, &msg), 0);
	rows = 0;
	ck_assert_int_eq(store_load_names(s, 1, check_row, &twins), 0);
	ck_assert_int_eq(rows, twins); /* no group is half there */
	ck_assert_int_ge(rows, flushed);
	ck_assert_int_le(rows, GROUPS);
	store_close(s);
}

static void remove_store(void)
{
	static const char *const names[] = {
		"store.db", "store.db-wal", "store.db-shm", "store.db-journal", "lock"};
	char path[300];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
}

static void fail_each_io(int code)
{
	int flushed;
	long n = 0;

	use_shim();
	io_code = code;
	do {
		remove_store();
		arm(&io, n++);
		flushed = work();
		arm(&io, atomic_load(&io.hit) ? -1 : -2);
		check_prefix(flushed < 0 ? 0 : flushed);
	} while (atomic_load(&io.left) == -1 && n < 2000);
	ck_assert_int_eq(flushed, GROUPS); /* the last round ran undisturbed */
	ck_assert_int_gt(n, 40);
}

START_TEST(each_write_and_sync_fails_with_eio)
{
	fail_each_io(SQLITE_IOERR_WRITE);
}
END_TEST

START_TEST(each_write_fails_for_lack_of_room)
{
	fail_each_io(SQLITE_FULL);
}
END_TEST

static struct store *store_on_a_full_disk(void)
{
	struct store *s = NULL;
	char *msg = NULL;

	use_shim();
	io_code = SQLITE_FULL;
	ck_assert_int_eq(store_open(dir, &s, &msg), 0);
	ck_assert_int_eq(log_group(s, 0), 0);
	ck_assert_int_eq(store_flush(s, STORE_DURABLE), 0);
	atomic_store(&disk_is_full, true);
	ck_assert_int_eq(log_group(s, 1), 0);
	ck_assert_int_eq(store_flush(s, STORE_DURABLE), -ENOSPC);
	ck_assert(store_full(s));
	return s;
}

/* P2, P8: what found no room waits for it, in order. */
START_TEST(what_found_no_room_is_written_later)
{
	struct store *s = store_on_a_full_disk();

	ck_assert_int_eq(store_error(s), 0);
	ck_assert_int_eq(log_group(s, 2), 0);
	ck_assert_int_eq(store_flush(s, STORE_WRITTEN), -ENOSPC);
	atomic_store(&disk_is_full, false);
	ck_assert_int_eq(store_flush(s, STORE_DURABLE), 0);
	ck_assert(!store_full(s));
	store_close(s);
	check_prefix(3);
	ck_assert_int_eq(rows, 3);
}
END_TEST

START_TEST(a_disk_that_stays_full_ends_with_what_was_written)
{
	struct store *s = store_on_a_full_disk();

	store_close(s);
	atomic_store(&disk_is_full, false);
	check_prefix(1);
	ck_assert_int_eq(rows, 1);
}
END_TEST

/* P2: a commit that was refused for lack of room never comes true later. */
START_TEST(a_commit_without_room_is_withdrawn)
{
	struct store *s = store_on_a_full_disk();
	const struct rec r[2] = {
		{.op = REC_NAME, .name = {1, 1, "commit", 1, 0}},
		{.op = REC_NAME, .name = {1, 2, "commit", 1, 0}},
	};
	bool unsure = true;

	ck_assert_int_eq(store_commit(s, r, 2, &unsure), -ENOSPC);
	ck_assert(!unsure);
	ck_assert_int_eq(log_group(s, 2), 0);
	atomic_store(&disk_is_full, false);
	ck_assert_int_eq(store_flush(s, STORE_DURABLE), 0);
	store_close(s);
	check_prefix(3);
	ck_assert_int_eq(rows, 3);
}
END_TEST

START_TEST(each_allocation_of_ours_fails)
{
	int flushed;
	long n = 0;

	do {
		remove_store();
		mem_fail_after(n++);
		flushed = work();
		if (!mem_failed())
			break;
		mem_fail_after(-1);
		check_prefix(flushed < 0 ? 0 : flushed);
	} while (n < 1000);
	mem_fail_after(-1);
	ck_assert_int_eq(flushed, GROUPS);
	ck_assert_int_gt(n, 3);
}
END_TEST

/* Opening asks SQLite's allocator thousands of times: every one of the first, then each
 * of a stride that meets all residues over the loop's rounds. */
START_TEST(each_allocation_of_sqlite_fails)
{
	long n = _i;
	int flushed;
	bool hit;

	use_mem();
	do {
		remove_store();
		arm(&sqlite_mem, n);
		flushed = work();
		hit = atomic_load(&sqlite_mem.hit);
		arm(&sqlite_mem, -1);
		check_prefix(flushed < 0 ? 0 : flushed);
		n += n < 100 ? 4 : 4 * 31;
	} while (hit && n < 1000000);
	ck_assert_int_eq(flushed, GROUPS);
}
END_TEST

Suite *suite_fault(void)
{
	Suite *s = suite_create("fault");
	TCase *t = tcase_create("fault");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, each_write_and_sync_fails_with_eio);
	tcase_add_test(t, each_write_fails_for_lack_of_room);
	tcase_add_test(t, what_found_no_room_is_written_later);
	tcase_add_test(t, a_disk_that_stays_full_ends_with_what_was_written);
	tcase_add_test(t, a_commit_without_room_is_withdrawn);
	tcase_add_test(t, each_allocation_of_ours_fails);
	tcase_add_loop_test(t, each_allocation_of_sqlite_fails, 0, 4);
	suite_add_tcase(s, t);
	return s;
}
