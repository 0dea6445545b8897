/*
 * test_gitconf.c: git's configuration grammar. A table of texts and what they say, as
 * `key=value` lines; a variable without a value has no `=`. NULL: an error.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "agentctl/tool/gitconf.h"
#include "tests/unit/agentctl/suites.h"

static const struct {
	const char *text, *says;
} texts[] = {
	{"[a]\nb = c\n", "a.b=c\n"},
	{"[a]\nb = c", "a.b=c\n"},
	{"[a]\r\nb = c\r\n", "a.b=c\n"},
	{"[a]b=c\n", "a.b=c\n"},
	{"[A]\nB = C\n", "a.b=C\n"},
	{"[a \"S.t\"]\nb = c\n", "a.S.t.b=c\n"},
	{"[a \"q\\\"\\\\\"]\nb = c\n", "a.q\"\\.b=c\n"},
	{"[a.Sub]\nb = c\n", "a.sub.b=c\n"},
	{"[a]\nb\n", "a.b\n"},
	{"[a]\nb ; remark\n", "a.b\n"},
	{"[a]\nb =\n", "a.b=\n"},
	{"[a]\n\t b   =   c d  \n", "a.b=c d\n"},
	{"[a]\nb = c # remark\n", "a.b=c\n"},
	{"[a]\nb = \"c # d \" \n", "a.b=c # d \n"},
	{"[a]\nb = x\\\ny\n", "a.b=xy\n"},
	{"[a]\nb = \\\"q\\\" \\t\n", "a.b=\"q\" \t\n"},
	{"# only\n; remarks\n", ""},
	{"\xef\xbb\xbf[a]\nb = c\n", "a.b=c\n"},
	{"[a]\nb = 1\nb = 2\n[c]\nd = 3\n", "a.b=1\na.b=2\nc.d=3\n"},
	{"b = c\n", NULL},
	{"[a\n", NULL},
	{"[]\n", NULL},
	{"[a \"x]\nb = c\n", NULL},
	{"[a \"x\" y]\n", NULL},
	{"[a]\n1b = c\n", NULL},
	{"[a]\nb c\n", NULL},
	{"[a]\nb = \"c\n", NULL},
	{"[a]\nb = \\x\n", NULL},
	{"[a_b]\nc = d\n", NULL},
};

static int record(void *arg, const char *key, const char *value)
{
	char *out = arg;

	sprintf(out + strlen(out), "%s%s%s\n", key, value ? "=" : "", value ? value : "");
	return 0;
}

START_TEST(a_text_says_what_git_reads)
{
	char out[512] = "";
	int r = gitconf_scan(texts[_i].text, strlen(texts[_i].text), record, out);

	if (!texts[_i].says) {
		ck_assert_msg(r == -EINVAL, "%s", texts[_i].text);
		return;
	}
	ck_assert_msg(r == 0, "%s", texts[_i].text);
	ck_assert_str_eq(out, texts[_i].says);
}
END_TEST

/* Any cut of any text ends in an answer; sanitizers see that it reads no further. */
START_TEST(a_cut_text_is_no_trouble)
{
	size_t n = strlen(texts[_i].text);

	for (size_t cut = 0; cut <= n; cut++) {
		char out[512] = "", copy[256];

		memcpy(copy, texts[_i].text, cut);
		gitconf_scan(copy, cut, record, out);
	}
}
END_TEST

static int stop(void *arg, const char *key, const char *value)
{
	return 7;
}

START_TEST(the_caller_can_stop)
{
	ck_assert_int_eq(gitconf_scan("[a]\nb\nc\n", 8, stop, NULL), 7);
}
END_TEST

TCase *case_gitconf(void)
{
	TCase *t = tcase_create("gitconf");
	int n = (int)(sizeof texts / sizeof texts[0]);

	tcase_add_loop_test(t, a_text_says_what_git_reads, 0, n);
	tcase_add_loop_test(t, a_cut_text_is_no_trouble, 0, n);
	tcase_add_test(t, the_caller_can_stop);
	return t;
}
