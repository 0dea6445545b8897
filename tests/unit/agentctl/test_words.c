/*
 * test_words.c: thoughts are left out, calls in a text are found, and nothing that was
 * only thought, or is only half there, becomes a command.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/words.h"
#include "tests/unit/agentctl/suites.h"

#define CALL(command)                                                              \
	"<tool_call>\n{\"name\": \"run\", \"arguments\": {\"command\": \"" command \
	"\"}}\n"                                                                   \
	"</tool_call>"

static const struct {
	const char *in, *text, *calls; /* kinds and texts of calls */
} rows[] = {
	{"", "", ""},
	{"  hello \n", "hello", ""},
	{"<think>\nhm\n</think>\n\nhello", "hello", ""},
	{"<think>a</think>one<think>b</think> two", "one two", ""},
	{"<think>never ends " CALL("rm x"), "", ""},
	{"opened in the prompt</think>hello", "hello", ""},
	{"opened " CALL("rm x") "</think>hello", "hello", ""},
	{"I look. " CALL("ls"), "I look.", "r:ls;"},
	{CALL("ls") CALL("pwd"), "", "r:ls;r:pwd;"},
	{"<tool_call>{\"name\":\"run\",\"arguments\":{\"command\":\"ls\"}}", "", "r:ls;"},
	{"<tool_call>{\"name\":\"run\",\"arguments\":\"{\\\"command\\\":\\\"ls\\\"}\"}</"
	 "tool_call>",
		"", "r:ls;"},
	{CALL("echo '</tool_call>'"), "", "r:echo '</tool_call>';"},
	{CALL("echo <think>"), "", "r:echo <think>;"},
	{"<tool_call>{\"name\":\"run\",\"argu", "", "u;"},
	{"<tool_call>nonsense</tool_call>after", "after", "u;"},
	{"<tool_call>[1]</tool_call>", "", "u;"},
	{"<tool_call>{\"name\":\"fly\",\"arguments\":{}}</tool_call>", "", "u;"},
	{"{\"name\":\"run\",\"arguments\":{\"command\":\"ls\"}}", "", "r:ls;"},
	{"{\"name\":\"run\",\"parameters\":{\"cmd\":\"ls\"}}", "", "r:ls;"},
	{"{\"type\":\"function\",\"function\":{\"name\":\"bash\",\"arguments\":{"
	 "\"command\":"
	 "\"ls\"}}}",
		"", "r:ls;"},
	{"{\"some\": \"json\"}", "{\"some\": \"json\"}", ""},
	{"{\"name\":\"run\",\"arguments\":{\"command\":\"ls\"}} or so",
		"{\"name\":\"run\",\"arguments\":{\"command\":\"ls\"}} or so", ""},
	{"a < b and <thin", "a < b and <thin", ""},
};

static void show_calls(const struct calls *l, char *out)
{
	static const char kinds[] = {[CALL_RUN] = 'r',
		[CALL_FINISH] = 'f',
		[CALL_ROLLBACK] = 'b',
		[CALL_UNREAD] = 'u'};

	*out = 0;
	for (size_t i = 0; i < l->n; i++)
		out += sprintf(out, l->c[i].kind == CALL_RUN ? "%c:%s;" : "%c;",
			kinds[l->c[i].kind], l->c[i].text);
}

START_TEST(a_text_is_taken_apart)
{
	struct bytes text = {.max = 4096};
	struct calls calls = {0};
	char shown[512];

	ck_assert_int_eq(words_read(rows[_i].in, strlen(rows[_i].in), &text, &calls), 0);
	show_calls(&calls, shown);
	ck_assert_str_eq(text.p ? text.p : "", rows[_i].text);
	ck_assert_str_eq(shown, rows[_i].calls);
	bytes_free(&text);
	calls_free(&calls);
}
END_TEST

/* A command is whole or is none. */
START_TEST(a_cut_text_has_no_other_command)
{
	static const char in[] = "<think>so</think>I do. " CALL("rm -rf build/x") " and";
	char shown[512];

	for (size_t n = 0; n < sizeof in; n++) {
		struct bytes text = {.max = 4096};
		struct calls calls = {0};

		ck_assert_int_eq(words_read(in, n, &text, &calls), 0);
		show_calls(&calls, shown);
		ck_assert(!*shown || strcmp(shown, "u;") == 0 ||
			  strcmp(shown, "r:rm -rf build/x;") == 0);
		bytes_free(&text);
		calls_free(&calls);
	}
}
END_TEST

static void hear(void *arg, const char *s, size_t n)
{
	strncat(arg, s, n);
}

START_TEST(words_on_their_way_are_the_same_words)
{
	static const struct {
		const char *in, *out;
	} live[] = {
		{"hello", "hello"},
		{"<think>hm <b></think>hello", "hello"},
		{"I look. " CALL("ls") " done", "I look.  done"},
		{"a <b> <<think>x</think> c", "a <b> < c"},
		{"x <tool", "x "},
		{"<think>never", ""},
	};

	for (size_t i = 0; i < sizeof live / sizeof live[0]; i++) {
		size_t n = strlen(live[i].in);

		for (size_t cut = 0; cut <= n; cut++) {
			struct words_live w = {0};
			char out[256] = "";

			words_live(&w, live[i].in, cut, hear, out);
			words_live(&w, live[i].in + cut, n - cut, hear, out);
			ck_assert_str_eq(out, live[i].out);
		}
	}
}
END_TEST

TCase *case_words(void)
{
	TCase *t = tcase_create("words");

	tcase_add_loop_test(
		t, a_text_is_taken_apart, 0, (int)(sizeof rows / sizeof rows[0]));
	tcase_add_test(t, a_cut_text_has_no_other_command);
	tcase_add_test(t, words_on_their_way_are_the_same_words);
	return t;
}
