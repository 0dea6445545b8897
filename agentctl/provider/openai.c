/*
 * openai.c: a model behind the OpenAI protocol.
 *
 * One call to next is one question, however often it must be asked: again after trouble
 * that may pass; again without a feature that the server does not know; again with less
 * of the past when it does not fit. An answer with several calls is given out call by
 * call, as if each had been an answer of its own; when one of them does not work out the
 * rest is forgotten, since the model could not know that.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "agentctl/provider/adapt.h"
#include "agentctl/provider/courier.h"
#include "agentctl/provider/key.h"
#include "agentctl/provider/place.h"
#include "agentctl/provider/request.h"
#include "agentctl/provider/retry.h"
#include "common/cleanup.h"
#include "common/mem.h"
#include "common/time.h"

#define MAX_REQUEST (16u << 20)
#define MAX_SMALLER 12 /* how often a question is made smaller */

struct openai {
	struct provider head;
	struct courier courier;
	struct request request;
	enum provider_tools tools;
	struct place place;
	char *model, *key, *ca_file;
	unsigned int retries, context;
	double bytes_per_token; /* of requests, from the last usage */
	struct trim trim;
	struct answer waiting; /* calls not yet given out */
	size_t at;
	unsigned long ids;
	const char *note; /* to be told once, or NULL */
};

static void tell(struct openai *o, const char *line)
{
	if (o->head.watch.trouble)
		o->head.watch.trouble(o->head.watch.arg, line);
}

/* --- what does not fit ----------------------------------------------------------------
 */

/* By the tokens that the model can take in. */
static size_t fitting_bytes(const struct openai *o)
{
	double tokens = o->context > o->request.max_reply
				? (double)(o->context - o->request.max_reply)
				: o->context;

	return o->context ? (size_t)(tokens * o->bytes_per_token) : MAX_REQUEST;
}

static int render(
	struct openai *o, const struct provider_message *m, size_t n, struct bytes *body)
{
	size_t fits = fitting_bytes(o);
	int r;

	for (;;) {
		bytes_empty(body);
		r = request_render(body, &o->request, &o->trim, m, n);
		if (r != 0 && r != -EMSGSIZE)
			return r;
		if (r == 0 && body->n <= fits)
			return 0;
		/* down to three quarters, so that it is not needed at every question */
		if (!trim_more(&o->trim, m, n, body->n - fits / 4 * 3))
			return r;
	}
}

/* --- asking ---------------------------------------------------------------------------
 */

static uint32_t chance(void)
{
	uint32_t n = 0;

	if (getrandom(&n, sizeof n, GRND_NONBLOCK) != sizeof n)
		n = (uint32_t)ns_of(ts_in(CLOCK_MONOTONIC, 0));
	return n;
}

static void describe(const struct fault *f, char *out, size_t size)
{
	const char *text = *f->text ? f->text : "no reason given";

	if (f->kind == FAULT_REFUSED && f->status)
		snprintf(out, size, "the server answered %d: %s", f->status, text);
	else if (f->kind == FAULT_CONNECT)
		snprintf(out, size, "cannot reach the server: %s", text);
	else if (f->kind == FAULT_TLS)
		snprintf(out, size, "the server cannot be trusted: %s", text);
	else
		snprintf(out, size, "%s", text);
}

static int wait_a_while(struct openai *o, const struct fault *f, unsigned int attempt)
{
	int64_t ms = retry_wait_ms(attempt, f, chance());
	int64_t now = ns_of(ts_in(CLOCK_MONOTONIC, 0));
	char why[sizeof f->text + 64], line[sizeof why + 64];
	int r;

	describe(f, why, sizeof why);
	snprintf(line, sizeof line, "%s; asking again in %.1f s", why, ms / 1000.0);
	tell(o, line);
	r = watch_wait(&o->head.watch, -1, now + ms * 1000000);
	return r == -EAGAIN ? 0 : r;
}

static void note_usage(struct openai *o, const struct answer *a, size_t bytes)
{
	double ratio;

	if (!a->tokens_in)
		return;
	ratio = (double)bytes / (double)a->tokens_in;
	o->bytes_per_token = ratio < 1 ? 1 : ratio > 8 ? 8 : ratio;
}

