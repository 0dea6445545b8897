/*
 * session.c: requests of a person, each worked on as a task is, in one piece of work
 * until it is ended. What a request changed is gone again if the small model gives it up;
 * what a real model changed stays, as the person may go on from there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/loop/prompt.h"
#include "agentctl/loop/recall.h"
#include "agentctl/loop/session.h"
#include "agentctl/loop/stream.h"
#include "agentctl/loop/task.h"
#include "common/cleanup.h"
#include "common/mem.h"

struct session {
	struct loop_options o;
	struct task t; /* t.l.t is NULL: nothing is open */
	struct stream live;
	struct policy_answer refusal;
	char *refused; /* the command, or NULL */
	char workspace[4096];
	char message[1024];
};

static int say(struct session *s, int r, const char *text)
{
	snprintf(s->message, sizeof s->message, "%s", text);
	return r;
}

static int tool_failed(struct session *s, int r)
{
	const char *why = tool_message(s->t.l.t);

	return say(s, r, *why ? why : strerror(-r));
}

/* --- what the loop tells --------------------------------------------------------------
 */

static const char *text_of(json_object *event, const char *key)
{
	json_object *v = json_object_object_get(event, key);

	return v ? json_object_get_string(v) : "";
}

static void remember_refusal(struct session *s, json_object *e)
{
	struct policy_answer *a = &s->refusal;

	snprintf(a->rule, sizeof a->rule, "%s", text_of(e, "rule"));
	snprintf(a->class_, sizeof a->class_, "%s", text_of(e, "class"));
	snprintf(a->reason, sizeof a->reason, "%s", text_of(e, "reason"));
	snprintf(a->suggest, sizeof a->suggest, "%s", text_of(e, "suggest"));
	free(s->refused);
	s->refused = mem_strdup(text_of(e, "command"));
}

static void hear(void *arg, struct json_object *e)
{
	const char *decision;

	if (strcmp(text_of(e, "ev"), "vet") != 0)
		return;
	decision = text_of(e, "decision");
	if (strcmp(decision, "deny") == 0 || strcmp(decision, "ask") == 0)
		remember_refusal(arg, e);
}

/* --- beginning ------------------------------------------------------------------------
 */

int session_new(struct session **out, const struct loop_options *o)
{
	struct session *s = mem_zalloc(sizeof *s);

	*out = s;
	if (!s)
		return -ENOMEM;
	s->o = *o;
	s->o.keep = LOOP_KEEP_YES;
	s->o.hear = hear;
	s->o.hear_arg = s;
	s->t.live = &s->live;
	if (task_open_provider(&s->t, &s->o) == 0)
		return 0;
	session_free(s);
	*out = NULL;
	return -EINVAL;
}

int session_model(struct session *s, const struct loop_options *o)
{
	struct provider *old = s->t.p;

	s->t.p = NULL;
	if (task_open_provider(&s->t, o) != 0) {
		s->t.p = old;
		return -EINVAL;
	}
	s->o.server = o->server;
	s->o.model_dir = o->model_dir;
	s->o.local = o->local;
	s->o.script = o->script;
	provider_close(old);
	if (s->t.l.t)
		task_watch(&s->t);
	return 0;
}

static void forget_work(struct session *s)
{
	transcript_free(s->t.l.log);
	memset(&s->t.l, 0, sizeof s->t.l);
	memset(&s->t.steps, 0, sizeof s->t.steps);
	memset(&s->t.stubborn, 0, sizeof s->t.stubborn);
}

static int open_work(struct session *s, uint64_t tx)
{
	struct task *t = &s->t;
	int r = loop_open(&t->l, &s->o, "agentctl");

	if (r == 0) {
		snprintf(s->workspace, sizeof s->workspace, "%s", tool_workspace(t->l.t));
		t->l.log = transcript_new();
		r = tx ? loop_resume(&t->l, tx) : loop_begin(&t->l);
	}
	if (r != 0) {
		forget_work(s);
		return say(s, -ECANCELED, "");
	}
	task_begin_transcript(t);
	task_watch(t);
	t->l.e.ran = true;
	return 0;
}

static int ensure(struct session *s)
{
	return s->t.l.t ? 0 : open_work(s, 0);
}

/* Steps are counted on, so that no savepoint of before gets its name again. */
int session_resume(struct session *s, uint64_t tx)
{
	int r = open_work(s, tx);

	if (r == 0)
		r = recall(&s->t.talk, s->workspace, tx, &s->t.step);
	return r;
}

/* --- work -----------------------------------------------------------------------------
 */

static int converse(struct session *s, const char *text)
{
	struct task *t = &s->t;
	int r = t->talk.n ? 0 : talk_say(&t->talk, PROVIDER_SYSTEM, prompt_system(&t->l));

	if (r == 0)
		r = talk_say(&t->talk, PROVIDER_USER, mem_strdup(text));
	return r ? r : task_turns(t);
}

/* What the small model left half done. */
static void undo_request(struct session *s)
{
	unsigned int undone;

	if (s->t.step > s->t.first_step &&
		steps_back(&s->t.steps, s->t.l.t, s->t.first_step + 1, &undone) == 0)
		report_say("  what it had changed is undone");
}

