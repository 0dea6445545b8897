/*
 * test-bmap.c: the extent map does what a plain array does, and tells of it exactly.
 */
#include "fs/block/bmap.h"
#include "tests/unit/fs/suites.h"

#include <errno.h>
#include <string.h>
#include "common/mem.h"

#define BLOCKS 5000u

/* What a block holds: a place in a chunk, EXT_HOLE, or nothing. */
struct cell {
	uint64_t chunk;
	uint32_t at;
};
#define NOTHING (UINT64_MAX - 1)

struct model {
	struct bmap map;
	struct cell cell[BLOCKS];
	struct ext row[BLOCKS]; /* as a store would have them: by key; count 0: none */
	unsigned int notes;
};

static int note(void *arg, bool put, const struct ext *e)
{
	struct model *m = arg;

	m->notes++;
	if (put)
		m->row[e->block] = *e;
	else
		m->row[e->block].count = 0;
	return 0;
}

static struct model *model_new(void)
{
	struct model *m = calloc(1, sizeof(*m));

	for (unsigned int i = 0; i < BLOCKS; i++)
		m->cell[i].chunk = NOTHING;
	return m;
}

static void model_free(struct model *m)
{
	bmap_clear(&m->map);
	free(m);
}

static void model_set(struct model *m, const struct ext *e)
{
	for (uint32_t i = 0; i < e->count; i++)
		m->cell[e->block + i] = (struct cell){
			e->chunk_off, e->chunk_off == EXT_HOLE ? 0 : e->skip + i};
}

static struct cell cell_of(const struct ext *e, uint64_t block)
{
	if (!e || e->block > block)
		return (struct cell){NOTHING, 0};
	return (struct cell){e->chunk_off,
		e->chunk_off == EXT_HOLE ? 0 : e->skip + (uint32_t)(block - e->block)};
}

struct walk {
	struct model *m;
	uint64_t end;
	unsigned int n;
};

static int check_ext(void *arg, const struct ext *e)
{
	struct walk *w = arg;
	const struct ext *r = &w->m->row[e->block];

	ck_assert_uint_ge(e->block, w->end);
	ck_assert_uint_gt(e->count, 0);
	ck_assert_uint_eq(e->block / BMAP_SEG, (e->block + e->count - 1) / BMAP_SEG);
	ck_assert_uint_eq(r->count, e->count);
	ck_assert_uint_eq(r->skip, e->skip);
	ck_assert_uint_eq(r->chunk_off, e->chunk_off);
	w->end = e->block + e->count;
	w->n++;
	return 0;
}

static void model_check(struct model *m)
{
	struct walk w = {m, 0, 0};
	unsigned int rows = 0;

	ck_assert_int_eq(bmap_each(&m->map, check_ext, &w), 0);
	for (unsigned int i = 0; i < BLOCKS; i++) {
		struct cell c = cell_of(bmap_find(&m->map, i), i);

		rows += m->row[i].count != 0;
		ck_assert_msg(c.chunk == m->cell[i].chunk &&
				      (c.chunk >= NOTHING || c.at == m->cell[i].at),
			"block %u", i);
	}
	ck_assert_uint_eq(rows, w.n);
	ck_assert_int_eq(bmap_empty(&m->map), w.n == 0);
}

static struct ext random_ext(void)
{
	uint32_t block = (uint32_t)random() % BLOCKS, max = BLOCKS - block;
	uint32_t n = (uint32_t)random() % (random() % 8 ? 32 : 3000) + 1;
	struct ext e = {.block = block, .count = n < max ? n : max};

	if (random() % 5 == 0) {
		e.chunk_off = EXT_HOLE;
	} else {
		e.chunk_off = (uint64_t)random() % 1000 * 4096;
		e.skip = (uint32_t)random() % 4;
		e.chunk_bytes = (e.skip + e.count) * 4096;
	}
	return e;
}

START_TEST(a_map_holds_what_a_plain_array_would)
{
	struct model *m = model_new();

	srandom((unsigned int)_i + 1);
	for (int k = 0; k < 400; k++) {
		if (random() % 40 == 0) {
			uint64_t from = (uint64_t)random() % BLOCKS;

			ck_assert_int_eq(bmap_cut(&m->map, from, note, m), 0);
			for (uint64_t b = from; b < BLOCKS; b++)
				m->cell[b].chunk = NOTHING;
		} else {
			struct ext e = random_ext();

			ck_assert_int_eq(bmap_set(&m->map, &e, note, m), 0);
			model_set(m, &e);
		}
		if (k % 20 == 0)
			model_check(m);
	}
	model_check(m);
	model_free(m);
}
END_TEST

START_TEST(without_memory_a_map_stays_as_it_was)
{
	struct model *m = model_new();
	unsigned int refused = 0;

	srandom((unsigned int)_i + 100);
	for (int k = 0; k < 300; k++) {
		struct ext e = random_ext();
		unsigned int before = m->notes;
		int r;

		mem_fail_after(random() % 6);
		r = bmap_set(&m->map, &e, note, m);
		mem_fail_after(-1);
		if (r) {
			ck_assert_int_eq(r, -ENOMEM);
			ck_assert_uint_eq(m->notes, before);
			refused++;
		} else {
			model_set(m, &e);
		}
		if (r || k % 20 == 0)
			model_check(m);
	}
	ck_assert_uint_gt(refused, 3);
	model_free(m);
}
END_TEST

START_TEST(cutting_needs_no_memory)
{
	struct model *m = model_new();

	for (int k = 0; k < 60; k++) {
		struct ext e = random_ext();

		ck_assert_int_eq(bmap_set(&m->map, &e, note, m), 0);
	}
	mem_fail_after(0);
	ck_assert_int_eq(bmap_cut(&m->map, 1, note, m), 0);
	mem_fail_after(-1);
	ck_assert_int_eq(bmap_cut(&m->map, 0, note, m), 0);
	for (unsigned int i = 0; i < BLOCKS; i++)
		m->cell[i].chunk = NOTHING;
	model_check(m);
	ck_assert(bmap_empty(&m->map));
	model_free(m);
}
END_TEST

static int stop_at_third(void *arg, const struct ext *e)
{
	return ++*(int *)arg == 3 ? 42 : 0;
}

START_TEST(a_walk_ends_where_it_is_told_to)
{
	struct bmap m = {0};
	int n = 0;

	for (uint64_t i = 0; i < 10; i++) {
		struct ext e = {.block = i * 3000000, .count = 1, .chunk_off = EXT_HOLE};

		ck_assert_int_eq(bmap_set(&m, &e, NULL, NULL), 0);
	}
	ck_assert_int_eq(bmap_each(&m, stop_at_third, &n), 42);
	ck_assert_int_eq(n, 3);
	ck_assert_uint_eq(bmap_find(&m, 1)->block, 3000000);
	ck_assert_ptr_null(bmap_find(&m, 9 * 3000000 + 1));
	bmap_clear(&m);
	ck_assert(bmap_empty(&m));
}
END_TEST

Suite *suite_bmap(void)
{
	Suite *s = suite_create("bmap");
	TCase *t = tcase_create("bmap");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, a_map_holds_what_a_plain_array_would, 0, 8);
	tcase_add_loop_test(t, without_memory_a_map_stays_as_it_was, 0, 4);
	tcase_add_test(t, cutting_needs_no_memory);
	tcase_add_test(t, a_walk_ends_where_it_is_told_to);
	suite_add_tcase(s, t);
	return s;
}
