/*
 * act.c: what the provider wants, done, and what it hears of it. A refusal or a failure
 * is no end: the provider hears why, in plain words, and may try something else.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/loop/output.h"
#include "agentctl/loop/prompt.h"
#include "agentctl/loop/stream.h"
#include "agentctl/loop/task.h"
#include "common/cleanup.h"
#include "common/mem.h"
#include "common/time.h"

/* --- what the provider hears ----------------------------------------------------------
 */

/* The output has been shown as it came. */
static void tell_status(
	struct task *t, const struct provider_message *m, const char *text)
{
	stream_end(t->live);
	if (m->failed)
		report_say("  %.*s", (int)strcspn(text, "\n"), text);
}

/* Also shown. Takes @text. */
static int answer(
	struct task *t, const char *call_id, char *text, struct provider_message m)
{
	json_object *o;

	m.role = PROVIDER_TOOL;
	m.text = text;
	m.call_id = mem_strdup(call_id);

	if (!text || !m.call_id) {
		free(text);
		free(m.call_id);
		return -ENOMEM;
	}
	o = report_event("result");
	report_add_int(o, "step", t->step);
	report_add(o, "text", text);
	loop_emit(&t->l, o);
	if (t->live && m.output && !m.refused)
		tell_status(t, &m, text);
	else if (!t->l.o->json)
		task_lines("  ", text);
	return talk_add(&t->talk, m);
}

static int answer_refusal(
	struct task *t, const struct provider_reply *reply, const struct policy_answer *a)
{
	unsigned int times;
	const char *end = stubborn_refused(&t->stubborn, reply->command, &times);
	int r = answer(t, reply->call_id,
		mem_printf("Refused by the policy, nothing was run: %s%s%s%s", a->reason,
			*a->suggest ? ". Instead: " : "", a->suggest,
			times > 1
				? ". You asked for this before; it will not be allowed. "
				  "Do something else, or finish"
				: ""),
		(struct provider_message){.failed = true,
			.refused = true,
			.status = 126,
			.output = strlen("Refused by the policy, nothing was run: ")});

	return r == 0 && end ? task_give_up(t, end) : r;
}

static const char *how_it_ended(
	const struct sandbox_result *r, bool undone, char *buf, size_t size)
{
	const char *after = undone ? "; what it changed was rolled back" : "";

	if (r->timed_out)
		snprintf(buf, size, "timed out and was killed%s", after);
	else if (r->signal)
		snprintf(buf, size, "killed by signal %d%s", r->signal, after);
	else
		snprintf(buf, size, "exit status %d%s", r->status, after);
	return buf;
}

static int answer_result(struct task *t, const struct provider_reply *reply,
	const struct sandbox_result *r, const struct output *out, bool undone)
{
	char first[128];
	char *text;
	unsigned int times;
	const char *end;
	int e;

	how_it_ended(r, undone, first, sizeof first);
	text = output_text(out, first);
	if (!text)
		return -ENOMEM;
	end = stubborn_ran(&t->stubborn, reply->command, text, &times);
	if (times >= STUBBORN_SAME_TOLD) {
		char *more =
			mem_printf("%s\n[The same as the last %u times. Do something "
				   "else, or finish.]",
				text, times - 1);

		free(text);
		text = more;
	}
	e = answer(t, reply->call_id, text,
		(struct provider_message){.failed = r->status != 0 || r->timed_out,
			.status = r->status,
			.output = strlen(first) + 1});
	return e == 0 && end && !t->stopped ? task_give_up(t, end) : e;
}

/* --- what the provider wants ----------------------------------------------------------
 */

/* The time of one command ends with that of the work. */
static int command_timeout_ms(const struct task *t)
{
	int64_t left;
	int ms = t->l.o->timeout_ms;

	if (!t->until_ns)
		return ms;
	left = (t->until_ns - ns_of(ts_in(CLOCK_MONOTONIC, 0))) / 1000000;
	if (left < 1)
		left = 1;
	return ms && ms < left ? ms : left > INT32_MAX ? INT32_MAX : (int)left;
}

static int undo_failed(struct task *t, const struct sandbox_result *r)
{
	unsigned int undone;
	int e;

	if (t->l.o->on_failure != LOOP_FAILURE_ROLLBACK ||
		(r->status == 0 && !r->timed_out))
		return 0;
	e = steps_back(&t->steps, t->l.t, t->step, &undone);
	return e ? e : 1;
}

static int tool_trouble(struct task *t, int r)
{
	report_say("agentctl: %s", tool_message(t->l.t));
	task_last(t, tool_message(t->l.t));
	return r;
}

