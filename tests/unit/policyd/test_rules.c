/*
 * test_rules.c: verdicts by cover and place, rules of files, and their mistakes.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/policyd/suites.h"

static struct rules *load(const char *yaml, char *err, size_t size)
{
	char path[] = "rules-XXXXXX";
	const char *files[] = {path};
	struct rules *r = NULL;
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, yaml, strlen(yaml)), (ssize_t)strlen(yaml));
	close(fd);
	err[0] = '\0';
	rules_load(files, 1, &r, err, size);
	unlink(path);
	return r;
}

static enum policy_decision judge(const struct rules *r, const char *text,
	enum policy_cover cover, const struct rules_look *look, struct policy_answer *ans)
{
	struct shell_reading *reading = read_command(text);

	rules_judge(r, &test_ctx, cover, reading, look, ans);
	shell_free(reading);
	return ans->decision;
}

static const struct {
	const char *text;
	enum policy_decision tx, contained, none;
} covers[] = {
	{"ls", POLICY_ALLOW, POLICY_ALLOW, POLICY_ALLOW},
	{"rm a.c", POLICY_TX, POLICY_TX, POLICY_ASK},
	{"rm -r build", POLICY_ALLOW, POLICY_ALLOW, POLICY_ALLOW},
	{"rm -r .", POLICY_TX, POLICY_TX, POLICY_ASK},
	{"rm \"$x\"", POLICY_ASK, POLICY_TX, POLICY_ASK},
	{"rm ~/a", POLICY_DENY, POLICY_DENY, POLICY_DENY},
	{"rm -r ~/.cache/pip", POLICY_ASK, POLICY_ASK, POLICY_ASK},
	{"touch ~/.cache/x", POLICY_ALLOW, POLICY_ALLOW, POLICY_ALLOW},
	{"mkdir \"$x\"", POLICY_TX, POLICY_TX, POLICY_ASK},
	{"sudo ls", POLICY_ASK, POLICY_ASK, POLICY_ASK},
	{"cat ~/.ssh/id_rsa", POLICY_DENY, POLICY_DENY, POLICY_DENY},
	{"echo 'a", POLICY_ASK, POLICY_ASK, POLICY_ASK},
	{"cp -n a b", POLICY_ALLOW, POLICY_ALLOW, POLICY_ALLOW},
};

START_TEST(cover_changes_what_can_be_brought_back)
{
	struct policy_answer ans;
	struct rules *r;
	char err[256];

	ck_assert_int_eq(rules_load(NULL, 0, &r, err, sizeof(err)), 0);
	ck_assert_int_eq(
		judge(r, covers[_i].text, POLICY_COVER_TX, NULL, &ans), covers[_i].tx);
	ck_assert_int_eq(judge(r, covers[_i].text, POLICY_COVER_CONTAINED, NULL, &ans),
		covers[_i].contained);
	ck_assert_int_eq(judge(r, covers[_i].text, POLICY_COVER_NONE, NULL, &ans),
		covers[_i].none);
	rules_free(r);
}
END_TEST

START_TEST(a_refusal_names_word_place_rule_and_way_out)
{
	struct policy_answer ans;
	struct rules *r;
	char err[256];

	ck_assert_int_eq(rules_load(NULL, 0, &r, err, sizeof(err)), 0);
	judge(r, "rm -rf ~/Music", POLICY_COVER_TX, NULL, &ans);
	ck_assert_ptr_nonnull(strstr(ans.reason, "/home/u/Music"));
	ck_assert_ptr_nonnull(strstr(ans.reason, "home folder"));
	ck_assert_ptr_nonnull(strstr(ans.reason, "rule delete-home"));
	ck_assert_str_ne(ans.suggest, "");
	ck_assert_str_eq(ans.rule, "delete-home");
	rules_free(r);
}
END_TEST

static enum rules_seen seen_value;
static const char *real_value;

static enum rules_seen fake_look(void *arg, const char *path, char *real, size_t size)
{
	snprintf(real, size, "%s", real_value ? real_value : path);
	return seen_value;
}

START_TEST(what_the_filesystem_says_counts)
{
	const struct rules_look look = {fake_look, NULL};
	struct policy_answer ans;
	struct rules *r;
	char err[256];

	ck_assert_int_eq(rules_load(NULL, 0, &r, err, sizeof(err)), 0);
	real_value = NULL;
	seen_value = RULES_EXISTS;
	ck_assert_int_eq(judge(r, "cp a b", POLICY_COVER_TX, &look, &ans), POLICY_TX);
	seen_value = RULES_ABSENT;
	ck_assert_int_eq(judge(r, "cp a b", POLICY_COVER_TX, &look, &ans), POLICY_ALLOW);
	seen_value = RULES_LATE;
	ck_assert_int_eq(judge(r, "cp a b", POLICY_COVER_TX, &look, &ans), POLICY_ASK);
	seen_value = RULES_EXISTS;
	real_value = "/etc/passwd"; /* a link out of the workspace */
	ck_assert_int_eq(judge(r, "cp a b", POLICY_COVER_TX, &look, &ans), POLICY_DENY);
	rules_free(r);
}
END_TEST

static const char head[] = "version: 1\nrules:\n";

