/*
 * test_answer.c: bodies of responses, as all kinds of servers send them, whole, cut into
 * pieces and broken off at every byte. A command is never another one than was meant.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/answer.h"
#include "common/mem.h"
#include "tests/unit/agentctl/suites.h"

#define D(json) "data: " json "\n\n"
#define DELTA(delta) D("{\"choices\":[{\"index\":0,\"delta\":{" delta "}}]}")
#define BARE(delta) D("{\"choices\":[{\"delta\":{" delta "}}]}")
#define END(reason) \
	D("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason "\"}]}")
#define DONE D("[DONE]")
#define RUN(command) \
	"{\"name\":\"run\",\"arguments\":\"{\\\"command\\\":\\\"" command "\\\"}\"}"
#define WHOLE(message) \
	"{\"choices\":[{\"message\":{" message "},\"finish_reason\":\"stop\"}]}"

static const struct {
	const char *what, *body, *text, *calls;
	uint64_t in, out;
} rows[] = {
	{"whole, with usage",
		"{\"id\":\"x\",\"choices\":[{\"index\":0,\"message\":{\"role\":"
		"\"assistant\","
		"\"content\":\"hi\"},\"finish_reason\":\"stop\"}],\"usage\":{"
		"\"prompt_tokens\":7,\"completion_tokens\":2}}",
		"hi", "", 7, 2},
	{"whole, with a call",
		WHOLE("\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"type\":"
		      "\"function\","
		      "\"function\":" RUN("ls") "}]"),
		NULL, "a=ls;", 0, 0},
	{"whole, reasoning, no id, arguments as an object",
		WHOLE("\"reasoning_content\":\"hm\",\"content\":\"\",\"tool_calls\":[{"
		      "\"function\":{\"name\":\"run\",\"arguments\":{\"command\":\"ls\"}}"
		      "}]"),
		NULL, "=ls;", 0, 0},
	{"whole, a call as text, behind thoughts",
		WHOLE("\"content\":\"<think>x</"
		      "think><tool_call>{\\\"name\\\":\\\"run\\\","
		      "\\\"arguments\\\":{\\\"command\\\":\\\"ls\\\"}}</tool_call>\""),
		NULL, "=ls;", 0, 0},
	{"whole, content in parts",
		WHOLE("\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":"
		      "\"text\","
		      "\"text\":\"b\"}]"),
		"ab", "", 0, 0},
	{"whole, the form of 2023", WHOLE("\"function_call\":" RUN("ls")), NULL, "=ls;",
		0, 0},
	{"whole, a blank before, a mark, a call as delta",
		"\xef\xbb\xbf \n{\"choices\":[{\"delta\":{\"content\":\"x\"}}]}", "x", "",
		0, 0},
	{"a stream as the protocol says",
		DELTA("\"role\":\"assistant\",\"content\":\"\"") DELTA(
			"\"content\":\"he\"") DELTA("\"content\":\"llo\"") END("stop")
			D("{\"choices\":[],\"usage\":{\"prompt_tokens\":"
			  "9,\"completion_tokens\":3}}") DONE,
		"hello", "", 9, 3},
	{"a call in pieces, with index",
		DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":"
		      "\"run\",\"arguments\":\"\"}}]")
			DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":"
			      "\"{"
			      "\\\"comma\"}}]")
				DELTA("\"tool_calls\":[{\"index\":0,\"function\":{"
				      "\"arguments\":\"nd\\\":\\\"ls\\\"}\"}}]")
					END("tool_calls") DONE,
		NULL, "a=ls;", 0, 0},
	{"two calls in turns, with index",
		DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":"
		      "\"run\",\"arguments\":\"{\\\"command\\\":\"}}]")
			DELTA("\"tool_calls\":[{\"index\":1,\"id\":\"b\",\"function\":{"
			      "\"name\":\"run\",\"arguments\":\"{\\\"command\\\":\"}}]")
				DELTA("\"tool_calls\":[{\"index\":0,\"function\":{"
				      "\"arguments\":\"\\\"ls\\\"}\"}},{\"index\":1,"
				      "\"function\":{\"arguments\":\"\\\"pwd\\\"}\"}}]")
					END("tool_calls") DONE,
		NULL, "a=ls;b=pwd;", 0, 0},
	{"pieces without index; an id begins a call",
		BARE("\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"run\","
		     "\"arguments\":\"{\\\"command\\\":\"}}]")
			BARE("\"tool_calls\":[{\"function\":{\"arguments\":\"\\\"ls\\\"}"
			     "\"}}]")
				BARE("\"tool_calls\":[{\"id\":\"b\",\"function\":" RUN(
					"pwd") "}]") END("tool_calls"),
		NULL, "a=ls;b=pwd;", 0, 0},
	{"pieces that repeat name and id",
		BARE("\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"run\","
		     "\"arguments\":\"{\\\"command\\\":\"}}]")
			BARE("\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":"
			     "\"run\","
			     "\"arguments\":\"\\\"ls\\\"}\"}}]") DONE,
		NULL, "a=ls;", 0, 0},
	{"index 0 for all, other ids",
		BARE("\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":" RUN(
			"ls") "}]") BARE("\"tool_calls\":[{\"index\":0,\"id\":\"b\","
					 "\"function\":" RUN("pwd") "}]") DONE,
		NULL, "a=ls;b=pwd;", 0, 0},
	{"index 0 for all, no ids",
		BARE("\"tool_calls\":[{\"index\":0,\"function\":" RUN("ls") "}]")
			BARE("\"tool_calls\":[{\"index\":0,\"function\":" RUN("pwd") "}]")
				DONE,
		NULL, "=ls;=pwd;", 0, 0},
	{"pieces that repeat the name alone, and an empty one at the end",
		BARE("\"tool_calls\":[{\"function\":{\"name\":\"run\","
		     "\"arguments\":\"{\\\"command\\\":\"}}]")
			BARE("\"tool_calls\":[{\"function\":{\"name\":\"run\","
			     "\"arguments\":\"\\\"ls\\\"}\"}}]")
				BARE("\"tool_calls\":[{\"function\":{\"name\":\"run\","
				     "\"arguments\":\"\"}}]") DONE,
		NULL, "=ls;", 0, 0},
	{"a refusal in words", WHOLE("\"content\":null,\"refusal\":\"no\""), "no", "", 0,
		0},
	{"all at once, without index or id",
		BARE("\"tool_calls\":[{\"function\":" RUN("ls") "},{\"function\":" RUN(
			"pwd") "}]") END("tool_calls"),
		NULL, "=ls;=pwd;", 0, 0},
	{"as Minimind's third generation: as text, then again as calls",
		BARE("\"content\":\"I look.\\n<tool_call>\\n{\\\"name\\\": \\\"run\\\", "
		     "\"") BARE("\"content\":\"\\\"arguments\\\": {\\\"command\\\": "
				"\\\"ls\\\"}}\\n</tool_call>\"")
			BARE("\"tool_calls\":[{\"id\":\"call_1_0\",\"type\":"
			     "\"function\",\"function\":" RUN("ls") "}]")
				D("{\"choices\":[{\"delta\":{},\"finish_reason\":"
				  "\"tool_calls\"}]}"),
		"I look.", "call_1_0=ls;", 0, 0},
	{"as its second: text alone, no end",
		BARE("\"content\":\"he\"") BARE("\"content\":\"llo\""), "hello", "", 0,
		0},
	{"reasoning in a stream",
		BARE("\"reasoning_content\":\"hm\"") BARE("\"reasoning\":\"hm\"")
			BARE("\"content\":\"ok\"") END("stop"),
		"ok", "", 0, 0},
	{"comments, nulls, another choice, a message at the end",
		": ping\n\n" DELTA("\"content\":null,\"tool_calls\":null") D(
			"{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"no\"}}]}")
			DELTA("\"content\":\"yes\"")
				D("{\"choices\":[{\"index\":0,\"message\":{\"content\":"
				  "\"yes\"},\"finish_reason\":\"stop\"}]}") DONE,
		"yes", "", 0, 0},
	{"nothing at all was said", END("stop") DONE, NULL, "", 0, 0},
	{"NUL bytes in words", WHOLE("\"content\":\"a\\u0000b\""), "ab", "", 0, 0},
};

static void show_calls(const struct calls *l, char *out)
{
	*out = 0;
	for (size_t i = 0; i < l->n; i++)
		out += sprintf(out, "%s=%s;", l->c[i].id ? l->c[i].id : "",
			l->c[i].kind == CALL_RUN ? l->c[i].text : "?");
}

/* The body in two pieces, the second perhaps missing. */
static int read_body(const char *p, size_t cut, size_t n, bool whole, struct answer *a,
	struct fault *f)
{
	struct reader r;
	int e;

