/*
 * test_session.c: prefixes are reused, and answers end where they must.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/minimind/outlet.h"
#include "agentctl/provider/minimind/sample.h"
#include "tests/unit/agentctl/minimind_world.h"
#include "tests/unit/agentctl/suites.h"

static struct world w;
static struct minimind *m;
static struct minimind_session *s;

static void set_up(void)
{
	world_make(&w, 2, "F32", false);
	m = world_open(&w, MINIMIND_AS_STORED, MINIMIND_AUTO);
	ck_assert_int_eq(minimind_session_open(&s, m, 64), 0);
}

static void tear_down(void)
{
	minimind_session_close(s);
	minimind_close(m);
	world_free(&w);
}

START_TEST(a_common_beginning_is_not_computed_again)
{
	const uint32_t a[] = {5, 6, 7, 8, 9}, b[] = {5, 6, 7, 100, 101, 102};
	float first[WORLD_VOCAB];
	size_t reused;

	ck_assert_ptr_null(minimind_session_logits(s));
	ck_assert_int_eq(minimind_session_feed(s, b, 6, &reused), 0);
	ck_assert_uint_eq(reused, 0);
	memcpy(first, minimind_session_logits(s), sizeof first);
	ck_assert_int_eq(minimind_session_feed(s, a, 5, &reused), 0);
	ck_assert_uint_eq(reused, 3);
	ck_assert_int_eq(minimind_session_feed(s, a, 5, &reused), 0);
	ck_assert_uint_eq(reused, 5);
	ck_assert_int_eq(minimind_session_feed(s, a, 3, &reused), 0);
	ck_assert_uint_eq(reused, 2);
	ck_assert_int_eq(minimind_session_feed(s, b, 6, &reused), 0);
	ck_assert_uint_eq(reused, 3);
	ck_assert_mem_eq(first, minimind_session_logits(s), sizeof first);
}
END_TEST

START_TEST(what_cannot_be_fed_is_refused)
{
	uint32_t ids[65] = {0};

	ck_assert_int_eq(minimind_session_feed(s, ids, 65, NULL), -E2BIG);
	ck_assert_int_eq(minimind_session_feed(s, ids, 0, NULL), -EINVAL);
	ids[3] = WORLD_VOCAB;
	ck_assert_int_eq(minimind_session_feed(s, ids, 4, NULL), -EINVAL);
	ck_assert_int_eq(minimind_session_feed(s, ids, 3, NULL), 0);
}
END_TEST

struct text {
	char buf[1024];
	size_t n, calls, most;
};

static int collect(void *context, const char *p, size_t n)
{
	struct text *t = context;

	memcpy(t->buf + t->n, p, n);
	t->n += n;
	t->buf[t->n] = 0;
	return ++t->calls == t->most;
}

static struct minimind_result write_some(
	const struct minimind_sampling *how, struct text *t)
{
	static const uint32_t ids[] = {40, 41, 42};
	struct minimind_result r;

	ck_assert_int_eq(minimind_generate(s, ids, 3, how, NULL, collect, t, &r), 0);
	ck_assert_uint_eq(r.prompt, 3);
	return r;
}

START_TEST(the_same_seed_writes_the_same)
{
	struct minimind_sampling how = {.temperature = 1.5f,
		.top_k = 40,
		.top_p = 0.95f,
		.repetition = 1.1f,
		.seed = 3,
		.max_tokens = 30};
	struct text a = {0}, b = {0}, c = {0};
	struct minimind_result r = write_some(&how, &a);

	ck_assert_uint_gt(r.tokens, 0);
	r = write_some(&how, &b);
	ck_assert_uint_gt(r.reused, 1);
	how.seed = 4;
	write_some(&how, &c);
	ck_assert_str_eq(a.buf, b.buf);
	ck_assert_str_ne(a.buf, c.buf);
}
END_TEST

START_TEST(an_answer_ends_with_the_context)
{
	const struct minimind_sampling how = {.temperature = 5, .seed = 1};
	struct text t = {0};
	struct minimind_result r = write_some(&how, &t);

	if (r.end == MINIMIND_END_LENGTH)
		ck_assert_uint_eq(r.tokens, 62);
	else
		ck_assert_int_eq(r.end, MINIMIND_END_TOKEN);
}
END_TEST

START_TEST(an_answer_ends_at_its_length_and_at_the_sinks_wish)
{
	const struct minimind_sampling how = {.max_tokens = 5};
	struct text t = {0}, once = {.most = 1};
	struct minimind_result r = write_some(&how, &t);

	ck_assert_int_eq(r.end, MINIMIND_END_LENGTH);
	ck_assert_uint_eq(r.tokens, 5);
	r = write_some(&how, &once);
	ck_assert_int_eq(r.end, MINIMIND_END_SINK);
}
END_TEST

START_TEST(an_answer_ends_before_a_stop_string)
{
	struct minimind_sampling how = {.temperature = 1, .seed = 9, .max_tokens = 40};
	struct text whole = {0}, cut = {0};
	char stop[4] = "";
	const char *stops[] = {"\x01nothing like it", stop};
	struct minimind_result r = write_some(&how, &whole);

	for (size_t i = 4; i < whole.n && !*stop; i++)
		if (whole.buf[i] > ' ' && whole.buf[i + 1] > ' ')
			memcpy(stop, whole.buf + i, 2);
	ck_assert_str_ne(stop, "");
	how.stops = stops;
	how.n_stops = 2;
	r = write_some(&how, &cut);
	ck_assert_int_eq(r.end, MINIMIND_END_STOP);
	ck_assert_str_eq(r.stop, stop);
	*strstr(whole.buf, stop) = 0;
	ck_assert_str_eq(cut.buf, whole.buf);
}
END_TEST

/* --- sampling alone -------------------------------------------------------------------
 */

