/*
 * vet.c: the question to policyd. Whatever goes wrong on the way is a refusal.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/tool/impl.h"
#include "common/cleanup.h"

#define MAX_ENV 256

static int cannot_ask(struct tool *t, int r, struct policy_answer *a)
{
	memset(a, 0, sizeof *a); /* POLICY_DENY */
	snprintf(a->rule, sizeof a->rule, "policy-unreachable");
	snprintf(a->class_, sizeof a->class_, "policy");
	snprintf(
		a->reason, sizeof a->reason, "policyd cannot be asked: %s", strerror(-r));
	snprintf(
		a->suggest, sizeof a->suggest, "start policyd, or see `agentctl doctor`");
	tool_say(t, r, "%s; %s", a->reason, a->suggest);
	policy_close(t->policy);
	t->policy = NULL;
	return r;
}

static int ask(struct tool *t, const char *command, struct policy_answer *a)
{
	struct policy_env env[MAX_ENV];
	auto_free char *names = NULL;
	char tx[24] = "";
	struct policy_request q = {.command = command,
		.cwd = t->ws.cwd,
		.workspace = t->ws.path,
		.home = getenv("HOME"),
		.env = env,
		.cover = POLICY_COVER_TX,
		.agent = t->o.agent};
	int n = policy_env_for(command, env, MAX_ENV, &names);

	if (n < 0)
		return n;
	q.n_env = (size_t)n;
	if (t->begun.id) {
		snprintf(tx, sizeof tx, "%llu", (unsigned long long)t->begun.id);
		q.tx = tx;
	}
	return policy_check(t->policy, &q, a);
}

int tool_vet(struct tool *t, const char *command, struct policy_answer *a)
{
	uint64_t at = tool_now();
	int r = 0;

	memset(a, 0, sizeof *a);
	if (t->o.policy_off) {
		a->decision = POLICY_ALLOW;
		snprintf(a->rule, sizeof a->rule, "policy-off");
		snprintf(a->reason, sizeof a->reason, "the policy is switched off");
		return 0;
	}
	if (!t->policy)
		r = policy_open(&t->policy, NULL, 0);
	if (r == 0)
		r = ask(t, command, a);
	if (r != 0)
		r = cannot_ask(t, r, a);
	t->times.vet += tool_now() - at;
	return r;
}
