/*
 * suites.h: one suite for each folder of agentctl.
 */
#ifndef TESTS_UNIT_AGENTCTL_SUITES_H
#define TESTS_UNIT_AGENTCTL_SUITES_H

#include <check.h>

Suite *suite_sandbox(void);
Suite *suite_provider(void);
Suite *suite_tool(void);
Suite *suite_loop(void);
Suite *suite_hook(void);

/* The cases of suite_tool, one for each source file. */
TCase *case_late(void);
TCase *case_gitconf(void);
TCase *case_workspace(void);
TCase *case_quote(void);

#endif
