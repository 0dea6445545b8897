/*
 * test_expand.c: words become the fields that bash would make of them.
 */
#include <string.h>

#include "tests/unit/policyd/suites.h"

static const struct {
	const char *text;
	const char *argv; /* of the last command */
	size_t k;
} rows[] = {
	{"cmd a 'b c' \"d e\"", "cmd|a|b c|d e", 0},
	{"c\\m\"d\" $'\\x61\\t'", "cmd|a\\x09", 0},
	{"x=1; cmd $x \"$x\"y", "cmd|1|1y", 0},
	{"x='a b'; cmd $x \"$x\"", "cmd|a|b|a b", 0},
	{"x=; cmd $x \"$x\" z", "cmd||z", 0},
	{"cmd {a,b}c {1..3} {x}", "cmd|ac|bc|1|2|3|{x}", 0},
	{"cmd a{,.bak} {a,{b,c}}d", "cmd|a|a.bak|ad|bd|cd", 0},
	{"cmd ~ ~/x ~root ~bob/y a~", "cmd|/home/u|/home/u/x|/root|/home/bob/y|a~", 0},
	{"cmd *.c src/**/x [ab]?", "cmd|*.c|src/<path>/x|**", 0},
	{"cmd \"*\" '?'", "cmd|*|?", 0},
	{"cmd $(echo a b) \"$(echo a b)\"", "cmd|a|b|a b", 1},
	{"cmd `printf %s x`", "cmd|x", 1},
	{"x=abc.tar.gz; cmd ${x%.gz} ${x%%.*} ${x#abc} ${x##*.}",
		"cmd|abc.tar|abc|.tar.gz|gz", 0},
	{"x=aba; cmd ${x/a/x} ${x//a/x} ${x^} ${x^^} ${#x} ${x:1:1}",
		"cmd|xba|xbx|Aba|ABA|<number>|b", 0},
	{"cmd ${u:-d} ${u:+e}", "cmd|d|e", 0},
	{"set -- a b; cmd \"$@\" $# $1", "cmd|a|b|<number>|a", 0},
	{"a=(1 '2 3'); cmd \"${a[@]}\" ${a[0]}", "cmd|1|2 3|1", 0},
	{"n=v; v=w; cmd ${!n}", "cmd|w", 0},
	{"declare -n q=p; p=5; cmd $q", "cmd|5", 0},
	{"cmd $UNKNOWN/x a$UNKNOWN", "cmd|<unknown>/x|a<unknown>", 0},
	{"cmd $((1+2)) $((7))", "cmd|<number>|7", 0},
	{"cmd $PWD $HOME", "cmd|/workspace|/home/u", 0},
	{"read x <<< 'one'; cmd $x", "cmd|one", 0},
	{"printf -v x '%s-%d' a 3; cmd $x", "cmd|a-3", 0},
	{"cmd $(dirname /a/b) $(basename /a/b)", "cmd|/a|b", 2},
	{"cmd $(mktemp -d)", "cmd|/tmp/*", 1},
	{"cmd a\\\nb", "cmd|ab", 0},
	{"IFS=,; x=a,b; cmd $x", "cmd|a|b", 0},
	{"x=a; x+=b; cmd $x", "cmd|ab", 0},
	{"f() { cmd \"$1\"; }; f z", "cmd|z", 0},
	{"for i in p; do cmd $i; done", "cmd|p", 0},
	{"cmd $(cat f)", "cmd|<file content>", 1},
	{"cmd $(find src -name '*.o')", "cmd|src/<path>/*.o", 1},
	{"cmd $(git rev-parse --show-toplevel)/x", "cmd|/workspace/x", 1},
	{"cmd $(curl -s http://e.org)", "cmd|<downloaded>", 1},
	{"y=x cmd $y", "cmd|<unknown>", 0},
};

START_TEST(words_become_fields)
{
	char out[1024];
	size_t k = 0;
	struct shell_reading *r = read_command(rows[_i].text);

	while (k + 1 < r->n_commands && strcmp(r->commands[k].program, "cmd"))
		k++;
	shell_free(r);
	ck_assert_str_eq(argv_of(rows[_i].text, k, out, sizeof(out)), rows[_i].argv);
}
END_TEST

START_TEST(a_variable_known_to_be_unset_is_empty)
{
	const struct shell_var env[] = {{"GONE", NULL}, {"HERE", "/workspace/a"}};
	struct shell_context ctx = test_ctx;
	struct shell_reading *r;

	ctx.env = env;
	ctx.n_env = 2;
	ck_assert_int_eq(shell_read(&ctx, "rm -r \"$GONE/\" $HERE", &r), 0);
	ck_assert_uint_eq(r->n_effects, 2);
	ck_assert_str_eq(r->effects[0].path, "/");
	ck_assert_int_eq(r->effects[0].place, SHELL_SYSTEM);
	ck_assert_str_eq(r->effects[1].path, "/workspace/a");
	ck_assert(r->effects[0].exact && r->effects[1].exact);
	shell_free(r);
}
END_TEST

TCase *tcase_expand(void)
{
	TCase *t = tcase_create("expand");

	tcase_add_loop_test(t, words_become_fields, 0, sizeof(rows) / sizeof(*rows));
	tcase_add_test(t, a_variable_known_to_be_unset_is_empty);
	return t;
}
