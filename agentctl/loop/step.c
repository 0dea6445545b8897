/*
 * step.c: the steps that run and task share: vet, begin, run one command, check.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "agentctl/loop/impl.h"

void loop_emit(struct loop *l, json_object *o)
{
	transcript_add(l->log, o);
	if (l->o->hear)
		l->o->hear(l->o->hear_arg, o);
	report_emit(l->o->json, o);
}

int loop_open(struct loop *l, const struct loop_options *o, const char *agent)
{
	struct tool_options to = {.workspace = o->workspace,
		.label = o->label,
		.agent = agent,
		.secret = o->server ? o->server->key_file : NULL,
		.policy_off = o->policy_off,
		.allow_tx = o->allow_tx};

	memset(l, 0, sizeof *l);
	l->o = o;
	l->timeout_ms = o->timeout_ms;
	l->shell = access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh";
	if (tool_open(&l->t, &to) != 0)
		return loop_failed(l);
	if (o->policy_off)
		report_say("agentctl: POLICY IS OFF: no command is vetted");
	return 0;
}

bool loop_vet(struct loop *l, const char *command, struct policy_answer *a)
{
	bool allowed = tool_vet(l->t, command, a) == 0 && policy_permits(a);
	json_object *o = report_event("vet");

	report_add(o, "command", command);
	report_add(o, "decision", policy_decision_name(a->decision));
	report_add(o, "rule", a->rule);
	report_add(o, "class", a->class_);
	report_add(o, "reason", a->reason);
	report_add(o, "suggest", a->suggest);
	report_add_int(o, "us", (int64_t)a->us);
	loop_emit(l, o);
	if (!allowed && !l->o->json)
		report_say("refused by policy: %s%s%s", a->reason,
			*a->suggest ? "; instead: " : "", a->suggest);
	return allowed;
}

static int begun(struct loop *l, int r)
{
	json_object *o;

	if (r != 0)
		return loop_failed(l);
	o = report_event("begin");
	report_add_int(o, "tx", (int64_t)tool_tx(l->t));
	report_add(o, "workspace", tool_workspace(l->t));
	report_add_ms(o, "begin_ms", tool_times(l->t)->begin);
	report_add_ms(o, "contain_ms", tool_times(l->t)->contain);
	loop_emit(l, o);
	return 0;
}

int loop_begin(struct loop *l)
{
	int r = tool_begin(l->t);

	if (r == 0 && tool_record(l->t, "begin") != 0)
		report_say("agentctl: %s", tool_message(l->t));
	return begun(l, r);
}

int loop_resume(struct loop *l, uint64_t tx)
{
	return begun(l, tool_resume(l->t, tx));
}

static void tell_output(void *arg, int stream, const char *data, size_t n)
{
	json_object *o = report_event("output");

	report_add(o, "stream", stream == 1 ? "stdout" : "stderr");
	report_add_bytes(o, "text", data, n);
	report_emit(true, o);
}

int loop_exec(struct loop *l, char *const *argv, struct sandbox_result *r,
	void (*output)(void *arg, int stream, const char *data, size_t n), void *arg)
{
	struct sandbox_cmd cmd = {.argv = argv,
		.in = output ? -1 : STDIN_FILENO,
		.out = output ? -1 : STDOUT_FILENO,
		.err = output ? -1 : STDERR_FILENO,
		.timeout_ms = l->timeout_ms,
		.output = output,
		.arg = arg};
	int e;

	if (l->ear) {
		cmd.hear_fd = l->ear->fd;
		cmd.hear = l->ear->hear;
		cmd.hear_arg = l->ear->arg;
	}
	if (!output && l->o->spoken) {
		cmd.in = -1;
		cmd.out = STDERR_FILENO;
	}
	if (!output && l->o->json) {
		cmd.out = cmd.err = -1;
		cmd.output = tell_output;
	}
	e = tool_exec(l->t, &cmd, r);
	if (e != 0)
		report_say("agentctl: %s", tool_message(l->t));
	else
		l->e.ran = true;
	return e;
}

static void tell_exit(struct loop *l, const char *event, const struct sandbox_result *r)
{
	json_object *o = report_event(event);

	report_add_int(o, "status", r->status);
	report_add_bool(o, "timed_out", r->timed_out);
	report_add_ms(o, "ms", r->time_ns);
	loop_emit(l, o);
}

void loop_check(struct loop *l)
{
	char *argv[] = {(char *)l->shell, (char *)"-c", (char *)l->o->check, NULL};
	struct sandbox_result r;

	if (!l->o->check)
		return;
	if (loop_exec(l, argv, &r, NULL, NULL) != 0) {
		l->e.check_failed = true;
		return;
	}
	tool_times(l->t)->check = r.time_ns;
	tell_exit(l, "check", &r);
	if (r.status == 0 && !r.timed_out)
		return;
	l->e.check_failed = true;
	if (!l->o->json)
		report_say("check failed (%s %d): %s",
			r.timed_out ? "timed out," : "status", r.status, l->o->check);
}
