/*
 * test_path.c: where a word points.
 */
#include <string.h>

#include "tests/unit/policyd/suites.h"

static const struct {
	const char *word;
	const char *path;
	enum shell_place place;
} rows[] = {
	{"a", "/workspace/a", SHELL_WORKSPACE},
	{".", "/workspace", SHELL_ROOT},
	{".git", "/workspace/.git", SHELL_ROOT},
	{".git/config", "/workspace/.git/config", SHELL_WORKSPACE},
	{"..", "/", SHELL_SYSTEM},
	{"../workspace/a", "/workspace/a", SHELL_WORKSPACE},
	{"/workspace2", "/workspace2", SHELL_SYSTEM},
	{"//workspace//./b/", "/workspace/b", SHELL_WORKSPACE},
	{"/proc/self/root/etc/x", "/etc/x", SHELL_SYSTEM},
	{"/proc/123/cwd/a", "/workspace/a", SHELL_WORKSPACE},
	{"/home/u", "/home/u", SHELL_HOME},
	{"/home/u/.cache/x", "/home/u/.cache/x", SHELL_CACHE},
	{"/home/u/.ssh/id", "/home/u/.ssh/id", SHELL_CREDENTIAL},
	{"/home/u/.cargo/credentials", "/home/u/.cargo/credentials", SHELL_CREDENTIAL},
	{"/home/v/x", "/home/v/x", SHELL_HOME},
	{"/tmp/x", "/tmp/x", SHELL_SCRATCH},
	{"/dev/null", "/dev/null", SHELL_SCRATCH},
	{"/dev/sda", "/dev/sda", SHELL_DEVICE},
	{"/etc/shadow", "/etc/shadow", SHELL_CREDENTIAL},
	{"/proc/1/environ", "/proc/1/environ", SHELL_CREDENTIAL},
	{"/usr/bin/x", "/usr/bin/x", SHELL_SYSTEM},
	{"a\x02/b", "/workspace/a\x02/b", SHELL_WORKSPACE},
	{"\x04", "\x04", SHELL_UNKNOWN},
	{"\x04/a", "\x04/a", SHELL_UNKNOWN},
	{"build/\x04", "/workspace/build/\x04", SHELL_WORKSPACE},
	{"\x02", "/workspace/\x02", SHELL_WORKSPACE},
	{"/\x02", "/\x02", SHELL_SYSTEM},
	{"/dev/sd\x02", "/dev/sd\x02", SHELL_DEVICE},
	{"/home/u/\x02", "/home/u/\x02", SHELL_HOME},
	{"/srv/\x03/id_rsa", "/srv/\x03/id_rsa", SHELL_CREDENTIAL},
	{"", "", SHELL_EMPTY},
};

START_TEST(every_word_has_its_place)
{
	char path[256];

	ck_assert_int_eq(shell_place_of(&test_ctx, rows[_i].word, path, sizeof(path)),
		rows[_i].place);
	ck_assert_str_eq(path, rows[_i].path);
}
END_TEST

START_TEST(the_workspace_wins_over_home_and_scratch)
{
	struct shell_context ctx = {
		.home = "/home/u", .cwd = "/home/u/p", .workspace = "/home/u/p"};
	char path[64];

	ck_assert_int_eq(
		shell_place_of(&ctx, ".env", path, sizeof(path)), SHELL_WORKSPACE);
	ck_assert_int_eq(shell_place_of(&ctx, "../q", path, sizeof(path)), SHELL_HOME);
	ctx.workspace = ctx.cwd = "/tmp/w";
	ctx.home = "/tmp/h";
	ck_assert_int_eq(shell_place_of(&ctx, "a", path, sizeof(path)), SHELL_WORKSPACE);
	ck_assert_int_eq(
		shell_place_of(&ctx, "/tmp/h/x", path, sizeof(path)), SHELL_HOME);
}
END_TEST

TCase *tcase_path(void)
{
	TCase *t = tcase_create("path");

	tcase_add_loop_test(t, every_word_has_its_place, 0, sizeof(rows) / sizeof(*rows));
	tcase_add_test(t, the_workspace_wins_over_home_and_scratch);
	return t;
}
