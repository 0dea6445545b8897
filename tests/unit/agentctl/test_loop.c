/*
 * test_loop.c: the table of exit statuses, and the form of what is told.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agentctl/loop/loop.h"
#include "agentctl/loop/report.h"
#include "tests/unit/agentctl/suites.h"

static const struct {
	struct loop_ending e;
	int code;
} endings[] = {
	{{.outcome = LOOP_COMMITTED, .ran = true}, 0},
	{{.outcome = LOOP_KEPT, .ran = true}, 0},
	{{.outcome = LOOP_KEPT, .ran = true, .status = 3}, 3},
	{{.outcome = LOOP_ABORTED, .ran = true, .status = 3}, 3},
	{{.outcome = LOOP_ABORTED, .ran = true, .status = 0}, 1},
	{{.outcome = LOOP_ABORTED, .ran = true, .status = 143}, 143},
	{{.outcome = LOOP_ABORTED, .status = 127, .ran = true}, 127},
	{{.outcome = LOOP_ABORTED, .ran = true, .check_failed = true}, 120},
	{{.outcome = LOOP_KEPT, .ran = true, .check_failed = true}, 120},
	{{.outcome = LOOP_CONFLICT, .ran = true}, 121},
	{{.outcome = LOOP_FAILED, .ran = true}, 122},
	{{.outcome = LOOP_COMMITTED, .ran = true, .behind = true}, 122},
	{{.outcome = LOOP_COMMITTED, .ran = true, .unclean = true}, 122},
	{{.outcome = LOOP_ABORTED, .ran = true, .timed_out = true, .status = 143}, 124},
	{{.outcome = LOOP_KEPT, .ran = true, .timed_out = true, .status = 137}, 124},
	{{.outcome = LOOP_FAILED}, 125},
	{{.outcome = LOOP_REFUSED}, 126},
};

START_TEST(an_ending_has_its_exit_status)
{
	ck_assert_int_eq(loop_exit_code(&endings[_i].e), endings[_i].code);
}
END_TEST

/* What report_emit writes to standard output. */
static void emitted(json_object *o, char *buf, size_t size)
{
	int p[2], saved = dup(STDOUT_FILENO);
	ssize_t n;

	ck_assert_int_eq(pipe(p), 0);
	dup2(p[1], STDOUT_FILENO);
	report_emit(true, o);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(p[1]);
	n = read(p[0], buf, size - 1);
	close(p[0]);
	buf[n > 0 ? n : 0] = 0;
}

START_TEST(an_event_is_one_line_of_json)
{
	char line[512];
	json_object *o = report_event("say");

	report_add(o, "text", "two\nlines \"and\" \x1b[31m");
	report_add(o, "none", NULL);
	report_add_bytes(o, "name", "\xff\xfe", 2);
	report_add_ms(o, "ms", 1234567);
	report_add_bool(o, "yes", true);
	emitted(o, line, sizeof line);
	ck_assert_str_eq(line,
		"{\"ev\":\"say\",\"text\":\"two\\nlines \\\"and\\\" \\u001b[31m\","
		"\"name_base64\":\"//4=\",\"ms\":1.235,\"yes\":true}\n");
}
END_TEST

static const struct {
	uint64_t ns;
	const char *text;
} times[] = {{210000, "0.21 ms"}, {6100000, "6.1 ms"}, {31000000, "31 ms"},
	{4200000000u, "4200 ms"}, {14200000000u, "14.2 s"}};

START_TEST(a_time_is_short)
{
	char buf[32];

	ck_assert_str_eq(report_time(times[_i].ns, buf, sizeof buf), times[_i].text);
}
END_TEST

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))

Suite *suite_loop(void)
{
	Suite *s = suite_create("loop");
	TCase *t = tcase_create("ending");

	tcase_add_loop_test(t, an_ending_has_its_exit_status, 0, N(endings));
	tcase_add_test(t, an_event_is_one_line_of_json);
	tcase_add_loop_test(t, a_time_is_short, 0, N(times));
	suite_add_tcase(s, t);
	suite_add_tcase(s, case_stubborn());
	suite_add_tcase(s, case_transcript());
	return s;
}
