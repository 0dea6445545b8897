/*
 * task.c: `agentctl task`: a provider says what to run, hears what came of it, and so on
 * until it says that it is done. One private transaction spans the task, with a savepoint
 * before each command. What is refused does not end the task: the provider hears why, in
 * plain words, and may try something else.
 */
#include <errno.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "agentctl/loop/prompt.h"
#include "agentctl/loop/stream.h"
#include "agentctl/loop/task.h"
#include "common/cleanup.h"
#include "common/mem.h"
#include "common/time.h"

static int64_t now_ns(void)
{
	return ns_of(ts_in(CLOCK_MONOTONIC, 0));
}

void task_lines(const char *prefix, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		report_say("%s%.*s", prefix, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

void task_last(struct task *t, const char *text)
{
	free(t->last);
	t->last = mem_strdup(text);
}

/* The end, for a reason that the model does not hear. */
int task_give_up(struct task *t, const char *why)
{
	auto_free char *line = mem_printf("gave up after %u commands: %s", t->step, why);

	if (line) {
		report_say("agentctl: %s", line);
		task_last(t, line);
	}
	return -ECANCELED;
}

/* --- turn by turn ---------------------------------------------------------------------
 */

static void show_words(struct task *t, const char *text)
{
	json_object *o = report_event("say");
	char prefix[80];

	report_add(o, "provider", t->p->name);
	report_add(o, "text", text);
	loop_emit(&t->l, o);
	snprintf(prefix, sizeof prefix, "%.64s: ", t->p->name);
	if (t->live && t->shown)
		stream_end(t->live);
	else if (!t->l.o->json)
		task_lines(prefix, text);
}

static int remember(struct task *t, const struct provider_reply *reply)
{
	bool call = reply->command || reply->back;
	const char *text = reply->text;
	struct provider_message m = {.role = PROVIDER_ASSISTANT,
		.back = reply->back,
		.back_to = reply->back_to};

	if (!text && !call)
		text = "..."; /* servers want some words */
	m.text = text ? mem_strdup(text) : NULL;
	m.command = reply->command ? mem_strdup(reply->command) : NULL;
	m.call_id = call && reply->call_id ? mem_strdup(reply->call_id) : NULL;
	if ((text && !m.text) || (reply->command && !m.command) ||
		(call && reply->call_id && !m.call_id)) {
		free(m.text);
		free(m.command);
		free(m.call_id);
		return -ENOMEM;
	}
	return talk_add(&t->talk, m);
}

static int take_reply(struct task *t, struct provider_reply *reply)
{
	int r;

	t->answers += reply->tokens_in || reply->tokens_out;
	t->tokens_in += reply->tokens_in;
	t->tokens_out += reply->tokens_out;
	if (reply->text) {
		show_words(t, reply->text);
		task_last(t, reply->text);
	}
	t->finished = reply->done;
	r = remember(t, reply);
	t->gave_up = reply->gave_up;
	if (r == 0 && reply->gave_up)
		return -ECANCELED;
	if (r != 0 || reply->done)
		return r;
	return task_act(t, reply);
}

static int no_reply(struct task *t, int r)
{
	if (r == -EINTR) {
		t->stopped = true;
		t->l.e.status = 128 + t->signal;
		return 0;
	}
	if (r == -ETIME) {
		t->l.e.timed_out = true;
		return task_give_up(t, "its time is over");
	}
	report_say("agentctl: %s provider: %s", t->p->name,
		*t->p->message ? t->p->message : strerror(-r));
	task_last(t, *t->p->message ? t->p->message : strerror(-r));
	return r;
}

static int turn(struct task *t)
{
	struct provider_reply reply = {0};
	int r;

	t->shown = false;
	r = t->p->ops->next(t->p, t->talk.m, t->talk.n, &reply);

	r = r ? no_reply(t, r) : take_reply(t, &reply);
	provider_reply_free(&reply);
	return r;
}

/* 0, or the end: a budget is used up. */
static int look_at_budget(struct task *t)
{
	const struct loop_options *o = t->l.o;

	if (t->step - t->first_step >= o->max_steps)
		return task_give_up(t, "it may take no more steps");
	if (o->max_tokens && t->tokens_in + t->tokens_out >= o->max_tokens)
		return task_give_up(t, "its tokens are used up");
	if (t->until_ns && now_ns() >= t->until_ns)
		return no_reply(t, -ETIME);
	return 0;
}

int task_turns(struct task *t)
{
	int r = 0;

	while (r == 0 && !t->finished && !t->stopped) {
		r = look_at_budget(t);
		if (r == 0)
			r = turn(t);
	}
	return r;
}

static int converse(struct task *t, const char *text)
{
	int r = talk_say(&t->talk, PROVIDER_SYSTEM, prompt_system(&t->l));

	if (r == 0)
		r = talk_say(&t->talk, PROVIDER_USER, mem_strdup(text));
	return r ? r : task_turns(t);
}

/* --- while the model thinks -----------------------------------------------------------
 */

static bool stop(void *arg)
{
	struct task *t = arg;
	struct signalfd_siginfo si;

	if (read(t->p->watch.fd, &si, sizeof si) != sizeof si || si.ssi_signo == SIGWINCH)
		return false;
	t->signal = (int)si.ssi_signo;
	return true;
}

static void trouble(void *arg, const char *line)
{
	struct task *t = arg;
	json_object *o = report_event("trouble");

	report_add(o, "text", line);
	loop_emit(&t->l, o);
	if (!t->l.o->json)
		report_say("%s: %s", t->p->name, line);
}

/* Words as they come; NULL: they are said anew. */
static void said(void *arg, const char *text, size_t n)
{
	struct task *t = arg;

	if (!text && t->shown)
		stream_end(t->live);
	if (text && n > 0)
		stream_put(t->live, text, n);
	t->shown = text && (t->shown || n > 0);
}

void task_watch(struct task *t)
{
	if (t->l.o->max_ms)
		t->until_ns = now_ns() + t->l.o->max_ms * 1000000ll;
	t->p->watch = (struct provider_watch){.fd = tool_signal_fd(t->l.t),
		.stop = stop,
		.trouble = trouble,
		.said = t->live ? said : NULL,
		.arg = t,
		.until_ns = t->until_ns};
}

/* --- from end to end ------------------------------------------------------------------
 */

void task_clear(struct task *t)
{
	talk_free(&t->talk);
	free(t->last);
	transcript_free(t->l.log);
	provider_close(t->p);
}

void task_tell_cost(struct task *t)
{
	json_object *o = report_event("usage");

	report_add_int(o, "answers", t->answers);
	report_add_int(o, "tokens_in", (int64_t)t->tokens_in);
	report_add_int(o, "tokens_out", (int64_t)t->tokens_out);
	loop_emit(&t->l, o);
	if (!t->l.o->json && t->tokens_in)
		report_say("%s: %u answers, %llu tokens in, %llu out", t->p->name,
			t->answers, (unsigned long long)t->tokens_in,
			(unsigned long long)t->tokens_out);
}

void task_begin_transcript(struct task *t)
{
	int r = t->l.log ? transcript_begin(
				   t->l.log, tool_workspace(t->l.t), tool_tx(t->l.t))
			 : -ENOMEM;

	if (r != 0)
		report_say("agentctl: no transcript is kept: %s", strerror(-r));
}

static int work(struct task *t, const char *text)
{
	struct policy_answer a;
	bool success;
	int r;

	if (t->l.o->check && !loop_vet(&t->l, t->l.o->check, &a))
		return loop_refused(&t->l, &a);
	r = loop_begin(&t->l);
	if (r != 0)
		return r;
	task_begin_transcript(t);
	t->l.e.ran = true;
	task_watch(t);
	r = converse(t, text);
	if (r != 0 || !t->finished)
		t->l.e.status = t->l.e.status ? t->l.e.status : 1;
	success = r == 0 && t->finished && !t->stopped;
	task_tell_cost(t);
	if (success)
		loop_check(&t->l);
	return loop_end(&t->l, success && !t->l.e.check_failed, t->last);
}

static void tell_provider(const struct task *t, const struct loop_options *o)
{
	if (o->script)
		report_say("provider: %s (%s), no model", t->p->name, o->script);
	else if (o->server)
		report_say("provider: %s at %s", t->p->name, o->server->url);
	else if (o->model_dir)
		report_say("provider: %s (%s)", t->p->name, o->model_dir);
	else
		report_say("provider: embedded, a small model for trying things out");
}

int task_open_provider(struct task *t, const struct loop_options *o)
{
	char message[512];
	int r;

	if (o->script)
		r = provider_open_script(&t->p, o->script, message, sizeof message);
	else if (o->server)
		r = provider_open_server(&t->p, o->server, message, sizeof message);
	else if (o->model_dir)
		r = provider_open_local(
			&t->p, o->local, o->model_dir, message, sizeof message);
	else
		r = provider_open_embedded(&t->p, NULL, message, sizeof message);
	if (r != 0)
		return loop_never_began(o->json, message);
	if (!o->json)
		tell_provider(t, o);
	return 0;
}

void task_tell_request(struct task *t, const char *text)
{
	const struct loop_options *o = t->l.o;
	json_object *e = report_event("task");

	report_add(e, "provider", t->p->name);
	report_add(e, "model", o->server ? o->server->url : o->model_dir);
	report_add(e, "text", text);
	report_add(e, "workspace", tool_workspace(t->l.t));
	report_add(e, "label", o->label);
	loop_emit(&t->l, e);
}

int loop_task(const struct loop_options *o, const char *text)
{
	struct task t = {0};
	int r = task_open_provider(&t, o);

	if (r != 0)
		return r;
	r = loop_open(&t.l, o, "agentctl task");
	if (r == 0) {
		t.l.log = transcript_new();
		task_tell_request(&t, text);
		r = work(&t, text);
	}
	task_clear(&t);
	return r;
}