static const float logits[8] = {1, 3, 3, -1, 0, 2, 2.5f, -5};

static bool odd_only(const void *context, uint32_t token)
{
	return token % 2 == 1;
}

static bool none(const void *context, uint32_t token)
{
	return false;
}

START_TEST(greedy_takes_the_first_of_the_best)
{
	const struct minimind_sampling how = {0}, penalty = {.repetition = 2};
	float broken[8] = {0, 0, 0, NAN};
	struct sampler p;

	ck_assert_int_eq(sample_open(&p, &how, 8), 0);
	ck_assert_int_eq(sample_pick(&p, logits, NULL, NULL), 1);
	ck_assert_int_eq(sample_pick(&p, logits, none, NULL), -EILSEQ);
	ck_assert_int_eq(sample_pick(&p, broken, NULL, NULL), -EDOM);
	sample_close(&p);
	ck_assert_int_eq(sample_open(&p, &penalty, 8), 0);
	sample_see(&p, 1);
	sample_see(&p, 2);
	ck_assert_int_eq(sample_pick(&p, logits, NULL, NULL), 6);
	sample_see(&p, 6);
	ck_assert_int_eq(sample_pick(&p, logits, NULL, NULL), 5);
	sample_close(&p);
}
END_TEST

static void draw(const struct minimind_sampling *how, sample_allows allows, int *counts)
{
	struct sampler p;

	memset(counts, 0, 8 * sizeof *counts);
	ck_assert_int_eq(sample_open(&p, how, 8), 0);
	for (int i = 0; i < 20000; i++)
		counts[sample_pick(&p, logits, allows, NULL)]++;
	sample_close(&p);
}

START_TEST(draws_follow_the_probabilities)
{
	struct minimind_sampling how = {.temperature = 1};
	int n[8];

	draw(&how, NULL, n);
	/* e^3 of the sum 20.1*2 + 12.2 + 7.4 + 2.7 + 1 + 0.4 + 0.007 */
	ck_assert_int_ge(n[1], 20000 * 0.30);
	ck_assert_int_le(n[1], 20000 * 0.33);
	ck_assert_int_gt(n[3], 0);
	how.top_k = 3;
	draw(&how, NULL, n);
	ck_assert_int_eq(n[1] + n[2] + n[6], 20000);
	how.top_k = 0;
	how.top_p = 0.5f;
	draw(&how, NULL, n);
	ck_assert_int_eq(n[1] + n[2], 20000);
	how.top_p = 0;
	how.temperature = 0.05f;
	draw(&how, odd_only, n);
	ck_assert_int_ge(n[1], 19990);
	how.temperature = 100;
	draw(&how, odd_only, n);
	ck_assert_int_eq(n[1] + n[3] + n[5] + n[7], 20000);
	ck_assert_int_gt(n[7], 4000);
}
END_TEST

/* --- the way out alone ----------------------------------------------------------------
 */

START_TEST(characters_and_doubts_are_held_back)
{
	const char *stops[] = {"END", "\n\nuser"};
	struct text t = {0};
	struct outlet o = {.sink = collect, .context = &t, .stops = stops, .n_stops = 2};

	ck_assert_int_eq(outlet_put(&o, "a\xe4", 2), 0);
	ck_assert_str_eq(t.buf, "a");
	ck_assert_int_eq(outlet_put(&o, "\xb8\xad", 2), 0);
	ck_assert_str_eq(t.buf, "a\xe4\xb8\xad");
	ck_assert_int_eq(outlet_put(&o, "\n\nus", 4), 0);
	ck_assert_str_eq(t.buf, "a\xe4\xb8\xad");
	ck_assert_int_eq(outlet_put(&o, "e E", 3), 0);
	ck_assert_str_eq(t.buf, "a\xe4\xb8\xad\n\nuse ");
	ck_assert_int_eq(outlet_put(&o,
				 "\xff"
				 "b",
				 2),
		0);
	ck_assert_str_eq(t.buf, "a\xe4\xb8\xad\n\nuse E\xef\xbf\xbd"
				"b");
	ck_assert_int_eq(outlet_put(&o, "\xe4", 1), 0);
	ck_assert_int_eq(outlet_put(&o, "xENDz", 5), 1);
	ck_assert_str_eq(o.stop, "END");
	ck_assert_str_eq(t.buf, "a\xe4\xb8\xad\n\nuse E\xef\xbf\xbd"
				"b\xef\xbf\xbdx");
	outlet_free(&o);
}
END_TEST

TCase *case_session(void)
{
	TCase *t = tcase_create("session");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, a_common_beginning_is_not_computed_again);
	tcase_add_test(t, what_cannot_be_fed_is_refused);
	tcase_add_test(t, the_same_seed_writes_the_same);
	tcase_add_test(t, an_answer_ends_with_the_context);
	tcase_add_test(t, an_answer_ends_at_its_length_and_at_the_sinks_wish);
	tcase_add_test(t, an_answer_ends_before_a_stop_string);
	tcase_add_test(t, greedy_takes_the_first_of_the_best);
	tcase_add_test(t, draws_follow_the_probabilities);
	tcase_add_test(t, characters_and_doubts_are_held_back);
	return t;
}
