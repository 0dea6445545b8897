/*
 * work.c: a piece of work that stays open between commands. The steps are those of run
 * and task; only who asks for them, and when, is somebody else's business.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/loop/impl.h"
#include "agentctl/loop/output.h"
#include "agentctl/loop/steps.h"
#include "agentctl/loop/work.h"
#include "common/cleanup.h"
#include "common/mem.h"

struct work {
	struct loop_options o;
	const char *agent;
	struct loop l; /* l.t is NULL: nothing is open */
	struct steps steps;
	unsigned int step;
	json_object *end; /* the last event of the work that ended last */
	char workspace[4096];
	char message[1024];
};

static int say(struct work *w, int r, const char *text)
{
	snprintf(w->message, sizeof w->message, "%s", text);
	return r;
}

static int tool_failed(struct work *w, int r)
{
	const char *why = tool_message(w->l.t);

	return say(w, r, *why ? why : strerror(-r));
}

static void hear(void *arg, json_object *event)
{
	struct work *w = arg;
	const char *ev = json_object_get_string(json_object_object_get(event, "ev"));

	if (strcmp(ev, "end") != 0)
		return;
	json_object_put(w->end);
	w->end = json_object_get(event);
}

int work_new(struct work **out, const struct loop_options *o, const char *agent)
{
	struct work *w = mem_zalloc(sizeof *w);

	*out = w;
	if (!w)
		return -ENOMEM;
	w->o = *o;
	w->o.hear = hear;
	w->o.hear_arg = w;
	w->agent = agent;
	return 0;
}

void work_free(struct work *w)
{
	if (!w)
		return;
	work_end(w, WORK_KEEP, NULL);
	json_object_put(w->end);
	free(w);
}

const char *work_message(const struct work *w)
{
	return w->message;
}

bool work_is_open(const struct work *w)
{
	return w->l.t != NULL;
}

uint64_t work_tx(const struct work *w)
{
	return w->l.t ? tool_tx(w->l.t) : 0;
}

const char *work_workspace(const struct work *w)
{
	return w->workspace;
}

int work_signal_fd(const struct work *w)
{
	return w->l.t ? tool_signal_fd(w->l.t) : -1;
}

/* --- its beginning and end ------------------------------------------------------------
 */

/* The words of the last event are why nothing began. */
static int never_began(struct work *w)
{
	json_object *text = w->end ? json_object_object_get(w->end, "text") : NULL;

	memset(&w->l, 0, sizeof w->l);
	return say(w, -ECANCELED, text ? json_object_get_string(text) : "cannot begin");
}

static int open_work(struct work *w, uint64_t tx)
{
	if (w->l.t)
		return say(w, -EBUSY, "a transaction is open already");
	json_object_put(steal(&w->end));
	memset(&w->steps, 0, sizeof w->steps);
	if (loop_open(&w->l, &w->o, w->agent) != 0)
		return never_began(w);
	snprintf(w->workspace, sizeof w->workspace, "%s", tool_workspace(w->l.t));
	if ((tx ? loop_resume(&w->l, tx) : loop_begin(&w->l)) != 0)
		return never_began(w);
	return 0;
}

int work_begin(struct work *w)
{
	return open_work(w, 0);
}

int work_resume(struct work *w, uint64_t tx)
{
	return open_work(w, tx);
}

static int ensure(struct work *w)
{
	return w->l.t ? 0 : work_begin(w);
}

int work_end(struct work *w, enum work_end how, json_object **event)
{
	if (event)
		*event = NULL;
	if (!w->l.t)
		return say(w, -ENOENT, "no transaction is open");
	w->o.keep = how == WORK_KEEP ? LOOP_KEEP_YES : LOOP_KEEP_NO;
	w->l.e.status = how == WORK_ABORT ? 1 : 0;
	if (how == WORK_COMMIT)
		loop_check(&w->l);
	loop_end(&w->l, how == WORK_COMMIT && !w->l.e.check_failed, NULL);
	memset(&w->l, 0, sizeof w->l);
	if (event && w->end)
		*event = json_object_get(w->end);
	return 0;
}

/* --- in between -----------------------------------------------------------------------
 */

static int run(struct work *w, const char *command, int timeout_ms,
	const struct work_ear *ear, struct work_result *out)
{
	char *argv[] = {(char *)w->l.shell, (char *)"-c", (char *)command, NULL};
	auto_free struct output *text = mem_zalloc(sizeof *text);
	struct sandbox_result r;
	int e;

	if (!text)
		return say(w, -ENOMEM, "out of memory");
	w->l.timeout_ms = timeout_ms ? timeout_ms : w->o.timeout_ms;
	w->l.ear = ear;
	e = loop_exec(&w->l, argv, &r, output_collect, text);
	w->l.ear = NULL;
	if (e != 0)
		return tool_failed(w, e);
	out->status = r.status;
	out->signal = r.signal;
	out->forwarded = r.forwarded;
	out->timed_out = r.timed_out;
	out->time_ns = r.time_ns;
	out->output = output_text(text, NULL);
	return out->output ? 0 : say(w, -ENOMEM, "out of memory");
}

int work_run(struct work *w, const char *command, int timeout_ms,
	const struct work_ear *ear, struct work_result *r)
{
	int e = ensure(w);

	memset(r, 0, sizeof *r);
	if (e != 0)
		return e;
	r->refused = !loop_vet(&w->l, command, &r->verdict);
	if (r->refused)
		return 0;
	e = steps_before(&w->steps, w->l.t, w->step + 1);
	if (e != 0)
		return tool_failed(w, e);
	r->step = ++w->step;
	return run(w, command, timeout_ms, ear, r);
}

int work_savepoint(struct work *w, const char *name)
{
	int r = ensure(w);

	if (r != 0)
		return r;
	r = steps_name(&w->steps, w->l.t, name);
	if (r == -EINVAL)
		return say(w, r,
			"a savepoint's name has 1 to 63 bytes, no control "
			"characters, and does not begin with step-");
	if (r == -EEXIST)
		return say(w, r, "there is a savepoint of that name");
	if (r == -ENOSPC)
		return say(w, r, "too many savepoints");
	return r ? tool_failed(w, r) : 0;
}

int work_back_to(struct work *w, const char *name)
{
	int r = w->l.t ? steps_back_to(&w->steps, w->l.t, name) : -ENOENT;

	if (r == -ENOENT)
		return say(w, r, "there is no savepoint of that name");
	return r ? tool_failed(w, r) : 0;
}

int work_back(struct work *w, unsigned int step, unsigned int *undone)
{
	int r = w->l.t ? steps_back(&w->steps, w->l.t, step, undone) : -ENOENT;

	if (r == -ENOENT)
		return say(w, r, "there is no such step to undo");
	if (r == -ERANGE)
		return say(w, r, "that step is too far back");
	return r ? tool_failed(w, r) : 0;
}

int work_count(struct work *w, uint64_t *added, uint64_t *changed, uint64_t *deleted)
{
	struct tool_held h = {0};
	int r = w->l.t ? tool_count(w->l.t, &h) : 0;

	*added = h.added;
	*changed = h.changed;
	*deleted = h.deleted;
	return r ? tool_failed(w, r) : 0;
}

int work_diff(struct work *w, const char *path, size_t max, char **text)
{
	int r;

	if (!w->l.t) {
		*text = mem_strdup("");
		return *text ? 0 : say(w, -ENOMEM, "out of memory");
	}
	r = tool_diff(w->l.t, path, max, text);
	return r ? tool_failed(w, r) : 0;
}
