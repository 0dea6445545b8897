/*
 * draft.c: pieces of an answer, put together. How pieces of a call are told apart, from
 * the surest sign to the weakest: another id; another index; another name, or a name and
 * arguments where those of the last call are whole. A piece without any of these belongs
 * to the last call.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/draft.h"

#define MAX_CONTENT (1u << 20)
#define MAX_ARGUMENTS (256u << 10)
#define MAX_NAME 128
#define MAX_ID 256

void draft_init(struct draft *d)
{
	memset(d, 0, sizeof *d);
	d->content.max = MAX_CONTENT;
	d->fault.retry_ms = -1;
}

void draft_free(struct draft *d)
{
	for (size_t i = 0; i < d->n; i++) {
		bytes_free(&d->calls[i].id);
		bytes_free(&d->calls[i].name);
		bytes_free(&d->calls[i].args);
	}
	free(d->calls);
	bytes_free(&d->content);
	d->calls = NULL;
	d->n = 0;
}

static json_object *get(json_object *o, const char *key, json_type type)
{
	json_object *v;

	return json_object_is_type(o, json_type_object) &&
			       json_object_object_get_ex(o, key, &v) &&
			       json_object_is_type(v, type)
		       ? v
		       : NULL;
}

/* Without NUL bytes: text has none. */
static int add_string(struct bytes *b, json_object *v)
{
	const char *s = json_object_get_string(v);
	size_t n = (size_t)json_object_get_string_len(v);

	while (n && b->error == 0) {
		size_t run = strnlen(s, n);

		bytes_add(b, s, run);
		run += run < n;
		s += run;
		n -= run;
	}
	return b->error;
}

static int add_parts(struct bytes *b, json_object *list)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *part = json_object_array_get_idx(list, i);
		json_object *text = get(part, "text", json_type_string);

		if (text && add_string(b, text) != 0)
			return b->error;
	}
	return b->error;
}

static int take_content(struct draft *d, json_object *message)
{
	json_object *v = get(message, "content", json_type_string);

	if (v)
		return add_string(&d->content, v);
	v = get(message, "content", json_type_array);
	if (v)
		return add_parts(&d->content, v);
	v = get(message, "refusal", json_type_string); /* what it says instead */
	return v ? add_string(&d->content, v) : 0;
}

static struct draft_call *new_call(struct draft *d)
{
	struct draft_call *more = realloc(d->calls, (d->n + 1) * sizeof *more);

	if (!more)
		return NULL;
	d->calls = more;
	memset(&more[d->n], 0, sizeof *more);
	more[d->n].id.max = MAX_ID;
	more[d->n].name.max = MAX_NAME;
	more[d->n].args.max = MAX_ARGUMENTS;
	return &more[d->n++];
}

static const char *text_of(json_object *v)
{
	return v ? json_object_get_string(v) : "";
}

static bool same_or_none(const struct bytes *b, const char *s)
{
	return b->n == 0 || *s == 0 || strcmp(b->p, s) == 0;
}

/* Names may be said with each piece; behind whole arguments one begins a call. */
static bool begins_another(const struct draft_call *c, const char *name, json_object *f)
{
	json_object *v;
	bool whole;

	if (!*name || c->name.n == 0)
		return false;
	if (strcmp(c->name.p, name) != 0)
		return true;
	if (!json_object_object_get_ex(f, "arguments", &v) || !v)
		return false;
	if (json_object_is_type(v, json_type_string) &&
		json_object_get_string_len(v) == 0)
		return false;
	v = c->args.n ? call_parse(c->args.p, c->args.n, NULL) : NULL;
	whole = json_object_is_type(v, json_type_object);
	json_object_put(v);
	return whole;
}

/* The call that a piece belongs to, or NULL: a new one. */
static struct draft_call *owner(struct draft *d, json_object *index, const char *id,
	const char *name, json_object *f)
{
	struct draft_call *c = d->n ? &d->calls[d->n - 1] : NULL;

	if (index) {
		int64_t at = json_object_get_int64(index);
		size_t i = d->n;

		while (i > 0 &&
			!(d->calls[i - 1].has_index && d->calls[i - 1].index == at))
			i--;
		c = i ? &d->calls[i - 1] : NULL;
		if (c && !same_or_none(&c->id, id))
			return NULL;
	} else if (c && *id) {
		return c->id.n && strcmp(c->id.p, id) == 0 ? c : NULL;
	}
	return c && !begins_another(c, name, f) ? c : NULL;
}

static int take_arguments(struct draft_call *c, json_object *f)
{
	json_object *v = get(f, "arguments", json_type_string);
	const char *text;
	size_t n;

	if (v)
		return bytes_add(&c->args, json_object_get_string(v),
			(size_t)json_object_get_string_len(v));
	v = get(f, "arguments", json_type_object);
	if (!v)
		return 0;
	text = json_object_to_json_string_length(v, JSON_C_TO_STRING_PLAIN, &n);
	bytes_empty(&c->args);
	return bytes_add(&c->args, text, n);
}

