/*
 * test_rules.c: verdicts by cover and place, rules of files, and their mistakes.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/policyd/suites.h"

static struct rules *load(const char *yaml, char *err, size_t size)
{
	char path[] = "rules-XXXXXX";
	const struct rules_source files[] = {{path, RULES_USER, false, false}};
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

	rules_judge(r, NULL, &test_ctx, cover, reading, look, ans);
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
	{"  - {id: a, program: b, word: '(', decision: allow, match: [b]}\n", "pattern"},
	{"  - {id: a, program: b, word: '(*UTF)a', decision: allow, match: [b]}\n",
		"pattern"},
	{"  - {id: a, program: b, word: '((a{1,999}){1,999}){1,999}', decision: allow,"
	 " match: [b]}\n",
		"pattern"},
	{"  - {id: a, effect: read, effect: run}\n", "duplicate key"},
	{"  - {id: a, effect: []}\n", "empty list"},
	{"  - {id: a, effect: workspace}\n", "unknown value"},
	{"  - {id: a, operand: delete}\n", "unknown value"},
	{"  - {id: a, pipe: maybe}\n", "unknown value"},
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
	const struct rules_source files[] = {{"/", RULES_USER, true, false}};
	const struct rules_source gone[] = {{"/no/such/file", RULES_USER, false, false}};
	struct rules *r;
	char err[256] = "";

	ck_assert_int_eq(rules_load(files, 1, &r, err, sizeof(err)), -EISDIR);
	ck_assert_ptr_nonnull(strstr(err, "'/'"));
	ck_assert_int_eq(rules_load(gone, 1, &r, err, sizeof(err)), -ENOENT);
}
END_TEST

/* --- tiers ---------------------------------------------------------------------------
 */

/** The rules of a tier: one rule on frob, with this decision. */
static void write_tier(const char *path, const char *decision)
{
	FILE *f = fopen(path, "we");

	ck_assert_ptr_nonnull(f);
	fprintf(f,
		"%s  - {id: %s, program: frob, decision: %s, reason: r, match: [frob]}\n",
		head, path, decision);
	ck_assert_int_eq(fclose(f), 0);
}

static const struct {
	const char *admin, *user, *workspace; /* NULL: no file */
	enum policy_decision want;
} tiers[] = {
	{NULL, NULL, NULL, POLICY_ALLOW},
	{"deny", NULL, NULL, POLICY_DENY},
	{"deny", "allow", NULL, POLICY_DENY},
	{"ask", "allow", NULL, POLICY_ALLOW},
	{"allow", "deny", NULL, POLICY_DENY},
	{NULL, "ask", "allow", POLICY_ASK},
	{NULL, "allow", "deny", POLICY_DENY},
	{"deny", "allow", "allow", POLICY_DENY},
	{NULL, NULL, "ask", POLICY_ASK},
};

START_TEST(later_tiers_override_but_for_a_deny_and_a_workspace_only_tightens)
{
	const struct rules_source all[] = {{"admin.yaml", RULES_ADMIN, true, false},
		{"user.yaml", RULES_USER, true, false}};
	struct rules *r, *ws;
	struct shell_reading *reading = read_command("frob");
	struct policy_answer ans;
	char err[512] = "";

	if (getuid() && tiers[_i].admin)
		return; /* such a file has to belong to root */
	unlink("admin.yaml");
	unlink("user.yaml");
	unlink("ws.yaml");
	if (tiers[_i].admin)
		write_tier("admin.yaml", tiers[_i].admin);
	if (tiers[_i].user)
		write_tier("user.yaml", tiers[_i].user);
	if (tiers[_i].workspace)
		write_tier("ws.yaml", tiers[_i].workspace);
	ck_assert_msg(!rules_load(all, 2, &r, err, sizeof(err)), "%s", err);
	ck_assert_msg(!rules_load_workspace("ws.yaml", &ws, err, sizeof(err)), "%s", err);
	ck_assert(!ws == !tiers[_i].workspace);
	rules_judge(r, ws, &test_ctx, POLICY_COVER_TX, reading, NULL, &ans);
	ck_assert_int_eq(ans.decision, tiers[_i].want);
	rules_free(r);
	rules_free(ws);
	shell_free(reading);
}
END_TEST

