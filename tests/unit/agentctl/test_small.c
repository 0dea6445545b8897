/*
 * test_small.c: the small model's protocol: calls as commands that bash really runs, what
 * a request says of itself, what the model hears, and a call in its id.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agentctl/provider/provider.h"
#include "agentctl/provider/small/small.h"
#include "common/cleanup.h"
#include "common/mem.h"
#include "tests/unit/agentctl/suites.h"

/* --- calls as commands ----------------------------------------------------------------
 */

/* Odd and ordinary, each of them is a name and a text. */
static const char *const odd[] = {"a.txt", "-n", "--help", "a b", "$(touch evil)", "`x`",
	"it's", "\"q\"", "a;b", "a&b", "a|b", "*", "~", "#x", "\\", "a\\nb", "[a]", "^a$",
	"a.*b", "é☃", "!x", "%s", "=", "{a,b}", "<x>", "(y)", "a  b", "\ttab"};

enum { N_ODD = sizeof odd / sizeof odd[0] };

static char top[64];

static void enter_scratch(void)
{
	snprintf(top, sizeof top, "%s/small.XXXXXX",
		getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(top));
	ck_assert_int_eq(chdir(top), 0);
}

static void leave_scratch(void)
{
	auto_free char *command = mem_printf("rm -rf '%s'", top);

	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(system(command), 0);
}

static void put(const char *name, const char *content)
{
	FILE *f = fopen(name, "w");

	ck_assert_ptr_nonnull(f);
	fputs(content, f);
	fclose(f);
}

static char *get(const char *name)
{
	FILE *f = fopen(name, "r");
	char *text = mem_zalloc(4096);

	if (f) {
		ck_assert(fread(text, 1, 4095, f) < 4095);
		fclose(f);
	} else {
		strcpy(text, "(none)");
	}
	return text;
}

static void has(const char *name, const char *content)
{
	auto_free char *text = get(name);

	ck_assert_msg(
		strcmp(text, content) == 0, "%s: '%s', want '%s'", name, text, content);
}

static struct small_call call(
	enum small_kind kind, const char *a, const char *b, const char *c)
{
	struct small_call out = {.kind = kind};

	out.arg[0] = a ? mem_strdup(a) : NULL;
	out.arg[1] = b ? mem_strdup(b) : NULL;
	out.arg[2] = c ? mem_strdup(c) : NULL;
	return out;
}

