/*
 * task.c: `agentctl task`: a provider says what to run, hears what came of it, and so on
 * until it says that it is done. One private transaction spans the task, with a savepoint
 * before each command. What is refused does not end the task: the provider hears why, in
 * plain words, and may try something else.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/loop/impl.h"
#include "agentctl/provider/provider.h"
#include "common/cleanup.h"
#include "common/mem.h"

#define OUTPUT_HEAD 8192  /* bytes of a command's output that a provider sees: */
#define OUTPUT_TAIL 24576 /* its beginning and its end */

static const char system_text[] = "You work in one directory by shell commands, one at a "
				  "time. Everything you change "
				  "there is part of one transaction: nobody sees it "
				  "until it is committed at the end, "
				  "and if the final check fails all of it is undone. "
				  "Nothing outside the directory can "
				  "be changed. A command that the policy refuses was not "
				  "run; you are told why: do not "
				  "insist, find another way or say that it cannot be "
				  "done. When you are finished, say so.";

/** What a command printed: its beginning, and its end in a ring. */
struct output {
	char head[OUTPUT_HEAD], tail[OUTPUT_TAIL];
	size_t n_head;
	unsigned long long n_tail; /* all bytes behind the head */
};

struct task {
	struct loop l;
	struct provider *p;
	struct provider_message *m;
	size_t n, cap;
	unsigned int step;
	bool finished, stopped; /* said done; must not go on */
	char *last;		/* the last words */
};

static void collect(void *arg, int stream, const char *data, size_t n)
{
	struct output *o = arg;
	size_t take = OUTPUT_HEAD - o->n_head;

	if (take > n)
		take = n;
	memcpy(o->head + o->n_head, data, take);
	o->n_head += take;
	for (size_t i = take; i < n; i++)
		o->tail[o->n_tail++ % OUTPUT_TAIL] = data[i];
}

static char *output_text(const struct output *o, const char *first)
{
	size_t kept = o->n_tail < OUTPUT_TAIL ? (size_t)o->n_tail : OUTPUT_TAIL;
	unsigned long long lost = o->n_tail - kept;
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	fprintf(f, "%s\n", first);
	fwrite(o->head, 1, o->n_head, f);
	if (lost)
		fprintf(f, "\n[%llu bytes left out]\n", lost);
	for (size_t i = 0; i < kept; i++)
		fputc(o->tail[(lost + i) % OUTPUT_TAIL], f);
	return fclose(f) == 0 ? text : NULL;
}

/* Takes the strings, also when it fails. */
static int add(
	struct task *t, enum provider_role role, char *text, char *command, char *id)
{
	if (t->n == t->cap) {
		size_t cap = t->cap ? 2 * t->cap : 16;
		struct provider_message *more = realloc(t->m, cap * sizeof *more);

		if (!more) {
			free(text);
			free(command);
			free(id);
			return -ENOMEM;
		}
		t->m = more;
		t->cap = cap;
	}
	t->m[t->n++] = (struct provider_message){
		.role = role, .text = text, .command = command, .call_id = id};
	return 0;
}