START_TEST(a_workspace_cannot_loosen_a_built_in_verdict)
{
	struct policy_answer ans;
	struct shell_reading *reading = read_command("rm -rf ~/x");
	struct rules *r, *ws;
	FILE *f = fopen("ws.yaml", "we");
	char err[512] = "";

	fprintf(f, "%s  - {id: x, program: rm, decision: allow, match: [rm a]}\n", head);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(rules_load(NULL, 0, &r, err, sizeof(err)), 0);
	ck_assert_msg(!rules_load_workspace("ws.yaml", &ws, err, sizeof(err)), "%s", err);
	rules_judge(r, ws, &test_ctx, POLICY_COVER_TX, reading, NULL, &ans);
	ck_assert_int_eq(ans.decision, POLICY_DENY);
	rules_free(r);
	rules_free(ws);
	shell_free(reading);
}
END_TEST

START_TEST(a_file_that_others_may_write_is_not_believed)
{
	const struct rules_source user = {"open.yaml", RULES_USER, true, false};
	const struct rules_source admin = {"open.yaml", RULES_ADMIN, true, false};
	struct rules *r;
	char err[512] = "";

	write_tier("open.yaml", "deny");
	ck_assert_int_eq(chmod("open.yaml", 0666), 0);
	ck_assert_int_eq(rules_load(&user, 1, &r, err, sizeof(err)), -EPERM);
	ck_assert_ptr_nonnull(strstr(err, "open.yaml"));
	ck_assert_int_eq(chmod("open.yaml", 0664), 0);
	ck_assert_int_eq(rules_load(&admin, 1, &r, err, sizeof(err)), -EPERM);
	if (!getuid()) {
		ck_assert_int_eq(chmod("open.yaml", 0600), 0);
		ck_assert_int_eq(chown("open.yaml", 12345, 12345), 0);
		ck_assert_int_eq(rules_load(&user, 1, &r, err, sizeof(err)), -EPERM);
	}
	unlink("open.yaml");
}
END_TEST

/* --- what a rule can name ------------------------------------------------------------
 */

static const struct {
	const char *keys, *match, *not_match;
} named[] = {
	{"program: 'fro*'", "frobnicate", "grep x"},
	{"program: frob\n    word: '^--env=prod'", "frob --env=production",
		"frob --env=test"},
	{"program: frob\n    word: '^[0-9]+$'", "frob a 12", "frob a1"},
	{"program: sort\n    pipe: true", "cat a | sort", "sort a"},
	{"program: sort\n    pipe: false", "sort a", "cat a | sort"},
	{"program: frob\n    redirect: workspace", "frob > out", "frob > /tmp/out"},
	{"program: frob\n    redirect: [tmp, home]", "frob > /tmp/out", "frob > out"},
	{"program: make\n    env: 'LD_*'", "LD_PRELOAD=x make", "CC=gcc make"},
	{"program: make\n    env: [CC, CXX]", "env -i CC=gcc make", "env A=b make CC=c"},
	{"program: make\n    env: CC", "CC=x sh -c make", "CC=x; make"},
	{"effect: write\n    operand: [workspace, tmp]", "touch a", "cat a"},
	{"effect: net", "git push --force", "git status"},
	{"effect: priv", "sudo ls", "ls"},
	{"effect: [delete, meta]", "rm a", "touch b"},
};

START_TEST(a_rule_matches_what_it_names)
{
	char err[512], yaml[1024];
	struct rules *r;

	snprintf(yaml, sizeof(yaml),
		"%s  - id: a\n    %s\n    decision: ask\n    reason: r\n    match: "
		"['%s']\n"
		"    not_match: ['%s']\n",
		head, named[_i].keys, named[_i].match, named[_i].not_match);
	r = load(yaml, err, sizeof(err));
	ck_assert_msg(r != NULL, "%s", err);
	rules_free(r);
}
END_TEST

