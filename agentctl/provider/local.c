/*
 * local.c: a chat model in a directory, in this process: the conversation is put together
 * as for a server, and the brain answers it. After the tag of a call only what the tools
 * take can be written, so small models make no broken calls.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/brain/brain.h"
#include "agentctl/provider/call.h"
#include "agentctl/provider/provider.h"
#include "agentctl/provider/request.h"
#include "agentctl/provider/small/checkpoint.h"
#include "agentctl/provider/wire.h"
#include "common/cleanup.h"
#include "common/mem.h"

#define MAX_REQUEST (4u << 20)
#define MAX_SMALLER 12

struct local {
	struct provider head;
	struct brain *brain;
	struct request request;
	struct trim trim;
	unsigned long ids;
	int stopped; /* -errno: nobody wants the rest of this answer */
};

/* --- asking ---------------------------------------------------------------------------
 */

/* Words are shown as they come; between two of them signals and the time are looked at.
 */
static int say(void *arg, const char *text, size_t n)
{
	struct local *l = arg;
	struct provider_watch *w = &l->head.watch;

	if (w->said)
		w->said(w->arg, text, n);
	l->stopped = watch_wait(w, -1, 1); /* 1: long past, so it only looks */
	if (l->stopped == -EAGAIN)
		l->stopped = 0;
	return l->stopped;
}

static int ask_once(
	struct local *l, const struct provider_message *m, size_t n, struct reply *reply)
{
	struct bytes body = {.max = MAX_REQUEST};
	struct question q = {0};
	char *message = l->head.message;
	int r = request_render(&body, &l->request, &l->trim, m, n);

	if (r == 0)
		r = question_read(&q, body.p, body.n, message, sizeof l->head.message);
	if (r == 0) {
		q.how.temperature = (float)l->request.temperature;
		q.constrained = true;
		r = brain_answer(
			l->brain, &q, say, l, reply, message, sizeof l->head.message);
	}
	question_free(&q);
	bytes_free(&body);
	return r;
}

/* What does not fit is asked again with less of the past. */
static int ask(
	struct local *l, const struct provider_message *m, size_t n, struct reply *reply)
{
	int r = ask_once(l, m, n, reply);

	for (int i = 0; r == -E2BIG && i < MAX_SMALLER; i++) {
		reply_free(reply);
		if (!trim_more(&l->trim, m, n, 1024))
			break;
		r = ask_once(l, m, n, reply);
	}
	return l->stopped ? l->stopped : r;
}

/* --- what was meant -------------------------------------------------------------------
 */

static int give_call(struct local *l, struct call *c, struct provider_reply *out)
{
	out->call_id = c->id ? steal(&c->id) : mem_printf("local_%lu", ++l->ids);
	switch (c->kind) {
	case CALL_RUN: out->command = steal(&c->text); break;
	case CALL_FINISH:
		out->done = true;
		if (c->text && *c->text) {
			free(out->text);
			out->text = steal(&c->text);
		}
		break;
	case CALL_ROLLBACK:
		out->back = true;
		out->back_to = c->step;
		break;
	case CALL_UNREAD: out->unread = steal(&c->text); break;
	}
	return out->call_id ? 0 : -ENOMEM;
}

/* Of several calls the first is taken; the model hears what came of it before the next.
 */
static int give(struct local *l, struct reply *reply, struct provider_reply *out)
{
	struct calls calls = {0};
	int r = 0;

	out->text = reply->text && *reply->text ? steal(&reply->text) : NULL;
	out->cut = reply->cut;
	out->tokens_in = reply->tokens_in - reply->reused;
	out->tokens_out = reply->tokens_out;
	if (reply->tool_calls)
		r = calls_add_object(
			&calls, json_object_array_get_idx(reply->tool_calls, 0));
	if (r == 0 && calls.n > 0)
		r = give_call(l, &calls.c[0], out);
	calls_free(&calls);
	return r;
}

static int next(struct provider *p, const struct provider_message *m, size_t n,
	struct provider_reply *out)
{
	struct local *l = (struct local *)p;
	struct reply reply = {0};
	int r;

	l->stopped = 0;
	l->trim.last_bytes = 0;
	p->message[0] = 0;
	r = ask(l, m, n, &reply);
	if (r == 0)
		r = give(l, &reply, out);
	reply_free(&reply);
	return r;
}

static void close_local(struct provider *p)
{
	struct local *l = (struct local *)p;

	brain_close(l->brain);
	free(l);
}

int provider_open_local(struct provider **out, const struct provider_server *s,
	const char *dir, char *message, size_t size)
{
	static const struct provider_ops ops = {next, close_local};
	struct local *l;
	double least;
	int r;

	*out = NULL;
	if (checkpoint_least(dir, &least, message, size) == 0)
		return provider_open_embedded(out, dir, message, size);
	l = mem_zalloc(sizeof *l);
	if (!l) {
		snprintf(message, size, "out of memory");
		return -ENOMEM;
	}
	l->head.ops = &ops;
	l->head.name = "local";
	l->request = (struct request){.model = "local",
		.no_rollback = s && s->no_rollback,
		.max_reply = s && s->max_reply ? s->max_reply : 512,
		.temperature = s && s->has_temperature ? s->temperature : 0};
	r = brain_open(&l->brain, dir, 1, s ? s->context : 0, message, size);
	if (r != 0) {
		free(l);
		return r;
	}
	*out = &l->head;
	return 0;
}
