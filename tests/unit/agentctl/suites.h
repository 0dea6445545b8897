/*
 * suites.h: one suite for each folder of agentctl.
 */
#ifndef TESTS_UNIT_AGENTCTL_SUITES_H
#define TESTS_UNIT_AGENTCTL_SUITES_H

#include <check.h>

Suite *suite_sandbox(void);

#endif
