/*
 * vet.c: the question to policyd, and what it records. Whatever goes wrong on the way to
 * a verdict is a refusal.
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

/* What was vetted before the transaction has an id is joined to it at its begin. */
static void note_line(struct tool *t, unsigned long line)
{
	size_t n = strlen(t->vets);

	if (t->begun.id || !line || n + 24 > sizeof t->vets)
		return;
	snprintf(t->vets + n, sizeof t->vets - n, "%s%lu", n ? " " : "", line);
}

static int open_policy(struct tool *t)
{
	return t->policy ? 0 : policy_open(&t->policy, NULL, 0);
}

int tool_vet(struct tool *t, const char *command, struct policy_answer *a)
{
	uint64_t at = tool_now();
	int r;

	memset(a, 0, sizeof *a);
	if (t->o.policy_off) {
		a->decision = POLICY_ALLOW;
		snprintf(a->rule, sizeof a->rule, "policy-off");
		snprintf(a->reason, sizeof a->reason, "the policy is switched off");
		return 0;
	}
	r = open_policy(t);
	if (r == 0)
		r = ask(t, command, a);
	if (r != 0)
		r = cannot_ask(t, r, a);
	else
		note_line(t, a->log);
	t->times.vet += tool_now() - at;
	return r;
}

/* The daemon may have been started anew since the last question. */
int tool_record(struct tool *t, const char *event)
{
	char tx[24] = "";
	struct policy_event ev = {.event = event,
		.workspace = t->ws.path,
		.agent = t->o.agent,
		.vets = strcmp(event, "begin") == 0 ? t->vets : NULL};
	int r = -EPIPE;

	if (t->o.policy_off)
		return 0;
	if (t->begun.id) {
		snprintf(tx, sizeof tx, "%llu", (unsigned long long)t->begun.id);
		ev.tx = tx;
	}
	for (int i = 0; r != 0 && i < 2; i++) {
		r = open_policy(t);
		if (r == 0)
			r = policy_record(t->policy, &ev, &t->head);
		if (r != 0) {
			policy_close(t->policy);
			t->policy = NULL;
		}
	}
	if (r != 0) {
		memset(&t->head, 0, sizeof t->head);
		return tool_say(t, r, "cannot record '%s': %s", event, strerror(-r));
	}
	return 0;
}

const struct policy_head *tool_head(const struct tool *t)
{
	return t->head.lines ? &t->head : NULL;
}
