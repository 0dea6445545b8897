/*
 * suites.h: the suites of policyd's unit tests, one a folder of the program, and the
 * helpers they share.
 */
#ifndef TESTS_UNIT_POLICYD_SUITES_H
#define TESTS_UNIT_POLICYD_SUITES_H

#include <check.h>
#include <stdlib.h>

#include "policyd/rules/rules.h"
#include "txfs/shell.h"

Suite *suite_shell(void);
Suite *suite_rules(void);
Suite *suite_server(void);
Suite *suite_audit(void);
Suite *suite_client(void);

TCase *tcase_parse(void);
TCase *tcase_expand(void);
TCase *tcase_eval(void);
TCase *tcase_path(void);
TCase *tcase_show(void);
TCase *tcase_programs(void);
TCase *tcase_code(void);
TCase *tcase_table(void);
TCase *tcase_corpus(void);
TCase *tcase_confine(void);

/** The setting of all tests: home /home/u, workspace and folder /workspace. */
extern const struct shell_context test_ctx;

/** read_command(text): a reading that the caller frees; fails the test without one. */
struct shell_reading *read_command(const char *text);

/** argv_of(text, out, size): the k-th command's words, holes shown, joined by '|'. */
const char *argv_of(const char *text, size_t k, char *out, size_t size);

/** verdict_of(text): by the built-in rules, covered by a transaction. */
enum policy_decision verdict_of(const char *text);

#endif
