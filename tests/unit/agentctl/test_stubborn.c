/*
 * test_stubborn.c: repetition is noticed, and progress is no repetition.
 */
#include <stdio.h>
#include "agentctl/loop/stubborn.h"
#include "tests/unit/agentctl/suites.h"

START_TEST(the_same_refused_command_ends_it)
{
	struct stubborn s = {0};
	unsigned int times;

	ck_assert_ptr_null(stubborn_refused(&s, "rm -rf ~", &times));
	ck_assert_uint_eq(times, 1);
	ck_assert_ptr_null(stubborn_ran(&s, "ls", "x", &times));
	ck_assert_ptr_null(stubborn_refused(&s, " rm  -rf\t~\n", &times));
	ck_assert_uint_eq(times, 2);
	ck_assert_ptr_null(stubborn_refused(&s, "rm -rf ~/x", &times));
	ck_assert_uint_eq(times, 1);
	ck_assert_ptr_nonnull(stubborn_refused(&s, "rm -rf ~", &times));
}
END_TEST

START_TEST(nothing_but_refused_commands_ends_it)
{
	struct stubborn s = {0};
	unsigned int times;
	char command[32];

	for (int i = 1; i <= 3 * STUBBORN_REFUSED; i++) {
		const char *end;

		snprintf(command, sizeof command, "rm /%d", i);
		end = stubborn_refused(&s, command, &times);
		if (i == STUBBORN_REFUSED) {
			ck_assert_ptr_nonnull(end);
			return;
		}
		ck_assert_ptr_null(end);
	}
}
END_TEST

START_TEST(many_refused_commands_are_remembered)
{
	struct stubborn s = {0};
	unsigned int times;
	char command[32];

	for (int i = 0; i < 3 * STUBBORN_KNOWN; i++) {
		snprintf(command, sizeof command, "rm /%d", i);
		stubborn_refused(&s, command, &times);
		ck_assert_uint_eq(times, 1);
		stubborn_ran(&s, "ls", "x", &times);
	}
	stubborn_refused(&s, command, &times);
	ck_assert_uint_eq(times, 2);
	ck_assert_uint_eq(s.n_refused, STUBBORN_KNOWN);
}
END_TEST

START_TEST(the_same_result_again_and_again_ends_it)
{
	struct stubborn s = {0};
	unsigned int times;

	for (int i = 1; i < STUBBORN_SAME; i++) {
		ck_assert_ptr_null(stubborn_ran(&s, "make", "error", &times));
		ck_assert_uint_eq(times, i);
	}
	ck_assert_ptr_null(stubborn_ran(&s, "make", "another error", &times));
	ck_assert_uint_eq(times, 1);
	for (int i = 1; i < STUBBORN_SAME; i++)
		ck_assert_ptr_null(stubborn_ran(&s, "make", "error", &times));
	ck_assert_ptr_nonnull(stubborn_ran(&s, "make", "error", &times));
}
END_TEST

START_TEST(idle_words_end_it)
{
	struct stubborn s = {0};
	unsigned int times;

	for (int i = 1; i < STUBBORN_IDLE; i++)
		ck_assert_ptr_null(stubborn_idle(&s));
	stubborn_ran(&s, "ls", "", &times);
	for (int i = 1; i < STUBBORN_IDLE; i++)
		ck_assert_ptr_null(stubborn_idle(&s));
	ck_assert_ptr_nonnull(stubborn_idle(&s));
}
END_TEST

TCase *case_stubborn(void)
{
	TCase *t = tcase_create("stubborn");

	tcase_add_test(t, the_same_refused_command_ends_it);
	tcase_add_test(t, nothing_but_refused_commands_ends_it);
	tcase_add_test(t, many_refused_commands_are_remembered);
	tcase_add_test(t, the_same_result_again_and_again_ends_it);
	tcase_add_test(t, idle_words_end_it);
	return t;
}
