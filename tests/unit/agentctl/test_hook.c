/*
 * test_hook.c: what hooks of other agents say, and what the door of a sandbox lets pass.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/repl/event.h"
#include "agentctl/tool/door.h"
#include "common/cleanup.h"
#include "tests/unit/agentctl/suites.h"

#define PRE "\"hook_event_name\":\"PreToolUse\",\"cwd\":\"/usr\",\"tool_name\":\"Bash\""

static const struct {
	enum event_agent agent;
	const char *text;
	int r;
	const char *command, *cwd; /* NULL: none */
} events[] = {
	{EVENT_CLAUDE, "{" PRE ",\"tool_input\":{\"command\":\"ls\"}}", 0, "ls", "/usr"},
	{EVENT_CODEX, "{" PRE ",\"tool_input\":{\"command\":[\"ls\",\"a b\"]}}", 0,
		"ls 'a b'", "/usr"},
	{EVENT_CODEX, "{" PRE ",\"tool_input\":{\"cmd\":\"ls\"}}", 0, "ls", "/usr"},
	{EVENT_GEMINI,
		"{\"hook_event_name\":\"BeforeTool\",\"cwd\":\"/usr\",\"tool_name\":"
		"\"run_shell_command\",\"tool_input\":{\"command\":\"ls\",\"dir_path\":"
		"\"lib\"}}",
		0, "ls", "/usr/lib"},
	{EVENT_GEMINI,
		"{\"hook_event_name\":\"BeforeTool\",\"tool_name\":\"run_shell_command\","
		"\"tool_input\":{\"command\":\"ls\",\"directory\":\"/etc\"}}",
		0, "ls", "/etc"},
	{EVENT_CURSOR, "{\"command\":\"ls\",\"cwd\":\"/usr\"}\n", 0, "ls", "/usr"},
	{EVENT_CLAUDE,
		"{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Read\","
		"\"tool_input\":{\"path\":\"x\"}}",
		0, NULL, NULL},
	{EVENT_CLAUDE, "{" PRE ",\"tool_input\":{}}", -EINVAL, NULL, NULL},
	{EVENT_CLAUDE, "{" PRE ",\"tool_input\":{\"command\":\"\\u0000\"}}", -EINVAL,
		NULL, NULL},
	{EVENT_CLAUDE, "{" PRE "}", -EINVAL, NULL, NULL},
	{EVENT_CURSOR, "{}", -EINVAL, NULL, NULL},
	{EVENT_CURSOR, "{\"command\":{}}", -EINVAL, NULL, NULL},
	{EVENT_GEMINI, "{" PRE ",\"tool_input\":{\"command\":\"ls\"}}", -EINVAL, NULL,
		NULL},
	{EVENT_CLAUDE, "{\"tool_input\":{\"command\":\"ls\"}} {}", -EINVAL, NULL, NULL},
	{EVENT_CLAUDE, "", -EINVAL, NULL, NULL},
};

START_TEST(an_event_is_understood_or_an_error)
{
	struct event e;
	char why[128] = "";
	int r = event_read(&e, events[_i].agent, events[_i].text, strlen(events[_i].text),
		why, sizeof why);

	ck_assert_int_eq(r, events[_i].r);
	ck_assert(r == 0 || *why);
	if (events[_i].command)
		ck_assert_str_eq(e.command, events[_i].command);
	else
		ck_assert(r != 0 || !e.command);
	if (events[_i].cwd)
		ck_assert_str_eq(e.cwd, events[_i].cwd);
	event_free(&e);
}
END_TEST

START_TEST(ask_is_said_in_the_agents_own_form)
{
	struct event claude = {.agent = EVENT_CLAUDE}, cursor = {.agent = EVENT_CURSOR};
	auto_free char *a = event_ask(&claude, "why \"so\""),
		       *b = event_ask(&cursor, "why");

	ck_assert_ptr_nonnull(strstr(a, "\"permissionDecision\":\"ask\""));
	ck_assert_ptr_nonnull(strstr(a, "why \\\"so\\\""));
	ck_assert_ptr_nonnull(strstr(b, "\"permission\":\"ask\""));
}
END_TEST

/* --- the door --------------------------------------------------------------------------
 */

static const struct door_label label = {
	.agent = "agentctl run, inside", .tx = "7", .workspace = "/w", .home = "/h"};

static int asked, result;

static int fake_ask(void *arg, const struct policy_request *q, struct policy_answer *a)
{
	asked++;
	ck_assert_str_eq(q->agent, label.agent);
	ck_assert_str_eq(q->tx, "7");
	ck_assert_str_eq(q->workspace, "/w");
	ck_assert_str_eq(q->home, "/h");
	ck_assert_int_eq(q->cover, POLICY_COVER_TX);
	ck_assert(!q->interactive);
	memset(a, 0, sizeof *a);
	a->decision = POLICY_ALLOW;
	return result;
}

static const struct {
	const char *line, *decision;
	int asked;
} lines[] = {
	{"{\"v\":1,\"id\":5,\"op\":\"check\",\"command\":\"ls\",\"cwd\":\"/usr\","
	 "\"workspace\":\"/\",\"tx\":\"9\",\"agent\":\"x\",\"cover\":\"contained\","
	 "\"mode\":\"interactive\",\"home\":\"/\"}",
		"allow", 1},
	{"{\"op\":\"explain\",\"command\":\"ls\",\"cwd\":\"/usr\"}", "allow", 1},
	{"{\"op\":\"reload\"}", "deny", 0},
	{"{\"op\":\"record\",\"event\":\"committed\",\"tx\":\"7\"}", "deny", 0},
	{"{\"op\":\"check\",\"cwd\":\"/usr\"}", "deny", 0},
	{"{\"op\":\"check\",\"command\":7,\"cwd\":\"/usr\"}", "deny", 0},
	{"{\"op\":\"check\",\"command\":\"ls\",\"cwd\":\"w\"}", "deny", 0},
	{"{\"command\":\"ls\",\"cwd\":\"/usr\"}", "deny", 0},
	{"[]", "deny", 0},
	{"{} x", "deny", 0},
	{"", "deny", 0},
};

START_TEST(the_door_puts_its_own_words_on_each_question)
{
	const char *line = lines[_i].line;
	char want[64];
	auto_free char *out = NULL;

	asked = result = 0;
	out = door_answer(line, strlen(line), &label, fake_ask, NULL);
	snprintf(want, sizeof want, "\"decision\":\"%s\"", lines[_i].decision);
	ck_assert_msg(strstr(out, want) != NULL, "%s", out);
	ck_assert_int_eq(asked, lines[_i].asked);
}
END_TEST

START_TEST(a_policy_that_cannot_be_asked_is_a_refusal_at_the_door)
{
	auto_free char *out = NULL;

	result = -EPIPE;
	out = door_answer(lines[0].line, strlen(lines[0].line), &label, fake_ask, NULL);
	ck_assert_ptr_nonnull(strstr(out, "\"decision\":\"deny\""));
}
END_TEST

Suite *suite_hook(void)
{
	Suite *s = suite_create("hook");
	TCase *t = tcase_create("hook");

	tcase_add_loop_test(t, an_event_is_understood_or_an_error, 0,
		sizeof events / sizeof events[0]);
	tcase_add_test(t, ask_is_said_in_the_agents_own_form);
	tcase_add_loop_test(t, the_door_puts_its_own_words_on_each_question, 0,
		sizeof lines / sizeof lines[0]);
	tcase_add_test(t, a_policy_that_cannot_be_asked_is_a_refusal_at_the_door);
	suite_add_tcase(s, t);
	return s;
}