static void tell_lines(const char *prefix, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		report_say("%s%.*s", prefix, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

/* What the provider hears; also shown. Takes @text. */
static int answer(struct task *t, const char *call_id, char *text)
{
	json_object *o = report_event("result");

	if (!text) {
		json_object_put(o);
		return -ENOMEM;
	}
	report_add_int(o, "step", t->step);
	report_add(o, "text", text);
	report_emit(t->l.o->json, o);
	if (!t->l.o->json)
		tell_lines("  ", text);
	return add(t, PROVIDER_TOOL, text, NULL, mem_strdup(call_id));
}

static int answer_refusal(
	struct task *t, const char *call_id, const struct policy_answer *a)
{
	return answer(t, call_id,
		mem_printf("Refused by the policy, nothing was run: %s%s%s", a->reason,
			*a->suggest ? ". Instead: " : "", a->suggest));
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

static int undo(struct task *t, const char *savepoint, const struct sandbox_result *r)
{
	if (!t->l.o->rollback_failed || (r->status == 0 && !r->timed_out))
		return 0;
	return tool_rollback(t->l.t, savepoint) == 0 ? 1 : -EIO;
}

static int run_command(struct task *t, const struct provider_reply *reply)
{
	char *argv[] = {(char *)t->l.shell, (char *)"-c", reply->command, NULL};
	auto_free struct output *out = mem_zalloc(sizeof *out);
	char savepoint[32], first[128];
	struct sandbox_result r;
	int undone;

	if (!out)
		return -ENOMEM;
	snprintf(savepoint, sizeof savepoint, "step-%u", t->step);
	if (tool_savepoint(t->l.t, savepoint) != 0) {
		report_say("agentctl: %s", tool_message(t->l.t));
		return -EIO;
	}
	if (loop_exec(&t->l, argv, &r, collect, out) != 0)
		return -EIO;
	tool_times(t->l.t)->run += r.time_ns;
	undone = undo(t, savepoint, &r);
	if (undone < 0) {
		report_say("agentctl: %s", tool_message(t->l.t));
		return undone;
	}
	if (r.forwarded) {
		t->stopped = true;
		t->l.e.status = 128 + r.forwarded;
	}
	how_it_ended(&r, undone > 0, first, sizeof first);
	return answer(t, reply->call_id, output_text(out, first));
}

static int do_command(struct task *t, const struct provider_reply *reply)
{
	struct policy_answer a;
	json_object *o = report_event("call");

	t->step++;
	report_add_int(o, "step", t->step);
	report_add(o, "command", reply->command);
	report_emit(t->l.o->json, o);
	if (!t->l.o->json)
		tell_lines("$ ", reply->command);
	if (!loop_vet(&t->l, reply->command, &a))
		return answer_refusal(t, reply->call_id, &a);
	return run_command(t, reply);
}

static int take_reply(struct task *t, struct provider_reply *reply)
{
	json_object *o;

	if (reply->text) {
		o = report_event("say");
		report_add(o, "provider", t->p->name);
		report_add(o, "text", reply->text);
		report_emit(t->l.o->json, o);
		if (!t->l.o->json) {
			char prefix[64];

			snprintf(prefix, sizeof prefix, "%s: ", t->p->name);
			tell_lines(prefix, reply->text);
		}
		free(t->last);
		t->last = mem_strdup(reply->text);
	}
	t->finished = reply->done;
	return add(t, PROVIDER_ASSISTANT, reply->text ? mem_strdup(reply->text) : NULL,
		reply->command ? mem_strdup(reply->command) : NULL,
		reply->call_id ? mem_strdup(reply->call_id) : NULL);
}

static int turn(struct task *t)
{
	struct provider_reply reply = {0};
	int r = t->p->ops->next(t->p, t->m, t->n, &reply);

	if (r != 0) {
		report_say("agentctl: %s provider: %s", t->p->name,
			*t->p->message ? t->p->message : strerror(-r));
		provider_reply_free(&reply);
		return r;
	}
	r = take_reply(t, &reply);
	if (r == 0 && reply.command)
		r = do_command(t, &reply);
	provider_reply_free(&reply);
	return r;
}

static int converse(struct task *t, const char *text)
{
	int r = add(t, PROVIDER_SYSTEM, mem_strdup(system_text), NULL, NULL);

	if (r == 0)
		r = add(t, PROVIDER_USER, mem_strdup(text), NULL, NULL);
	while (r == 0 && !t->finished && !t->stopped) {
		if (t->step >= t->l.o->max_steps) {
			report_say("agentctl: gave up after %u commands", t->step);
			return -ETIME;
		}
		r = turn(t);
	}
	return r;
}

static void clear(struct task *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->m[i].text);
		free(t->m[i].command);
		free(t->m[i].call_id);
	}
	free(t->m);
	free(t->last);
	provider_close(t->p);
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
	t->l.e.ran = true;
	r = converse(t, text);
	if (r != 0 || !t->finished)
		t->l.e.status = t->l.e.status ? t->l.e.status : 1;
	success = r == 0 && t->finished && !t->stopped;
	if (success)
		loop_check(&t->l);
	return loop_end(&t->l, success && !t->l.e.check_failed, t->last);
}

static int open_provider(struct task *t, const struct loop_options *o)
{
	char message[512];

	if (!o->script)
		return loop_never_began(o->json, "no model can be asked yet; give a "
						 "scripted provider by --script FILE");
	if (provider_open_script(&t->p, o->script, message, sizeof message) != 0)
		return loop_never_began(o->json, message);
	if (!o->json)
		report_say("provider: %s (%s), no model", t->p->name, o->script);
	return 0;
}

int loop_task(const struct loop_options *o, const char *text)
{
	struct task t = {0};
	json_object *e;
	int r = open_provider(&t, o);

	if (r != 0)
		return r;
	r = loop_open(&t.l, o, "agentctl task");
	if (r == 0) {
		e = report_event("task");
		report_add(e, "provider", t.p->name);
		report_add(e, "text", text);
		report_emit(o->json, e);
		r = work(&t, text);
	}
	clear(&t);
	return r;
}
