/*
 * answer.c: the body of a response, a stream or one object, until it is an answer or a
 * fault. An answer that broke off is one only if it said itself that it had ended.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/answer.h"
#include "common/mem.h"

#define MAX_BODY (16u << 20)
#define MAX_JSON (4u << 20)
#define SHOWN 200 /* of a body that is no answer */

void answer_free(struct answer *a)
{
	free(a->text);
	calls_free(&a->calls);
	memset(a, 0, sizeof *a);
}

int answer_make(const struct draft *d, struct answer *a)
{
	struct bytes text = {.max = d->content.max};
	struct calls in_text = {0};
	int r = draft_calls(d, &a->calls);

	if (r == 0 && d->content.n)
		r = words_read(d->content.p, d->content.n, &text, &in_text);
	/* a server may send a call twice: as text, and taken out of it */
	if (a->calls.n == 0) {
		calls_free(&a->calls);
		a->calls = in_text;
		memset(&in_text, 0, sizeof in_text);
	}
	calls_free(&in_text);
	if (r == 0 && text.n)
		a->text = bytes_steal(&text);
	bytes_free(&text);
	a->cut = d->cut;
	a->tokens_in = d->tokens_in;
	a->tokens_out = d->tokens_out;
	if (r != 0)
		answer_free(a);
	return r;
}

static int on_event(void *arg, const char *data, size_t n)
{
	struct reader *r = arg;
	size_t had = r->draft.content.n;
	int e;

	while (n && isspace((unsigned char)data[n - 1]))
		n--;
	if (r->done || n == 0)
		return 0;
	if (n == 6 && memcmp(data, "[DONE]", 6) == 0) {
		r->done = true;
		return 0;
	}
	e = draft_take(&r->draft, data, n);
	if (e == -EBADMSG) { /* a lost piece could change what a command means */
		r->garbage = r->garbage || !r->draft.ended;
		return 0;
	}
	if (e == 0 && r->say && r->draft.content.n > had)
		words_live(&r->live, r->draft.content.p + had, r->draft.content.n - had,
			r->say, r->arg);
	return e;
}

void reader_init(struct reader *r)
{
	memset(r, 0, sizeof *r);
	r->body.max = MAX_JSON;
	sse_init(&r->sse, on_event, r);
	draft_init(&r->draft);
}

void reader_free(struct reader *r)
{
	bytes_free(&r->body);
	sse_free(&r->sse);
	draft_free(&r->draft);
}

static bool is_event_stream(const char *p, size_t n)
{
	static const char *const fields[] = {"data:", "event:", "id:", "retry:", ":"};

	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		size_t len = strlen(fields[i]);

		if (n >= len && memcmp(p, fields[i], len) == 0)
			return true;
	}
	return false;
}

/* The first bytes tell; they may come one by one. */
static void decide(struct reader *r)
{
	const char *p = r->body.p;
	size_t n = r->body.n;

	if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
		p += 3;
		n -= 3;
	}
	while (n && isspace((unsigned char)*p)) {
		p++;
		n--;
	}
	if (is_event_stream(p, n))
		r->form = READER_EVENTS;
	else if (n && (*p == '{' || *p == '['))
		r->form = READER_JSON;
	else if (n >= 8)
		r->form = READER_OTHER;
}

int reader_feed(struct reader *r, const char *p, size_t n)
{
	if (r->error)
		return r->error;
	r->bytes += n;
	if (r->bytes > MAX_BODY)
		return r->error = -EMSGSIZE;
	if (r->form == READER_EVENTS)
		return r->error = sse_feed(&r->sse, p, n);
	r->error = bytes_add(&r->body, p, n);
	if (r->error || r->form != READER_UNKNOWN)
		return r->error;
	decide(r);
	if (r->form == READER_EVENTS) {
		r->error = sse_feed(&r->sse, r->body.p, r->body.n);
		bytes_empty(&r->body);
	}
	return r->error;
}

static int bad(struct fault *f, enum fault_kind kind, int status, const char *text)
{
	fault_set(f, kind, "%s", text);
	f->status = status;
	return -EIO;
}

/* An error status: what the server says, or the beginning of its page. */
static int refused(struct reader *r, int status, struct fault *f)
{
	char shown[SHOWN + 1] = "";
	size_t n = r->body.n < SHOWN ? r->body.n : SHOWN;

	if (r->draft.fault.kind != FAULT_NONE && *r->draft.fault.text)
		return bad(f, FAULT_REFUSED, status, r->draft.fault.text);
	if (n)
		memcpy(shown, r->body.p, n);
	return bad(f, FAULT_REFUSED, status, shown);
}

static int read_json(struct reader *r)
{
	const char *p = r->body.p;
	size_t n = r->body.n;

	if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
		p += 3;
		n -= 3;
	}
	return n ? draft_take(&r->draft, p, n) : -EBADMSG;
}

static int judge(struct reader *r, bool whole, int status, int e, struct fault *f)
{
	const struct draft *d = &r->draft;

	if (status >= 300)
		return refused(r, status, f);
	if (d->fault.kind != FAULT_NONE)
		return bad(f, FAULT_REFUSED, d->fault.status, d->fault.text);
	if (e == -EMSGSIZE)
		return bad(f, FAULT_TOO_BIG, status, "the answer is larger than we take");
	if (e == -ENOMEM)
		return bad(f, FAULT_LOCAL, status, "out of memory");
	if (r->form == READER_JSON && e != 0)
		return bad(f, FAULT_BROKEN, status, "the answer is no whole JSON");
	if (r->form == READER_UNKNOWN && (!whole || !r->bytes))
		return bad(f, FAULT_BROKEN, status, "the answer broke off");
	if (r->form != READER_EVENTS && e != 0)
		return bad(f, FAULT_NOT_CHAT, status,
			"the body is neither JSON nor a stream of events");
	if (r->form == READER_EVENTS && !whole && !r->done && !d->ended)
		return bad(f, FAULT_BROKEN, status, "the stream broke off");
	if (r->garbage)
		return bad(f, FAULT_BROKEN, status, "an event of the stream is no JSON");
	if (!d->chat)
		return bad(f, FAULT_NOT_CHAT, status,
			"there is no answer of a chat in the body");
	return 0;
}

int reader_end(
	struct reader *r, bool whole, int status, struct answer *a, struct fault *f)
{
	int e = r->error;

	if (e == 0)
		e = r->form == READER_EVENTS ? sse_end(&r->sse) : read_json(r);
	e = judge(r, whole, status, e, f);
	if (e == 0 && answer_make(&r->draft, a) != 0)
		e = bad(f, FAULT_LOCAL, 0, "out of memory");
	return e;
}
