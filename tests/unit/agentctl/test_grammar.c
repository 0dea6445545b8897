/*
 * test_grammar.c: a grammar allows calls of its tools, and nothing else.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/minimind/grammar.h"
#include "tests/unit/agentctl/minimind_world.h"
#include "tests/unit/agentctl/suites.h"

static const char tools[] =
	"[{\"type\":\"function\",\"function\":{\"name\":\"shell\",\"parameters\":{"
	"\"type\":\"object\",\"properties\":{\"command\":{\"type\":\"string\","
	"\"x-forms\":[\"cat {name}\",\"mv {name} {name}\",\"echo \\\"{text}\\\" > "
	"{name}\","
	"\"grep {span}\",\"rm {whole}\",\"cd {folder}\",\"quote "
	"{phrase}\"]}},\"required\":[\"command\"]}}},"
	"{\"name\":\"say\",\"parameters\":{\"properties\":{\"text\":{\"type\":\"string\"}"
	","
	"\"times\":{\"type\":\"integer\"},\"loud\":{\"type\":\"boolean\"},"
	"\"how\":{\"enum\":[\"a\\\"b\",\"ab\",7,null]},\"x\":{\"type\":\"number\"},"
	"\"more\":{}},\"required\":[\"text\"]}},"
	"{\"name\":\"shells\"},"
	"{\"name\":\"stop\",\"parameters\":{\"type\":\"object\",\"properties\":{}}}]";

#define FIRST                                 \
	"Please rename notes.txt to \xc3\xbc" \
	"ber/old notes.md; now"
#define SECOND "say \"hello\\n\" twice\n"
#define THIRD "Move src/main.c, 'a b' and docs/ to old.dir."

static const struct minimind_text spans[] = {
	{FIRST, sizeof FIRST - 1, false},
	{SECOND, sizeof SECOND - 1, false},
	{THIRD, sizeof THIRD - 1, false},
};

static struct minimind_grammar *open_one(const char *trigger, const char *after)
{
	const struct minimind_grammar_options o = {
		.tools = {tools, strlen(tools)},
		.trigger = trigger,
		.after = after,
		.spans = spans,
		.n_spans = 3,
	};
	struct minimind_grammar *g;
	char message[256];

	ck_assert_msg(minimind_grammar_open(&g, &o, message, sizeof message) == 0, "%s",
		message);
	return g;
}

/* Whether the whole of @text is a call. */
static bool is_call(const struct minimind_grammar *g, const char *text)
{
	struct grammar_state s;

	grammar_begin(g, &s);
	if (!grammar_allows(g, &s, text, strlen(text)))
		return false;
	grammar_advance(g, &s, text, strlen(text));
	return grammar_is_complete(g, &s);
}

#define SHELL(command) \
	"{\"name\": \"shell\", \"arguments\": {\"command\": \"" command "\"}}"
#define SAY(rest) "{\"name\": \"say\", \"arguments\": {\"text\": \"hi\"" rest "}}"

static const char *const good[] = {
	SHELL("cat notes.txt"),
	SHELL("cat notes"),
	SHELL("mv notes.txt \xc3\xbc"
	      "ber/old"),
	SHELL("grep \xc3\xbc"
	      "ber/old notes.md"),
	SHELL("grep \\\"hello\\\\n\\\" twice"),
	SHELL("grep twice\\n"),
	SHELL("echo \\\"any thing > here\\\" > notes.md"),
	SHELL("echo \\\"\\\" > now"),
	SHELL("rm src/main.c"),
	SHELL("rm docs"),
	SHELL("rm old.dir"),
	SHELL("rm a"),
	SHELL("cd src"),
	SHELL("cd src/main.c"),
	SHELL("quote a b"),
	SHELL("quote src/main.c"),
	SHELL("quote Move src"),
	SAY(""),
	SAY(", \"times\": -12"),
	SAY(", \"times\": 0, \"loud\": false"),
	SAY(", \"loud\": true, \"x\": -0.5e+10"),
	SAY(", \"how\": \"a\\\"b\""),
	SAY(", \"how\": \"ab\""),
	SAY(", \"how\": 7"),
	SAY(", \"how\": null, \"more\": null"),
	SAY(", \"more\": {\"a\": [1, [], {}, \"x\\u00e4\\ny\", true, -1.5e3], \"b\": "
	    "{\"c\": 0}}"),
	SAY(", \"more\": 12"),
	SAY(", \"more\": []"),
	"{\"name\": \"say\", \"arguments\": {\"text\": \"\xe4\xb8\xad\xf0\x9f\x98\x80 "
	"\\ud7ff\"}}",
	"{\"name\": \"shells\", \"arguments\": {}}",
	"{\"name\": \"stop\", \"arguments\": {}}",
};

