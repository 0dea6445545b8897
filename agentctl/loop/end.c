/*
 * end.c: the order of the end. The command has ended and its check, too; now everything
 * that still runs is killed and reaped, so that nothing can be written any more; then the
 * changes are looked through, the transaction is committed, kept or aborted, the mount of
 * this run undone, and one summary told.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "agentctl/loop/impl.h"

static void fail_unclean(struct loop *l)
{
	l->e.unclean = true;
	report_say("agentctl: %s", tool_message(l->t));
}

static void tell_conflict(void *arg, const char *path)
{
	struct loop *l = arg;
	json_object *o = report_event("conflict");

	report_add(o, "path", path);
	loop_emit(l, o);
	if (!l->o->json)
		report_say("conflict: %s", path);
}

static void commit(struct loop *l)
{
	int r = tool_commit(l->t, &l->ended);

	if (r == 0) {
		l->e.outcome = LOOP_COMMITTED;
		l->e.behind = l->ended.behind != 0;
		return;
	}
	if (r == -EBUSY) {
		l->e.outcome = LOOP_CONFLICT;
		tool_conflicts(l->t, tell_conflict, l);
	} else {
		l->e.outcome = LOOP_FAILED;
		fail_unclean(l);
	}
	tool_keep(l->t); /* nothing is lost: a person looks at it */
}

static void abort_all(struct loop *l)
{
	if (tool_abort(l->t, &l->ended) == 0) {
		l->e.outcome = LOOP_ABORTED;
		return;
	}
	l->e.outcome = LOOP_FAILED;
	fail_unclean(l);
	tool_keep(l->t);
}

static void keep(struct loop *l)
{
	l->ended.added = l->held.added;
	l->ended.changed = l->held.changed;
	l->ended.deleted = l->held.deleted;
	tool_keep(l->t);
	l->e.outcome = LOOP_KEPT;
}

/* A look that fails is no reason to publish unseen files. */
static bool must_hold(struct loop *l)
{
	if (l->o->late)
		return false;
	return l->held.n_held > 0;
}

static void decide(struct loop *l, bool success)
{
	bool seen = true;

	if (success || l->o->keep == LOOP_KEEP_YES) {
		seen = tool_held(l->t, &l->held) == 0;
		if (!seen)
			fail_unclean(l);
	}
	if (l->o->keep == LOOP_KEEP_YES)
		keep(l);
	else if (!success)
		abort_all(l);
	else if (!seen || must_hold(l))
		keep(l);
	else
		commit(l);
}

static int put_time(char *buf, size_t size, const char *name, uint64_t ns)
{
	char text[32];

	if (ns == 0)
		return 0;
	return snprintf(buf, size, ", %s %s", name, report_time(ns, text, sizeof text));
}

static void times_text(struct loop *l, char *buf, size_t size)
{
	const struct tool_times *t = tool_times(l->t);
	bool aborted = l->e.outcome == LOOP_ABORTED;
	size_t n = 0;

	buf[0] = 0;
	n += (size_t)put_time(buf + n, size - n, "begin", t->begin);
	n += (size_t)put_time(buf + n, size - n, "contain", t->contain);
	n += (size_t)put_time(buf + n, size - n, "vet", t->vet);
	n += (size_t)put_time(buf + n, size - n, "run", t->run);
	n += (size_t)put_time(buf + n, size - n, "check", t->check);
	put_time(buf + n, size - n, aborted ? "abort" : "commit", t->end);
}

static void tell_paths(char *const *paths, size_t n, const char *what)
{
	for (size_t i = 0; i < n; i++)
		report_say("%s: %s", what, paths[i]);
}

static void tell_next_step(struct loop *l)
{
	unsigned long long tx = (unsigned long long)tool_tx(l->t);
	const char *ws = tool_workspace(l->t);

	if (l->e.outcome == LOOP_KEPT || l->e.outcome == LOOP_CONFLICT)
		report_say(
			"look, take or drop it: txfs -C '%s' diff|commit|abort --tx %llu",
			ws, tx);
	if (l->e.behind)
		report_say("committed; base is behind by %llu paths: txfs -C '%s' status",
			(unsigned long long)l->ended.behind, ws);
}

static void tell_head(struct loop *l)
{
	const struct policy_head *head = tool_head(l->t);

	if (head)
		report_say("record: %lu lines, head %s", head->lines, head->hash);
}

