/*
 * wire.c: messages between the courier and who asked: a type and a length, both checked
 * before more is read. A question is one message; what comes back are words on their way,
 * then the parts of the answer, then its end.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "agentctl/provider/wire.h"
#include "common/cleanup.h"
#include "common/mem.h"
#include "common/time.h"

#define MAX_QUESTION (32u << 20)
#define MAX_PART (2u << 20)

enum part {
	PART_QUESTION = 1,
	PART_WORDS, /* on their way */
	PART_TEXT,
	PART_CALL_ID, /* of the call that follows */
	PART_CALL,    /* struct part_call, then its text */
	PART_END,     /* struct part_end */
	PART_FAULT,   /* struct fault */
};

struct part_head {
	uint32_t type, n;
};

struct part_call {
	uint32_t kind, step;
};

struct part_end {
	uint64_t tokens_in, tokens_out;
	uint32_t cut, zero;
};

/* --- waiting --------------------------------------------------------------------------
 */

static int64_t now_ns(void)
{
	return ns_of(ts_in(CLOCK_MONOTONIC, 0));
}

int watch_wait(const struct provider_watch *w, int fd, int64_t until_ns)
{
	struct pollfd p[2] = {{.fd = fd, .events = POLLIN},
		{.fd = w->stop ? w->fd : -1, .events = POLLIN}};

	for (;;) {
		int64_t now = now_ns(), end = until_ns;
		int ms = -1;

		if (w->until_ns && now >= w->until_ns)
			return -ETIME;
		if (end && now >= end)
			return -EAGAIN;
		if (w->until_ns && (!end || w->until_ns < end))
			end = w->until_ns;
		if (end)
			ms = end - now > INT32_MAX * 1000000ll
				     ? INT32_MAX
				     : (int)((end - now) / 1000000 + 1);
		if (poll(p, 2, ms) < 0 && errno != EINTR)
			return -errno;
		if (p[1].revents && w->stop(w->arg))
			return -EINTR;
		if (p[0].revents)
			return 0;
	}
}

/* --- the wire -------------------------------------------------------------------------
 */

