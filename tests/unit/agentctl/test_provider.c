/*
 * test_provider.c: the scripted provider reads its file wholly or not at all, and answers
 * in order.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agentctl/provider/provider.h"
#include "tests/unit/agentctl/suites.h"

static char message[256];

static int open_text(const char *text, struct provider **p)
{
	char path[] = "/tmp/script.XXXXXX";
	int fd = mkstemp(path), r;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
	close(fd);
	message[0] = 0;
	r = provider_open_script(p, path, message, sizeof message);
	unlink(path);
	return r;
}

START_TEST(answers_come_in_order)
{
	struct provider_reply r = {0};
	struct provider *p;

	ck_assert_int_eq(
		open_text("# a remark\n\n{\"say\":\"so\",\"run\":\"ls\"}\n"
			  "{\"run\":\"echo \\\"\\u00e4\\\"\"}\n{\"rollback\":2}\n"
			  "{\"done\":\"good\"}",
			&p),
		0);
	ck_assert_str_eq(p->name, "scripted");
	ck_assert_int_eq(p->ops->next(p, NULL, 0, &r), 0);
	ck_assert_str_eq(r.text, "so");
	ck_assert_str_eq(r.command, "ls");
	ck_assert_str_eq(r.call_id, "call-1");
	ck_assert(!r.done);
	provider_reply_free(&r);
	ck_assert_int_eq(p->ops->next(p, NULL, 0, &r), 0);
	ck_assert_ptr_null(r.text);
	ck_assert_str_eq(r.command, "echo \"\xc3\xa4\"");
	provider_reply_free(&r);
	ck_assert_int_eq(p->ops->next(p, NULL, 0, &r), 0);
	ck_assert(r.back);
	ck_assert_uint_eq(r.back_to, 2);
	provider_reply_free(&r);
	ck_assert_int_eq(p->ops->next(p, NULL, 0, &r), 0);
	ck_assert(r.done);
	ck_assert_str_eq(r.text, "good");
	ck_assert_ptr_null(r.command);
	provider_reply_free(&r);
	ck_assert_int_eq(p->ops->next(p, NULL, 0, &r), -ENODATA);
	ck_assert_uint_gt(strlen(p->message), 0);
	provider_close(p);
}
END_TEST

static const char *const bad[] = {
	"run: ls\n",
	"{\"run\":\"ls\"\n",
	"[]\n",
	"{}\n",
	"{\"say\":\"only\"}\n",
	"{\"run\":\"a\",\"done\":\"b\"}\n",
	"{\"run\":1}\n",
	"{\"run\":\"a\",\"extra\":1}\n",
	"{\"rollback\":\"2\"}\n",
	"{\"rollback\":-1}\n",
	"{\"rollback\":1,\"run\":\"a\"}\n",
	"{\"run\":\"a\\u0000b\"}\n",
	"{\"run\":\"ok\"}\n\nnonsense\n",
};

START_TEST(a_bad_line_is_named)
{
	struct provider *p;

	ck_assert_msg(open_text(bad[_i], &p) == -EINVAL, "%s", bad[_i]);
	ck_assert_ptr_null(p);
	ck_assert_ptr_nonnull(strstr(message, _i == 12 ? ":3:" : ":1:"));
}
END_TEST

START_TEST(a_missing_file_is_named)
{
	struct provider *p;

	ck_assert_int_eq(
		provider_open_script(&p, "/tmp/no/such", message, sizeof message),
		-ENOENT);
	ck_assert_ptr_nonnull(strstr(message, "/tmp/no/such"));
}
END_TEST

Suite *suite_provider(void)
{
	Suite *s = suite_create("provider");
	TCase *t = tcase_create("scripted");

	tcase_add_test(t, answers_come_in_order);
	tcase_add_loop_test(t, a_bad_line_is_named, 0, (int)(sizeof bad / sizeof bad[0]));
	tcase_add_test(t, a_missing_file_is_named);
	suite_add_tcase(s, t);
	suite_add_tcase(s, case_sse());
	suite_add_tcase(s, case_words());
	suite_add_tcase(s, case_call());
	suite_add_tcase(s, case_answer());
	suite_add_tcase(s, case_request());
	suite_add_tcase(s, case_adapt());
	suite_add_tcase(s, case_retry());
	suite_add_tcase(s, case_place());
	suite_add_tcase(s, case_courier());
	suite_add_tcase(s, case_small());
	return s;
}
