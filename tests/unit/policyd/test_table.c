/*
 * test_table.c: the data files are in order: sorted, and of the words the code knows.
 */
#include <string.h>

#include "policyd/shell/sh.h"
#include "tests/unit/policyd/suites.h"

START_TEST(rows_are_sorted_and_found)
{
	size_t n, found;
	const char *const *const *rows = table_all((enum table)_i, &n);

	ck_assert_uint_gt(n, 0);
	for (size_t i = 0; i < n; i++) {
		ck_assert_msg(rows[i][0][0] != '\0', "an empty key in table %d", _i);
		if (i)
			ck_assert_int_le(strcmp(rows[i - 1][0], rows[i][0]), 0);
		ck_assert_ptr_nonnull(table_find((enum table)_i, rows[i][0], &found));
		ck_assert_uint_ge(found, 1);
	}
	ck_assert_ptr_null(table_find((enum table)_i, "no such program", &found));
}
END_TEST

START_TEST(verbs_have_known_defaults)
{
	size_t n;
	const char *const *const *rows = table_all(T_VERBS, &n);

	for (size_t i = 0; i < n; i++) {
		ck_assert_msg(word_in(rows[i][4], "allow deny operand option words"),
			"%s: '%s'", rows[i][0], rows[i][4]);
		ck_assert_msg(
			rows[i][2][0] >= '1' && rows[i][2][0] <= '9' && !rows[i][2][1],
			"%s: depth '%s'", rows[i][0], rows[i][2]);
	}
}
END_TEST

START_TEST(roles_are_known_letters)
{
	size_t n;
	const char *const *const *rows = table_all(T_FILES, &n);

	for (size_t i = 0; i < n; i++)
		for (const char *t = rows[i][2]; *t; t += strcspn(t, " "), t += *t == ' ')
			if (*t != '-' && *t != '+')
				ck_assert_msg(strchr("RCEODMSXKVB", *t) != NULL,
					"%s: '%s'", rows[i][0], t);
}
END_TEST

TCase *tcase_table(void)
{
	TCase *t = tcase_create("table");

	tcase_add_loop_test(t, rows_are_sorted_and_found, 0, T_N);
	tcase_add_test(t, verbs_have_known_defaults);
	tcase_add_test(t, roles_are_known_letters);
	return t;
}
