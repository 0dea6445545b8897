/*
 * run.c: `agentctl run`: one command, vetted as the words it consists of, in a private
 * transaction that ends as the command and its check do.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "agentctl/loop/impl.h"
#include "common/cleanup.h"

/* What would happen, without doing it. */
static int tell_plan(struct loop *l, const char *command)
{
	json_object *o = report_event("plan");

	report_add(o, "workspace", tool_workspace(l->t));
	report_add_bool(o, "mounted", tool_is_mounted(l->t));
	report_add(o, "cwd", tool_cwd(l->t));
	report_add(o, "command", command);
	report_add(o, "check", l->o->check);
	report_add_bool(o, "keep", l->o->keep == LOOP_KEEP_YES);
	loop_emit(l, o);
	if (!l->o->json) {
		report_say("workspace %s (%s)", tool_workspace(l->t),
			tool_is_mounted(l->t) ? "mounted"
					      : "would be mounted for the run");
		report_say("would run in %s: %s", tool_cwd(l->t), command);
		if (l->o->check)
			report_say("would check: %s", l->o->check);
		report_say("would %s", l->o->keep == LOOP_KEEP_YES
					       ? "keep the transaction open"
					       : "commit on success, else abort");
	}
	tool_close(l->t);
	return 0;
}

static void tell_exit(struct loop *l, const struct sandbox_result *r)
{
	json_object *o = report_event("exit");

	report_add_int(o, "status", r->status);
	report_add_int(o, "signal", r->signal);
	report_add_bool(o, "timed_out", r->timed_out);
	report_add_ms(o, "run_ms", r->time_ns);
	loop_emit(l, o);
}

static void run_command(struct loop *l, char *const *argv)
{
	struct sandbox_result r;

	if (loop_exec(l, argv, &r, NULL, NULL) != 0) {
		l->e.status = 125;
		return;
	}
	tool_times(l->t)->run = r.time_ns;
	l->e.status = r.status;
	l->e.timed_out = r.timed_out;
	tell_exit(l, &r);
	if (r.start_error)
		report_say("agentctl: cannot run '%s': %s", argv[0],
			strerror(r.start_error));
	if (r.timed_out)
		report_say("agentctl: timed out after %.1f s", l->o->timeout_ms / 1000.0);
}

int loop_run(const struct loop_options *o, char *const *argv)
{
	auto_free char *command = tool_quote(argv);
	struct policy_answer a;
	struct loop l;
	bool success;
	int r;

	if (!command)
		return 125;
	r = loop_open(&l, o, "agentctl run");
	if (r != 0)
		return r;
	if (!loop_vet(&l, command, &a))
		return loop_refused(&l, &a);
	if (o->check && !loop_vet(&l, o->check, &a))
		return loop_refused(&l, &a);
	if (o->dry_run)
		return tell_plan(&l, command);
	r = loop_begin(&l);
	if (r != 0)
		return r;
	run_command(&l, argv);
	success = l.e.status == 0 && !l.e.timed_out;
	if (success)
		loop_check(&l);
	return loop_end(&l, success && !l.e.check_failed, NULL);
}
