/*
 * test-content.c: bytes of files: blocks, holes, limits, and a base that changes below a
 * file that was written in part.
 */
#include "tests/unit/fs/world.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/cleanup.h"

static int write_to(
	struct world *w, struct node *n, const void *buf, uint64_t off, size_t size)
{
	int r;

	pthread_rwlock_rdlock(&w->t->gate);
	r = tree_write(n, buf, off, size, false);
	pthread_rwlock_unlock(&w->t->gate);
	return r;
}

static int read_from(
	struct world *w, struct node *n, void *buf, uint64_t off, size_t size)
{
	int r;

	pthread_rwlock_rdlock(&w->t->gate);
	r = tree_read(n, buf, off, size);
	pthread_rwlock_unlock(&w->t->gate);
	return r;
}

static int64_t seek(struct world *w, struct node *n, int64_t off, int whence)
{
	int64_t r;

	pthread_rwlock_rdlock(&w->t->gate);
	r = tree_seek(n, off, whence);
	pthread_rwlock_unlock(&w->t->gate);
	return r;
}

/* P7 */
START_TEST(a_byte_far_out_makes_a_sparse_file)
{
	struct world w;
	struct node *n;
	char buf[64];

	world_make(&w, "");
	world_open(&w);
	script_ok(IN_VIEW(w.t->main->root), "put f start; at f 1099511627776 x");
	n = node_at(w.t->main->root, "f");
	ck_assert_int_eq(read_from(&w, n, buf, 1ull << 39, 64), 64);
	for (int i = 0; i < 64; i++)
		ck_assert_int_eq(buf[i], 0);
	ck_assert_int_eq(read_from(&w, n, buf, 1ull << 40, 64), 1);
	ck_assert_int_eq(buf[0], 'x');
	ck_assert_int_eq(read_from(&w, n, buf, (1ull << 40) + 1, 64), 0);
	ck_assert_int_eq(seek(&w, n, 0, SEEK_DATA), 0);
	ck_assert_int_eq(seek(&w, n, 0, SEEK_HOLE), 4096);
	ck_assert_int_eq(seek(&w, n, 4096, SEEK_DATA), 1ll << 40);
	ck_assert_int_eq(seek(&w, n, 1ll << 40, SEEK_HOLE), (1ll << 40) + 1);
	ck_assert_int_eq(seek(&w, n, (1ll << 40) + 1, SEEK_DATA), -ENXIO);
	ck_assert_int_eq(seek(&w, n, 0, 99), -EINVAL);
	ck_assert_int_lt(write_to(&w, n, "x", INT64_MAX - 10, 1), 0);
	node_put(n);
	ck_assert_uint_lt(store_bytes(w.store), 1 << 20);
	world_close(&w);
}
END_TEST

/* P6: in the base too: what is a hole stays one. */
START_TEST(holes_of_a_committed_file_take_no_room)
{
	struct world w;
	struct stat st;
	char path[400];

	world_make(&w, "");
	world_open(&w);
	script_ok(IN_VIEW(w.t->main->root),
		"put f start; at f 100000000 x; big g 2000; punch g 4096 1900000");
	ck_assert_int_eq(trans_do(&w, &(struct trans){0}, txm_sync, NULL), 0);
	snprintf(path, sizeof(path), "%s/f", w.base);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, 100000001);
	ck_assert_int_lt(st.st_blocks, 64);
	snprintf(path, sizeof(path), "%s/g", w.base);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_lt(st.st_blocks, 600);
	world_close(&w);
}
END_TEST

/* P7: and the block is the only thing stored. */
START_TEST(a_byte_in_a_big_file_stores_one_block)
{
	struct world w;
	struct trans x;
	char path[400];
	struct stat st;

	world_make(&w, "big f 20000");
	world_open(&w);
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(x.root), "at f 10000000 x");
	ck_assert_int_eq(store_flush(w.store, STORE_WRITTEN), 0);
	snprintf(path, sizeof(path), "%s/pool/%llu", w.dir, (unsigned long long)x.id);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, 4096);
	world_close(&w);
}
END_TEST

/* P1, P6: what is cut off is gone, whatever the file grows to afterwards. The sizes lie
 * on and around the bounds of blocks, chunks and small files. */
