/*
 * test_quote.c: quoted arguments mean exactly themselves, to a real shell.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/quote.h"
#include "tests/unit/agentctl/suites.h"

START_TEST(plain_words_stay_and_others_are_quoted)
{
	char *argv[] = {(char *)"rm", (char *)"-rf", (char *)"a b", (char *)"~/",
		(char *)"", (char *)"it's", (char *)"$HOME", NULL};
	char *text = quote_argv(argv);

	ck_assert_str_eq(text, "rm -rf 'a b' '~/' '' 'it'\\''s' '$HOME'");
	free(text);
}
END_TEST

START_TEST(a_first_word_is_no_assignment_and_no_keyword)
{
	char *assign[] = {(char *)"A=b", (char *)"x", NULL};
	char *keyword[] = {(char *)"if", (char *)"x", NULL};
	char *a = quote_argv(assign), *k = quote_argv(keyword);

	ck_assert_str_eq(a, "'A=b' x");
	ck_assert_str_eq(k, "'if' x");
	free(a);
	free(k);
}
END_TEST

START_TEST(a_shell_gives_every_byte_back)
{
	char all[256], *argv[] = {(char *)"printf", (char *)"%s", all, NULL};
	char got[512], *text, *command;
	size_t n;
	FILE *p;

	for (int i = 1; i < 256; i++)
		all[i - 1] = (char)i;
	all[255] = 0;
	text = quote_argv(argv);
	ck_assert_int_gt(asprintf(&command, "LC_ALL=C; %s", text), 0);
	p = popen(command, "r");
	ck_assert_ptr_nonnull(p);
	n = fread(got, 1, sizeof got, p);
	pclose(p);
	ck_assert_uint_eq(n, 255);
	ck_assert_mem_eq(got, all, 255);
	free(text);
	free(command);
}
END_TEST

TCase *case_quote(void)
{
	TCase *t = tcase_create("quote");

	tcase_add_test(t, plain_words_stay_and_others_are_quoted);
	tcase_add_test(t, a_first_word_is_no_assignment_and_no_keyword);
	tcase_add_test(t, a_shell_gives_every_byte_back);
	return t;
}
