/*
 * test_sandbox.c: what holds for a contained command. The view is a plain directory here:
 * the sandbox knows nothing of transactions.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agentctl/sandbox/sandbox.h"
#include "tests/unit/agentctl/suites.h"

/* Outside of the scratch directories, so that a leak would show. */
static char top[64];
static char view[128], ws[128], home[128], secret[128];
static char out[8192];
static struct sandbox *sb;

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static char *path_in(const char *dir, const char *name)
{
	static char path[4][256];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof path[turn], "%s/%s", dir, name);
	return path[turn];
}

static void remove_tree(const char *path)
{
	pid_t pid = fork();

	if (pid == 0)
		execlp("rm", "rm", "-rf", "--one-file-system", path, NULL);
	waitpid(pid, NULL, 0);
}

static int open_with(const char *shown, const char *const *hidden, size_t n)
{
	struct sandbox_spec spec = {.view = view,
		.workspace = shown,
		.home = home,
		.hidden = hidden,
		.n_hidden = n,
		.env = environ};
	char message[256] = "";
	int r = sandbox_open(&sb, &spec, message, sizeof message);

	if (r != 0)
		fprintf(stderr, "sandbox_open: %s\n", message);
	return r;
}

/* A place that is on a real file system and not below /tmp. */
static void setup(void)
{
	const char *const hidden[] = {secret};
	const char *base = geteuid() == 0 ? "/var/lib" : getenv("HOME");

	snprintf(top, sizeof top, "%.40s/sandbox.XXXXXX", base);
	ck_assert_ptr_nonnull(mkdtemp(top));
	snprintf(view, sizeof view, "%s/view", top);
	snprintf(ws, sizeof ws, "%s/ws", top);
	snprintf(home, sizeof home, "%s/home", top);
	snprintf(secret, sizeof secret, "%s/home/secret", top);
	ck_assert_int_eq(mkdir(view, 0755), 0);
	ck_assert_int_eq(mkdir(ws, 0755), 0);
	ck_assert_int_eq(mkdir(home, 0755), 0);
	ck_assert_int_eq(mkdir(secret, 0700), 0);
	write_text(path_in(view, "inside"), "from the view\n");
	write_text(path_in(ws, "beneath"), "from the base\n");
	write_text(path_in(home, "precious"), "keep me\n");
	write_text(path_in(secret, "token"), "hidden\n");
	setenv("HOME", home, 1);
	ck_assert_int_eq(open_with(ws, hidden, 1), 0);
}

static void teardown(void)
{
	sandbox_close(sb);
	sb = NULL;
	remove_tree(top);
}

static void gather(void *arg, int stream, const char *data, size_t bytes)
{
	size_t used = strlen(out);

	if (bytes > sizeof out - 1 - used)
		bytes = sizeof out - 1 - used;
	memcpy(out + used, data, bytes);
	out[used + bytes] = 0;
}

static struct sandbox_result run_for(const char *script, int timeout_ms)
{
	char *argv[] = {(char *)"sh", (char *)"-c", (char *)script, NULL};
	struct sandbox_cmd cmd = {.argv = argv,
		.cwd = ws,
		.in = -1,
		.out = -1,
		.err = -1,
		.timeout_ms = timeout_ms,
		.signal_fd = -1,
		.output = gather};
	struct sandbox_result r;

	out[0] = 0;
	ck_assert_int_eq(sandbox_exec(sb, &cmd, &r), 0);
	return r;
}

static int run(const char *script)
{
	int status = run_for(script, 20000).status;

	if (status != 0)
		fprintf(stderr, "'%s': %d: %s\n", script, status, out);
	return status;
}

START_TEST(the_view_is_shown_at_the_workspace)
{
	ck_assert_int_eq(run("cat inside; test ! -e beneath; pwd"), 0);
	ck_assert_ptr_nonnull(strstr(out, "from the view"));
	ck_assert_ptr_nonnull(strstr(out, ws));
	ck_assert_int_eq(run("echo new > made && mkdir -p a/b"), 0);
	ck_assert_int_eq(access(path_in(view, "made"), F_OK), 0);
	ck_assert_int_ne(access(path_in(ws, "made"), F_OK), 0);
}
END_TEST

