/*
 * test_workspace.c: which directory is the workspace, and which is refused.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agentctl/tool/workspace.h"
#include "tests/unit/agentctl/suites.h"

static char top[64], home[128], message[512];
static struct workspace w;

static char *in_home(const char *name)
{
	static char path[4][256];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof path[turn], "%s/%s", home, name);
	return path[turn];
}

static void setup(void)
{
	strcpy(top, "/tmp/workspace.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
	snprintf(home, sizeof home, "%s/home", top);
	ck_assert_int_eq(mkdir(home, 0755), 0);
	mkdir(in_home("project"), 0755);
	mkdir(in_home("project/.git"), 0755);
	mkdir(in_home("project/src"), 0755);
	mkdir(in_home("plain"), 0755);
	mkdir(in_home("linked"), 0755);
	mkdir(in_home(".ssh"), 0755);
	setenv("HOME", home, 1);
	setenv("TXFS_STATE_DIR", in_home("state"), 1);
	ck_assert_int_eq(chdir(home), 0);
}

static void teardown(void)
{
	pid_t pid;

	workspace_free(&w);
	ck_assert_int_eq(chdir("/"), 0);
	pid = fork();
	if (pid == 0)
		execlp("rm", "rm", "-rf", top, NULL);
	waitpid(pid, NULL, 0);
}

static int resolve(const char *cwd, const char *dir)
{
	workspace_free(&w);
	message[0] = 0;
	ck_assert_int_eq(chdir(cwd), 0);
	return workspace_resolve(&w, dir, message, sizeof message);
}

START_TEST(the_nearest_parent_with_git_is_taken)
{
	ck_assert_int_eq(resolve(in_home("project/src"), NULL), 0);
	ck_assert_str_eq(w.path, in_home("project"));
	ck_assert_str_eq(w.cwd, in_home("project/src"));
	ck_assert(!w.mounted);
}
END_TEST

START_TEST(else_the_current_directory)
{
	ck_assert_int_eq(resolve(in_home("plain"), NULL), 0);
	ck_assert_str_eq(w.path, in_home("plain"));
}
END_TEST

START_TEST(git_in_the_home_is_not_looked_at)
{
	mkdir(in_home(".git"), 0755);
	ck_assert_int_eq(resolve(in_home("plain"), NULL), 0);
	ck_assert_str_eq(w.path, in_home("plain"));
}
END_TEST

START_TEST(a_given_directory_wins)
{
	ck_assert_int_eq(resolve(in_home("plain"), "../project/src"), 0);
	ck_assert_str_eq(w.path, in_home("project/src"));
	ck_assert_str_eq(w.cwd, in_home("project/src"));
}
END_TEST

START_TEST(home_and_what_contains_it_are_refused)
{
	ck_assert_int_eq(resolve(home, NULL), -EPERM);
	ck_assert_ptr_nonnull(strstr(message, "is the home directory"));
	ck_assert_int_eq(resolve(top, NULL), -EPERM);
	ck_assert_ptr_nonnull(strstr(message, "contains the home directory"));
	ck_assert_int_eq(resolve(top, home), 0);
}
END_TEST

START_TEST(the_root_is_refused_always)
{
	ck_assert_int_eq(resolve("/", NULL), -EPERM);
	ck_assert_int_eq(resolve("/", "/"), -EPERM);
}
END_TEST

static const char *const refused[] = {"/", "/etc", "/etc/ssl", "/usr", "/usr/bin",
	"/proc", "/sys/kernel", "/dev", "/tmp", "/var"};

START_TEST(system_places_are_refused)
{
	ck_assert_msg(workspace_refused(refused[_i], NULL, message, sizeof message), "%s",
		refused[_i]);
}
END_TEST

static const char *const fine[] = {"/srv/project", "/usr/src/linux", "/opt/x",
	"/etcetera", "/tmp/x", "/mnt/disk", "/data"};

START_TEST(other_places_are_not)
{
	ck_assert_msg(
		!workspace_refused(fine[_i], "/home/someone", message, sizeof message),
		"%s: %s", fine[_i], message);
}
END_TEST

START_TEST(a_linked_worktree_is_refused)
{
	FILE *f = fopen(in_home("linked/.git"), "w");

	fprintf(f, "gitdir: %s\n", in_home("project/.git"));
	fclose(f);
	ck_assert_int_eq(resolve(in_home("linked"), NULL), -EPERM);
	ck_assert_ptr_nonnull(strstr(message, "git directory"));
}
END_TEST

START_TEST(what_is_no_directory_is_an_error)
{
	FILE *f = fopen(in_home("file"), "w");

	fclose(f);
	ck_assert_int_eq(resolve(home, "nothing"), -ENOENT);
	ck_assert_ptr_nonnull(strstr(message, "nothing"));
	ck_assert_int_eq(resolve(home, "file"), -ENOTDIR);
}
END_TEST

START_TEST(below_is_by_components)
{
	ck_assert(workspace_below("/a/b", "/a"));
	ck_assert(workspace_below("/a", "/a"));
	ck_assert(workspace_below("/a", "/"));
	ck_assert(!workspace_below("/ab", "/a"));
	ck_assert(!workspace_below("/", "/a"));
}
END_TEST

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))

TCase *case_workspace(void)
{
	TCase *t = tcase_create("workspace");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, the_nearest_parent_with_git_is_taken);
	tcase_add_test(t, else_the_current_directory);
	tcase_add_test(t, git_in_the_home_is_not_looked_at);
	tcase_add_test(t, a_given_directory_wins);
	tcase_add_test(t, home_and_what_contains_it_are_refused);
	tcase_add_test(t, the_root_is_refused_always);
	tcase_add_loop_test(t, system_places_are_refused, 0, N(refused));
	tcase_add_loop_test(t, other_places_are_not, 0, N(fine));
	tcase_add_test(t, a_linked_worktree_is_refused);
	tcase_add_test(t, what_is_no_directory_is_an_error);
	tcase_add_test(t, below_is_by_components);
	return t;
}