static void tell_text(struct loop *l)
{
	char times[256];

	times_text(l, times, sizeof times);
	tell_paths(l->held.held, l->held.n_held,
		l->o->late ? "runs later outside" : "held back, runs later outside");
	tell_paths(l->held.listed, l->held.n_listed, "may run later outside");
	if (l->e.outcome == LOOP_ABORTED)
		report_say("tx %llu aborted: every file is as before (%s)",
			(unsigned long long)tool_tx(l->t), *times ? times + 2 : "");
	else
		report_say("tx %llu %s: %llu added, %llu changed, %llu deleted (%s)",
			(unsigned long long)tool_tx(l->t),
			loop_outcome_name(l->e.outcome),
			(unsigned long long)l->ended.added,
			(unsigned long long)l->ended.changed,
			(unsigned long long)l->ended.deleted, *times ? times + 2 : "");
	tell_next_step(l);
	tell_head(l);
}

static void add_times(struct loop *l, json_object *o)
{
	const struct tool_times *t = tool_times(l->t);
	json_object *times = json_object_new_object();

	report_add_ms(times, "begin_ms", t->begin);
	report_add_ms(times, "contain_ms", t->contain);
	report_add_ms(times, "vet_ms", t->vet);
	report_add_ms(times, "run_ms", t->run);
	report_add_ms(times, "check_ms", t->check);
	report_add_ms(times, "end_ms", t->end);
	json_object_object_add(o, "times", times);
}

static void record(struct loop *l)
{
	if (tool_record(l->t, loop_outcome_name(l->e.outcome)) != 0)
		report_say("agentctl: %s", tool_message(l->t));
}

static void add_head(struct loop *l, json_object *o)
{
	const struct policy_head *head = tool_head(l->t);
	json_object *audit;

	if (!head)
		return;
	audit = json_object_new_object();
	report_add_int(audit, "lines", (int64_t)head->lines);
	report_add(audit, "head", head->hash);
	json_object_object_add(o, "audit", audit);
}

/* The last line; it stands alone also where nothing began. */
static void tell_json(struct loop *l, const char *text)
{
	json_object *o = report_event("end");

	report_add(o, "outcome", loop_outcome_name(l->e.outcome));
	report_add_int(o, "exit", loop_exit_code(&l->e));
	if (tool_tx(l->t))
		report_add_int(o, "tx", (int64_t)tool_tx(l->t));
	report_add(o, "text", text ? text : "");
	report_add(o, "workspace", tool_workspace(l->t));
	report_add_int(o, "status", l->e.status);
	if (tool_tx(l->t)) {
		report_add_int(o, "added", (int64_t)l->ended.added);
		report_add_int(o, "changed", (int64_t)l->ended.changed);
		report_add_int(o, "deleted", (int64_t)l->ended.deleted);
		report_add_int(o, "behind", (int64_t)l->ended.behind);
		report_add_bool(o, "timed_out", l->e.timed_out);
		report_add_bool(o, "check_failed", l->e.check_failed);
		report_add_list(o, "held", l->held.held, l->held.n_held);
		report_add_list(o, "listed", l->held.listed, l->held.n_listed);
	}
	add_times(l, o);
	add_head(l, o);
	loop_emit(l, o);
}

static int finish(struct loop *l, const char *text)
{
	int code = loop_exit_code(&l->e);

	tell_json(l, text);
	tool_held_free(&l->held);
	tool_close(l->t);
	l->t = NULL;
	return code;
}

int loop_end(struct loop *l, bool success, const char *text)
{
	tool_stop(l->t);
	decide(l, success);
	if (tool_finish(l->t) != 0)
		fail_unclean(l);
	record(l);
	if (!l->o->json)
		tell_text(l);
	return finish(l, text);
}

int loop_refused(struct loop *l, const struct policy_answer *a)
{
	l->e.outcome = LOOP_REFUSED;
	if (strcmp(a->rule, "policy-unreachable") != 0)
		record(l);
	if (!l->o->json)
		tell_head(l);
	return finish(l, a->reason);
}

int loop_never_began(bool json, const char *text)
{
	struct loop_ending e = {.outcome = LOOP_FAILED};
	json_object *o = report_event("end");

	report_say("agentctl: %s", text);
	report_add(o, "outcome", loop_outcome_name(e.outcome));
	report_add_int(o, "exit", loop_exit_code(&e));
	report_add(o, "text", text);
	report_emit(json, o);
	return loop_exit_code(&e);
}

int loop_failed(struct loop *l)
{
	char text[1024];

	if (!l->t)
		return loop_never_began(l->o->json, "out of memory");
	l->e.outcome = LOOP_FAILED;
	snprintf(text, sizeof text, "%s", tool_message(l->t));
	report_say("agentctl: %s", text);
	return finish(l, text);
}
