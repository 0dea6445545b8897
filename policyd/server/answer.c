/*
 * answer.c: the ops: what is answered to a request, and what of it goes to the record.
 *
 * The record is written after the answer is out, since nobody waits for it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "policyd/audit/audit.h"
#include "policyd/server/private.h"

static unsigned long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long)t.tv_sec * 1000000UL + (unsigned long)t.tv_nsec / 1000;
}

static void refuse(struct policy_answer *ans, const char *rule, const char *reason,
	const char *suggest)
{
	memset(ans, 0, sizeof(*ans));
	snprintf(ans->rule, sizeof(ans->rule), "%s", rule);
	snprintf(ans->class_, sizeof(ans->class_), "policy");
	snprintf(ans->reason, sizeof(ans->reason), "%s", reason);
	snprintf(ans->suggest, sizeof(ans->suggest), "%s", suggest);
}

static void refuse_request(struct policy_answer *ans, const char *reason)
{
	refuse(ans, "bad-request", reason, "correct the request");
}

/* --- judging -------------------------------------------------------------------------
 */

static const char *variable(const struct request *q, const char *name)
{
	for (size_t i = 0; i < q->n_env; i++)
		if (!strcmp(q->env[i].name, name))
			return q->env[i].value;
	return NULL;
}

/* Nothing is looked up here: the user database may be slow. */
static const char *home_of(const struct server *s, const struct peer *peer)
{
	if (peer->uid == 0)
		return "/root";
	return *s->home == '/' ? s->home : "/nonexistent";
}

static void keep_error(struct server *s, const char *err)
{
	if (!*err || !strcmp(err, s->rules_error))
		return;
	snprintf(s->rules_error, sizeof(s->rules_error), "%s", err);
	fprintf(stderr, "policyd: %s\n", err);
	answer_note(s, err);
}

/* The workspace's own rules. False: they cannot be had, and @ans says why. */
static bool workspace_rules(struct server *s, const struct request *q,
	const struct rules **ws, struct policy_answer *ans)
{
	char err[512] = "";

	*ws = NULL;
	if (!s->loader)
		return true;
	switch (loader_workspace(s->loader, q->workspace, ws, err, sizeof(err))) {
	case LOADER_LATE:
		refuse(ans, "rules-late",
			"the workspace's own rules are still being read",
			"try again in a moment");
		return false;
	case LOADER_BROKEN:
		keep_error(s, err);
		refuse(ans, "rules-broken", err,
			"let the person correct the file; policyd check shows whether it "
			"is in order");
		return false;
	default: keep_error(s, err); return true;
	}
}

static void judge(struct server *s, struct exchange *x, struct json_object *more)
{
	struct request *q = &x->q;
	const char *tmp = variable(q, "TMPDIR");
	struct shell_context ctx = {.home = q->home ? q->home : home_of(s, &x->peer),
		.cwd = q->cwd,
		.workspace = q->workspace,
		.tmpdir = tmp && *tmp == '/' ? tmp : NULL,
		.env = q->env,
		.n_env = q->n_env};
	struct rules_look links = {links_look, s->links},
			  *look = s->links ? &links : NULL;
	const struct rules *ws;
	struct shell_reading *r;
	int e;

	if (!workspace_rules(s, q, &ws, &x->ans))
		return;
	e = q->op == OP_EXEC ? shell_read_argv(&ctx, q->argv, q->argc, &r)
			     : shell_read(&ctx, q->command, &r);
	if (e) {
		refuse(&x->ans, "out-of-memory", "policyd is out of memory", "try again");
		return;
	}
	if (q->op == OP_EXEC)
		rules_judge_exec(s->rules, ws, &ctx, r, &x->ans);
	else
		links_judge(s->links, s->rules, ws, &ctx, q->cover, r, &x->ans);
	if (more)
		explain_json(more, &ctx, q->cover, r, look);
	shell_free(r);
	/* without a person an ask has nobody to answer it */
	if (x->ans.decision == POLICY_ASK && !q->interactive)
		x->ans.decision = POLICY_DENY;
}

/* --- the record ----------------------------------------------------------------------
 */

static int record(struct server *s, const struct exchange *x)
{
	const struct request *q = &x->q;
	bool verdict = q->op != OP_RECORD;
	char command[4096] = "";
	struct audit_event ev = {.op = op_names[q->op],
		.command = command,
		.cwd = q->cwd,
		.workspace = q->workspace,
		.tx = q->tx,
		.agent = q->agent,
		.event = q->event,
		.vets = q->vets,
		.decision = verdict ? policy_decision_name(x->ans.decision) : NULL,
		.rule = x->ans.rule,
		.class_ = x->ans.class_,
		.uid = x->peer.uid,
		.pid = x->peer.pid,
		.us = x->ans.us};

	if (q->command)
		shell_show(q->command, command, sizeof(command));
	for (size_t i = 0, n = 0; i < q->argc && n + 8 < sizeof(command); i++) {
		if (i)
			command[n++] = ' ';
		shell_show(q->argv[i], command + n, sizeof(command) - n);
		n += strlen(command + n);
	}
	return audit_write(s->audit, &ev);
}

void answer_note(struct server *s, const char *what)
{
	audit_write(s->audit, &(struct audit_event){.op = "policyd", .event = what});
}

/* --- the ops -------------------------------------------------------------------------
 */

