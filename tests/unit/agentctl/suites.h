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
Suite *suite_minimind(void);

/* The cases of suite_tool, one for each source file. */
TCase *case_late(void);
TCase *case_gitconf(void);
TCase *case_workspace(void);
TCase *case_quote(void);

/* Those of suite_provider and suite_loop. */
TCase *case_sse(void);
TCase *case_words(void);
TCase *case_call(void);
TCase *case_answer(void);
TCase *case_request(void);
TCase *case_adapt(void);
TCase *case_retry(void);
TCase *case_place(void);
TCase *case_courier(void);
TCase *case_small(void);
TCase *case_stubborn(void);
TCase *case_transcript(void);

/* The cases of suite_minimind. */
TCase *case_jtext(void);
TCase *case_tokenizer(void);
TCase *case_model(void);
TCase *case_session(void);
TCase *case_grammar(void);
TCase *case_team(void);

#endif