START_TEST(all_else_is_read_only)
{
	ck_assert_int_ne(run_for("rm -rf $HOME/precious ~/ 2>/dev/null", 0).status, 0);
	ck_assert_int_eq(access(path_in(home, "precious"), F_OK), 0);
	ck_assert_int_eq(access(path_in(ws, "beneath"), F_OK), 0);
	ck_assert_int_ne(run_for("touch $HOME/x", 0).status, 0);
	ck_assert_int_ne(run_for("touch ../x", 0).status, 0);
	ck_assert_int_ne(run_for("touch /etc/x", 0).status, 0);
	ck_assert_int_ne(run_for("chmod 777 $HOME/precious", 0).status, 0);
	ck_assert_int_ne(run_for("mount -o remount,rw,bind /", 0).status, 0);
	ck_assert_int_ne(run_for("umount /proc/sys", 0).status, 0);
	ck_assert_int_ne(run_for(": >> /proc/sys/kernel/core_pattern", 0).status, 0);
	ck_assert_int_ne(run_for(": >> /proc/sysrq-trigger", 0).status, 0);
}
END_TEST

START_TEST(a_nested_namespace_does_not_help)
{
	run_for("unshare -Urm sh -c \"mount -o remount,rw,bind /; umount -l $HOME/secret;"
		" touch $HOME/x; rm -f $HOME/precious; cat $HOME/secret/token\"",
		0);
	ck_assert_ptr_null(strstr(out, "hidden\n"));
	ck_assert_int_eq(access(path_in(home, "precious"), F_OK), 0);
	ck_assert_int_ne(access(path_in(home, "x"), F_OK), 0);
}
END_TEST

START_TEST(hidden_paths_are_empty)
{
	ck_assert_int_eq(
		run("test -d $HOME/secret && test -z \"$(ls -A $HOME/secret)\""), 0);
	ck_assert_int_eq(run("test -e $HOME/precious"), 0);
}
END_TEST

START_TEST(scratch_is_private_and_writable)
{
	ck_assert_int_eq(run("echo x > /tmp/sandbox-scratch && echo x > /var/tmp/y && "
			     "echo x > /dev/shm/z && echo x > /dev/null"),
		0);
	ck_assert_int_ne(access("/tmp/sandbox-scratch", F_OK), 0);
	ck_assert_int_eq(run("test -e /tmp/sandbox-scratch"), 0);
}
END_TEST

START_TEST(devices_are_the_harmless_few)
{
	ck_assert_int_eq(
		run("test -z \"$(find /dev -type b)\"; head -c 4 /dev/urandom"), 0);
	ck_assert_int_ne(run_for("mknod dev b 254 0", 0).status, 0);
	ck_assert_int_eq(run("echo hi > /dev/stdout | grep -q hi"), 0);
}
END_TEST

START_TEST(processes_outside_are_unseen)
{
	char script[64];

	snprintf(script, sizeof script, "test $(ls -d /proc/[0-9]* | wc -l) -lt 10");
	ck_assert_int_eq(run(script), 0);
	ck_assert_int_ne(run_for("ls -l /proc/1/fd/ | grep -q -e '->'", 0).status, 0);
	ck_assert_int_ne(run_for("cat /proc/1/environ | grep -q .", 0).status, 0);
}
END_TEST

START_TEST(status_is_told_as_a_shell_tells_it)
{
	char *missing[] = {(char *)"no-such-program", NULL};
	struct sandbox_cmd cmd = {.argv = missing,
		.cwd = ws,
		.in = -1,
		.out = -1,
		.err = -1,
		.signal_fd = -1};
	struct sandbox_result r;

	ck_assert_int_eq(run_for("exit 3", 0).status, 3);
	r = run_for("kill -TERM $$", 0);
	ck_assert_int_eq(r.status, 128 + SIGTERM);
	ck_assert_int_eq(r.signal, SIGTERM);
	ck_assert_int_eq(sandbox_exec(sb, &cmd, &r), 0);
	ck_assert_int_eq(r.status, 127);
	ck_assert_int_ne(r.start_error, 0);
	ck_assert_int_eq(run("true"), 0);
}
END_TEST

START_TEST(a_time_out_ends_all)
{
	struct sandbox_result r =
		run_for("trap '' TERM; sleep 60 & sleep 60; sleep 60", 200);

	ck_assert(r.timed_out);
	ck_assert_int_eq(r.status, 128 + SIGKILL);
	ck_assert_uint_lt(r.time_ns, 10000000000u);
	r = (struct sandbox_result){0};
}
END_TEST