static const unsigned int bounds[] = {
	1, 4095, 4096, 4097, 65535, 65536, 65537, 131071, 131072, 131073, 262145};
#define BOUNDS (sizeof(bounds) / sizeof(*bounds))

START_TEST(old_bytes_never_show_behind_a_truncation)
{
	auto_free char *want = NULL, *got = NULL;
	struct world w;
	char dir[300], cmd[200];

	world_make(&w, "big f 300");
	snprintf(dir, sizeof(dir), "%s/plain", w.top);
	ck_assert_int_eq(mkdir(dir, 0755), 0);
	script_ok(IN_DIR(dir), "big f 300");
	world_open(&w);
	for (size_t k = 0; k < BOUNDS; k++) {
		snprintf(cmd, sizeof(cmd), "trunc f %u; trunc f %u; at f %u mark",
			bounds[_i], bounds[k], bounds[(k + 5) % BOUNDS]);
		script_ok(IN_DIR(dir), cmd);
		script_ok(IN_VIEW(w.t->main->root), cmd);
		want = dump(IN_DIR(dir), 0);
		got = dump(IN_VIEW(w.t->main->root), 0);
		dump_same(want, got);
		free(steal(&want));
		free(steal(&got));
	}
	world_close(&w);
}
END_TEST

/* P3: a big base file written in part and changed behind the mount: the old content where
 * the view still has it, else an error; never both mixed. */
static const char *const changes[] = {
	"at f 0 new; at f 200000 new",
	"trunc f 100",
	"big f 250",
	"rm f; big f 300",
	"rm f",
	"at f 299999 tail",
};
#define CHANGES ((int)(sizeof(changes) / sizeof(*changes)))

START_TEST(a_changed_base_is_never_mixed_with_what_was_written)
{
	auto_free char *old = NULL, *now = NULL;
	struct world w;
	struct trans x;
	struct node *f;
	long n;

	world_make(&w, "big f 300");
	world_open(&w);
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(x.root), "at f 100000 ours");
	old = content_of(x.root, "f", &n);
	ck_assert_int_eq(n, 300 * 1024);
	f = node_at(x.root, "f");
	script_ok(IN_DIR(w.base), changes[_i]);
	now = content_of(x.root, "f", &n);
	if (n >= 0) {
		ck_assert_int_eq(n, 300 * 1024);
		ck_assert_mem_eq(now, old, 300 * 1024);
	} else {
		char piece[4096];

		ck_assert_int_eq(n, -EIO);
		/* what is our own is there in any case */
		ck_assert_int_eq(read_from(&w, f, piece, 98304, 4096), 4096);
		ck_assert_mem_eq(piece + (100000 - 98304), "ours", 4);
	}
	node_put(f);
	ck_assert_int_eq(trans_do(&w, &x, txm_commit, NULL), -EBUSY);
	world_close(&w);
}
END_TEST

/* P3 */
START_TEST(a_small_file_is_our_own_from_the_first_write)
{
	auto_free char *old = NULL, *now = NULL;
	struct world w;
	struct trans x;
	long n;

	world_make(&w, "big f 60");
	world_open(&w);
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(x.root), "at f 0 ours");
	old = content_of(x.root, "f", &n);
	script_ok(IN_DIR(w.base), _i ? "rm f" : "at f 50000 theirs; trunc f 55000");
	now = content_of(x.root, "f", &n);
	ck_assert_int_eq(n, 60 * 1024);
	ck_assert_mem_eq(now, old, 60 * 1024);
	world_close(&w);
}
END_TEST