	memset(a, 0, sizeof *a);
	memset(f, 0, sizeof *f);
	reader_init(&r);
	reader_feed(&r, p, cut);
	if (n > cut)
		reader_feed(&r, p + cut, n - cut);
	e = reader_end(&r, whole, 200, a, f);
	reader_free(&r);
	return e;
}

START_TEST(an_answer_is_understood_wherever_it_is_cut)
{
	const char *p = rows[_i].body;
	size_t n = strlen(p);
	char shown[512];
	struct answer a;
	struct fault f;

	for (size_t cut = 0; cut <= n; cut++) {
		ck_assert_msg(read_body(p, cut, n, true, &a, &f) == 0, "%s: %s",
			rows[_i].what, f.text);
		show_calls(&a.calls, shown);
		ck_assert_str_eq(shown, rows[_i].calls);
		ck_assert_str_eq(
			a.text ? a.text : "-", rows[_i].text ? rows[_i].text : "-");
		ck_assert_uint_eq(a.tokens_in, rows[_i].in);
		ck_assert_uint_eq(a.tokens_out, rows[_i].out);
		answer_free(&a);
	}
}
END_TEST

/* The command of the @i-th call in a list as show_calls makes it, or "". */
static void command_of(const char *list, size_t i, char *out)
{
	*out = 0;
	while (i-- > 0 && list)
		list = strchr(list, ';') ? strchr(list, ';') + 1 : NULL;
	if (list && strchr(list, '='))
		sscanf(strchr(list, '=') + 1, "%255[^;]", out);
}

