/*
 * test-cmd.c: the command line says what is wrong, and its exit code tells which kind.
 *
 * cmd_main runs in this (forked) process with its output in files. Nothing is mounted.
 */
#include "tests/unit/fs/suites.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "fs/cmd/cmd.h"
#include "fs/cmd/out.h"

static char top[256], out[8192], err[8192];

static void setup(void)
{
	char state[300];

	scratch(top);
	snprintf(state, sizeof(state), "%s/state", top);
	setenv("TXFS_STATE_DIR", state, 1);
	setenv("PATH", "/nonexistent", 1); /* nothing is run from here */
}

static void capture(const char *name, int fd)
{
	char path[300];
	int to;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	to = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	ck_assert_int_ge(to, 0);
	dup2(to, fd);
	close(to);
}

static void slurp(int fd, char buf[8192])
{
	ssize_t n = pread(fd, buf, 8191, 0);

	buf[n > 0 ? n : 0] = 0;
}

/* Run `txfs` with the words of @line; out and err hold what it printed. */
static int txfs(const char *line)
{
	char copy[1024], *argv[32] = {(char *)"txfs"}, *save = NULL;
	int argc = 1, rc, old_out = dup(1), old_err = dup(2);

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argv[argc] = NULL;
	fflush(stdout);
	capture("out", 1);
	capture("err", 2);
	rc = cmd_main(argc, argv);
	fflush(stdout);
	slurp(1, out);
	slurp(2, err);
	dup2(old_out, 1);
	dup2(old_err, 2);
	close(old_out);
	close(old_err);
	return rc;
}

static const struct {
	const char *line;
	int exit;
	const char *says; /* in err */
} wrong[] = {
	{"", CMD_USAGE, "usage: txfs"},
	{"frob", CMD_USAGE, "unknown verb 'frob'"},
	{"--frob", CMD_USAGE, "unknown option '--frob'"},
	{"-C", CMD_USAGE, "unknown option '-C'"},
	{"mount", CMD_USAGE, "argument is missing"},
	{"mount a b c", CMD_USAGE, "too many"},
	{"mount -o bogus a", CMD_USAGE, "'bogus': not known"},
	{"mount -o base=mine a", CMD_USAGE, "'base=mine'"},
	{"mount -o history=7d,1G a", CMD_USAGE, "not supported yet"},
	{"mount -o checkpoint=background a", CMD_USAGE, "not supported yet"},
	{"mount -o interval=0 a", CMD_USAGE, "'interval=0'"},
	{"mount -o interval=-1 a", CMD_USAGE, "'interval=-1'"},
	{"mount -o interval=nan a", CMD_USAGE, "'interval=nan'"},
	{"mount -o interval=1x a", CMD_USAGE, "'interval=1x'"},
	{"mount -o workers=0 a", CMD_USAGE, "'workers=0'"},
	{"mount -o quota=12Q a", CMD_USAGE, "'quota=12Q'"},
	{"mount -o quota=-1 a", CMD_USAGE, "'quota=-1'"},
	{"mount -o quota=99999999999999T a", CMD_USAGE, "quota"},
	{"mount -o no_ a", CMD_USAGE, "'no_'"},
	{"mount -o no_a/b a", CMD_USAGE, "'no_a/b'"},
	{"mount -o", CMD_USAGE, "no value for option '-o'"},
	{"mount --store", CMD_USAGE, "no value for option '--store'"},
	{"begin --tx 4", CMD_USAGE, "unknown option '--tx'"},
	{"begin --label", CMD_USAGE, "no value"},
	{"begin now", CMD_USAGE, "too many"},
	{"savepoint", CMD_USAGE, "missing"},
	{"rollback a b", CMD_USAGE, "too many"},
	{"status --tx 1", CMD_USAGE, "unknown option"},
	{"commit some/path", CMD_FAILED, "later"},
	{"-C /nonexistent status", CMD_FAILED,
		"'/nonexistent' is in no mounted workspace"},
	{"-C / begin", CMD_FAILED, "txfs mount"},
	{"-C / ls --json", CMD_FAILED, "txfs mount"},
	{"-C / log", CMD_FAILED, "txfs mount"},
	{"-C / diff", CMD_FAILED, "txfs mount"},
	{"-C / sync", CMD_FAILED, "txfs mount"},
	{"-C / commit", CMD_FAILED, "txfs mount"},
	{"-C / abort --tx 5", CMD_FAILED, "txfs mount"},
	{"umount /", CMD_FAILED, "'/' is no mounted workspace"},
};

START_TEST(wrong_calls_are_explained)
{
	ck_assert_msg(
		txfs(wrong[_i].line) == wrong[_i].exit, "%s: %s", wrong[_i].line, err);
	ck_assert_msg(strstr(err, wrong[_i].says), "%s: %s", wrong[_i].line, err);
	ck_assert_str_eq(out, "");
}
END_TEST

START_TEST(empty_name_is_wrong_usage)
{
	char *argv[] = {(char *)"txfs", (char *)"savepoint", (char *)"", NULL};

	ck_assert_int_eq(cmd_main(3, argv), CMD_USAGE);
}
END_TEST

START_TEST(help_names_every_verb)
{
	static const char *const verbs[] = {"mount", "umount", "begin", "commit", "abort",
		"savepoint", "rollback", "release", "status", "diff", "log", "ls",
		"sync"};

	ck_assert_int_eq(txfs("--help"), 0);
	ck_assert_str_eq(err, "");
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		char line[64];

		snprintf(line, sizeof(line), "\n  %s ", verbs[i]);
		ck_assert_ptr_nonnull(strstr(out, line));
	}
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		char line[64];

		snprintf(line, sizeof(line), "%s --help", verbs[i]);
		ck_assert_int_eq(txfs(line), 0);
		ck_assert_ptr_nonnull(strstr(out, "usage: txfs"));
	}
}
END_TEST

START_TEST(error_lines_are_escaped)
{
	char *argv[] = {(char *)"txfs", (char *)"a\x1b[31m\nb", NULL};

	capture("err", 2);
	ck_assert_int_eq(cmd_main(2, argv), CMD_USAGE);
	slurp(2, err);
	ck_assert_str_eq(err, "txfs: unknown verb 'a\\x1B[31m\\nb'; see: txfs --help\n");
}
END_TEST

START_TEST(json_rows_are_one_line_with_bytes_beside)
{
	capture("out", 1);
	out_open();
	out_text("name", "a\n\"b\"");
	out_text("path", "x\xff");
	out_text("none", NULL);
	out_u64("n", UINT64_MAX);
	out_bool("yes", true);
	out_null("to");
	out_double("s", 0.5);
	out_close();
	ck_assert(out_end());
	slurp(1, out);
	ck_assert_str_eq(out, "{\"name\":\"a\\u000a\\\"b\\\"\",\"path\":\"x\\ufffd\","
			      "\"path_base64\":\"eP8=\","
			      "\"none\":null,\"n\":18446744073709551615,\"yes\":true,"
			      "\"to\":null,\"s\":0.500}\n");
}
END_TEST

Suite *suite_cmd(void)
{
	Suite *s = suite_create("cmd");
	TCase *t = tcase_create("cmd");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_loop_test(
		t, wrong_calls_are_explained, 0, (int)(sizeof(wrong) / sizeof(*wrong)));
	tcase_add_test(t, empty_name_is_wrong_usage);
	tcase_add_test(t, help_names_every_verb);
	tcase_add_test(t, error_lines_are_escaped);
	tcase_add_test(t, json_rows_are_one_line_with_bytes_beside);
	suite_add_tcase(s, t);
	return s;
}
