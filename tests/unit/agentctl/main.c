/*
 * main.c: the suites of agentctl's unit tests.
 */
#include <stdlib.h>
#include "tests/unit/agentctl/suites.h"

Suite *suite_tool(void)
{
	Suite *s = suite_create("tool");

	suite_add_tcase(s, case_late());
	suite_add_tcase(s, case_gitconf());
	suite_add_tcase(s, case_workspace());
	suite_add_tcase(s, case_quote());
	return s;
}

int main(void)
{
	SRunner *r = srunner_create(suite_sandbox());
	int failed;

	srunner_add_suite(r, suite_provider());
	srunner_add_suite(r, suite_tool());
	srunner_add_suite(r, suite_loop());
	srunner_add_suite(r, suite_hook());
	srunner_add_suite(r, suite_minimind());
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