/* A call after a break is the one that was meant, or known to have no sense; text is a
 * beginning of the text. */
START_TEST(an_answer_broken_off_means_nothing_else)
{
	const char *p = rows[_i].body;
	char command[256];
	struct answer a;
	struct fault f;

	for (size_t i = 0; i < 2 * strlen(p); i++) {
		if (read_body(p, i / 2, i / 2, i % 2, &a, &f) != 0) {
			ck_assert_uint_gt(strlen(f.text), 0);
			continue;
		}
		for (size_t c = 0; c < a.calls.n; c++) {
			command_of(rows[_i].calls, c, command);
			ck_assert_msg(a.calls.c[c].kind == CALL_UNREAD ||
					      strcmp(a.calls.c[c].text, command) == 0,
				"%s at %zu: %s", rows[_i].what, i / 2, a.calls.c[c].text);
		}
		if (a.text)
			ck_assert_msg(rows[_i].text && strncmp(a.text, rows[_i].text,
							       strlen(a.text)) == 0,
				"%s at %zu: %s", rows[_i].what, i / 2, a.text);
		answer_free(&a);
	}
}
END_TEST

START_TEST(every_allocation_may_fail)
{
	const char *p = rows[_i].body;
	struct answer a;
	struct fault f;

	for (long n = 0;; n++) {
		int r, failed;

		mem_fail_after(n);
		r = read_body(p, strlen(p) / 2, strlen(p), true, &a, &f);
		failed = mem_failed();
		mem_fail_after(-1);
		if (!failed) {
			ck_assert_int_eq(r, 0);
			answer_free(&a);
			return;
		}
		answer_free(&a);
	}
}
END_TEST

