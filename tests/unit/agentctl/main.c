/*
 * main.c: the suites of agentctl's unit tests.
 */
#include <stdlib.h>
#include "tests/unit/agentctl/suites.h"

int main(void)
{
	SRunner *r = srunner_create(suite_sandbox());
	int failed;

	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