START_TEST(a_pattern_that_explodes_costs_little_and_never_allows)
{
	char err[512], yaml[1024], text[300];
	struct policy_answer ans;
	struct rules *r;
	clock_t begun = clock();

	snprintf(yaml, sizeof(yaml),
		"%s  - {id: a, program: frob, word: '^(a+)+$', decision: deny, reason: r,"
		" match: [frob aaa]}\n"
		"  - {id: b, program: brof, word: '^(a+)+$', decision: allow,"
		" match: [brof aaa]}\n"
		"  - {id: c, program: rm, word: '^(a|a)*$', decision: allow,"
		" match: [rm a]}\n",
		head);
	r = load(yaml, err, sizeof(err));
	ck_assert_msg(r != NULL, "%s", err);
	memcpy(text, "frob ", 5);
	memset(text + 5, 'a', 60);
	strcpy(text + 65, "! x");
	ck_assert_int_eq(judge(r, text, POLICY_COVER_TX, NULL, &ans), POLICY_DENY);
	memcpy(text, "rm -f", 5);
	memcpy(text + 5, " ~/a", 4);
	ck_assert_int_eq(judge(r, text, POLICY_COVER_TX, NULL, &ans), POLICY_DENY);
	ck_assert_int_lt((clock() - begun) * 10 / CLOCKS_PER_SEC, 5);
	rules_free(r);
}
END_TEST

START_TEST(ten_thousand_rules_cost_no_time)
{
	size_t size = 3 << 20, n = 0;
	struct shell_reading *reading = read_command("make test && git status | tail -3");
	char *yaml = malloc(size), err[512];
	struct policy_answer ans;
	struct rules *r;
	clock_t begun;

	n += (size_t)sprintf(yaml, "%s", head);
	for (int i = 0; i < 9900; i++)
		n += (size_t)sprintf(yaml + n,
			"- {id: a, program: p%d, decision: allow, match: [p%d]}\n", i, i);
	r = load(yaml, err, sizeof(err));
	ck_assert_msg(r != NULL, "%s", err);
	begun = clock();
	for (int i = 0; i < 1000; i++)
		rules_judge(r, NULL, &test_ctx, POLICY_COVER_TX, reading, NULL, &ans);
	ck_assert_int_lt((clock() - begun) * 1000 / CLOCKS_PER_SEC, 100);
	rules_free(r);
	for (int i = 9900; i < 10100; i++)
		n += (size_t)sprintf(yaml + n,
			"- {id: a, program: p%d, decision: allow, match: [p%d]}\n", i, i);
	ck_assert_ptr_null(load(yaml, err, sizeof(err)));
	ck_assert_ptr_nonnull(strstr(err, "more than 10000"));
	shell_free(reading);
	free(yaml);
}
END_TEST

START_TEST(a_file_over_a_mebibyte_is_refused)
{
	char err[512], *yaml = malloc((1 << 20) + 100);

	memset(yaml, '#', (1 << 20) + 99);
	yaml[(1 << 20) + 99] = 0;
	ck_assert_ptr_null(load(yaml, err, sizeof(err)));
	ck_assert_str_ne(err, "");
	free(yaml);
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
	rules_judge_exec(r, NULL, &test_ctx, reading, &ans);
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
	tcase_add_loop_test(t,
		later_tiers_override_but_for_a_deny_and_a_workspace_only_tightens, 0,
		sizeof(tiers) / sizeof(*tiers));
	tcase_add_test(t, a_workspace_cannot_loosen_a_built_in_verdict);
	tcase_add_test(t, a_file_that_others_may_write_is_not_believed);
	tcase_add_loop_test(
		t, a_rule_matches_what_it_names, 0, sizeof(named) / sizeof(*named));
	tcase_add_test(t, a_pattern_that_explodes_costs_little_and_never_allows);
	tcase_add_test(t, ten_thousand_rules_cost_no_time);
	tcase_add_test(t, a_file_over_a_mebibyte_is_refused);
	tcase_add_loop_test(t, at_exec_only_what_is_sure_is_denied, 0,
		sizeof(execs) / sizeof(*execs));
	suite_add_tcase(s, t);
	return s;
}
