/*
 * test_eval.c: every branch counts, states merge, subshells do not leak.
 */
#include "tests/unit/policyd/suites.h"

static const struct {
	const char *text;
	enum policy_decision want;
} rows[] = {
	{"if a; then x=/etc; else x=build; fi; rm -r $x", POLICY_DENY},
	{"a && rm -r /etc", POLICY_DENY},
	{"a || rm -r /etc", POLICY_DENY},
	{"case $1 in x) rm -r /etc;; esac", POLICY_DENY},
	{"while rm -r /etc; do :; done", POLICY_DENY},
	{"until a; do rm -r /etc; done", POLICY_DENY},
	{"f() { rm -r /etc; }", POLICY_ALLOW},
	{"f() { rm -r /etc; }; f", POLICY_DENY},
	{"rm() { echo no; }; rm -r /etc", POLICY_ALLOW},
	{"rm() { echo no; }; command rm -r /etc", POLICY_DENY},
	{"(cd /etc); rm -r x", POLICY_TX},
	{"cd /etc; rm -r x", POLICY_DENY},
	{"cd src && rm a.c", POLICY_TX},
	{"x=/etc; (x=build); rm -r $x", POLICY_DENY},
	{"x=build; echo y | x=/etc; rm -r $x", POLICY_ALLOW},
	{"for d in build /etc; do rm -r $d; done", POLICY_DENY},
	{"for d in build dist; do rm -r $d; done", POLICY_ALLOW},
	{"find . -name '*.bak2' | while read f; do rm $f; done", POLICY_TX},
	{"while read f; do rm $f; done", POLICY_ASK},
	{"while read f; do rm $f; done < list", POLICY_ASK},
	{"trap 'rm -r /etc' EXIT", POLICY_DENY},
	{"alias z='rm -r'; z /etc", POLICY_DENY},
	{"eval rm -r /etc", POLICY_DENY},
	{"eval \"$x\"", POLICY_ASK},
	{". /dev/stdin <<< 'rm -r /etc'", POLICY_DENY},
	{"bash <<< 'rm -r /etc'", POLICY_DENY},
	{"echo 'rm -r /etc' | sh", POLICY_DENY},
	{"echo 'rm -r /etc' > s; sh s", POLICY_DENY},
	{"sh s", POLICY_ALLOW},
	{"echo ok > /dev/null 2>&1", POLICY_ALLOW},
	{": > /etc/x", POLICY_DENY},
	{"sleep 9 &", POLICY_TX},
	{"sleep 9 & wait", POLICY_ALLOW},
	{"b() { b | b & }; b", POLICY_DENY},
	{"f() { f; }; f", POLICY_ALLOW},
	{"$x -r build", POLICY_ASK},
	{"[[ $(rm -r /etc) ]]", POLICY_DENY},
	{"(( a[$(rm -r /etc)] ))", POLICY_DENY},
	{"cat <<E\n$(rm -r /etc)\nE\n", POLICY_DENY},
	{"cat <<'E'\n$(rm -r /etc)\nE\n", POLICY_ALLOW},
	{"coproc rm -r /etc", POLICY_DENY},
	{"let 'x=a[$(rm -r /etc)]'", POLICY_DENY},
};

START_TEST(the_whole_command_is_judged)
{
	ck_assert_msg(verdict_of(rows[_i].text) == rows[_i].want, "'%s' is %s",
		rows[_i].text, policy_decision_name(verdict_of(rows[_i].text)));
}
END_TEST

TCase *tcase_eval(void)
{
	TCase *t = tcase_create("eval");

	tcase_add_loop_test(
		t, the_whole_command_is_judged, 0, sizeof(rows) / sizeof(*rows));
	return t;
}