START_TEST(calls_are_allowed)
{
	struct minimind_grammar *g = open_one(NULL, NULL);
	json_object *o = json_tokener_parse(good[_i]);

	ck_assert_msg(is_call(g, good[_i]), "%s", good[_i]);
	ck_assert_ptr_nonnull(o);
	json_object_put(o);
	for (size_t n = strlen(good[_i]); n > 0; n--)
		ck_assert(minimind_grammar_accepts(g, good[_i], n));
	minimind_grammar_close(g);
}
END_TEST

static const char *const bad[] = {
	"",
	"{\"name\": \"she\", \"arguments\": {}}",
	"{\"name\": \"stop\", \"arguments\": {\"a\": 1}}",
	"{\"name\":\"stop\", \"arguments\": {}}",
	"{\"name\": \"stop\", \"arguments\": {}} ",
	"{\"name\": \"shell\", \"arguments\": {}}",
	SHELL("del notes.txt"),
	SHELL("rm notes"),
	SHELL("rm src"),
	SHELL("rm main.c"),
	SHELL("rm docs/"),
	SHELL("rm old"),
	SHELL("rm old.dir."),
	SHELL("cd main.c"),
	SHELL("cd mai"),
	SHELL("quote a"),
	SHELL("quote a b'"),
	SHELL("cat otes.txt"),
	SHELL("cat note"),
	SHELL("cat other"),
	SHELL("cat "),
	SHELL("cat old notes.md"),
	SHELL("cat notes.md;"),
	SHELL("mv notes.txt"),
	SHELL("grep now say"),
	SHELL("grep twice\\u000a"),
	SHELL("grep now\\"),
	SHELL("grep \xc3"),
	SHELL("grep hello\n"),
	SHELL("echo \\\"x\\\" > elsewhere"),
	SAY(", \"times\": 01"),
	SAY(", \"times\": 1.5"),
	SAY(", \"times\": -"),
	SAY(", \"times\": 1111111111111111111111111"),
	SAY(", \"times\": 1, \"times\": 1"),
	SAY(", \"loud\": true, \"times\": 1"),
	SAY(","),
	SAY(", "),
	SAY(", \"x\": 1."),
	SAY(", \"x\": 1e"),
	SAY(", \"how\": \"a\""),
	SAY(", \"more\": {\"a\": }"),
	SAY(", \"more\": [1,2]"),
	SAY(", \"more\": [1, ]"),
	SAY(", \"more\": {, }"),
	SAY(", \"more\": [}"),
	SAY(", \"more\": nul"),
	SAY(", \"more\": \"\\x\""),
	"{\"name\": \"say\", \"arguments\": {\"text\": \"\\u0000\"}}",
	"{\"name\": \"say\", \"arguments\": {\"text\": \"\\ud800\"}}",
	"{\"name\": \"say\", \"arguments\": {\"text\": \"\xff\"}}",
	"{\"name\": \"say\", \"arguments\": {\"text\": \"\xc0\x80\"}}",
	"{\"name\": \"say\", \"arguments\": {\"text\": \"\t\"}}",
	"{\"name\": \"say\", \"arguments\": {\"text\": \"\"x}}",
};

START_TEST(all_else_is_refused)
{
	struct minimind_grammar *g = open_one(NULL, NULL);

	ck_assert_msg(!is_call(g, bad[_i]), "%s", bad[_i]);
	minimind_grammar_close(g);
}
END_TEST

