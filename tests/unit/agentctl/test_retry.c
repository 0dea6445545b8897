/*
 * test_retry.c: what is asked again, and when.
 */
#include "agentctl/provider/retry.h"
#include "tests/unit/agentctl/suites.h"

static const struct {
	struct fault f;
	bool again;
} rows[] = {
	{{FAULT_CONNECT, 0, -1, ""}, true},
	{{FAULT_TIME, 0, -1, ""}, true},
	{{FAULT_BROKEN, 200, -1, ""}, true},
	{{FAULT_TLS, 0, -1, ""}, false},
	{{FAULT_NOT_CHAT, 200, -1, ""}, false},
	{{FAULT_TOO_BIG, 200, -1, ""}, false},
	{{FAULT_LOCAL, 0, -1, ""}, false},
	{{FAULT_REFUSED, 429, -1, ""}, true},
	{{FAULT_REFUSED, 429, 1000, ""}, true},
	{{FAULT_REFUSED, 429, RETRY_LONGEST_MS + 1, ""}, false},
	{{FAULT_REFUSED, 429, -1, "pay: insufficient_quota"}, false},
	{{FAULT_REFUSED, 408, -1, ""}, true},
	{{FAULT_REFUSED, 500, -1, ""}, true},
	{{FAULT_REFUSED, 503, -1, ""}, true},
	{{FAULT_REFUSED, 529, -1, ""}, true},
	{{FAULT_REFUSED, 501, -1, ""}, false},
	{{FAULT_REFUSED, 400, -1, ""}, false},
	{{FAULT_REFUSED, 401, -1, ""}, false},
	{{FAULT_REFUSED, 404, -1, ""}, false},
	{{FAULT_REFUSED, 0, -1, ""}, true},
};

START_TEST(only_what_may_pass_is_asked_again)
{
	ck_assert_int_eq(retry_may_help(&rows[_i].f), rows[_i].again);
}
END_TEST

START_TEST(waits_double_and_vary)
{
	struct fault f = {FAULT_CONNECT, 0, -1, ""};
	int64_t most = 500;

	for (unsigned int i = 1; i < 100; i++) {
		for (uint32_t r = 0; r < 100; r++) {
			int64_t ms = retry_wait_ms(i, &f, r * 40503u);

			ck_assert_int_le(ms, most);
			ck_assert_int_gt(ms, most / 2 - 1);
		}
		ck_assert_int_ne(retry_wait_ms(i, &f, 1), retry_wait_ms(i, &f, 100));
		most = most * 2 > 30000 ? 30000 : most * 2;
	}
}
END_TEST

START_TEST(a_server_knows_better)
{
	struct fault f = {FAULT_REFUSED, 429, 7000, ""};

	for (uint32_t r = 0; r < 5000; r++) {
		ck_assert_int_ge(retry_wait_ms(1, &f, r), 7000);
		ck_assert_int_le(retry_wait_ms(1, &f, r), 7800);
	}
}
END_TEST

static const struct {
	const char *value;
	int64_t ms;
} headers[] = {{"0", 0}, {"7", 7000}, {"1.5", 1500}, {"-1", -1}, {"soon", -1}, {"", -1},
	{"nan", -1}, {"1e300", -1}, {"7 s", -1}, {"Thu, 01 Jan 1970 00:01:40 GMT", 40000},
	{"Thu, 01 Jan 1970 00:00:10 GMT", 0}, {"Thu, 01 Jan", -1}};

START_TEST(retry_after_is_seconds_or_a_date)
{
	ck_assert_int_eq(retry_after_ms(headers[_i].value, 60), headers[_i].ms);
}
END_TEST

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))

TCase *case_retry(void)
{
	TCase *t = tcase_create("retry");

	tcase_add_loop_test(t, only_what_may_pass_is_asked_again, 0, N(rows));
	tcase_add_test(t, waits_double_and_vary);
	tcase_add_test(t, a_server_knows_better);
	tcase_add_loop_test(t, retry_after_is_seconds_or_a_date, 0, N(headers));
	return t;
}
