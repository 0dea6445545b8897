/*
 * judge.c: the verdict on a whole command. Each program's rule, or else each of its
 * effects, has a verdict; the strictest one is the answer. The rules of a workspace are
 * asked last, and only ever make it stricter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "policyd/rules/private.h"

/* The last rule that applies, but what an administrator denies stays denied. */
static const struct rule *rule_for(const struct rules *r, struct matcher *m)
{
	const struct rule *best = NULL, *x;
	struct index_walk w;

	index_first(&w, r->index, m->c->program);
	while ((x = index_next(&w, r)))
		if (match_rule(m, x)) {
			best = x;
			if (x->tier == RULES_ADMIN && x->decision == POLICY_DENY)
				break;
		}
	return best;
}

static void from_rule(const struct rule *rule, const struct shell_command *c,
	enum policy_cover cover, struct policy_answer *ans)
{
	const char *reason = rule->reason ? rule->reason : "a rule says so";
	char word[128];

	memset(ans, 0, sizeof(*ans));
	ans->decision = (enum policy_decision)rule->decision;
	if (ans->decision == POLICY_TX && cover == POLICY_COVER_NONE) {
		ans->decision = POLICY_ASK;
		reason = "no transaction is open that could bring its changes back";
	}
	shell_show(c->argc ? c->argv[0] : c->program, word, sizeof(word));
	snprintf(ans->rule, sizeof(ans->rule), "%s", rule->id);
	snprintf(ans->class_, sizeof(ans->class_), "%s",
		rule->class_ ? rule->class_ : "rule");
	snprintf(ans->reason, sizeof(ans->reason), "%s: %s", word, reason);
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

static void undecided(const struct shell_context *ctx, enum policy_cover cover,
	const char *why, struct policy_answer *ans)
{
	struct shell_effect e = {.verb = SHELL_UNDECIDED, .program = "", .word = why};
	struct policy_answer one;

	rules_effect(ctx, cover, &e, NULL, &one);
	take_stricter(ans, &one);
}

/* By rules of people: by[k] is the one that decides about the k-th program. With
 * @only_deny, rules that decide anything else change nothing. */
static void by_rules(const struct rules *r, const struct rule **by, bool only_deny,
	enum policy_cover cover, const struct shell_reading *reading,
	struct policy_answer *ans)
{
	struct matcher m = {.left = RULES_REGEX_WORK};
	struct policy_answer one;

	for (size_t k = 0; k < reading->n_commands; k++) {
		const struct rule *x;

		match_begin(&m, reading, k);
		x = rule_for(r, &m);
		if (by)
			by[k] = x;
		if (!x || (only_deny && x->decision != POLICY_DENY))
			continue;
		from_rule(x, m.c, cover, &one);
		take_stricter(ans, &one);
	}
}

static bool overruled(
	const struct rule **by, const struct shell_reading *reading, size_t effect)
{
	for (size_t k = 0; k < reading->n_commands; k++)
		if (by[k] && by[k]->tier != RULES_BUILTIN &&
			in_command(&reading->commands[k], effect))
			return true;
	return false;
}

void rules_judge(const struct rules *r, const struct rules *ws,
	const struct shell_context *ctx, enum policy_cover cover,
	const struct shell_reading *reading, const struct rules_look *look,
	struct policy_answer *ans)
{
	auto_free const struct rule **by = calloc(reading->n_commands + 1, sizeof(*by));
	bool people = r->n_paths > 0;
	struct policy_answer one;

	*ans = (struct policy_answer){
		.decision = POLICY_ALLOW, .rule = "nothing-to-undo", .class_ = "read"};
	if (by)
		by_rules(r, by, false, cover, reading, ans);
	else
		undecided(ctx, cover, "out of memory", ans);
	for (size_t i = 0; i < reading->n_effects; i++) {
		if (by && people && overruled(by, reading, i))
			continue;
		rules_effect(ctx, cover, &reading->effects[i], look, &one);
		take_stricter(ans, &one);
	}
	if (reading->undecided)
		undecided(ctx, cover, reading->undecided, ans);
	if (ws)
		by_rules(ws, NULL, false, cover, reading, ans);
	finish(ans);
}

void rules_judge_exec(const struct rules *r, const struct rules *ws,
	const struct shell_context *ctx, const struct shell_reading *reading,
	struct policy_answer *ans)
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
	by_rules(r, NULL, true, POLICY_COVER_CONTAINED, reading, ans);
	if (ws)
		by_rules(ws, NULL, true, POLICY_COVER_CONTAINED, reading, ans);
	finish(ans);
}