/** What was tried for one question. */
struct tries {
	unsigned int again, smaller;
};

/* After a fault: 0: ask once more; else the end. */
static int recover(struct openai *o, const struct fault *f, struct tries *t,
	const struct provider_message *m, size_t n, size_t bytes)
{
	const char *told;
	char line[128];

	if (adapt_too_long(f) && t->smaller++ < MAX_SMALLER &&
		trim_more(&o->trim, m, n, bytes / 4)) {
		tell(o, "the conversation is too long for the model; leaving out the "
			"oldest observations");
		return 0;
	}
	if (adapt_request(&o->request, o->tools != PROVIDER_TOOLS_NATIVE, f, &told)) {
		snprintf(line, sizeof line,
			"the server does not take %s; going on without", told);
		tell(o, line);
		return 0;
	}
	if (!retry_may_help(f) || t->again >= o->retries)
		return -EIO;
	return wait_a_while(o, f, ++t->again);
}

static int ask(struct openai *o, const struct provider_message *m, size_t n)
{
	struct bytes body = {.max = MAX_REQUEST};
	struct provider_watch *w = &o->head.watch;
	struct tries t = {0};
	struct fault f;
	int r;

	for (;;) {
		r = render(o, m, n, &body);
		if (r != 0)
			break;
		r = courier_ask(&o->courier, body.p, body.n, w, &o->waiting, &f);
		if (r != -EIO)
			break;
		if (w->said)
			w->said(w->arg, NULL, 0);
		r = recover(o, &f, &t, m, n, body.n);
		if (r == -EIO)
			describe(&f, o->head.message, sizeof o->head.message);
		if (r != 0)
			break;
	}
	if (r == 0)
		note_usage(o, &o->waiting, body.n);
	bytes_free(&body);
	return r;
}

/* --- the answer, call by call ---------------------------------------------------------
 */

static int give_call(struct openai *o, struct call *c, struct provider_reply *out)
{
	out->call_id = c->id ? steal(&c->id) : mem_printf("call_%lu", ++o->ids);
	switch (c->kind) {
	case CALL_RUN: out->command = steal(&c->text); break;
	case CALL_UNREAD: out->unread = steal(&c->text); break;
	case CALL_ROLLBACK:
		out->back = true;
		out->back_to = c->step;
		break;
	case CALL_FINISH:
		out->done = true;
		if (*c->text) {
			free(out->text);
			out->text = steal(&c->text);
		}
		break;
	}
	return out->call_id ? 0 : -ENOMEM;
}

static int give(struct openai *o, struct provider_reply *out)
{
	struct answer *a = &o->waiting;
	bool first = o->at == 0;

	if (first) {
		out->text = steal(&a->text);
		out->tokens_in = a->tokens_in;
		out->tokens_out = a->tokens_out;
		out->cut = a->cut;
	}
	return o->at < a->calls.n ? give_call(o, &a->calls.c[o->at++], out) : 0;
}

/* A server that does not count tokens costs what its bytes would. */
static void estimate(struct openai *o, const struct provider_message *m, size_t n,
	struct provider_reply *out)
{
	size_t in = 0;

	if (out->tokens_in || out->tokens_out)
		return;
	for (size_t i = 0; i < n; i++)
		in += (m[i].text ? strlen(m[i].text) : 0) +
		      (m[i].command ? strlen(m[i].command) : 0);
	out->tokens_in = (uint64_t)((double)in / o->bytes_per_token) + 1;
	out->tokens_out = ((out->text ? strlen(out->text) : 0) +
				  (out->command ? strlen(out->command) : 0)) /
				  3 +
			  1;
}

static int openai_next(struct provider *p, const struct provider_message *m, size_t n,
	struct provider_reply *out)
{
	struct openai *o = (struct openai *)p;
	/* what came of the last call, if it worked out */
	bool good = n && m[n - 1].role == PROVIDER_TOOL && !m[n - 1].failed;
	int r;