/** Output is kept for the model, and perhaps shown. */
struct both {
	struct output *kept;
	struct stream *live;
};

static void collect(void *arg, int stream, const char *data, size_t n)
{
	struct both *b = arg;

	output_collect(b->kept, stream, data, n);
	if (b->live)
		stream_put(b->live, data, n);
}

static int run_command(struct task *t, const struct provider_reply *reply)
{
	char *argv[] = {(char *)t->l.shell, (char *)"-c", reply->command, NULL};
	auto_free struct output *out = mem_zalloc(sizeof *out);
	struct sandbox_result r;
	struct both both;
	int undone;

	if (!out)
		return -ENOMEM;
	undone = steps_before(&t->steps, t->l.t, t->step);
	if (undone != 0)
		return tool_trouble(t, undone);
	both = (struct both){out, t->live};
	t->l.timeout_ms = command_timeout_ms(t);
	undone = loop_exec(&t->l, argv, &r, collect, &both);
	t->l.timeout_ms = t->l.o->timeout_ms;
	if (undone != 0)
		return undone;
	tool_times(t->l.t)->run += r.time_ns;
	undone = undo_failed(t, &r);
	if (undone < 0)
		return tool_trouble(t, undone);
	if (r.forwarded) {
		t->stopped = true;
		t->signal = r.forwarded;
		t->l.e.status = 128 + r.forwarded;
	}
	return answer_result(t, reply, &r, out, undone > 0);
}

static int do_command(struct task *t, const struct provider_reply *reply)
{
	struct policy_answer a;
	json_object *o = report_event("call");

	report_add_int(o, "step", t->step);
	report_add(o, "command", reply->command);
	loop_emit(&t->l, o);
	if (!t->l.o->json)
		task_lines("$ ", reply->command);
	if (!loop_vet(&t->l, reply->command, &a))
		return answer_refusal(t, reply, &a);
	return run_command(t, reply);
}

static int answer_back(struct task *t, const char *call_id, int r, unsigned int undone)
{
	char *text;

	if (r == 0)
		text = mem_printf("Rolled back: what step %u and all after it changed is "
				  "undone.",
			undone);
	else if (r == -ERANGE)
		text = mem_printf("Not rolled back: steps up to %u are too far back.",
			t->steps.merged);
	else if (r == -EPERM)
		text = mem_strdup("Not rolled back: that tool is not offered here.");
	else
		text = mem_strdup("Not rolled back: there is no such step to undo.");
	return answer(t, call_id, text, (struct provider_message){.failed = r != 0});
}

static int do_back(struct task *t, const struct provider_reply *reply)
{
	json_object *o = report_event("rollback");
	unsigned int undone = 0;
	int r = -EPERM;

	report_add_int(o, "step", t->step);
	report_add_int(o, "to", reply->back_to);
	loop_emit(&t->l, o);
	if (!t->l.o->json)
		report_say("rollback to before step %u", reply->back_to);
	if (t->l.o->on_failure != LOOP_FAILURE_KEEP)
		r = steps_back(&t->steps, t->l.t, reply->back_to, &undone);
	if (r != 0 && r != -EPERM && r != -ENOENT && r != -ERANGE)
		return tool_trouble(t, r);
	return answer_back(t, reply->call_id, r, undone);
}

/* Words without a call: twice in a row they are the last words; a model need not know
 * about tools to say that it is done. */
static int do_nothing(struct task *t, const struct provider_reply *reply)
{
	bool told = t->stubborn.idle > 0;
	const char *end = stubborn_idle(&t->stubborn);
	auto_free char *text = NULL;
	json_object *o;

	if (reply->unread)
		text = mem_printf("Your call was not understood, nothing was done: %s.",
			reply->unread);
	else if (told && reply->text && !reply->cut) {
		t->finished = true;
		return 0;
	} else {
		text = mem_strdup(reply->cut ? prompt_cut : prompt_no_call);
	}
	if (!text)
		return -ENOMEM;
	o = report_event("note");
	report_add(o, "text", text);
	loop_emit(&t->l, o);
	if (!t->l.o->json)
		task_lines("  ", text);
	if (end)
		return task_give_up(t, end);
	return talk_say(&t->talk, PROVIDER_USER, steal(&text));
}

int task_act(struct task *t, const struct provider_reply *reply)
{
	if (!reply->command && !reply->back)
		return do_nothing(t, reply);
	t->step++;
	return reply->command ? do_command(t, reply) : do_back(t, reply);
}
