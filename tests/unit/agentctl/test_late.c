/*
 * test_late.c: which paths run later outside, and which settings of git do.
 */
#include <string.h>
#include "agentctl/tool/late.h"
#include "tests/unit/agentctl/suites.h"

static const struct {
	const char *path;
	enum late_kind kind;
} paths[] = {
	{".git/config", LATE_GITCONFIG},
	{"vendor/lib/.git/config", LATE_GITCONFIG},
	{".git/modules/a/b/config", LATE_GITCONFIG},
	{".git/config.worktree", LATE_GITCONFIG},
	{".gitmodules", LATE_GITCONFIG},
	{".git/hooks/pre-commit", LATE_ANY},
	{".git/hooks/pre-commit.sample", LATE_NO},
	{".git/hooks/sub/helper.sample.sh", LATE_ANY},
	{".git/modules/x/hooks/post-checkout", LATE_ANY},
	{".git/hooks", LATE_ANY},
	{".git/index", LATE_NO},
	{".git/objects/ab/cdef", LATE_NO},
	{".git/configuration", LATE_NO},
	{"docs/.git/hooksy/x", LATE_NO},
	{"git/hooks/pre-commit", LATE_NO},
	{".claude/settings.json", LATE_ANY},
	{"sub/.claude/settings.local.json", LATE_ANY},
	{".codex/config.toml", LATE_ANY},
	{".gemini/settings.json", LATE_ANY},
	{".cursor/mcp.json", LATE_ANY},
	{"my.claude/x", LATE_NO},
	{".envrc", LATE_LIST},
	{"web/package.json", LATE_LIST},
	{".vscode/tasks.json", LATE_LIST},
	{"src/main.c", LATE_NO},
	{"package.jsonc", LATE_NO},
};

START_TEST(a_path_has_its_kind)
{
	ck_assert_msg(late_kind(paths[_i].path) == paths[_i].kind, "%s", paths[_i].path);
}
END_TEST

static const struct {
	const char *pattern, *path;
	bool match;
} globs[] = {
	{"a/*/c", "a/b/c", true},
	{"a/*/c", "a/b/b/c", false},
	{"a/**/c", "a/b/b/c", true},
	{"a/**/c", "a/c", true},
	{"a/**", "a/b", true},
	{"a/**", "a", false},
	{"a/**", "a/", false},
	{"**/x", "x", true},
	{"**/x", "yx", false},
	{"*.c", "a.c", true},
	{"*.c", "a/b.c", false},
	{"a", "a/b", false},
};

START_TEST(a_pattern_matches_whole_components)
{
	const char *p = globs[_i].pattern;

	ck_assert_msg(late_match(p, strlen(p), globs[_i].path) == globs[_i].match,
		"%s %s", p, globs[_i].path);
}
END_TEST

static const struct {
	const char *old, *now;
	bool held;
} configs[] = {
	{NULL, "[core]\n\tbare = false\n[user]\n\tname = x\n", false},
	{NULL, "[core]\n\tfsmonitor = ./evil\n", true},
	{NULL, "[CORE] FsMonitor = x", true},
	{"[core]\nfsmonitor = x\n", "[user]\nname=a\n[core]\nfsmonitor = x\n", false},
	{"[core]\nfsmonitor = x\n", "[core]\nfsmonitor = y\n", true},
	{"[core]\nfsmonitor = x\n", "[core]\n", false},
	{NULL, "[include]\npath = ../x\n", true},
	{NULL, "[includeIf \"gitdir:/a.b/\"]\npath = x\n", true},
	{NULL, "[alias]\nst = status\n", true},
	{NULL, "[filter \"a.b\"]\nclean = x\n", true},
	{NULL, "[filter \"lfs\"]\nrequired = true\n", false},
	{NULL, "[diff \"x\"]\ntextconv = x\n", true},
	{NULL, "[credential]\nhelper = !x\n", true},
	{NULL, "[credential \"https://a.b\"]\nhelper = !x\n", true},
	{NULL, "[remote \"origin\"]\nurl = https://example.org/a.git\nfetch = +a:b\n",
		false},
	{NULL, "[remote \"origin\"]\nurl = ext::sh -c x\n", true},
	{NULL, "[remote \"o\"]\nreceivepack = x\n", true},
	{NULL, "[submodule \"s\"]\npath = s\nurl = ../s\nupdate = rebase\n", false},
	{NULL, "[submodule \"s\"]\nupdate = !rm\n", true},
	{NULL, "[submodule \"s\"]\nurl = ext::sh\n", true},
	{NULL, "[branch \"a\"]\nremote = origin\nmerge = refs/heads/a\n", false},
	{NULL, "[core]\nhookspath", true},
	{NULL, "[core\nbroken", true},
	{NULL, "", false},
	{"[core\nbroken", "[user]\nname = x\n", false},
	{"[core\nbroken", "[core]\npager = x\n", true},
};

START_TEST(a_config_is_held_when_it_gains_a_program)
{
	const char *old = configs[_i].old, *now = configs[_i].now;

	ck_assert_msg(late_gitconfig(old, old ? strlen(old) : 0, now, strlen(now)) ==
			      configs[_i].held,
		"%s", now);
}
END_TEST

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))

TCase *case_late(void)
{
	TCase *t = tcase_create("late");

	tcase_add_loop_test(t, a_path_has_its_kind, 0, N(paths));
	tcase_add_loop_test(t, a_pattern_matches_whole_components, 0, N(globs));
	tcase_add_loop_test(t, a_config_is_held_when_it_gains_a_program, 0, N(configs));
	return t;
}
