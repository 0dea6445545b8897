/*
 * test_call.c: what a tool call means, and why one has no sense.
 */
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/call.h"
#include "tests/unit/agentctl/suites.h"

static const struct {
	const char *name, *args;
	enum call_kind kind;
	const char *text; /* or a part of why */
	unsigned int step;
} rows[] = {
	{"run", "{\"command\":\"ls\"}", CALL_RUN, "ls", 0},
	{"run", " {\"command\":\"a\\nb\"} ", CALL_RUN, "a\nb", 0},
	{"run", "\"{\\\"command\\\":\\\"ls\\\"}\"", CALL_RUN, "ls", 0},
	{"run", "{\"cmd\":\"ls\"}", CALL_RUN, "ls", 0},
	{"bash", "{\"command\":\"ls\",\"timeout\":3}", CALL_RUN, "ls", 0},
	{"run", "{}", CALL_UNREAD, "needs the string `command`", 0},
	{"run", "", CALL_UNREAD, "needs the string `command`", 0},
	{"run", "{\"command\":\"  \"}", CALL_UNREAD, "not empty", 0},
	{"run", "{\"command\":[\"ls\"]}", CALL_UNREAD, "needs the string", 0},
	{"run", "{\"command\":\"a\\u0000b\"}", CALL_UNREAD, "needs the string", 0},
	{"run", "{\"command\":\"rm -rf build", CALL_UNREAD, "cut off", 0},
	{"run", "{\"command\":\"ls\"} and more", CALL_UNREAD, "not a JSON object", 0},
	{"run", "ls -la", CALL_UNREAD, "not a JSON object", 0},
	{"run", "[\"ls\"]", CALL_UNREAD, "not a JSON object", 0},
	{"fly", "{\"to\":\"moon\"}", CALL_UNREAD, "no tool 'fly'", 0},
	{"", "{}", CALL_UNREAD, "no tool ''", 0},
	{"finish", "{\"message\":\"so\"}", CALL_FINISH, "so", 0},
	{"finish", "{\"summary\":\"so\"}", CALL_FINISH, "so", 0},
	{"finish", "", CALL_FINISH, "", 0},
	{"rollback", "{}", CALL_ROLLBACK, "", 0},
	{"rollback", "{\"step\":7}", CALL_ROLLBACK, "", 7},
	{"rollback", "{\"step\":\"7\"}", CALL_ROLLBACK, "", 7},
	{"rollback", "{\"step\":null}", CALL_ROLLBACK, "", 0},
	{"rollback", "{\"step\":-1}", CALL_UNREAD, "number of a step", 0},
};

START_TEST(a_call_means_one_thing)
{
	struct calls l = {0};

	ck_assert_int_eq(
		calls_add(&l, rows[_i].name, "id", rows[_i].args, strlen(rows[_i].args)),
		0);
	ck_assert_uint_eq(l.n, 1);
	ck_assert_int_eq(l.c[0].kind, rows[_i].kind);
	ck_assert_str_eq(l.c[0].id, "id");
	if (rows[_i].kind == CALL_UNREAD)
		ck_assert_msg(strstr(l.c[0].text, rows[_i].text), "%s", l.c[0].text);
	else
		ck_assert_str_eq(l.c[0].text, rows[_i].text);
	ck_assert_uint_eq(l.c[0].step, rows[_i].step);
	calls_free(&l);
}
END_TEST

START_TEST(calls_are_bounded)
{
	struct calls l = {0};

	for (int i = 0; i < 2 * CALLS_MAX; i++)
		ck_assert_int_eq(calls_add(&l, "finish", NULL, "", 0), 0);
	ck_assert_uint_eq(l.n, CALLS_MAX);
	calls_free(&l);
}
END_TEST

TCase *case_call(void)
{
	TCase *t = tcase_create("call");

	tcase_add_loop_test(
		t, a_call_means_one_thing, 0, (int)(sizeof rows / sizeof rows[0]));
	tcase_add_test(t, calls_are_bounded);
	return t;
}
