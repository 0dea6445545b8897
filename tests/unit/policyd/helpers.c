/*
 * helpers.c: one setting and a few short ways to ask, for all suites.
 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/policyd/suites.h"

const struct shell_context test_ctx = {
	.home = "/home/u", .cwd = "/workspace", .workspace = "/workspace"};

struct shell_reading *read_command(const char *text)
{
	struct shell_reading *r = NULL;

	ck_assert_int_eq(shell_read(&test_ctx, text, &r), 0);
	ck_assert_ptr_nonnull(r);
	return r;
}

const char *argv_of(const char *text, size_t k, char *out, size_t size)
{
	struct shell_reading *r = read_command(text);
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; k < r->n_commands && i < r->commands[k].argc; i++) {
		char word[256];

		shell_show(r->commands[k].argv[i], word, sizeof(word));
		n += (size_t)snprintf(out + n, size - n, "%s%s", i ? "|" : "", word);
	}
	if (r->undecided)
		snprintf(out, size, "undecided");
	shell_free(r);
	return out;
}

enum policy_decision verdict_of(const char *text)
{
	struct shell_reading *r = read_command(text);
	struct policy_answer ans;
	struct rules *rules;
	char err[256] = "";

	ck_assert_msg(!rules_load(NULL, 0, &rules, err, sizeof(err)), "%s", err);
	rules_judge(rules, NULL, &test_ctx, POLICY_COVER_TX, r, NULL, &ans);
	rules_free(rules);
	shell_free(r);
	return ans.decision;
}

Suite *suite_shell(void)
{
	Suite *s = suite_create("shell");

	suite_add_tcase(s, tcase_parse());
	suite_add_tcase(s, tcase_expand());
	suite_add_tcase(s, tcase_eval());
	suite_add_tcase(s, tcase_path());
	suite_add_tcase(s, tcase_show());
	suite_add_tcase(s, tcase_programs());
	suite_add_tcase(s, tcase_code());
	suite_add_tcase(s, tcase_table());
	suite_add_tcase(s, tcase_corpus());
	return s;
}
