/*
 * test_server.c: one line in, one out; whatever is wrong with it, never "allow".
 */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "policyd/server/client.h"
#include "tests/unit/policyd/suites.h"

static struct server server;

static void setup(void)
{
	char err[256];

	memset(&server, 0, sizeof(server));
	ck_assert_int_eq(server_load(&server, err, sizeof(err)), 0);
	ck_assert_int_eq(links_new(&server.links), 0);
}

static void teardown(void)
{
	links_free(server.links);
	rules_free(server.rules);
}

/* The decision of the answer to @line; "none" for an answer that is no JSON line. */
static const char *decision_of(const char *line, size_t len)
{
	static char word[32];
	const struct peer peer = {getuid(), getpid()};
	struct exchange x;
	char *out = exchange_begin(&server, &x, line, len, &peer);
	struct json_object *o, *d;

	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(out[strlen(out) - 1], '\n');
	o = json_tokener_parse(out);
	snprintf(word, sizeof(word), "none");
	if (json_object_object_get_ex(o, "decision", &d))
		snprintf(word, sizeof(word), "%s", json_object_get_string(d));
	json_object_put(o);
	exchange_end(&server, &x);
	free(out);
	return word;
}

#define BASE \
	"\"v\":1,\"op\":\"check\",\"cwd\":\"/w\",\"workspace\":\"/w\",\"home\":\"/h\""

static const struct {
	const char *line, *want;
} rows[] = {
	{"{" BASE ",\"command\":\"ls\"}", "allow"},
	{"{" BASE ",\"command\":\"rm a\"}", "tx"},
	{"{" BASE ",\"command\":\"rm /etc/a\"}", "deny"},
	{"{" BASE ",\"command\":\"sudo ls\"}", "deny"},
	{"{" BASE ",\"command\":\"sudo ls\",\"mode\":\"interactive\"}", "ask"},
	{"{" BASE ",\"command\":\"rm a\",\"cover\":\"none\",\"mode\":\"interactive\"}",
		"ask"},
	{"{" BASE ",\"command\":\"rm $X/\",\"env\":{\"X\":null}}", "deny"},
	{"{" BASE ",\"command\":\"rm $X/a\",\"env\":{\"X\":\"/w\"}}", "tx"},
	{"{\"v\":1,\"op\":\"exec\",\"cwd\":\"/w\",\"workspace\":\"/"
	 "w\",\"argv\":[\"rm\",\"/etc/a\"]}",
		"deny"},
	{"{\"v\":1,\"op\":\"exec\",\"cwd\":\"/w\",\"workspace\":\"/"
	 "w\",\"argv\":[\"ls\"]}",
		"allow"},
	/* never allow */
	{"", "deny"},
	{"null", "deny"},
	{"[]", "deny"},
	{"{}", "deny"},
	{"{" BASE "}", "deny"},
	{"{" BASE ",\"command\":\"ls\"} x", "deny"},
	{"{" BASE ",\"command\":\"ls\"", "deny"},
	{"{" BASE ",\"command\":\"ls\",\"command\":\"ls\"}", "deny"},
	{"{" BASE ",\"command\":\"ls\",\"extra\":1}", "deny"},
	{"{" BASE ",\"command\":[\"ls\"]}", "deny"},
	{"{" BASE ",\"command\":\"ls\",\"env\":[]}", "deny"},
	{"{" BASE ",\"command\":\"ls\",\"env\":{\"A\":1}}", "deny"},
	{"{" BASE ",\"command\":\"ls\",\"env\":{\"A\":{\"B\":{\"C\":{\"D\":1}}}}}",
		"deny"},
	{"{" BASE ",\"command\":\"ls\",\"cover\":\"total\"}", "deny"},
	{"{" BASE ",\"command\":\"ls\",\"mode\":\"x\"}", "deny"},
	{"{" BASE ",\"command\":\"l\\u0000s\"}", "deny"},
	{"{" BASE ",\"command\":\"l\xff\"}", "deny"},
	{"{" BASE ",\"command\":\"l\xed\xa0\x80\"}", "deny"},
	{"{\"v\":2,\"op\":\"check\",\"cwd\":\"/w\",\"workspace\":\"/"
	 "w\",\"command\":\"ls\"}",
		"deny"},
	{"{\"v\":1,\"op\":\"run\",\"cwd\":\"/w\",\"workspace\":\"/"
	 "w\",\"command\":\"ls\"}",
		"deny"},
	{"{\"v\":1,\"op\":\"check\",\"cwd\":\"w\",\"workspace\":\"/"
	 "w\",\"command\":\"ls\"}",
		"deny"},
	{"{\"v\":1,\"op\":\"exec\",\"cwd\":\"/w\",\"workspace\":\"/w\",\"argv\":[]}",
		"deny"},
	{"{\"v\":1,\"op\":\"exec\",\"cwd\":\"/w\",\"workspace\":\"/w\",\"argv\":[1]}",
		"deny"},
};

START_TEST(a_line_is_answered)
{
	ck_assert_str_eq(
		decision_of(rows[_i].line, strlen(rows[_i].line)), rows[_i].want);
}
END_TEST