	if (good && o->at && o->at < o->waiting.calls.n)
		return give(o, out);
	answer_free(&o->waiting);
	o->at = 0;
	o->trim.last_bytes = 0;
	p->message[0] = 0;
	if (o->note)
		tell(o, steal(&o->note));
	r = ask(o, m, n);
	if (r == 0)
		r = give(o, out);
	if (r == 0)
		estimate(o, m, n, out);
	return r;
}

static void openai_close(struct provider *p)
{
	struct openai *o = (struct openai *)p;

	courier_close(&o->courier);
	answer_free(&o->waiting);
	place_free(&o->place);
	if (o->key)
		explicit_bzero(o->key, strlen(o->key));
	free(o->key);
	free(o->model);
	free(o->ca_file);
	free(o);
}

static const struct provider_ops openai_ops = {openai_next, openai_close};

/* --- opening --------------------------------------------------------------------------
 */

static int read_key(
	struct openai *o, const struct provider_server *s, char *message, size_t size)
{
	const char *name = s->key_env ? s->key_env : "OPENAI_API_KEY";

	if (s->key_file)
		return key_from_file(s->key_file, &o->key, message, size);
	if (key_from_env(name, &o->key, message, size) != 0)
		return -EINVAL;
	if (s->key_env && !o->key) {
		snprintf(message, size, "the variable '%s' is not set", name);
		return -EINVAL;
	}
	return 0;
}

static int read_ca(
	struct openai *o, const struct provider_server *s, char *message, size_t size)
{
	int r;

	if (!s->ca_file)
		return 0;
	o->ca_file = realpath(s->ca_file, NULL);
	r = o->ca_file && access(o->ca_file, R_OK) == 0 ? 0 : -errno;
	if (r != 0)
		snprintf(message, size, "cannot read '%s': %s", s->ca_file, strerror(-r));
	return r;
}

/* A key that nobody meant for this server is not sent in the clear. */
static void guard_key(struct openai *o, const struct provider_server *s)
{
	if (!o->key || !o->place.bare)
		return;
	if (s->key_env || s->key_file) {
		o->note = "the key goes to the server unencrypted";
		return;
	}
	explicit_bzero(o->key, strlen(o->key));
	free(steal(&o->key));
	o->note = "OPENAI_API_KEY is not sent to a server without TLS; to send it, say "
		  "--key-env";
}

static void set_up(struct openai *o, const struct provider_server *s)
{
	o->head.ops = &openai_ops;
	o->head.name = o->model;
	o->tools = s->tools;
	o->retries = s->retries;
	o->context = s->context;
	o->bytes_per_token = 3;
	o->request = (struct request){.model = o->model,
		.tools_in_text = s->tools == PROVIDER_TOOLS_TEXT,
		.no_rollback = s->no_rollback,
		.stream = !s->no_stream,
		.usage = true,
		.max_reply = s->max_reply,
		.has_temperature = s->has_temperature,
		.temperature = s->temperature};
	o->courier.to = (struct http_to){.url = o->place.url,
		.unix_path = o->place.unix_path,
		.key = o->key,
		.ca_file = o->ca_file,
		.connect_ms = s->connect_ms ? s->connect_ms : PROVIDER_CONNECT_MS,
		.idle_ms = s->idle_ms ? s->idle_ms : PROVIDER_IDLE_MS,
		.total_ms = s->total_ms ? s->total_ms : PROVIDER_TOTAL_MS};
}

int provider_open_server(struct provider **out, const struct provider_server *s,
	char *message, size_t size)
{
	struct openai *o = mem_zalloc(sizeof *o);
	int r = o ? 0 : -ENOMEM;

	*out = NULL;
	snprintf(message, size, "out of memory");
	if (r == 0)
		r = read_key(o, s, message, size);
	if (r == 0)
		r = place_read(&o->place, s->url, message, size);
	if (r == 0)
		r = read_ca(o, s, message, size);
	if (r == 0) {
		o->model = mem_strdup(s->model);
		r = o->model ? 0 : -ENOMEM;
	}
	if (r == 0)
		guard_key(o, s);
	if (r != 0) {
		if (o)
			openai_close(&o->head);
		return r;
	}
	set_up(o, s);
	*out = &o->head;
	return 0;
}