static void add_number(struct json_object *o, const char *key, unsigned long n)
{
	json_object_object_add(o, key, json_object_new_int64((int64_t)n));
}

static void stats(const struct server *s, struct json_object *more)
{
	struct json_object *o = json_object_new_object();

	add_number(o, "requests", s->stats.requests);
	add_number(o, "errors", s->stats.errors);
	add_number(o, "deny", s->stats.decisions[0]);
	add_number(o, "ask", s->stats.decisions[1]);
	add_number(o, "tx", s->stats.decisions[2]);
	add_number(o, "allow", s->stats.decisions[3]);
	add_number(o, "reloads", s->stats.reloads);
	add_number(o, "clients", s->stats.clients);
	add_number(o, "dropped", s->stats.dropped);
	add_number(o, "us_total", s->stats.us_total);
	add_number(o, "us_max", s->stats.us_max);
	add_number(o, "rules", rules_count(s->rules));
	add_number(o, "audit_failures", audit_failures(s->audit));
	add_number(o, "audit_lines", audit_number(s->audit));
	json_add(o, "audit_head", audit_head(s->audit));
	json_add(o, "rules_error", s->rules_error);
	if (!s->audit)
		json_add(o, "audit_error", "the record cannot be written");
	json_object_object_add(more, "stats", o);
}

static void op_record(struct server *s, struct exchange *x, struct json_object *more)
{
	if (record(s, x)) {
		x->q.error = "it could not be recorded";
		refuse(&x->ans, "not-recorded", x->q.error, "see policyd's log");
		return;
	}
	audit_flush(s->audit); /* whoever hears the head may look for it at once */
	x->ans.decision = POLICY_ALLOW;
	add_number(more, "log", audit_number(s->audit));
	json_add(more, "head", audit_head(s->audit));
}

static void count(struct server *s, const struct policy_answer *ans)
{
	s->stats.decisions[ans->decision]++;
	s->stats.us_total += ans->us;
	if (ans->us > s->stats.us_max)
		s->stats.us_max = ans->us;
}

static void verdict(struct server *s, struct exchange *x, struct json_object *more)
{
	unsigned long start = now_us();

	judge(s, x, x->q.op == OP_EXPLAIN ? more : NULL);
	x->ans.us = now_us() - start;
	count(s, &x->ans);
	x->log = true;
	if (s->audit)
		add_number(more, "log", audit_number(s->audit) + 1);
}

static char *render(struct json_object *o, struct json_object *id,
	const struct policy_answer *ans, const char *error)
{
	char masked[1024];
	const char *text;
	char *out;

	json_object_object_add(o, "v", json_object_new_int(POLICY_VERSION));
	if (id)
		json_object_object_add(o, "id", json_object_get(id));
	json_add(o, "decision", policy_decision_name(ans->decision));
	json_add(o, "rule", ans->rule);
	audit_mask(ans->reason, masked, sizeof(masked));
	json_add(o, "reason", masked);
	audit_mask(ans->suggest, masked, sizeof(masked));
	json_add(o, "suggest", masked);
	json_add(o, "class", ans->class_);
	json_add(o, "error", error);
	add_number(o, "us", ans->us);
	text = json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	out = text ? malloc(strlen(text) + 2) : NULL;
	if (out)
		sprintf(out, "%s\n", text);
	return out;
}

char *exchange_begin(struct server *s, struct exchange *x, const char *line, size_t len,
	const struct peer *peer)
{
	struct json_object *o = json_object_new_object(), *id = NULL;
	char *out = NULL;

	memset(x, 0, sizeof(*x));
	x->peer = *peer;
	s->stats.requests++;
	request_decode(&x->q, line, len);
	if (x->q.error) {
		s->stats.errors++;
		refuse_request(&x->ans, x->q.error);
	} else if (x->q.op == OP_STATS) {
		stats(s, o);
		x->ans.decision = POLICY_ALLOW;
	} else if (x->q.op == OP_RELOAD && s->loader) {
		x->ticket = loader_reload(s->loader);
	} else if (x->q.op == OP_RELOAD) {
		refuse_request(&x->ans, x->q.error = "nothing can be loaded");
	} else if (x->q.op == OP_RECORD) {
		op_record(s, x, o);
	} else {
		verdict(s, x, o);
	}
	if (x->q.o)
		json_object_object_get_ex(x->q.o, "id", &id);
	if (!x->ticket)
		out = render(o, id, &x->ans, x->q.error);
	json_object_put(o);
	return out;
}

void exchange_end(struct server *s, struct exchange *x)
{
	if (x->log)
		record(s, x);
	request_free(&x->q);
}

static char *render_for(
	const char *id, const struct policy_answer *ans, const char *error)
{
	struct json_object *o = json_object_new_object();
	struct json_object *v = id ? json_tokener_parse(id) : NULL;
	char *out = render(o, v, ans, error);

	json_object_put(v);
	json_object_put(o);
	return out;
}

char *answer_reloaded(const char *id, const char *error)
{
	struct policy_answer ans = {.decision = POLICY_ALLOW};

	if (!error)
		return render_for(id, &ans, NULL);
	refuse(&ans, "bad-rules", error, "correct the file; policyd check FILE tries it");
	return render_for(id, &ans, "the rules were not loaded; the old ones stay");
}

char *answer_refuse(const char *error)
{
	struct policy_answer ans;

	refuse_request(&ans, error);
	return render_for(NULL, &ans, error);
}