static int send_all(int fd, const void *data, size_t n)
{
	const char *p = data;

	while (n > 0) {
		ssize_t done = send(fd, p, n, MSG_NOSIGNAL);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

static int send_part(
	int fd, enum part type, const void *a, size_t na, const void *b, size_t nb)
{
	struct part_head h = {type, (uint32_t)(na + nb)};
	int r = send_all(fd, &h, sizeof h);

	if (r == 0)
		r = send_all(fd, a, na);
	return r ? r : send_all(fd, b, nb);
}

static int send_text(int fd, enum part type, const char *text)
{
	return text ? send_part(fd, type, text, strlen(text), NULL, 0) : 0;
}

int wire_put(int fd, const struct answer *a, const struct fault *f, int e)
{
	struct part_end end = {a->tokens_in, a->tokens_out, a->cut, 0};
	int r;

	if (e != 0)
		return send_part(fd, PART_FAULT, f, sizeof *f, NULL, 0);
	r = send_text(fd, PART_TEXT, a->text);
	for (size_t i = 0; i < a->calls.n && r == 0; i++) {
		const struct call *c = &a->calls.c[i];
		struct part_call head = {c->kind, c->step};

		r = send_text(fd, PART_CALL_ID, c->id);
		if (r == 0)
			r = send_part(fd, PART_CALL, &head, sizeof head, c->text,
				strlen(c->text));
	}
	return r ? r : send_part(fd, PART_END, &end, sizeof end, NULL, 0);
}

/** What is being received. */
struct inbox {
	int fd;
	const struct provider_watch *w;
	int64_t until_ns;
	char *id; /* of the next call */
	size_t bytes;
};

static int receive(struct inbox *in, void *data, size_t n)
{
	char *p = data;

	while (n > 0) {
		int r = watch_wait(in->w, in->fd, in->until_ns);
		ssize_t got;

		if (r != 0)
			return r;
		got = recv(in->fd, p, n, MSG_DONTWAIT);
		if (got == 0 || (got < 0 && errno == ECONNRESET))
			return -EPIPE;
		if (got < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (got > 0) {
			p += got;
			n -= (size_t)got;
		}
	}
	return 0;
}

static int take_call(struct inbox *in, struct answer *a, const char *data, size_t n)
{
	struct calls *l = &a->calls;
	struct part_call head;
	struct call c, *more;

	if (n < sizeof head || l->n == CALLS_MAX)
		return -EPROTO;
	memcpy(&head, data, sizeof head);
	if (head.kind > CALL_UNREAD)
		return -EPROTO;
	more = realloc(l->c, (l->n + 1) * sizeof *more);
	if (!more)
		return -ENOMEM;
	l->c = more;
	c = (struct call){.kind = head.kind, .step = head.step};
	c.text = mem_strdup(data + sizeof head);
	if (!c.text)
		return -ENOMEM;
	c.id = steal(&in->id);
	l->c[l->n++] = c;
	return 0;
}

static int take_end(struct answer *a, const char *data, size_t n)
{
	struct part_end end;

	if (n != sizeof end)
		return -EPROTO;
	memcpy(&end, data, sizeof end);
	a->tokens_in = end.tokens_in;
	a->tokens_out = end.tokens_out;
	a->cut = end.cut != 0;
	return 1;
}

static int take_fault(struct fault *f, const char *data, size_t n)
{
	if (n != sizeof *f)
		return -EPROTO;
	memcpy(f, data, sizeof *f);
	f->text[sizeof f->text - 1] = 0;
	return -EIO;
}

/* 1: the answer is whole. @data ends with a NUL behind its @n bytes. */
static int take_part(struct inbox *in, enum part type, char **data, size_t n,
	struct answer *a, struct fault *f)
{
	switch (type) {
	case PART_WORDS:
		if (in->w->said)
			in->w->said(in->w->arg, *data, n);
		return 0;
	case PART_TEXT:
		free(a->text);
		a->text = steal(data);
		return 0;
	case PART_CALL_ID:
		free(in->id);
		in->id = steal(data);
		return 0;
	case PART_CALL: return take_call(in, a, *data, n);
	case PART_END: return take_end(a, *data, n);
	case PART_FAULT: return take_fault(f, *data, n);
	default: return -EPROTO;
	}
}

int wire_get(int fd, const struct provider_watch *w, int64_t until_ns, struct answer *a,
	struct fault *f)
{
	struct inbox in = {.fd = fd, .w = w, .until_ns = until_ns};
	struct part_head h;
	int r = 0;

	while (r == 0) {
		auto_free char *data = NULL;

		r = receive(&in, &h, sizeof h);
		if (r != 0)
			break;
		in.bytes += h.n;
		if (h.n > MAX_PART || in.bytes > MAX_QUESTION) {
			r = -EPROTO;
			break;
		}
		data = mem_alloc(h.n + 1);
		r = data ? receive(&in, data, h.n) : -ENOMEM;
		if (r != 0)
			break;
		data[h.n] = 0;
		r = take_part(&in, h.type, &data, h.n, a, f);
	}
	free(in.id);
	if (r == 1)
		return 0;
	answer_free(a);
	return r;
}

int wire_get_question(int fd, char **body, size_t *n)
{
	const struct provider_watch nobody = {0};
	struct inbox in = {.fd = fd, .w = &nobody};
	struct part_head h;
	int r = receive(&in, &h, sizeof h);

	if (r == 0 && (h.type != PART_QUESTION || h.n > MAX_QUESTION))
		r = -EPROTO;
	*body = r == 0 ? mem_alloc(h.n + 1) : NULL;
	if (!*body)
		return r ? r : -ENOMEM;
	*n = h.n;
	return receive(&in, *body, h.n);
}

int wire_put_question(int fd, const char *body, size_t n)
{
	return n > MAX_QUESTION ? -EMSGSIZE
				: send_part(fd, PART_QUESTION, body, n, NULL, 0);
}

int wire_put_words(int fd, const char *s, size_t n)
{
	return send_part(fd, PART_WORDS, s, n, NULL, 0);
}
