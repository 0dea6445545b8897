/*
 * rules.h: from what a command would do (txfs/shell.h) to a verdict with its reason.
 *
 *	verdict.c	the built-in table: effect, place and cover give a verdict
 *	source.c	the places of rules files, and which files may be believed
 *	file.c		rules of people, read from YAML
 *	match.c, word.c	does a rule apply to a command?		index.c	fast for any
 *number load.c		all files together, with their examples tried
 *	judge.c		the strictest effect of the whole command decides
 *
 * A struct rules is read-only once loaded: any number of threads may judge by it.
 */
#ifndef POLICYD_RULES_RULES_H
#define POLICYD_RULES_RULES_H

#include "txfs/policy.h"
#include "txfs/shell.h"

struct rules;

/** Whose rules: later ones override, but for an administrator's deny, and a workspace's
 * can only make a verdict stricter. */
enum rules_tier { RULES_BUILTIN, RULES_ADMIN, RULES_USER, RULES_WORKSPACE };

#define RULES_ADMIN_FILE "/etc/txfs/policy.yaml"
#define RULES_WORKSPACE_NAME ".txfs-policy.yaml"

struct rules_source {
	const char *path;
	enum rules_tier tier;
	bool optional; /* may be missing */
	bool anyones;  /* only to be tried: whoever it belongs to */
};

/** rules_user_file(buf, size): $XDG_CONFIG_HOME or ~/.config, /txfs/policy.yaml. 0,
 * -ENOENT, -ENAMETOOLONG. rules_workspace_file(workspace, buf, size): the same for it. */
int rules_user_file(char *buf, size_t size);
int rules_workspace_file(const char *workspace, char *buf, size_t size);

/** What a look at the filesystem says of a path. */
enum rules_seen { RULES_UNSEEN, RULES_ABSENT, RULES_EXISTS, RULES_LATE };

/**
 * A way to look at the filesystem: does the file exist, and which path is it once links
 * are followed? Writes the latter to @real (may be the same). RULES_LATE: no answer in
 * time, which makes the command undecided. NULL: nothing is looked at.
 */
struct rules_look {
	enum rules_seen (*look)(void *arg, const char *path, char *real, size_t size);
	void *arg;
};

/**
 * rules_load(s, n, r, err, size): the built-in rules and those of @s, in order. Checks
 * every example. Without a file that is there, *r holds the built-in rules.
 * Returns 0; -EINVAL with "FILE:LINE: what" in @err; -EPERM, with a line: a file that
 * others may change; -errno when a file cannot be read; -ENOMEM. Blocks on reading.
 */
int rules_load(
	const struct rules_source *s, size_t n, struct rules **r, char *err, size_t size);

/** rules_load_workspace(path, r, err, size): the rules of a workspace's file alone; *r
 * stays NULL where there is none. Otherwise as rules_load. */
int rules_load_workspace(const char *path, struct rules **r, char *err, size_t size);

void rules_free(struct rules *r);
size_t rules_count(const struct rules *r);

/** rules_judge(r, ws, ctx, cover, reading, look, ans): the verdict; never fails. @ws:
 * rules of the workspace, or NULL. */
void rules_judge(const struct rules *r, const struct rules *ws,
	const struct shell_context *ctx, enum policy_cover cover,
	const struct shell_reading *reading, const struct rules_look *look,
	struct policy_answer *ans);

/**
 * rules_judge_exec(r, ws, ctx, reading, ans): for a program about to start inside a
 * sandbox: deny only what is exact and would be denied, else allow.
 */
void rules_judge_exec(const struct rules *r, const struct rules *ws,
	const struct shell_context *ctx, const struct shell_reading *reading,
	struct policy_answer *ans);

/** rules_effect(ctx, cover, e, look, ans): the verdict of one effect, for explain. */
void rules_effect(const struct shell_context *ctx, enum policy_cover cover,
	const struct shell_effect *e, const struct rules_look *look,
	struct policy_answer *ans);

#endif