START_TEST(a_rule_of_a_file_decides)
{
	struct policy_answer ans;
	char err[512], yaml[1024];
	struct rules *r;

	snprintf(yaml, sizeof(yaml),
		"%s  - id: no-frob\n    program: frob\n    sub: [run]\n    flags: [-x]\n"
		"    decision: deny\n    reason: frob is not for us\n    suggest: use "
		"brof\n"
		"    match: ['frob -ax run']\n    not_match: ['frob run', 'frob -x']\n"
		"  - id: yes-cache\n    program: rm\n    operand: cache\n    effect: "
		"delete\n"
		"    decision: allow\n    match: ['rm -r ~/.cache/x']\n",
		head);
	r = load(yaml, err, sizeof(err));
	ck_assert_msg(r != NULL, "%s", err);
	ck_assert_int_eq(
		judge(r, "frob -x run", POLICY_COVER_TX, NULL, &ans), POLICY_DENY);
	ck_assert_str_eq(ans.rule, "no-frob");
	ck_assert_str_eq(ans.suggest, "use brof");
	ck_assert_int_eq(judge(r, "frob run", POLICY_COVER_TX, NULL, &ans), POLICY_ALLOW);
	ck_assert_int_eq(
		judge(r, "rm -r ~/.cache/x", POLICY_COVER_TX, NULL, &ans), POLICY_ALLOW);
	ck_assert_int_eq(judge(r, "rm -r ~/x", POLICY_COVER_TX, NULL, &ans), POLICY_DENY);
	rules_free(r);
}
END_TEST

static const struct {
	const char *rest, *error;
} mistakes[] = {
	{"  - id: a\n    program: b\n    decision: deny\n    reason: c\n",
		"match example"},
	{"  - id: a\n    id: b\n", "duplicate key"},
	{"  - id: a\n    colour: b\n", "unknown key"},
	{"  - id: a\n    decision: maybe\n", "unknown value"},
	{"  - id: a\n    decision: deny\n    reason: x\n    match: [x]\n",
		"nothing to match"},
	{"  - id: a\n    program: b\n    decision: deny\n    match: [b]\n", "no reason"},
	{"  - id: a\n    program: b\n    decision: deny\n    reason: c\n    match: "
	 "['ls']\n",
		"does not match its example"},
	{"  - id: a\n    program: b\n    decision: allow\n    match: [b]\n    not_match: "
	 "[b]\n",
		"must not match its example"},
	{"  - &x a\n", "anchors"},
	{"  - a\n", "must be a mapping"},
	{"  - id: [a]\n", "single value"},
	{"  - {id: a\n", ""},
	{"---\nb: c\n", ""},
};

START_TEST(a_mistake_is_an_error_with_its_line)
{
	char err[512], yaml[1024];
	struct rules *r;

	snprintf(yaml, sizeof(yaml), "%s%s", head, mistakes[_i].rest);
	r = load(yaml, err, sizeof(err));
	ck_assert_ptr_null(r);
	ck_assert_ptr_nonnull(strchr(err, ':'));
	ck_assert_msg(strstr(err, mistakes[_i].error) != NULL, "'%s'", err);
}
END_TEST

START_TEST(a_folder_is_not_a_file_of_rules)
{
	const char *files[] = {"/"}, *gone[] = {"/no/such/file"};
	struct rules *r;
	char err[256] = "";

	ck_assert_int_eq(rules_load(files, 1, &r, err, sizeof(err)), -EISDIR);
	ck_assert_ptr_nonnull(strstr(err, "'/'"));
	ck_assert_int_eq(rules_load(gone, 1, &r, err, sizeof(err)), -ENOENT);
}
END_TEST

static const struct {
	const char *argv[4];
	enum policy_decision want;
} execs[] = {
	{{"rm", "-rf", "/etc"}, POLICY_DENY},
	{{"rm", "-rf", "build"}, POLICY_ALLOW},
	{{"sh", "-c", "rm -rf ~/x"}, POLICY_DENY},
	{{"sh", "-c", "rm -rf \"$x\""}, POLICY_ALLOW},
	{{"sh", "-c", "echo 'unclosed"}, POLICY_ALLOW},
	{{"sudo", "ls", NULL}, POLICY_ALLOW},
	{{"git", "push", "--force"}, POLICY_DENY},
};

START_TEST(at_exec_only_what_is_sure_is_denied)
{
	struct shell_reading *reading;
	struct policy_answer ans;
	struct rules *r;
	size_t n = 0;
	char err[256];

	while (execs[_i].argv[n])
		n++;
	ck_assert_int_eq(rules_load(NULL, 0, &r, err, sizeof(err)), 0);
	ck_assert_int_eq(shell_read_argv(&test_ctx, execs[_i].argv, n, &reading), 0);
	rules_judge_exec(r, &test_ctx, reading, &ans);
	ck_assert_int_eq(ans.decision, execs[_i].want);
	shell_free(reading);
	rules_free(r);
}
END_TEST

Suite *suite_rules(void)
{
	Suite *s = suite_create("rules");
	TCase *t = tcase_create("rules");

	tcase_add_loop_test(t, cover_changes_what_can_be_brought_back, 0,
		sizeof(covers) / sizeof(*covers));
	tcase_add_test(t, a_refusal_names_word_place_rule_and_way_out);
	tcase_add_test(t, what_the_filesystem_says_counts);
	tcase_add_test(t, a_rule_of_a_file_decides);
	tcase_add_loop_test(t, a_mistake_is_an_error_with_its_line, 0,
		sizeof(mistakes) / sizeof(*mistakes));
	tcase_add_test(t, a_folder_is_not_a_file_of_rules);
	tcase_add_loop_test(t, at_exec_only_what_is_sure_is_denied, 0,
		sizeof(execs) / sizeof(*execs));
	suite_add_tcase(s, t);
	return s;
}