START_TEST(a_nul_byte_is_refused)
{
	static const char line[] = "{" BASE ",\"command\":\"ls\0\"}";

	ck_assert_str_eq(decision_of(line, sizeof(line) - 1), "deny");
}
END_TEST

START_TEST(a_command_over_the_limit_is_refused)
{
	size_t n = SHELL_MAX_TEXT + 10;
	char *line = malloc(n + 200);
	int at = sprintf(line, "{" BASE ",\"command\":\"");

	memset(line + at, 'a', n);
	strcpy(line + at + n, "\"}");
	ck_assert_str_eq(decision_of(line, strlen(line)), "deny");
	free(line);
}
END_TEST

/* One path, as a command with one path has it looked at. */
static enum rules_seen look(const char *path, char *real, size_t size)
{
	links_begin(server.links);
	ck_assert_int_eq(links_look(server.links, path, real, size), RULES_UNSEEN);
	ck_assert(links_fetch(server.links));
	return links_look(server.links, path, real, size);
}

START_TEST(links_are_followed)
{
	char real[4096], cwd[4096], path[8200];

	ck_assert_ptr_nonnull(getcwd(cwd, sizeof(cwd)));
	unlink("way-out");
	ck_assert_int_eq(symlink("/etc", "way-out"), 0);
	snprintf(path, sizeof(path), "%s/way-out/passwd", cwd);
	ck_assert_int_eq(look(path, real, sizeof(real)), RULES_EXISTS);
	ck_assert_str_eq(real, "/etc/passwd");
	snprintf(path, sizeof(path), "%s/way-out/none/at/all", cwd);
	ck_assert_int_eq(look(path, real, sizeof(real)), RULES_ABSENT);
	ck_assert_str_eq(real, "/etc/none/at/all");
	unlink("way-out");
}
END_TEST

START_TEST(looks_are_bounded)
{
	char real[4096], path[32];

	links_begin(server.links);
	for (int i = 0; i <= LINKS_MAX; i++) {
		snprintf(path, sizeof(path), "/%d", i);
		ck_assert_int_eq(links_look(server.links, path, real, sizeof(real)),
			i < LINKS_MAX ? RULES_UNSEEN : RULES_LATE);
	}
	ck_assert(links_fetch(server.links));
	ck_assert_int_eq(
		links_look(server.links, "/1", real, sizeof(real)), RULES_ABSENT);
	/* what was not noted is never "not there" */
	ck_assert_int_eq(links_look(server.links, "/64", real, sizeof(real)), RULES_LATE);
}
END_TEST

/* What the fuzzer of the protocol found worth keeping: never "allow" for a piece of it.
 */
START_TEST(the_corpus_of_the_protocol_is_answered)
{
	const char *tests = getenv("TESTS");
	char dir[1024], path[1400], text[8192];
	auto_dir DIR *d = NULL;
	struct dirent *e;
	int files = 0;

	snprintf(dir, sizeof(dir), "%s/fuzz/request", tests ? tests : "tests");
	d = opendir(dir);
	ck_assert_msg(d != NULL, "no corpus in '%s'; set TESTS", dir);
	while ((e = readdir(d))) {
		auto_file FILE *f = NULL;
		size_t n;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		f = fopen(path, "re");
		ck_assert_ptr_nonnull(f);
		n = fread(text, 1, sizeof(text), f);
		for (size_t cut = 0; cut < n; cut++)
			ck_assert_str_eq(decision_of(text, cut), "deny");
		files++;
	}
	ck_assert_int_ge(files, 10);
}
END_TEST

START_TEST(a_silent_or_dripping_client_is_late)
{
	struct client c = {.state = READING, .seen_ms = 1000};

	ck_assert(!client_late(&c, 1000 + IDLE_MS));
	ck_assert(client_late(&c, 1001 + IDLE_MS));
	/* a byte now and then is no whole line */
	c = (struct client){
		.state = READING, .begun_ms = 1000, .n_in = 5, .seen_ms = 11000};
	ck_assert(!client_late(&c, 1000 + SLOW_MS));
	ck_assert(client_late(&c, 1001 + SLOW_MS));
	c.paused = true; /* it waits for us */
	ck_assert(!client_late(&c, 1001 + SLOW_MS));
	c = (struct client){.state = AWAITING, .seen_ms = 1000};
	ck_assert(!client_late(&c, 1001 + IDLE_MS));
}
END_TEST

Suite *suite_server(void)
{
	Suite *s = suite_create("server");
	TCase *t = tcase_create("request");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, a_line_is_answered, 0, sizeof(rows) / sizeof(*rows));
	tcase_add_test(t, a_nul_byte_is_refused);
	tcase_add_test(t, a_command_over_the_limit_is_refused);
	tcase_add_test(t, the_corpus_of_the_protocol_is_answered);
	tcase_add_test(t, a_silent_or_dripping_client_is_late);
	tcase_add_test(t, links_are_followed);
	tcase_add_test(t, looks_are_bounded);
	suite_add_tcase(s, t);
	suite_add_tcase(s, tcase_confine());
	return s;
}
