/*
 * test-pool.c: a chunk comes back whole, in part, or with EIO, never changed.
 */
#include "tests/unit/fs/suites.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/hash.h"
#include "common/log.h"
#include "common/mem.h"
#include "fs/block/pool.h"

static int dirfd_;
static char data[POOL_CHUNK_MAX];

static void setup(void)
{
	char top[256];

	dirfd_ = open(scratch(top), O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dirfd_, 0);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (char)(i * 31 + i / 251);
	log_open("/dev/null", LOG_LEVEL_ERROR);
}

static void teardown(void)
{
	close(dirfd_);
}

static struct pool *open_new(void)
{
	struct pool *p;

	ck_assert_int_eq(pool_open(dirfd_, 5, true, &p), 0);
	return p;
}

START_TEST(chunk_comes_back_whole_and_in_parts)
{
	static const struct {
		uint32_t chunk, from, bytes;
	} t[] = {
		{1, 0, 1},
		{1, 0, 4096},
		{100, 50, 20},
		{100, 50, 4096},
		{4096, 0, 4096},
		{8192, 4096, 4096},
		{8192, 0, 16384},
		{100, 100, 10},
		{100, 5000, 10},
		{POOL_CHUNK_MAX, 0, POOL_CHUNK_MAX},
		{POOL_CHUNK_MAX, 4096, 4096},
	};
	static char out[POOL_CHUNK_MAX + 4096];
	struct pool *p = open_new();

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		uint64_t off, before = pool_bytes(p);
		uint8_t hash[16];

		ck_assert_int_eq(pool_append(p, data, t[i].chunk, &off, hash), 0);
		ck_assert_uint_eq(off, before);
		ck_assert_uint_eq(pool_bytes(p), before + t[i].chunk);
		memset(out, 0x55, sizeof(out));
		ck_assert_int_eq(
			pool_read(p, off, t[i].chunk, hash, t[i].from, out, t[i].bytes),
			0);
		for (uint32_t k = 0; k < t[i].bytes; k++) {
			char want = t[i].from + k < t[i].chunk ? data[t[i].from + k] : 0;

			ck_assert_int_eq(out[k], want);
		}
		ck_assert_int_eq(out[t[i].bytes], 0x55);
	}
	ck_assert_int_eq(pool_sync(p), 0);
	pool_put(p);
}
END_TEST

START_TEST(every_changed_byte_is_eio)
{
	struct pool *p = open_new();
	uint8_t hash[16];
	char out[200], byte;
	uint64_t off;
	int fd = openat(dirfd_, "pool/5", O_RDWR);

	ck_assert_int_eq(pool_append(p, data, 77, &off, hash), 0);
	ck_assert_int_eq(pool_append(p, data, 200, &off, hash), 0);
	for (int i = 0; i < 200; i++) {
		byte = data[i] ^ 1;
		ck_assert_int_eq(pwrite(fd, &byte, 1, (off_t)off + i), 1);
		ck_assert_int_eq(pool_read(p, off, 200, hash, 0, out, 200), -EIO);
		ck_assert_int_eq(pool_read(p, off, 200, hash, 10, out, 1), -EIO);
		ck_assert_int_eq(pwrite(fd, data + i, 1, (off_t)off + i), 1);
	}
	ck_assert_int_eq(pool_read(p, off, 200, hash, 0, out, 200), 0);
	close(fd);
	pool_put(p);
}
END_TEST

START_TEST(rows_that_make_no_sense_are_eio)
{
	struct pool *p = open_new();
	uint8_t hash[16] = {0};
	char out[16];

	ck_assert_int_eq(pool_read(p, 0, 0, hash, 0, out, 16), -EIO);
	ck_assert_int_eq(pool_read(p, 0, POOL_CHUNK_MAX + 1, hash, 0, out, 16), -EIO);
	ck_assert_int_eq(pool_read(p, 1 << 20, 16, hash, 0, out, 16), -EIO);
	pool_put(p);
}
END_TEST

START_TEST(reopened_pool_goes_on_after_its_end)
{
	struct pool *p = open_new(), *again;
	uint64_t off, off2;
	uint8_t hash[16], hash2[16];
	char out[10];

	ck_assert_int_eq(pool_append(p, data, 10, &off, hash), 0);
	pool_put(p);
	ck_assert_int_eq(pool_open(dirfd_, 5, true, &again), -EEXIST);
	ck_assert_ptr_null(again);
	ck_assert_int_eq(pool_open(dirfd_, 6, false, &again), -ENOENT);
	ck_assert_int_eq(pool_open(dirfd_, 5, false, &again), 0);
	ck_assert_uint_eq(pool_id(again), 5);
	ck_assert_int_eq(pool_append(again, data, 10, &off2, hash2), 0);
	ck_assert_uint_eq(off2, 10);
	ck_assert_int_eq(pool_read(again, off, 10, hash, 0, out, 10), 0);
	pool_put(again);
}
END_TEST