START_TEST(anything_goes_until_the_trigger)
{
	struct minimind_grammar *g = open_one("<<call>", "\n</call>");
	struct grammar_state s;

	grammar_begin(g, &s);
	ck_assert(grammar_is_free(g, &s));
	ck_assert(grammar_may_end(g, &s));
	ck_assert(!grammar_is_complete(g, &s));
	grammar_advance(g, &s, "so <<<cal<<", 11);
	ck_assert(grammar_is_free(g, &s));
	ck_assert(grammar_allows(g, &s, "call>{\"name", 11));
	ck_assert(!grammar_allows(g, &s, "call>\n{", 7));
	ck_assert(grammar_allows(g, &s, "cxll>\n{", 7));
	grammar_advance(g, &s, "call>", 5);
	ck_assert(!grammar_is_free(g, &s));
	ck_assert(!grammar_may_end(g, &s));
	grammar_advance(g, &s, SHELL("cat now"), strlen(SHELL("cat now")));
	ck_assert(!grammar_may_end(g, &s));
	grammar_advance(g, &s, "\n</call>", 8);
	ck_assert(grammar_may_end(g, &s));
	ck_assert(grammar_is_complete(g, &s));
	minimind_grammar_close(g);
}
END_TEST

static const char *const bad_tools[] = {
	"",
	"{}",
	"[]",
	"[{}]",
	"[{\"name\":1}]",
	"[{\"name\":\"a\",\"parameters\":{\"properties\":[1,2]}}]",
	"[{\"name\":\"a\",\"parameters\":{\"properties\":{\"x\":{\"enum\":[]}}}}]",
	"[{\"name\":\"a\",\"parameters\":{\"properties\":{\"x\":{\"enum\":[[]]}}}}]",
	"[{\"name\":\"a\",\"parameters\":{\"properties\":{\"x\":{\"x-forms\":\"a\"}}}}]",
	"[{\"name\":\"a\",\"parameters\":{\"properties\":{\"x\":{\"x-forms\":[1]}}}}]",
};

START_TEST(bad_tools_are_refused)
{
	const struct minimind_grammar_options o = {
		.tools = {bad_tools[_i], strlen(bad_tools[_i])}};
	struct minimind_grammar *g;
	char message[256] = "";

	ck_assert_int_eq(minimind_grammar_open(&g, &o, message, sizeof message), -EINVAL);
	ck_assert_ptr_null(g);
	ck_assert_str_ne(message, "");
}
END_TEST

struct text {
	char buf[4096];
	size_t n;
};

static int collect(void *context, const char *p, size_t n)
{
	struct text *t = context;

	memcpy(t->buf + t->n, p, n);
	t->n += n;
	t->buf[t->n] = 0;
	return 0;
}

/* A model of random weights, however it draws, writes nothing but calls. */
START_TEST(what_is_written_under_a_grammar_is_a_call)
{
	const struct minimind_sampling how = {
		.temperature = _i ? 2.0f : 0, .seed = (uint64_t)_i};
	const uint32_t ids[] = {7, 8, 9};
	struct minimind_grammar *g = open_one(NULL, "\n");
	struct minimind_session *s;
	struct minimind_result r;
	struct minimind *m;
	struct text t = {0};
	struct world w;

	world_make(&w, 2, "F32", false);
	m = world_open(&w, MINIMIND_AS_STORED, MINIMIND_AUTO);
	ck_assert_int_eq(minimind_session_open(&s, m, 0), 0);
	ck_assert_msg(
		minimind_generate(s, ids, 3, &how, g, collect, &t, &r) == 0, "%s", t.buf);
	ck_assert(r.end == MINIMIND_END_GRAMMAR || r.end == MINIMIND_END_LENGTH);
	if (r.end == MINIMIND_END_GRAMMAR)
		ck_assert_msg(is_call(g, t.buf), "%s", t.buf);
	else
		ck_assert_msg(minimind_grammar_accepts(g, t.buf, t.n), "%s", t.buf);
	minimind_session_close(s);
	minimind_close(m);
	world_free(&w);
	minimind_grammar_close(g);
}
END_TEST

TCase *case_grammar(void)
{
	TCase *t = tcase_create("grammar");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, calls_are_allowed, 0, sizeof good / sizeof good[0]);
	tcase_add_loop_test(t, all_else_is_refused, 0, sizeof bad / sizeof bad[0]);
	tcase_add_test(t, anything_goes_until_the_trigger);
	tcase_add_loop_test(
		t, bad_tools_are_refused, 0, sizeof bad_tools / sizeof bad_tools[0]);
	tcase_add_loop_test(t, what_is_written_under_a_grammar_is_a_call, 0, 24);
	return t;
}
