/*
 * test_parse.c: what parses, what does not, and that nothing runs away.
 */
#include <string.h>

#include "tests/unit/policyd/suites.h"

static const char *const good[] = {"", "# only a comment", "a; b & c && d || e | f",
	"if a; then b; elif c; then d; else e; fi", "while a; do b; done < f",
	"until a; do b; done", "for x in 1 2 3; do echo $x; done", "for x; do :; done",
	"for ((i=0; i<3; i++)); do :; done", "case $x in a|b) c;; *) d ;; esac",
	"case x in (a) ;; esac", "f() { a; }; f", "function g { a; }",
	"( a; b ) > f 2>&1", "{ a; } | b", "[[ -f x && ! -d y || $a =~ ^(b|c)$ ]]",
	"(( x = 1 + (2 * 3) ))", "a=(1 2 [5]=3) b+=x c[1]=y cmd",
	"cat <<A <<'B'\none $x\nA\ntwo $x\nB\n", "cat <<-E\n\tx\n\tE\n", "a <<< word",
	"a 2>/dev/null >&2 <&3 &>f &>>g >|h <>i {fd}>j", "! a", "time -p a",
	"coproc N { a; }", "echo $((1 + $(b)))", "echo `a \\`b\\``",
	"echo ${a:-${b:-c}} ${#a} ${a//x/y} ${a[@]:1:2} ${!a} ${a@Q}", "diff <(a) >(b)",
	"echo $'a\\'b' $\"c\"", "a \\\n  b", "echo a#b \"#\"",
	"select x in a; do :; done", "echo \"$(echo \")\")\"", "((a)) && (b)",
	"x=$(cat <<E\nhi\nE\n)", "echo {a,b}{1..3}", "cat <<E\ndone\nE"};

static const char *const bad[] = {"cat <<E", "cat <<E\nx", "(", ")", "a |", "| a", "a &&",
	"if a; then b", "for", "fi", "case x in", "echo 'a", "echo \"a", "echo $(a",
	"echo `a", "echo ${a", "f() ", "a ;; b", "while a; done", "<", "a > ", "{ a",
	"[[ a"};

START_TEST(accepts_what_bash_accepts)
{
	struct shell_reading *r = read_command(good[_i]);

	ck_assert_msg(!r->undecided, "'%s': %s", good[_i], r->undecided);
	shell_free(r);
}
END_TEST

START_TEST(refuses_what_does_not_parse)
{
	struct shell_reading *r = read_command(bad[_i]);

	ck_assert_msg(r->undecided != NULL, "'%s' was taken", bad[_i]);
	shell_free(r);
	ck_assert_int_le(verdict_of(bad[_i]), POLICY_ASK);
}
END_TEST

static char *repeat(const char *s, size_t times, const char *end)
{
	size_t n = strlen(s);
	char *out = malloc(n * times + strlen(end) + 1), *p = out;

	ck_assert_ptr_nonnull(out);
	for (size_t i = 0; i < times; i++, p += n)
		memcpy(p, s, n);
	strcpy(p, end);
	return out;
}

static const struct {
	const char *piece;
	size_t times;
	const char *end;
} heavy[] = {{"$(", 60000, ""}, {"(", 100000, ""}, {"a ", 60000, ""}, {"{a,b}", 40, ""},
	{"${a:-", 20000, ""}, {"`", 100001, ""}, {"if a; then ", 5000, ""},
	{"f(){ ", 5000, ""}, {"a | ", 20000, "b"}, {"x=$x$x$x$x;", 200, "echo $x"},
	{"((", 50000, ""}, {"echo {1..60}{1..60};", 20, ""},
	{"for i in 1 2 3 4 5 6 7 8; do ", 12, "a"}, {"a", 200000, ""}, {"eval '", 30, ""},
	{"sudo ", 2000, "ls"}, {"while a; do ", 60, "b; done"}};

START_TEST(stays_within_its_bounds)
{
	char *text = repeat(heavy[_i].piece, heavy[_i].times, heavy[_i].end);
	struct shell_reading *r = read_command(text);

	ck_assert_msg(r->undecided != NULL, "'%.20s..' was read to the end", text);
	shell_free(r);
	free(text);
}
END_TEST

START_TEST(control_characters_are_not_read)
{
	struct shell_reading *r = read_command("echo \x04");

	ck_assert_ptr_nonnull(r->undecided);
	shell_free(r);
}
END_TEST

TCase *tcase_parse(void)
{
	TCase *t = tcase_create("parse");

	tcase_set_timeout(t, 30);
	tcase_add_loop_test(
		t, accepts_what_bash_accepts, 0, sizeof(good) / sizeof(*good));
	tcase_add_loop_test(
		t, refuses_what_does_not_parse, 0, sizeof(bad) / sizeof(*bad));
	tcase_add_loop_test(
		t, stays_within_its_bounds, 0, sizeof(heavy) / sizeof(*heavy));
	tcase_add_test(t, control_characters_are_not_read);
	return t;
}