/* Run by bash; its exit status. Output goes to the file "out" above the scratch. */
static int run_in(const struct small_context *x, enum small_kind kind, const char *a,
	const char *b, const char *c)
{
	struct small_call k = call(kind, a, b, c);
	auto_free char *command = small_command(&k, x);
	auto_free char *out = mem_printf("%s.out", top);
	int status = 0;
	pid_t pid;

	ck_assert_ptr_nonnull(command);
	pid = fork();
	if (pid == 0) {
		if (!freopen(out, "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(99);
		execl("/bin/bash", "bash", "-c", command, NULL);
		_exit(98);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	small_free(&k);
	return WEXITSTATUS(status);
}

static int run(enum small_kind kind, const char *a, const char *b, const char *c)
{
	const struct small_context x = {.request = ""};

	return run_in(&x, kind, a, b, c);
}

static void says(const char *text)
{
	auto_free char *out = mem_printf("%s.out", top);

	has(out, text);
	unlink(out);
}

START_TEST(names_and_texts_mean_themselves)
{
	const char *n = odd[_i], *t = odd[(_i + 5) % N_ODD], *u = odd[(_i + 11) % N_ODD];
	auto_free char *line = mem_printf("%s\n", t), *two = mem_printf("%s\n%s\n", t, u);
	auto_free char *three = mem_printf("%s\n%s\n%s\n", u, t, u);
	auto_free char *in = mem_printf("dir/%s", n), *moved = mem_printf("x%s", n);
	auto_free char *back = mem_printf("dir/x%s", n);

	ck_assert_int_eq(run(SMALL_CREATE, n, t, NULL), 0);
	has(n, line);
	ck_assert_int_eq(run(SMALL_APPEND, n, u, NULL), 0);
	has(n, two);
	ck_assert_int_eq(run(SMALL_PREPEND, n, u, NULL), 0);
	has(n, three);
	ck_assert_int_eq(run(SMALL_SEARCH, u, n, NULL), 0);
	ck_assert_int_eq(run(SMALL_COUNT, n, "lines", NULL), 0);
	says("3\n");
	ck_assert_int_eq(run(SMALL_SHOW, n, "all", NULL), 0);
	says(three);
	ck_assert_int_eq(run(SMALL_DROP, n, t, NULL), 0);
	ck_assert_int_eq(run(SMALL_REPLACE, n, u, "gone & /over\\"), 0);
	has(n, "gone & /over\\\ngone & /over\\\n");
	ck_assert_int_eq(run(SMALL_MKDIR, "dir", NULL, NULL), 0);
	ck_assert_int_eq(run(SMALL_COPY, n, "dir", NULL), 0);
	has(in, "gone & /over\\\ngone & /over\\\n");
	ck_assert_int_ne(run(SMALL_COPY, n, "dir", NULL), 0);
	ck_assert_int_eq(run(SMALL_MOVE, n, moved, NULL), 0);
	has(n, "(none)");
	ck_assert_int_eq(run(SMALL_MOVE, moved, "dir/", NULL), 0);
	has(back, "gone & /over\\\ngone & /over\\\n");
	ck_assert_int_eq(run(SMALL_DELETE, in, NULL, NULL), 0);
	has(in, "(none)");
	ck_assert_int_ne(run(SMALL_DELETE, in, NULL, NULL), 0);
	has("evil", "(none)");
}
END_TEST

START_TEST(what_cannot_be_done_fails_and_changes_nothing)
{
	put("a", "x\ny");
	put("b", "b\n");
	ck_assert_int_ne(run(SMALL_APPEND, "none", "t", NULL), 0);
	ck_assert_int_ne(run(SMALL_PREPEND, "none", "t", NULL), 0);
	ck_assert_int_ne(run(SMALL_REPLACE, "a", "zz", "t"), 0);
	ck_assert_int_ne(run(SMALL_REPLACE, "none", "x", "t"), 0);
	ck_assert_int_ne(run(SMALL_DROP, "a", "zz", NULL), 0);
	ck_assert_int_ne(run(SMALL_MOVE, "a", "b", NULL), 0);
	ck_assert_int_ne(run(SMALL_MOVE, "none", "c", NULL), 0);
	ck_assert_int_ne(run(SMALL_COPY, "a", "b", NULL), 0);
	ck_assert_int_ne(run(SMALL_MOVE, "a", "nodir/", NULL), 0);
	ck_assert_int_ne(run(SMALL_COUNT, "none", "words", NULL), 0);
	ck_assert_int_ne(run(SMALL_COUNT, "none", "files", NULL), 0);
	ck_assert_int_ne(run(SMALL_SEARCH, "zz", "a", NULL), 0);
	ck_assert_int_ne(run(SMALL_LIST, "none", NULL, NULL), 0);
	ck_assert_int_ne(run(SMALL_SHOW, "none", "last", NULL), 0);
	has("a", "x\ny");
	has("b", "b\n");
	has("none", "(none)");
}
END_TEST

START_TEST(commands_do_what_the_table_says)
{
	const struct small_context into = {.request = "move a into new/dir"};
	const struct small_context rename = {.request = "Rename x/y/z to w"};
	const struct small_context repair = {.request = "", .repair = true};

	put("a", "one two\nthree");
	ck_assert_int_eq(run(SMALL_APPEND, "a", "four", NULL), 0);
	has("a", "one two\nthree\nfour\n");
	ck_assert_int_eq(run(SMALL_COUNT, "a", "words", NULL), 0);
	says("4\n");
	ck_assert_int_eq(run(SMALL_COUNT, "a", "characters", NULL), 0);
	says("19\n");
	ck_assert_int_eq(run(SMALL_SHOW, "a", "first", NULL), 0);
	says("one two\n");
	ck_assert_int_eq(run(SMALL_SHOW, "a", "last", NULL), 0);
	says("four\n");
	ck_assert_int_eq(run(SMALL_CREATE, "x/y/z", "", NULL), 0);
	has("x/y/z", "");
	ck_assert_int_eq(run(SMALL_COUNT, "x/y", "files", NULL), 0);
	says("1\n");
	ck_assert_int_eq(run(SMALL_LIST, "x", NULL, NULL), 0);
	says("y\n");
	ck_assert_int_eq(
		run(SMALL_DROP, "a", "o", NULL), 0); /* no whole line: contained */
	has("a", "three\n");
	/* a folder that is not there is no new name where the request says folder */
	ck_assert_int_ne(run_in(&into, SMALL_MOVE, "a", "new/dir", NULL), 0);
	has("a", "three\n");
	/* what gets another name stays in its folder */
	ck_assert_int_eq(run_in(&rename, SMALL_MOVE, "x/y/z", "w", NULL), 0);
	has("x/y/w", "");
	ck_assert_int_eq(run(SMALL_MOVE, "x/y/w", "z", NULL), 0);
	has("z", "");
	/* a repair changes values, not parts of them */
	put("c", "min=13\nmax=3\nlong=3.3\n");
	ck_assert_int_eq(run_in(&repair, SMALL_REPLACE, "c", "3", "5"), 0);
	has("c", "min=13\nmax=5\nlong=3.3\n");
	ck_assert_int_eq(run(SMALL_TEST, "exit 7", NULL, NULL), 7);
}
END_TEST

/* --- requests -------------------------------------------------------------------------
 */

static const struct {
	const char *request, *name;
	bool folder;
} folders[] = {
	{"move a.txt into docs", "docs", true},
	{"move a.txt to the docs folder", "docs", true},
	{"put a.txt in \"old docs\"", "docs", false},
	{"move a.txt to the folder docs.", "docs", true},
	{"move a.txt to docs/", "docs", true},
	{"move a.txt to docs", "docs", false},
	{"rename a.txt to docs", "docs", false},
	{"In docs put a.txt", "docs", true},
	{"move a.txt inside the existing 'docs'", "docs", true},
	{"rename docs to papers", "papers", false},
	{"mv docs.txt x", "docs", false},
};

START_TEST(a_folder_is_told_by_its_words)
{
	ck_assert_msg(small_means_folder(folders[_i].request, folders[_i].name) ==
			      folders[_i].folder,
		"%s", folders[_i].request);
}
END_TEST

static const struct {
	const char *request, *used;
	bool all;
} uses[] = {
	{"delete a.txt", "a.txt", true},
	{"delete a.txt and b.txt", "a.txt", false},
	{"create a.txt with \"hi there\"", "a.txt", false},
	{"create a.txt with \"hi there\"", "a.txt hi there", true},
	{"Please delete build.log.", "build.log", true},
	{"remove docs/x", "docs/x", true},
	{"remove docs/x", "x", false},
	{"don't worry, delete a.txt", "a.txt", true},
	{"count lines of it's.txt", "it's.txt", true},
	{"delete a.txt, e.g. now", "a.txt", true},
	{"append 'hello' to a.txt", "a.txt", false},
};

START_TEST(every_name_and_text_must_be_used)
{
	struct small_call k = call(SMALL_DELETE, uses[_i].used, NULL, NULL);

	ck_assert_msg(small_all_used(uses[_i].request, &k, 1) == uses[_i].all, "%s",
		uses[_i].request);
	small_free(&k);
}
END_TEST

static const struct {
	const char *request;
	enum small_kind kind;
	const char *arg[2];
	bool sense;
} senses[] = {
	{"mv a b", SMALL_MOVE, {"a", "b"}, true},
	{"mv a b", SMALL_MOVE, {"a", "mv"}, false},
	{"mv a mv", SMALL_MOVE, {"a", "mv"}, false},
	{"rename a to mv", SMALL_MOVE, {"a", "mv"}, true},
	{"copy a to a", SMALL_COPY, {"a", "a"}, false},
	{"delete it", SMALL_DELETE, {"delete"}, false},
	{"delete delete.txt", SMALL_DELETE, {"delete.txt"}, true},
	{"add x to y", SMALL_APPEND, {"y", ""}, false},
	{"add x to y", SMALL_APPEND, {"y", "y"}, false},
	{"Don't delete a.txt", SMALL_DELETE, {"a.txt"}, false},
	{"never touch a.txt", SMALL_DELETE, {"a.txt"}, false},
	{"you must not move a to b", SMALL_MOVE, {"a", "b"}, false},
	{"I don't need a.txt, delete it", SMALL_DELETE, {"a.txt"}, true},
	{"a.txt is not needed, delete it", SMALL_DELETE, {"a.txt"}, true},
	{"make test", SMALL_TEST, {"make test"}, true},
	{"create a", SMALL_CREATE, {"a", ""}, true},
};

START_TEST(what_nobody_asks_for_makes_no_sense)
{
	struct small_call k =
		call(senses[_i].kind, senses[_i].arg[0], senses[_i].arg[1], NULL);

	ck_assert_msg(small_makes_sense(&k, senses[_i].request) == senses[_i].sense, "%s",
		senses[_i].request);
	small_free(&k);
}
END_TEST

/* --- what goes to and fro -------------------------------------------------------------
 */

static const char *const written[] = {
	"{\"name\": \"create\", \"arguments\": {\"path\": \"a\\\\b\", \"text\": \"say "
	"\\\"hi\\\", "
	"é\"}}\n</tool_call>",
	"{\"name\": \"create\", \"arguments\": {\"path\": \"a\", \"text\": "
	"\"\"}}\n</tool_call>",
	"{\"name\": \"count\", \"arguments\": {\"path\": \"a\", \"what\": "
	"\"lines\"}}\n</tool_call>",
	"{\"name\": \"replace\", \"arguments\": {\"path\": \"a\", \"old\": \"b\", "
	"\"new\": "
	"\"c\"}}\n</tool_call>",
	"{\"name\": \"done\", \"arguments\": {}}\n</tool_call>",
};

START_TEST(a_call_can_be_taken_apart_and_lives_in_its_id)
{
	struct minimind_text parts[SMALL_PARTS];
	auto_free char *id = NULL, *text = NULL, *joined = mem_zalloc(1024);
	struct small_call k;
	size_t n;

	ck_assert_int_eq(small_read(written[_i], &k), 0);
	n = small_parts(&k, parts);
	ck_assert_uint_le(n, SMALL_PARTS);
	for (size_t i = 0; i < n; i++) {
		ck_assert(parts[i].markup == (i % 2 == 0) || strcmp(k.arg[1], "") == 0);
		strncat(joined, parts[i].text, parts[i].len);
	}
	ck_assert_str_eq(joined, written[_i]);
	id = small_id(&k);
	text = small_call_of(id);
	ck_assert_str_eq(text, written[_i]);
	small_free(&k);
}
END_TEST

START_TEST(nonsense_is_no_call)
{
	static const char *const bad[] = {"", "x", "{}", "[]", "{\"name\": \"create\"}",
		"{\"name\": \"nothing\", \"arguments\": {}}",
		"{\"name\": \"create\", \"arguments\": {\"path\": 1, \"text\": \"\"}}",
		"{\"name\": \"create\", \"arguments\": {\"path\": \"a\\u0000\", "
		"\"text\": \"\"}}"};
	static const char *const ids[] = {
		"", "small", "small_", "small_7", "small_zz", "call_7b7d", "small_00"};
	struct small_call k;

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ck_assert_int_eq(small_read(bad[i], &k), -EINVAL);
	for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
		auto_free char *text = small_call_of(ids[i]);

		ck_assert(!text || small_read(text, &k) == -EINVAL);
	}
}
END_TEST

START_TEST(observations_are_cut)
{
	auto_free char *long_line = mem_zalloc(400), *many = mem_zalloc(200), *o = NULL;

	o = small_observation(0, false, "a\nb\n\n");
	ck_assert_str_eq(o, "ok\na\nb");
	free(o);
	o = small_observation(3, false, "");
	ck_assert_str_eq(o, "failed 3");
	free(o);
	o = small_observation(0, true, "why");
	ck_assert_str_eq(o, "refused\nwhy");
	free(o);
	memset(long_line, 'x', 159);
	strcat(long_line, "éy");
	o = small_observation(0, false, long_line);
	ck_assert_uint_eq(strlen(o), 3 + 159);
	free(o);
	for (int i = 0; i < 30; i++)
		strcat(many, "l\n");
	o = small_observation(0, false, many);
	ck_assert_uint_eq(strlen(o), 2 + 20 * 2);
}
END_TEST

/* --- the model that is built in -------------------------------------------------------
 */

START_TEST(the_built_in_model_answers)
{
	struct provider_message m = {
		.role = PROVIDER_USER, .text = (char *)"rm build.log"};
	struct provider_reply r = {0};
	struct provider *p;
	char message[512] = "";

	ck_assert_msg(provider_open_embedded(&p, NULL, message, sizeof message) == 0,
		"%s", message);
	ck_assert_int_eq(p->ops->next(p, &m, 1, &r), 0);
	ck_assert_str_eq(r.command, "rm -r build.log");
	provider_reply_free(&r);
	memset(&r, 0, sizeof r);
	m.text = (char *)"hello, how are you?";
	ck_assert_int_eq(p->ops->next(p, &m, 1, &r), 0);
	ck_assert(r.gave_up && strstr(r.text, "did not understand"));
	provider_reply_free(&r);
	provider_close(p);
	ck_assert_int_lt(
		provider_open_embedded(&p, "/nonexistent", message, sizeof message), 0);
	ck_assert_ptr_null(p);
}
END_TEST

TCase *case_small(void)
{
	TCase *t = tcase_create("small");

	tcase_add_checked_fixture(t, enter_scratch, leave_scratch);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, names_and_texts_mean_themselves, 0, N_ODD);
	tcase_add_test(t, what_cannot_be_done_fails_and_changes_nothing);
	tcase_add_test(t, commands_do_what_the_table_says);
	tcase_add_loop_test(t, a_folder_is_told_by_its_words, 0,
		(int)(sizeof folders / sizeof folders[0]));
	tcase_add_loop_test(t, every_name_and_text_must_be_used, 0,
		(int)(sizeof uses / sizeof uses[0]));
	tcase_add_loop_test(t, what_nobody_asks_for_makes_no_sense, 0,
		(int)(sizeof senses / sizeof senses[0]));
	tcase_add_loop_test(t, a_call_can_be_taken_apart_and_lives_in_its_id, 0,
		(int)(sizeof written / sizeof written[0]));
	tcase_add_test(t, nonsense_is_no_call);
	tcase_add_test(t, observations_are_cut);
	tcase_add_test(t, the_built_in_model_answers);
	return t;
}