int session_ask(struct session *s, const char *text)
{
	struct task *t = &s->t;
	int r = ensure(s);

	if (r != 0)
		return r;
	t->finished = t->stopped = t->gave_up = false;
	t->signal = 0;
	t->l.e.status = 0;
	t->first_step = t->step;
	memset(&t->stubborn, 0, sizeof t->stubborn);
	task_watch(t);
	task_tell_request(t, text);
	r = converse(s, text);
	stream_end(&s->live);
	if (t->stopped)
		return say(s, -EINTR, "interrupted");
	if (r != 0 && t->gave_up)
		undo_request(s);
	return 0;
}

static void show(void *arg, int stream, const char *data, size_t n)
{
	stream_put(arg, data, n);
}

static int run(struct session *s, const char *command)
{
	char *argv[] = {(char *)s->t.l.shell, (char *)"-c", (char *)command, NULL};
	struct sandbox_result r;
	int e = loop_exec(&s->t.l, argv, &r, show, &s->live);

	stream_end(&s->live);
	if (e != 0)
		return tool_failed(s, e);
	s->t.signal = r.forwarded;
	if (r.timed_out || r.signal)
		report_say("  %s", r.timed_out ? "timed out" : "ended by a signal");
	else if (r.status != 0)
		report_say("  exit status %d", r.status);
	return r.forwarded ? -EINTR : 0;
}

int session_run(struct session *s, const char *command)
{
	struct policy_answer a;
	int r = ensure(s);

	if (r == 0 && !loop_vet(&s->t.l, command, &a))
		return say(s, -EPERM, "");
	if (r == 0 && (r = steps_before(&s->t.steps, s->t.l.t, s->t.step + 1)) != 0)
		return tool_failed(s, r);
	if (r != 0)
		return r;
	s->t.step++;
	return run(s, command);
}

/* --- looking and going back -----------------------------------------------------------
 */

bool session_is_open(const struct session *s)
{
	return s->t.l.t != NULL;
}

uint64_t session_tx(const struct session *s)
{
	return s->t.l.t ? tool_tx(s->t.l.t) : 0;
}

const char *session_workspace(const struct session *s)
{
	return s->workspace;
}

const char *session_provider(const struct session *s)
{
	return s->t.p->name;
}

const char *session_message(const struct session *s)
{
	return s->message;
}

int session_signal(const struct session *s)
{
	return s->t.signal;
}

const struct policy_answer *session_refusal(const struct session *s, const char **command)
{
	*command = s->refused;
	return s->refused ? &s->refusal : NULL;
}

int session_count(
	struct session *s, uint64_t *added, uint64_t *changed, uint64_t *deleted)
{
	struct tool_held h = {0};
	int r = s->t.l.t ? tool_count(s->t.l.t, &h) : 0;

	*added = h.added;
	*changed = h.changed;
	*deleted = h.deleted;
	return r ? tool_failed(s, r) : 0;
}

static int nothing_open(struct session *s)
{
	return s->t.l.t ? 0 : say(s, -ENOENT, "nothing was done yet");
}

int session_diff(struct session *s, const char *path, size_t max, char **text)
{
	int r = nothing_open(s);

	*text = NULL;
	if (r == 0 && (r = tool_diff(s->t.l.t, path, max, text)) != 0)
		r = tool_failed(s, r);
	return r;
}

int session_savepoint(struct session *s, const char *name)
{
	int r = ensure(s);

	if (r != 0)
		return r;
	r = steps_name(&s->t.steps, s->t.l.t, name);
	if (r == -EINVAL)
		return say(s, r,
			"a savepoint's name has 1 to 63 bytes, no control "
			"characters, and does not begin with step-");
	if (r == -EEXIST)
		return say(s, r, "there is a savepoint of that name");
	return r ? tool_failed(s, r) : 0;
}

int session_back(struct session *s, unsigned int step, unsigned int *undone)
{
	int r = nothing_open(s);

	if (r == 0)
		r = steps_back(&s->t.steps, s->t.l.t, step, undone);
	if (r == -ENOENT)
		return say(s, r, "there is nothing to undo");
	if (r == -ERANGE)
		return say(s, r, "that step is too far back");
	return r ? tool_failed(s, r) : 0;
}

int session_back_to(struct session *s, const char *name)
{
	int r = nothing_open(s);

	if (r == 0)
		r = steps_back_to(&s->t.steps, s->t.l.t, name);
	if (r == -ENOENT)
		return say(s, r, "there is no savepoint of that name");
	return r ? tool_failed(s, r) : 0;
}

/* --- the end --------------------------------------------------------------------------
 */

int session_end(struct session *s, enum work_end how)
{
	struct loop *l = &s->t.l;
	int r = nothing_open(s);

	if (r != 0)
		return r;
	s->o.keep = how == WORK_KEEP ? LOOP_KEEP_YES : LOOP_KEEP_NO;
	l->e = (struct loop_ending){.ran = true, .status = how == WORK_ABORT};
	if (how == WORK_COMMIT)
		loop_check(l);
	loop_end(l, how == WORK_COMMIT && !l->e.check_failed, s->t.last);
	forget_work(s);
	return 0;
}

/* What changed nothing is not kept. */
static void leave(struct session *s)
{
	uint64_t added = 0, changed = 0, deleted = 0;
	bool same = session_count(s, &added, &changed, &deleted) == 0 &&
		    added + changed + deleted == 0;

	session_end(s, same ? WORK_ABORT : WORK_KEEP);
}

void session_free(struct session *s)
{
	if (!s)
		return;
	if (s->t.l.t)
		leave(s);
	task_clear(&s->t);
	free(s->refused);
	free(s);
}