static int take_call(struct draft *d, json_object *piece)
{
	json_object *f = get(piece, "function", json_type_object);
	json_object *index = get(piece, "index", json_type_int);
	const char *id = text_of(get(piece, "id", json_type_string));
	const char *name = text_of(get(f, "name", json_type_string));
	struct draft_call *c = owner(d, index, id, name, f);

	if (!c) {
		if (d->n == CALLS_MAX)
			return -EMSGSIZE;
		c = new_call(d);
		if (!c)
			return -ENOMEM;
	}
	if (index) {
		c->has_index = true;
		c->index = json_object_get_int64(index);
	}
	if (c->id.n == 0)
		bytes_text(&c->id, id);
	if (c->name.n == 0)
		bytes_text(&c->name, name);
	take_arguments(c, f);
	return c->id.error ? c->id.error : c->name.error ? c->name.error : c->args.error;
}

static int take_calls(struct draft *d, json_object *message)
{
	json_object *list = get(message, "tool_calls", json_type_array);
	json_object *old = get(message, "function_call", json_type_object), *piece;
	int r = 0;

	for (size_t i = 0; list && r == 0 && i < json_object_array_length(list); i++)
		r = take_call(d, json_object_array_get_idx(list, i));
	if (old && !list && r == 0) { /* the form of 2023 */
		piece = json_object_new_object();
		json_object_object_add(piece, "function", json_object_get(old));
		r = take_call(d, piece);
		json_object_put(piece);
	}
	return r;
}

/* A whole message behind its own pieces says nothing new. */
static int take_choice(struct draft *d, json_object *choice)
{
	json_object *m = get(choice, "delta", json_type_object);
	json_object *reason = get(choice, "finish_reason", json_type_string);
	int r = 0;

	if (!m && d->content.n == 0 && d->n == 0)
		m = get(choice, "message", json_type_object);
	d->chat = true;
	if (m) {
		r = take_content(d, m);
		if (r == 0)
			r = take_calls(d, m);
	}
	if (reason && *json_object_get_string(reason)) {
		d->ended = true;
		d->cut = strcmp(json_object_get_string(reason), "length") == 0;
	}
	return r;
}

static void take_usage(struct draft *d, json_object *o)
{
	json_object *usage = get(o, "usage", json_type_object);
	json_object *in = get(usage, "prompt_tokens", json_type_int);
	json_object *out = get(usage, "completion_tokens", json_type_int);

	if (in && json_object_get_int64(in) > 0)
		d->tokens_in = (uint64_t)json_object_get_int64(in);
	if (out && json_object_get_int64(out) > 0)
		d->tokens_out = (uint64_t)json_object_get_int64(out);
}

static int status_of(json_object *error)
{
	static const char *const keys[] = {"status", "code", "status_code"};

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		json_object *v = get(error, keys[i], json_type_int);
		int n = v ? json_object_get_int(v) : 0;

		if (n >= 400 && n <= 599)
			return n;
	}
	return 0;
}

/* {"error":{"message":..,"code":..}}, {"error":"..."}, {"detail":"..."}. */
static bool take_error(struct draft *d, json_object *o)
{
	json_object *e, *text = NULL;
	const char *code;

	if (json_object_object_get_ex(o, "error", &e) && e) {
		text = get(e, "message", json_type_string);
		code = text_of(get(e, "code", json_type_string));
		if (!*code)
			code = text_of(get(e, "type", json_type_string));
		d->fault.status = status_of(e);
		fault_set(&d->fault, FAULT_REFUSED, "%.400s%s%.80s",
			text_of(text ? text : e), *code ? ": " : "", code);
		return true;
	}
	text = get(o, "detail", json_type_string);
	if (!text)
		text = get(o, "message", json_type_string);
	if (!text || d->chat || get(o, "choices", json_type_array))
		return false;
	fault_set(&d->fault, FAULT_REFUSED, "%.480s", json_object_get_string(text));
	return true;
}

static int take_object(struct draft *d, json_object *o)
{
	json_object *list = get(o, "choices", json_type_array);
	int r = 0;

	if (take_error(d, o))
		return 0;
	take_usage(d, o);
	if (list)
		d->chat = true;
	for (size_t i = 0; list && r == 0 && i < json_object_array_length(list); i++) {
		json_object *choice = json_object_array_get_idx(list, i);
		json_object *index = get(choice, "index", json_type_int);

		if (index ? json_object_get_int64(index) == 0 : i == 0)
			r = take_choice(d, choice);
	}
	return r;
}

int draft_take(struct draft *d, const char *json, size_t n)
{
	json_object *o = call_parse(json, n, NULL), *first = o;
	int r = -EBADMSG;

	if (json_object_is_type(o, json_type_array) && json_object_array_length(o))
		first = json_object_array_get_idx(o, 0);
	if (json_object_is_type(first, json_type_object))
		r = take_object(d, first);
	json_object_put(o);
	return r;
}

int draft_calls(const struct draft *d, struct calls *calls)
{
	int r = 0;

	for (size_t i = 0; i < d->n && r == 0; i++) {
		const struct draft_call *c = &d->calls[i];

		r = calls_add(calls, c->name.n ? c->name.p : "", c->id.n ? c->id.p : NULL,
			c->args.n ? c->args.p : "", c->args.n);
	}
	return r;
}
