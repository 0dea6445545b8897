/*
 * rules.c: the whole command: every effect by the table, every program by the rules of
 * the files, and the strictest of them all is the answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "policyd/rules/private.h"

enum { MAX_RULE_FILE = 1 << 20, MAX_RULES = 10000 };

static int read_file(const char *path, char **text, size_t *len)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	auto_free char *buf = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	if (st.st_size > MAX_RULE_FILE)
		return -EFBIG;
	buf = malloc((size_t)st.st_size + 1);
	if (!buf)
		return -ENOMEM;
	for (*len = 0; *len < (size_t)st.st_size; *len += (size_t)n) {
		n = read(fd, buf + *len, (size_t)st.st_size - *len);
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
	}
	buf[*len] = '\0';
	*text = steal(&buf);
	return 0;
}

/* Every example of every rule must come out as it says. */
static int check_examples(
	const struct rules *r, const char *const *files, char *err, size_t size)
{
	const struct shell_context ctx = {.home = "/home/user",
		.cwd = "/home/user/project",
		.workspace = "/home/user/project"};

	for (size_t i = 0; i < r->n; i++) {
		const struct rule *rule = &r->rule[i];

		for (int want = 0; want < 2; want++) {
			char **ex = want ? rule->match : rule->not_match;

			for (; ex && *ex; ex++) {
				struct shell_reading *reading;
				bool hit = false;
				int e = shell_read(&ctx, *ex, &reading);

				if (e)
					return e;
				for (size_t k = 0; k < reading->n_commands; k++)
					hit |= file_match(rule, &ctx, reading, k);
				shell_free(reading);
				if (hit == (want == 1))
					continue;
				snprintf(err, size,
					"%s:%d: rule '%s' %s its example '%s'",
					rule->file < 0 ? "built-in" : files[rule->file],
					rule->line, rule->id,
					want ? "does not match" : "must not match", *ex);
				return -EINVAL;
			}
		}
	}
	return 0;
}

int rules_load(
	const char *const *files, size_t n, struct rules **out, char *err, size_t size)
{
	struct rules *r = calloc(1, sizeof(*r));
	int e;

	*out = NULL;
	if (!r)
		return -ENOMEM;
	e = file_load(r, "built-in", NULL, 0, -1, err, size);
	for (size_t i = 0; !e && i < n; i++) {
		auto_free char *text = NULL;
		size_t len = 0;

		e = read_file(files[i], &text, &len);
		if (e)
			snprintf(err, size, "cannot read rules '%s': %s", files[i],
				strerror(-e));
		else
			e = file_load(r, files[i], text, len, (int)i, err, size);
	}
	if (!e && r->n > MAX_RULES) {
		snprintf(err, size, "more than %d rules", MAX_RULES);
		e = -E2BIG;
	}
	if (!e)
		e = check_examples(r, files, err, size);
	if (e) {
		rules_free(r);
		return e;
	}
	*out = r;
	return 0;
}

void rules_free(struct rules *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		file_free_rule(&r->rule[i]);
	free(r->rule);
	free(r);
}

size_t rules_count(const struct rules *r)
{
	return r->n;
}

/* The rule that decides about one command: a later one, but an earlier deny stays. */
static const struct rule *rule_for(const struct rules *r, const struct shell_context *ctx,
	const struct shell_reading *reading, size_t k)
{
	const struct rule *best = NULL;

	for (size_t i = 0; i < r->n; i++) {
		const struct rule *c = &r->rule[i];

		if (!file_match(c, ctx, reading, k))
			continue;
		if (best && best->decision == POLICY_DENY && best->file != -1)
			continue;
		best = c;
	}
	return best;
}

static void from_rule(
	const struct rule *rule, const struct shell_command *c, struct policy_answer *ans)
{
	char word[128];

	memset(ans, 0, sizeof(*ans));
	ans->decision = (enum policy_decision)rule->decision;
	shell_show(c->argc ? c->argv[0] : c->program, word, sizeof(word));
	snprintf(ans->rule, sizeof(ans->rule), "%s", rule->id);
	snprintf(ans->class_, sizeof(ans->class_), "%s",
		rule->class_ ? rule->class_ : "rule");
	snprintf(ans->reason, sizeof(ans->reason), "%s: %s", word,
		rule->reason ? rule->reason : "a rule says so");
	if (rule->suggest)
		snprintf(ans->suggest, sizeof(ans->suggest), "%s", rule->suggest);
}

static void take_stricter(struct policy_answer *best, const struct policy_answer *a)
{
	if (a->decision < best->decision)
		*best = *a;
}

static bool in_command(const struct shell_command *c, size_t effect)
{
	return effect >= c->first_effect && effect - c->first_effect < c->n_effects;
}

/* The reason ends with the rule's name, so that whoever reads it can look it up. */
static void finish(struct policy_answer *ans)
{
	size_t n = strlen(ans->reason);

	if (ans->decision > POLICY_ASK) {
		ans->reason[0] = ans->suggest[0] = '\0';
		return;
	}
	snprintf(ans->reason + n, sizeof(ans->reason) - n, " (rule %s)", ans->rule);
}

void rules_judge(const struct rules *r, const struct shell_context *ctx,
	enum policy_cover cover, const struct shell_reading *reading,
	const struct rules_look *look, struct policy_answer *ans)
{
	struct policy_answer one;
	auto_free const struct rule **by = calloc(reading->n_commands + 1, sizeof(*by));

	*ans = (struct policy_answer){
		.decision = POLICY_ALLOW, .rule = "nothing-to-undo", .class_ = "read"};
	for (size_t k = 0; by && k < reading->n_commands; k++) {
		by[k] = rule_for(r, ctx, reading, k);
		if (!by[k])
			continue;
		from_rule(by[k], &reading->commands[k], &one);
		take_stricter(ans, &one);
	}
	for (size_t i = 0; i < reading->n_effects; i++) {
		bool overruled = false;

		for (size_t k = 0; by && k < reading->n_commands; k++)
			overruled |= by[k] && by[k]->file >= 0 &&
				     in_command(&reading->commands[k], i);
		if (overruled)
			continue;
		rules_effect(ctx, cover, &reading->effects[i], look, &one);
		take_stricter(ans, &one);
	}
	if (reading->undecided || !by) {
		struct shell_effect e = {.verb = SHELL_UNDECIDED,
			.program = "",
			.word = by ? reading->undecided : "out of memory"};

		rules_effect(ctx, cover, &e, NULL, &one);
		take_stricter(ans, &one);
	}
	finish(ans);
}

void rules_judge_exec(const struct rules *r, const struct shell_context *ctx,
	const struct shell_reading *reading, struct policy_answer *ans)
{
	struct policy_answer one;

	*ans = (struct policy_answer){
		.decision = POLICY_ALLOW, .rule = "exec", .class_ = "exec"};
	for (size_t i = 0; i < reading->n_effects; i++) {
		if (!reading->effects[i].exact)
			continue;
		rules_effect(
			ctx, POLICY_COVER_CONTAINED, &reading->effects[i], NULL, &one);
		if (one.decision == POLICY_DENY)
			take_stricter(ans, &one);
	}
	for (size_t k = 0; k < reading->n_commands; k++) {
		const struct rule *rule = rule_for(r, ctx, reading, k);

		if (!rule || rule->decision != POLICY_DENY)
			continue;
		from_rule(rule, &reading->commands[k], &one);
		take_stricter(ans, &one);
	}
	finish(ans);
}