/* P8: over the quota a write fails and takes nothing away; the store is whole. */
START_TEST(a_full_quota_leaves_files_as_they_were)
{
	static char buf[300 * 1024];
	auto_free char *was = NULL, *now = NULL, *view = NULL, *base = NULL;
	struct world w;
	struct trans x;
	struct node *f;
	long n;
	int r;

	world_make(&w, _i % 2 ? "big f 200" : "big f 30");
	world_open(&w);
	w.t->quota_bytes = 1 << 20;
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(x.root), "big fill 1000");
	ck_assert_int_eq(script_run(IN_VIEW(x.root), "big fill2 100"), -EDQUOT);
	was = content_of(x.root, "f", &n);
	f = node_at(x.root, "f");
	for (int k = 0; k < 3; k++) {
		memset(buf, 'A' + k, sizeof(buf));
		r = write_to(&w, f, buf, _i < 2 ? 0 : 10, sizeof(buf));
		free(steal(&now));
		now = content_of(x.root, "f", &n);
		ck_assert_int_ge(n, _i % 2 ? 200 * 1024 : 30 * 1024);
		if (r < 0) {
			ck_assert_int_eq(r, -EDQUOT);
			ck_assert_mem_eq(now, was, 30 * 1024);
			continue;
		}
		ck_assert_mem_eq(now + (_i < 2 ? 0 : 10), buf, (size_t)r);
		free(steal(&was));
		was = steal(&now);
	}
	node_put(f);
	script_ok(IN_VIEW(x.root), "trunc fill 0");
	view = dump(IN_VIEW(x.root), DUMP_TIMES);
	ck_assert_int_eq(trans_do(&w, &x, txm_commit, NULL), 0);
	base = dump(IN_DIR(w.base), DUMP_TIMES);
	dump_same(view, base);
	world_close(&w);
}
END_TEST

/* What a write did that came to half is in the store too. */
START_TEST(a_short_write_is_the_same_after_a_remount)
{
	static char buf[700 * 1024];
	auto_free char *view = NULL, *base = NULL;
	struct world w;
	struct trans x;
	struct node *f;
	int r;

	world_make(&w, "big f 300");
	world_open(&w);
	w.t->quota_bytes = 1 << 20;
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(x.root), "big fill 700; at f 70000 x");
	f = node_at(x.root, "f");
	memset(buf, 'Z', sizeof(buf));
	r = write_to(&w, f, buf, 0, sizeof(buf));
	ck_assert(r > 0 && r < (int)sizeof(buf));
	node_put(f);
	view = dump(IN_VIEW(x.root), DUMP_TIMES);
	world_close(&w);
	world_open(&w);
	ck_assert_int_eq(trans_do(&w, &x, txm_commit, NULL), 0);
	base = dump(IN_DIR(w.base), DUMP_TIMES);
	dump_same(view, base);
	world_close(&w);
}
END_TEST

/* Two bits of a stored run changed on disk: an error, not wrong data (section 4). */
START_TEST(damaged_payload_is_an_error)
{
	struct world w;
	struct trans x;
	char path[400];
	long n;
	int fd;

	world_make(&w, "");
	world_open(&w);
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(x.root), "big f 100; put g 1");
	snprintf(path, sizeof(path), "%s/pool/%llu", w.dir, (unsigned long long)x.id);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(pwrite(fd, "XX", 2, 50000), 2);
	close(fd);
	ck_assert_ptr_null(content_of(x.root, "f", &n));
	ck_assert_int_eq(n, -EIO);
	ck_assert_int_eq(trans_do(&w, &x, txm_commit, NULL), -EIO);
	ck_assert_int_eq(script_run(IN_VIEW(x.root), "rm f"), 0);
	ck_assert_int_eq(trans_do(&w, &x, txm_commit, NULL), 0);
	world_close(&w);
}
END_TEST

Suite *suite_content(void)
{
	Suite *s = suite_create("content");
	TCase *t = tcase_create("content");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_byte_far_out_makes_a_sparse_file);
	tcase_add_test(t, holes_of_a_committed_file_take_no_room);
	tcase_add_test(t, a_byte_in_a_big_file_stores_one_block);
	tcase_add_loop_test(t, old_bytes_never_show_behind_a_truncation, 0, (int)BOUNDS);
	tcase_add_loop_test(
		t, a_changed_base_is_never_mixed_with_what_was_written, 0, CHANGES);
	tcase_add_loop_test(t, a_small_file_is_our_own_from_the_first_write, 0, 2);
	tcase_add_loop_test(t, a_full_quota_leaves_files_as_they_were, 0, 4);
	tcase_add_test(t, a_short_write_is_the_same_after_a_remount);
	tcase_add_test(t, damaged_payload_is_an_error);
	suite_add_tcase(s, t);
	return s;
}
