/*
 * test_sse.c: events come out the same wherever the stream is cut.
 */
#include <errno.h>
#include <string.h>
#include "agentctl/provider/sse.h"
#include "tests/unit/agentctl/suites.h"

static char seen[4096];

static int note(void *arg, const char *data, size_t n)
{
	strncat(seen, data, n);
	strcat(seen, "|");
	return arg && *(int *)arg ? -ECANCELED : 0;
}

static const struct {
	const char *stream, *events;
} streams[] = {
	{"data: a\n\ndata: b\n\n", "a|b|"},
	{"data: a\r\n\r\ndata: b\r\n\r\n", "a|b|"},
	{"data: a\r\rdata:b\r\r", "a|b|"},
	{"\xef\xbb\xbf"
	 "data: a\n\n",
		"a|"},
	{": ping\n\ndata: a\n\n: ping\n\n", "a|"},
	{"event: x\nid: 7\nretry: 10\ndata: a\n\n", "a|"},
	{"data: a\ndata: b\n\n", "a\nb|"},
	{"data:  a\n\n", " a|"},
	{"data\n\ndata: a\n\n", "a|"},
	{"data:\n\n", "|"},
	{"data: a\n\ndata: b", "a|b|"}, /* the end of all is an end, too */
	{"data: a\n", "a|"},
	{"\n\n\n", ""},
	{"", ""},
	{"nothing of the kind\n\n", ""},
};

START_TEST(a_stream_is_cut_anywhere)
{
	const char *p = streams[_i].stream;
	size_t n = strlen(p);
	struct sse s;

	for (size_t cut = 0; cut <= n; cut++) {
		seen[0] = 0;
		sse_init(&s, note, NULL);
		ck_assert_int_eq(sse_feed(&s, p, cut), 0);
		ck_assert_int_eq(sse_feed(&s, p + cut, n - cut), 0);
		ck_assert_int_eq(sse_end(&s), 0);
		ck_assert_str_eq(seen, streams[_i].events);
		sse_free(&s);
	}
	seen[0] = 0;
	sse_init(&s, note, NULL);
	for (size_t i = 0; i < n; i++)
		ck_assert_int_eq(sse_feed(&s, p + i, 1), 0);
	ck_assert_int_eq(sse_end(&s), 0);
	ck_assert_str_eq(seen, streams[_i].events);
	sse_free(&s);
}
END_TEST

START_TEST(a_reader_can_stop)
{
	struct sse s;
	int stop = 1;

	seen[0] = 0;
	sse_init(&s, note, &stop);
	ck_assert_int_eq(sse_feed(&s, "data: a\n\ndata: b\n\n", 18), -ECANCELED);
	ck_assert_str_eq(seen, "a|");
	sse_free(&s);
}
END_TEST

START_TEST(a_line_without_end_is_too_much)
{
	static char big[65536];
	struct sse s;
	int r = 0;

	memset(big, 'x', sizeof big);
	sse_init(&s, note, NULL);
	for (int i = 0; i < 100 && r == 0; i++)
		r = sse_feed(&s, big, sizeof big);
	ck_assert_int_eq(r, -EMSGSIZE);
	sse_free(&s);
}
END_TEST

TCase *case_sse(void)
{
	TCase *t = tcase_create("sse");

	tcase_add_loop_test(t, a_stream_is_cut_anywhere, 0,
		(int)(sizeof streams / sizeof streams[0]));
	tcase_add_test(t, a_reader_can_stop);
	tcase_add_test(t, a_line_without_end_is_too_much);
	return t;
}
