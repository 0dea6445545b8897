/*
 * test_show.c: what people are shown, and the limits of what is read.
 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/policyd/suites.h"

static const struct {
	const char *in, *out;
} shown[] = {
	{"plain", "plain"},
	{"a\tb\x1b[0m\x7f", "a\\x09b\\x1b[0m\\x7f"},
	{"r\xc2\x80x\xc2\x9f", "r\\xc2\\x80x\\xc2\\x9f"},
	{"\xc2\xa0\xc3\xa9", "\xc2\xa0\xc3\xa9"}, /* no-break space, e acute */
	{"\xe2\x80\x8e.", "\\xe2\\x80\\x8e."},	  /* left-to-right mark */
	{"\xe2\x80\x8f.", "\\xe2\\x80\\x8f."},	  /* right-to-left mark */
	{"\xe2\x80\xa8\xe2\x80\xae",
		"\\xe2\\x80\\xa8\\xe2\\x80\\xae"},		  /* line, override */
	{"\xe2\x80\x93\xe2\x80\xaf", "\xe2\x80\x93\xe2\x80\xaf"}, /* dash, thin space */
	{"\xe2\x81\xa6\xe2\x81\xa9", "\\xe2\\x81\\xa6\\xe2\\x81\\xa9"}, /* isolates */
	{"\xe2\x81\xa0\xe2\x81\xaa", "\xe2\x81\xa0\xe2\x81\xaa"},
	{"\xe2\x82\xac\xe3\x80\x82", "\xe2\x82\xac\xe3\x80\x82"}, /* euro, full stop */
	{"\x01\x02\x03\x04\x05\x06\x07",
		"<number>*<path><unknown><downloaded><computed><file content>"},
};

START_TEST(nothing_shown_drives_a_terminal)
{
	char out[256];

	shell_show(shown[_i].in, out, sizeof(out));
	ck_assert_str_eq(out, shown[_i].out);
}
END_TEST

START_TEST(cuts_leave_whole_characters)
{
	const char *text = "\xc3\xa9\xc3\xa9\xe2\x82\xac\xc3\xa9\xc3\xa9\xe2\x82\xac"
			   "abcdefghijklmnop"
			   "\xf0\x9f\x98\x80\xc3\xa9\xe2\x82\xac";

	for (size_t size = 0; size < 64; size++) {
		char out[64];

		memset(out, 'X', sizeof(out));
		shell_show(text, out, size);
		if (!size) {
			ck_assert_int_eq(out[0], 'X');
			continue;
		}
		ck_assert_uint_lt(strlen(out), size);
		for (const char *p = out; *p;
			p++) { /* each lead byte has its followers */
			unsigned char c = (unsigned char)*p;
			int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;

			ck_assert((c & 0xc0) != 0x80);
			for (; more; more--)
				ck_assert(((unsigned char)*++p & 0xc0) == 0x80);
		}
	}
}
END_TEST

START_TEST(names_of_what_there_is_not)
{
	ck_assert_str_eq(shell_verb_name((enum shell_verb)999), "undecided");
	ck_assert_str_eq(shell_place_name((enum shell_place)999), "unknown");
	ck_assert_str_eq(shell_verb_name(SHELL_DELETE), "delete");
	ck_assert_str_eq(shell_place_name(SHELL_HOME), "home");
	shell_free(NULL);
}
END_TEST

/* Text that is too much of something; each is undecided or refused, never allowed. */
static char *too_much(int what)
{
	char *s = malloc(1 << 20), *p = s;

	ck_assert_ptr_nonnull(s);
	switch (what) {
	case 0: /* functions that call each other without end */
		p += sprintf(p,
			"f() { g; g; }; g() { h; h; }; h() { i; i; }; i() { j; j; };"
			"j() { k; k; }; k() { l; l; }; l() { m; m; }; m() { n; n; };"
			"n() { o; o; }; o() { p; p; }; p() { q; q; }; q() { :; }; f");
		break;
	case 1: /* fields */
		p += sprintf(p, "echo ");
		for (int i = 0; i < 30000; i++)
			p += sprintf(p, "a ");
		break;
	case 2: /* braces */
		p += sprintf(p, "rm -rf /{1..99}{1..99}{1..99}{1..99}{1..99}");
		break;
	case 3: /* a value that doubles */
		p += sprintf(p, "a=0123456789abcdef; ");
		for (int i = 0; i < 40; i++)
			p += sprintf(p, "a=$a$a; ");
		p += sprintf(p, "$a");
		break;
	case 4: /* choices */
		for (int i = 0; i < 12; i++)
			p += sprintf(p, "if t; then v%d=a; else v%d=/etc; fi; ", i, i);
		p += sprintf(p, "rm -rf ");
		for (int i = 0; i < 12; i++)
			p += sprintf(p, "$v%d ", i);
		break;
	case 5: /* nesting */
		for (int i = 0; i < 3000; i++)
			p += sprintf(p, "( ");
		p += sprintf(p, "rm -rf /etc");
		for (int i = 0; i < 3000; i++)
			*p++ = ')';
		break;
	case 6: /* a loop over much, one of it bad */
		p += sprintf(p, "for x in ");
		for (int i = 0; i < 3000; i++)
			p += sprintf(p, "a%d ", i);
		p += sprintf(p, "/etc; do rm -rf $x; done");
		break;
	case 7: /* alternatives of one variable */
		p += sprintf(p, "case $z in ");
		for (int i = 0; i < 100; i++)
			p += sprintf(p, "%d) x=a%d;; ", i, i);
		p += sprintf(p, "*) x=/etc;; esac; rm -rf $x");
		break;
	case 8: /* parts of a path */
		p += sprintf(p, "rm -rf ");
		for (int i = 0; i < 3000; i++)
			p += sprintf(p, "a/");
		for (int i = 0; i < 3005; i++)
			p += sprintf(p, "../");
		p += sprintf(p, "etc");
		break;
	case 9: /* folders */
		for (int i = 0; i < 10; i++)
			p += sprintf(p, "cd a%d || cd b%d; ", i, i);
		p += sprintf(p, "rm -rf ../../../../../../../../../../../../etc");
		break;
	}
	*p = '\0';
	return s;
}

START_TEST(too_much_is_never_silently_cut)
{
	char *text = too_much(_i);
	enum policy_decision d = verdict_of(text);

	if (_i != 0 && _i != 1)
		ck_assert_msg(d == POLICY_ASK || d == POLICY_DENY, "%.60s..", text);
	free(text);
}
END_TEST

TCase *tcase_show(void)
{
	TCase *t = tcase_create("show");

	tcase_add_loop_test(
		t, nothing_shown_drives_a_terminal, 0, sizeof(shown) / sizeof(*shown));
	tcase_add_test(t, cuts_leave_whole_characters);
	tcase_add_test(t, names_of_what_there_is_not);
	tcase_add_loop_test(t, too_much_is_never_silently_cut, 0, 10);
	return t;
}