static const struct {
	const char *body;
	int status;
	bool whole;
	enum fault_kind kind;
	const char *text;
	int told;
} faults[] = {
	{"{\"error\":{\"message\":\"bad key\",\"code\":\"invalid_api_key\"}}", 401, true,
		FAULT_REFUSED, "bad key: invalid_api_key", 401},
	{"[{\"error\":{\"message\":\"bad\",\"code\":400}}]", 400, true, FAULT_REFUSED,
		"bad", 400},
	{"{\"error\":\"plain\"}", 500, true, FAULT_REFUSED, "plain", 500},
	{"{\"detail\":\"not that way\"}", 422, true, FAULT_REFUSED, "not that way", 422},
	{"<html>\x1b[31m oh</html>", 502, true, FAULT_REFUSED, "<html> [31m oh</html>",
		502},
	{"", 503, true, FAULT_REFUSED, "", 503},
	{"{\"error\":{\"message\":\"busy\",\"code\":503}}", 200, true, FAULT_REFUSED,
		"busy", 503},
	{BARE("\"content\":\"a\"") D("{\"error\":{\"message\":\"overloaded\"}}"), 200,
		true, FAULT_REFUSED, "overloaded", 0},
	{BARE("\"content\":\"a\"") D("{oh"), 200, true, FAULT_BROKEN, "no JSON", 200},
	{BARE("\"content\":\"a\""), 200, false, FAULT_BROKEN, "broke off", 200},
	{"{\"choices\":[{\"mess", 200, false, FAULT_BROKEN, "no whole JSON", 200},
	{"{malformed json: <<<", 200, true, FAULT_BROKEN, "no whole JSON", 200},
	{"", 200, true, FAULT_BROKEN, "broke off", 200},
	{"<html>hello</html>", 200, true, FAULT_NOT_CHAT, "neither", 200},
	{"{\"object\":\"list\"}", 200, true, FAULT_NOT_CHAT, "no answer", 200},
	{": ping\n\n", 200, true, FAULT_NOT_CHAT, "no answer", 200},
	{"42", 200, true, FAULT_NOT_CHAT, "neither", 200},
};

START_TEST(a_fault_is_named)
{
	struct reader r;
	struct answer a = {0};
	struct fault f = {0};

	reader_init(&r);
	reader_feed(&r, faults[_i].body, strlen(faults[_i].body));
	ck_assert_int_eq(
		reader_end(&r, faults[_i].whole, faults[_i].status, &a, &f), -EIO);
	ck_assert_int_eq(f.kind, faults[_i].kind);
	ck_assert_msg(strstr(f.text, faults[_i].text), "%s", f.text);
	ck_assert_int_eq(f.status, faults[_i].told);
	reader_free(&r);
}
END_TEST

/* Once the server said that it had ended, a broken line loses nothing. */
START_TEST(an_end_is_an_end)
{
	static const char *const bodies[] = {BARE("\"content\":\"a\"") END("stop"),
		BARE("\"content\":\"a\"") DONE,
		BARE("\"content\":\"a\"") END("stop") "data: {"};
	struct answer a;
	struct fault f;

	for (size_t i = 0; i < 3; i++) {
		ck_assert_int_eq(
			read_body(bodies[i], 1, strlen(bodies[i]), false, &a, &f), 0);
		ck_assert_str_eq(a.text, "a");
		answer_free(&a);
	}
}
END_TEST

START_TEST(a_cut_answer_says_so)
{
	static const char body[] = BARE("\"content\":\"a\"") END("length") DONE;
	struct answer a;
	struct fault f;

	ck_assert_int_eq(read_body(body, 1, strlen(body), true, &a, &f), 0);
	ck_assert(a.cut);
	answer_free(&a);
}
END_TEST

START_TEST(too_much_is_not_taken)
{
	static char piece[70000];
	struct reader r;
	struct answer a = {0};
	struct fault f = {0};
	int n = snprintf(piece, sizeof piece,
		"data: {\"choices\":[{\"delta\":{\"content\":\"%060000d\"}}]}\n\n", 7);
	int e = 0;

	reader_init(&r);
	for (int i = 0; i < 1000 && e == 0; i++)
		e = reader_feed(&r, piece, (size_t)n);
	ck_assert_int_eq(e, -EMSGSIZE);
	ck_assert_int_eq(reader_end(&r, false, 200, &a, &f), -EIO);
	ck_assert_int_eq(f.kind, FAULT_TOO_BIG);
	reader_free(&r);
}
END_TEST

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))

TCase *case_answer(void)
{
	TCase *t = tcase_create("answer");

	tcase_add_loop_test(t, an_answer_is_understood_wherever_it_is_cut, 0, N(rows));
	tcase_add_loop_test(t, an_answer_broken_off_means_nothing_else, 0, N(rows));
	tcase_add_loop_test(t, every_allocation_may_fail, 0, N(rows));
	tcase_add_loop_test(t, a_fault_is_named, 0, N(faults));
	tcase_add_test(t, an_end_is_an_end);
	tcase_add_test(t, a_cut_answer_says_so);
	tcase_add_test(t, too_much_is_not_taken);
	return t;
}
