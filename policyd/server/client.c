/*
 * client.c: the buffers of one connection, and what moves them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "policyd/audit/audit.h"
#include "policyd/server/client.h"

enum { FIRST_IN = 4096, KEEP_IN = 64 * 1024 };

struct client *client_new(
	int fd, const struct peer *peer, struct peer_use *use, long now_ms)
{
	struct client *c = calloc(1, sizeof(*c));

	if (c)
		*c = (struct client){
			.fd = fd, .peer = *peer, .use = use, .seen_ms = now_ms};
	return c;
}

void client_free(struct client *c, struct peers *peers)
{
	peers_release(peers, c->use, c->cap_in);
	peers_leave(peers, c->use);
	close(c->fd);
	free(c->in);
	free(c->out);
	free(c->id);
	free(c);
}

/* Queue @text (malloc'ed, consumed). False: the client has to go. */
static bool queue(struct client *c, char *text)
{
	size_t n = text ? strlen(text) : 0;

	if (!text || c->n_out + n > SEND_MAX) {
		free(text);
		return false;
	}
	if (c->n_out + n > c->cap_out) {
		size_t cap = (c->n_out + n) * 2;
		char *more = realloc(c->out, cap);

		if (!more) {
			free(text);
			return false;
		}
		c->out = more;
		c->cap_out = cap;
	}
	memcpy(c->out + c->n_out, text, n);
	c->n_out += n;
	free(text);
	return true;
}

static bool refuse(struct client *c, const char *why)
{
	c->state = CLOSING;
	return queue(c, answer_refuse(why));
}

bool client_flush(struct client *c)
{
	size_t done = 0;
	bool alive = true;

	while (done < c->n_out) {
		ssize_t n = send(c->fd, c->out + done, c->n_out - done,
			MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0) {
			alive = errno == EAGAIN || errno == EINTR;
			break;
		}
		done += (size_t)n;
	}
	c->n_out -= done;
	if (done && c->n_out)
		memmove(c->out, c->out + done, c->n_out);
	return alive;
}

static bool resize(struct client *c, struct peers *peers, size_t cap)
{
	char *more;

	if (cap > c->cap_in && !peers_hold(peers, c->use, cap - c->cap_in))
		return false;
	more = realloc(c->in, cap);
	if (!more) {
		if (cap > c->cap_in)
			peers_release(peers, c->use, cap - c->cap_in);
		return false;
	}
	if (cap < c->cap_in)
		peers_release(peers, c->use, c->cap_in - cap);
	c->in = more;
	c->cap_in = cap;
	return true;
}

bool client_read(struct client *c, struct peers *peers, long now_ms)
{
	ssize_t n;

	if (c->n_in == c->cap_in) {
		size_t cap = c->cap_in ? c->cap_in * 2 : FIRST_IN;

		if (c->cap_in >= POLICY_MAX_LINE)
			return refuse(c, "the request is longer than 1 MiB");
		if (!resize(c, peers, cap > POLICY_MAX_LINE ? POLICY_MAX_LINE : cap))
			return refuse(c, "too much input is waiting here already");
	}
	n = recv(c->fd, c->in + c->n_in, c->cap_in - c->n_in, MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0) {
		c->state = CLOSING;
		return true;
	}
	if (!c->n_in)
		c->begun_ms = now_ms;
	c->seen_ms = now_ms;
	c->n_in += (size_t)n;
	c->more = true;
	return true;
}

/* The line is done: what follows it moves up, a big buffer shrinks. */
static void consume(struct client *c, struct peers *peers, size_t len, long now_ms)
{
	c->n_in -= len;
	memmove(c->in, c->in + len, c->n_in);
	c->scanned = 0;
	c->begun_ms = c->n_in ? now_ms : 0;
	if (c->cap_in > KEEP_IN && c->n_in <= FIRST_IN)
		resize(c, peers, FIRST_IN);
	c->more = c->n_in && memchr(c->in, '\n', c->n_in);
}

static void await(struct client *c, const struct exchange *x)
{
	struct json_object *id = NULL;

	c->state = AWAITING;
	c->ticket = x->ticket;
	free(c->id);
	c->id = NULL;
	if (x->q.o && json_object_object_get_ex(x->q.o, "id", &id))
		c->id = strdup(json_object_to_json_string(id));
}

bool client_answer(struct client *c, struct server *s, struct peers *peers, long now_ms)
{
	char *eol = c->n_in > c->scanned
			    ? memchr(c->in + c->scanned, '\n', c->n_in - c->scanned)
			    : NULL;
	unsigned long logged = audit_bytes(s->audit);
	struct exchange x;
	char *text;
	bool alive = true;

	c->more = false;
	if (!eol) {
		c->scanned = c->n_in;
		return true;
	}
	text = exchange_begin(s, &x, c->in, (size_t)(eol - c->in), &c->peer);
	if (x.ticket)
		await(c, &x);
	else
		alive = queue(c, text) && client_flush(c);
	exchange_end(s, &x);
	peers_log(c->use, audit_bytes(s->audit) - logged);
	consume(c, peers, (size_t)(eol - c->in) + 1, now_ms);
	return alive;
}

bool client_reloaded(struct client *c, const char *error)
{
	c->state = READING;
	return queue(c, answer_reloaded(c->id, error)) && client_flush(c);
}

bool client_late(const struct client *c, long now_ms)
{
	if (c->state == AWAITING || c->paused || c->more)
		return false;
	if (c->begun_ms && c->n_in && now_ms - c->begun_ms > SLOW_MS)
		return true;
	return now_ms - c->seen_ms > IDLE_MS;
}