START_TEST(unlinked_pool_goes_on)
{
	struct pool *p = open_new();
	uint64_t off;
	uint8_t hash[16];
	char out[10];

	ck_assert_int_eq(pool_append(p, data, 10, &off, hash), 0);
	ck_assert_int_eq(pool_unlink(dirfd_, 5), 0);
	ck_assert_int_eq(pool_unlink(dirfd_, 5), 0);
	ck_assert_int_eq(pool_read(pool_get(p), off, 10, hash, 0, out, 10), 0);
	pool_put(p);
	ck_assert_int_eq(pool_append(p, data, 10, &off, hash), 0);
	pool_put(p);
	pool_put(NULL);
}
END_TEST

START_TEST(limit_is_exact)
{
	struct pool *p = open_new();
	uint64_t off;
	uint8_t hash[16];

	pool_limit(p, 100);
	ck_assert_int_eq(pool_append(p, data, 60, &off, hash), 0);
	ck_assert_int_eq(pool_append(p, data, 41, &off, hash), -EDQUOT);
	ck_assert_uint_eq(pool_bytes(p), 60);
	ck_assert_int_eq(pool_append(p, data, 40, &off, hash), 0);
	ck_assert_int_eq(pool_append(p, data, 1, &off, hash), -EDQUOT);
	pool_limit(p, 50); /* below what is there */
	ck_assert_int_eq(pool_append(p, data, 1, &off, hash), -EDQUOT);
	pool_limit(p, 0);
	ck_assert_int_eq(pool_append(p, data, 1, &off, hash), 0);
	pool_put(p);
}
END_TEST

START_TEST(failed_append_takes_nothing)
{
	struct pool *p = open_new();
	struct rlimit small = {8192, RLIM_INFINITY},
		      none = {RLIM_INFINITY, RLIM_INFINITY};
	uint64_t off;
	uint8_t hash[16];

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(pool_append(p, data, 5000, &off, hash), 0);
	setrlimit(RLIMIT_FSIZE, &small);
	ck_assert_int_eq(pool_append(p, data, 5000, &off, hash), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &none);
	ck_assert_uint_eq(pool_bytes(p), 5000);
	ck_assert_int_eq(pool_append(p, data, 5000, &off, hash), 0);
	ck_assert_uint_eq(off, 5000);
	ck_assert_int_eq(pool_read(p, off, 5000, hash, 0, data, 5000), 0);
	pool_put(p);
}
END_TEST

START_TEST(failed_allocation_leaves_no_file_open)
{
	struct pool *p;

	mem_fail_after(0);
	ck_assert_int_eq(pool_open(dirfd_, 5, true, &p), -ENOMEM);
	ck_assert_ptr_null(p);
	ck_assert_int_eq(pool_open(dirfd_, 5, true, &p), 0);
	pool_put(p);
}
END_TEST

#define PER_THREAD 300

static void *append_many(void *arg)
{
	struct pool *p = arg;
	char own[4096];

	for (size_t i = 0; i < PER_THREAD; i++) {
		size_t n = 1 + (i * 37) % 4096;
		uint8_t hash[16];
		uint64_t off;

		if (pool_append(p, data + i, n, &off, hash) ||
			pool_read(p, off, (uint32_t)n, hash, 0, own, n) ||
			memcmp(own, data + i, n))
			return p; /* something failed */
	}
	return NULL;
}

START_TEST(threads_append_and_read_at_once)
{
	struct pool *p = open_new();
	pthread_t t[4];
	void *bad;

	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, append_many, p), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], &bad);
		ck_assert_ptr_null(bad);
	}
	pool_put(p);
}
END_TEST

START_TEST(hash_of_pieces_is_the_hash_of_the_whole)
{
	struct hash *h = hash_new();
	uint8_t a[16], b[16];
	char hex[33];

	ck_assert_ptr_nonnull(h);
	hash_add(h, data, 1000);
	hash_add(h, data + 1000, 0);
	hash_add(h, data + 1000, 60000);
	hash_end(h, a);
	hash128(data, 61000, b);
	ck_assert_mem_eq(a, b, 16);
	hash_free(NULL);
	/* the value of XXH3-128 for no bytes at all, as its authors print it */
	hash128("", 0, a);
	hash_hex(a, hex);
	ck_assert_str_eq(hex, "99aa06d3014798d86001c324468d497f");
}
END_TEST

Suite *suite_pool(void)
{
	Suite *s = suite_create("pool");
	TCase *t = tcase_create("pool");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, chunk_comes_back_whole_and_in_parts);
	tcase_add_test(t, every_changed_byte_is_eio);
	tcase_add_test(t, rows_that_make_no_sense_are_eio);
	tcase_add_test(t, reopened_pool_goes_on_after_its_end);
	tcase_add_test(t, unlinked_pool_goes_on);
	tcase_add_test(t, limit_is_exact);
	tcase_add_test(t, failed_append_takes_nothing);
	tcase_add_test(t, failed_allocation_leaves_no_file_open);
	tcase_add_test(t, threads_append_and_read_at_once);
	tcase_add_test(t, hash_of_pieces_is_the_hash_of_the_whole);
	suite_add_tcase(s, t);
	return s;
}
