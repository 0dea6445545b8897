/*
 * test_jtext.c: what is JSON is read, what is not is refused.
 */
#include <errno.h>
#include <string.h>
#include "agentctl/provider/minimind/jtext.h"
#include "tests/unit/agentctl/suites.h"

static struct jtext d;
static struct why why;

static int parse(const char *text)
{
	return jtext_parse(&d, text, strlen(text), "f", &why);
}

START_TEST(values_are_found_by_key)
{
	char buf[64];
	double v;
	uint64_t u;
	uint32_t a;

	ck_assert_int_eq(
		parse(" {\"a\" : [1, -2.5e-3,{\"x\":null}],\"b\\u0063\":\"\\\"\\n"
		      "\\u00e4\\ud83d\\ude00\\ud83d\",\"t\":true, \"t\":false} "),
		0);
	a = jtext_get(&d, 0, "a");
	ck_assert_uint_eq(jtext_count(&d, a), 3);
	ck_assert(jtext_uint(&d, jtext_first(&d, a), &u));
	ck_assert_uint_eq(u, 1);
	ck_assert(jtext_number(&d, jtext_next(&d, jtext_first(&d, a)), &v));
	ck_assert_double_eq_tol(v, -0.0025, 1e-18);
	ck_assert(!jtext_uint(&d, jtext_next(&d, jtext_first(&d, a)), &u));
	ck_assert(jtext_name(&d, jtext_get(&d, 0, "bc"), buf, sizeof buf));
	ck_assert_str_eq(buf, "\"\n\xc3\xa4\xf0\x9f\x98\x80\xef\xbf\xbd");
	ck_assert_int_eq(jtext_kind(&d, jtext_get(&d, 0, "t")), JTEXT_TRUE);
	ck_assert_uint_eq(jtext_get(&d, 0, "x"), 0);
	ck_assert_uint_eq(jtext_get(&d, a, "x"), 0);
	jtext_free(&d);
}
END_TEST

static const struct {
	const char *text;
	double value;
} numbers[] = {
	{"0", 0},
	{"-0.0", 0},
	{"1e-05", 1e-5},
	{"1000000.0", 1e6},
	{"0.1", 0.1},
	{"123456789", 123456789},
	{"1E+3", 1000},
};

START_TEST(numbers_are_exact)
{
	double v;

	ck_assert_int_eq(parse(numbers[_i].text), 0);
	ck_assert(jtext_number(&d, 0, &v));
	ck_assert_double_eq(v, numbers[_i].value);
	jtext_free(&d);
}
END_TEST

static const char *const bad[] = {
	"",
	" ",
	"{",
	"[1,]",
	"{\"a\"}",
	"{\"a\":}",
	"{a:1}",
	"[1 2]",
	"tru",
	"nullx",
	"01",
	"-",
	"1.",
	"1e",
	"+1",
	"\"",
	"\"\n\"",
	"\"\\x\"",
	"\"\\u12g4\"",
	"\"\\",
	"[1]]",
	"{\"a\":1,}",
	"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
	"]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
};

START_TEST(what_is_no_json_is_refused)
{
	ck_assert_msg(parse(bad[_i]) == -EINVAL, "%s", bad[_i]);
	ck_assert_ptr_nonnull(strstr(why.text, "'f'"));
	jtext_free(&d);
}
END_TEST

START_TEST(numbers_too_large_are_none)
{
	double v;
	uint64_t u;

	ck_assert_int_eq(parse("[1e999, 9007199254740992]"), 0);
	ck_assert(!jtext_number(&d, 1, &v));
	ck_assert(!jtext_uint(&d, 2, &u));
	jtext_free(&d);
}
END_TEST

TCase *case_jtext(void)
{
	TCase *t = tcase_create("jtext");

	tcase_add_test(t, values_are_found_by_key);
	tcase_add_loop_test(t, numbers_are_exact, 0, sizeof numbers / sizeof numbers[0]);
	tcase_add_loop_test(t, what_is_no_json_is_refused, 0, sizeof bad / sizeof bad[0]);
	tcase_add_test(t, numbers_too_large_are_none);
	return t;
}
