/*
 * suite_minimind.c: the cases of the engine.
 */
#include "tests/unit/agentctl/suites.h"

Suite *suite_minimind(void)
{
	Suite *s = suite_create("minimind");

	suite_add_tcase(s, case_jtext());
	suite_add_tcase(s, case_tokenizer());
	suite_add_tcase(s, case_model());
	suite_add_tcase(s, case_session());
	suite_add_tcase(s, case_grammar());
	suite_add_tcase(s, case_team());
	return s;
}
