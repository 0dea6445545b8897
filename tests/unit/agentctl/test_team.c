/*
 * test_team.c: every part of every piece of work is done once, before team_run is back.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agentctl/provider/minimind/team.h"
#include "tests/unit/agentctl/minimind_world.h"
#include "tests/unit/agentctl/suites.h"

struct tally {
	unsigned done[4 * TEAM_MAX], threads, parts;
	bool slow;
};

static void count(void *context, unsigned part, unsigned parts, unsigned thread)
{
	struct tally *t = context;

	ck_assert_uint_le(parts, 4 * TEAM_MAX);
	ck_assert_uint_lt(part, parts);
	ck_assert_uint_lt(thread, t->threads);
	if (part == 0)
		t->parts = parts;
	if (t->slow)
		usleep(part * 1000);
	t->done[part]++;
}

START_TEST(each_part_is_done_once)
{
	struct tally t = {.threads = (unsigned)_i};
	struct team *team;

	ck_assert_int_eq(team_open(&team, t.threads), 0);
	ck_assert_uint_eq(team_size(team), t.threads);
	for (unsigned round = 1; round <= 3000; round++) {
		team_run(team, count, &t);
		for (unsigned p = 0; p < t.parts; p++)
			ck_assert_uint_eq(t.done[p], round);
	}
	/* long enough for all sides to fall asleep */
	t.slow = true;
	for (unsigned round = 1; round <= 3; round++) {
		usleep(5000);
		team_run(team, count, &t);
		for (unsigned p = 0; p < t.parts; p++)
			ck_assert_uint_eq(t.done[p], 3000 + round);
	}
	team_close(team);
}
END_TEST

START_TEST(a_team_that_never_worked_is_closed)
{
	struct team *team;

	ck_assert_int_eq(team_open(&team, 3), 0);
	team_close(team);
	team_close(NULL);
}
END_TEST

/* The same bits with any number of threads; tokens side by side make it worth sharing. */
START_TEST(two_threads_give_the_same_numbers)
{
	struct minimind_options o = {.form = _i % 2 ? MINIMIND_INT8 : MINIMIND_F32};
	struct minimind_blob config,
		tokenizer = {world_tokenizer, strlen(world_tokenizer)};
	float logits[WORLD_VOCAB];
	uint32_t ids[40];
	struct world w;

	for (uint32_t i = 0; i < 40; i++)
		ids[i] = i * 17 % WORLD_VOCAB;
	world_make(&w, _i % WORLD_KINDS, "F32", false);
	config = (struct minimind_blob){w.shape->config, strlen(w.shape->config)};
	for (o.threads = 1; o.threads <= 3; o.threads++) {
		struct minimind_blob tensors = {w.file, w.size};
		struct minimind_session *s;
		struct minimind *m;
		char message[256];

		ck_assert_int_eq(minimind_open_memory(&m, config, tokenizer, tensors, &o,
					 message, sizeof message),
			0);
		ck_assert_int_eq(minimind_session_open(&s, m, 64), 0);
		ck_assert_int_eq(minimind_session_feed(s, ids, 40, NULL), 0);
		if (o.threads == 1)
			memcpy(logits, minimind_session_logits(s), sizeof logits);
		else
			ck_assert_mem_eq(
				logits, minimind_session_logits(s), sizeof logits);
		minimind_session_close(s);
		minimind_close(m);
	}
	world_free(&w);
}
END_TEST

TCase *case_team(void)
{
	TCase *t = tcase_create("team");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, each_part_is_done_once, 1, 4);
	tcase_add_test(t, a_team_that_never_worked_is_closed);
	tcase_add_loop_test(t, two_threads_give_the_same_numbers, 0, 2 * WORLD_KINDS);
	return t;
}
