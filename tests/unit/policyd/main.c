/*
 * main.c: the suites of policyd's unit tests.
 */
#include "tests/unit/policyd/suites.h"

int main(void)
{
	SRunner *r = srunner_create(suite_shell());
	int failed;

	srunner_add_suite(r, suite_rules());
	srunner_add_suite(r, suite_server());
	srunner_add_suite(r, suite_audit());
	srunner_add_suite(r, suite_client());
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
