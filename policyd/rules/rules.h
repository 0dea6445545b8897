/*
 * rules.h: from what a command would do (txfs/shell.h) to a verdict with its reason.
 *
 *	verdict.c	the built-in table: effect, place and cover give a verdict
 *	file.c		rules of people, read from YAML, with examples checked at load
 *	rules.c		both together: the strictest effect of the whole command decides
 *
 * A struct rules is read-only once loaded: any number of threads may judge by it.
 */
#ifndef POLICYD_RULES_RULES_H
#define POLICYD_RULES_RULES_H

#include "txfs/policy.h"
#include "txfs/shell.h"

struct rules;

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
 * rules_load(files, n, r, err, size): the built-in rules and those in @files, in order;
 * a later file overrides an earlier one, but not its deny. Checks every example.
 * Returns 0; -EINVAL with "FILE:LINE: what" in @err; -errno when a file cannot be read;
 * -ENOMEM. Blocks on reading the files.
 */
int rules_load(
	const char *const *files, size_t n, struct rules **r, char *err, size_t size);
void rules_free(struct rules *r);
size_t rules_count(const struct rules *r);

/** rules_judge(r, ctx, cover, reading, look, ans): the verdict; never fails. */
void rules_judge(const struct rules *r, const struct shell_context *ctx,
	enum policy_cover cover, const struct shell_reading *reading,
	const struct rules_look *look, struct policy_answer *ans);

/**
 * rules_judge_exec(r, ctx, reading, ans): for a program about to start inside a
 * sandbox: deny only what is exact and would be denied, else allow.
 */
void rules_judge_exec(const struct rules *r, const struct shell_context *ctx,
	const struct shell_reading *reading, struct policy_answer *ans);

/** rules_effect(ctx, cover, e, look, ans): the verdict of one effect, for explain. */
void rules_effect(const struct shell_context *ctx, enum policy_cover cover,
	const struct shell_effect *e, const struct rules_look *look,
	struct policy_answer *ans);

#endif