START_TEST(close_ends_what_was_left_running)
{
	ck_assert_int_eq(run("(setsid sh -c 'sleep 0.3; touch late' &) ; exit 0"), 0);
	sandbox_close(sb);
	sb = NULL;
	usleep(600000);
	ck_assert_int_ne(access(path_in(view, "late"), F_OK), 0);
}
END_TEST

START_TEST(signals_are_forwarded)
{
	char *argv[] = {(char *)"sh", (char *)"-c",
		(char *)"trap 'exit 9' INT; while :; do sleep 0.05; done", NULL};
	struct sandbox_cmd cmd = {.argv = argv,
		.cwd = ws,
		.in = -1,
		.out = -1,
		.err = -1,
		.timeout_ms = 10000};
	struct sandbox_result r;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	cmd.signal_fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fork() == 0) {
		usleep(300000);
		kill(getppid(), SIGINT);
		_exit(0);
	}
	ck_assert_int_eq(sandbox_exec(sb, &cmd, &r), 0);
	ck_assert_int_eq(r.status, 9);
	ck_assert_int_eq(r.forwarded, SIGINT);
	close(cmd.signal_fd);
}
END_TEST

START_TEST(a_directory_as_descriptor_is_refused)
{
	char *argv[] = {(char *)"true", NULL};
	struct sandbox_cmd cmd = {
		.argv = argv, .cwd = ws, .out = -1, .err = -1, .signal_fd = -1};
	struct sandbox_result r;

	cmd.in = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_eq(sandbox_exec(sb, &cmd, &r), -EINVAL);
	close(cmd.in);
	ck_assert_int_eq(run("true"), 0);
}
END_TEST

START_TEST(workspace_and_home_below_tmp_are_shown)
{
	char under[64] = "/tmp/sandbox.XXXXXX";

	sandbox_close(sb);
	ck_assert_ptr_nonnull(mkdtemp(under));
	snprintf(home, sizeof home, "%s/home", under);
	snprintf(ws, sizeof ws, "%s/home/ws", under);
	mkdir(home, 0755);
	mkdir(ws, 0755);
	setenv("HOME", home, 1);
	ck_assert_int_eq(open_with(ws, NULL, 0), 0);
	ck_assert_int_eq(
		run("cat inside && ls -d $HOME && ! touch $HOME/x && touch y"), 0);
	sandbox_close(sb);
	snprintf(ws, sizeof ws, "%s/w", under);
	mkdir(ws, 0755);
	snprintf(home, sizeof home, "%s/home", top);
	setenv("HOME", home, 1);
	ck_assert_int_eq(open_with(ws, NULL, 0), 0);
	ck_assert_int_eq(run("cat inside && touch y && test -e y"), 0);
	remove_tree(under);
}
END_TEST

START_TEST(a_hidden_path_around_the_workspace_is_an_error)
{
	const char *const hidden[] = {top};
	struct sandbox *first = sb;

	ck_assert_int_eq(open_with(ws, hidden, 1), -EINVAL);
	ck_assert_ptr_null(sb);
	sb = first;
}
END_TEST

Suite *suite_sandbox(void)
{
	Suite *s = suite_create("sandbox");
	TCase *t = tcase_create("contained");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, the_view_is_shown_at_the_workspace);
	tcase_add_test(t, all_else_is_read_only);
	tcase_add_test(t, a_nested_namespace_does_not_help);
	tcase_add_test(t, hidden_paths_are_empty);
	tcase_add_test(t, scratch_is_private_and_writable);
	tcase_add_test(t, devices_are_the_harmless_few);
	tcase_add_test(t, processes_outside_are_unseen);
	tcase_add_test(t, status_is_told_as_a_shell_tells_it);
	tcase_add_test(t, a_time_out_ends_all);
	tcase_add_test(t, close_ends_what_was_left_running);
	tcase_add_test(t, signals_are_forwarded);
	tcase_add_test(t, a_directory_as_descriptor_is_refused);
	tcase_add_test(t, workspace_and_home_below_tmp_are_shown);
	tcase_add_test(t, a_hidden_path_around_the_workspace_is_an_error);
	suite_add_tcase(s, t);
	return s;
}
