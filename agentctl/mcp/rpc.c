/*
 * rpc.c: lines become messages, messages become lines.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agentctl/mcp/rpc.h"
#include "common/cleanup.h"
#include "common/mem.h"

#define JSON_DEPTH 64
#define FIRST_BYTES 65536

static int send_object(struct rpc *r, json_object *o)
{
	const char *text = json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	auto_free char *line = mem_printf("%s\n", text);
	size_t n = line ? strlen(line) : 0;
	int e = line ? 0 : -ENOMEM;

	for (size_t at = 0; e == 0 && at < n;) {
		ssize_t done = write(r->out, line + at, n - at);

		if (done >= 0)
			at += (size_t)done;
		else if (errno != EINTR)
			e = -errno;
	}
	if (e != 0)
		r->ended = true;
	json_object_put(o);
	return e;
}

static json_object *head(json_object *id)
{
	json_object *o = json_object_new_object();

	json_object_object_add(o, "jsonrpc", json_object_new_string("2.0"));
	json_object_object_add(o, "id", json_object_get(id));
	return o;
}

int rpc_result(struct rpc *r, json_object *id, json_object *result)
{
	json_object *o = head(id);

	json_object_object_add(o, "result", result);
	return send_object(r, o);
}

int rpc_error(struct rpc *r, json_object *id, int code, const char *text)
{
	json_object *o = head(id), *e = json_object_new_object();

	json_object_object_add(e, "code", json_object_new_int(code));
	json_object_object_add(e, "message", json_object_new_string(text));
	json_object_object_add(o, "error", e);
	return send_object(r, o);
}

/* --- reading --------------------------------------------------------------------------
 */

static bool is_message(json_object *o)
{
	json_object *v, *m;

	return json_object_is_type(o, json_type_object) &&
	       json_object_object_get_ex(o, "jsonrpc", &v) &&
	       strcmp(json_object_get_string(v), "2.0") == 0 &&
	       (!json_object_object_get_ex(o, "method", &m) ||
		       json_object_is_type(m, json_type_string));
}

static void take_message(struct rpc *r, json_object *o)
{
	json_object *id = NULL;

	if (!is_message(o)) {
		rpc_error(r, NULL, RPC_INVALID, "not a JSON-RPC 2.0 message");
	} else if (r->waiting == RPC_QUEUE) {
		json_object_object_get_ex(o, "id", &id);
		if (id)
			rpc_error(r, id, RPC_INTERNAL, "too many requests are waiting");
	} else {
		r->queue[r->waiting++] = json_object_get(o);
	}
}

static void take_line(struct rpc *r, const char *line, size_t n)
{
	json_tokener *tok = json_tokener_new_ex(JSON_DEPTH);
	json_object *o = NULL;
	bool whole;

	while (n > 0 && (line[n - 1] == '\r' || line[n - 1] == ' '))
		n--;
	if (n > 0 && tok) {
		json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
		o = json_tokener_parse_ex(tok, line, (int)n);
		whole = json_tokener_get_error(tok) == json_tokener_success &&
			json_tokener_get_parse_end(tok) == n;
		if (whole)
			take_message(r, o);
		else
			rpc_error(r, NULL, RPC_PARSE, "not one JSON object");
	}
	json_object_put(o);
	if (tok)
		json_tokener_free(tok);
}

static void take_lines(struct rpc *r)
{
	char *eol;

	while ((eol = memchr(r->buf, '\n', r->n))) {
		size_t n = (size_t)(eol - r->buf);

		if (!r->skipping)
			take_line(r, r->buf, n);
		r->skipping = false;
		r->n -= n + 1;
		memmove(r->buf, eol + 1, r->n);
	}
	if (r->n < RPC_LINE_BYTES)
		return;
	if (!r->skipping)
		rpc_error(r, NULL, RPC_INVALID, "a message of more than 4 MiB");
	r->skipping = true;
	r->n = 0;
}

static int make_room(struct rpc *r)
{
	size_t cap = r->cap ? 2 * r->cap : FIRST_BYTES;
	char *more;

	if (r->n < r->cap)
		return 0;
	more = realloc(r->buf, cap);
	if (!more)
		return -ENOMEM;
	r->buf = more;
	r->cap = cap;
	return 0;
}

int rpc_fill(struct rpc *r)
{
	ssize_t n;

	if (make_room(r) != 0)
		return -ENOMEM;
	n = read(r->in, r->buf + r->n, r->cap - r->n);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	if (n == 0)
		r->ended = true;
	r->n += (size_t)n;
	take_lines(r);
	return 0;
}

void rpc_drop(struct rpc *r, size_t i)
{
	json_object_put(r->queue[i]);
	r->waiting--;
	memmove(&r->queue[i], &r->queue[i + 1], (r->waiting - i) * sizeof(r->queue[0]));
}

json_object *rpc_next(struct rpc *r)
{
	json_object *o = r->waiting ? json_object_get(r->queue[0]) : NULL;

	if (o)
		rpc_drop(r, 0);
	return o;
}

void rpc_close(struct rpc *r)
{
	while (r->waiting)
		rpc_drop(r, 0);
	free(r->buf);
}
