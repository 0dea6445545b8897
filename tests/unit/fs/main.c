/*
 * main.c: the suites of txfs's unit tests.
 */
#include <stdlib.h>
#include "tests/unit/fs/suites.h"

int main(void)
{
	SRunner *r = srunner_create(suite_store());
	int failed;

	srunner_add_suite(r, suite_fault());
	srunner_add_suite(r, suite_pool());
	srunner_add_suite(r, suite_bmap());
	srunner_add_suite(r, suite_base());
	srunner_add_suite(r, suite_client());
	srunner_add_suite(r, suite_cmd());
	srunner_add_suite(r, suite_tree());
	srunner_add_suite(r, suite_content());
	srunner_add_suite(r, suite_layer());
	srunner_add_suite(r, suite_tx());
	srunner_add_suite(r, suite_checkpoint());
	srunner_add_suite(r, suite_fuse());
	srunner_add_suite(r, suite_recover());
	srunner_add_suite(r, suite_conflict());
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
