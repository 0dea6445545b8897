/*
 * wire.c: JSON that goes out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/serve/wire.h"
#include "common/cleanup.h"
#include "common/mem.h"

static void text(json_object *o, const char *key, const char *s)
{
	json_object_object_add(o, key, s ? json_object_new_string(s) : NULL);
}

/* Takes @o. */
static char *render(json_object *o, const char *before, const char *after)
{
	char *out = mem_printf("%s%s%s", before,
		json_object_to_json_string_ext(
			o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE),
		after);

	json_object_put(o);
	return out;
}

static json_object *head(const struct wire *w, const char *object)
{
	json_object *o = json_object_new_object();
	char id[40];

	snprintf(id, sizeof id, "chatcmpl-%016llx", (unsigned long long)w->id);
	text(o, "id", id);
	text(o, "object", object);
	json_object_object_add(o, "created", json_object_new_int64(w->created));
	text(o, "model", w->model);
	return o;
}

static const char *reason(const struct reply *r)
{
	return r->tool_calls ? "tool_calls" : r->cut ? "length" : "stop";
}

static json_object *usage(const struct reply *r)
{
	json_object *o = json_object_new_object(), *d = json_object_new_object();

	json_object_object_add(
		o, "prompt_tokens", json_object_new_int64((int64_t)r->tokens_in));
	json_object_object_add(
		o, "completion_tokens", json_object_new_int64((int64_t)r->tokens_out));
	json_object_object_add(o, "total_tokens",
		json_object_new_int64((int64_t)(r->tokens_in + r->tokens_out)));
	json_object_object_add(
		d, "cached_tokens", json_object_new_int64((int64_t)r->reused));
	json_object_object_add(o, "prompt_tokens_details", d);
	return o;
}

/* One choice, with @part under @key. */
static void add_choice(
	json_object *o, const char *key, json_object *part, const char *finish)
{
	json_object *list = json_object_new_array(), *c = json_object_new_object();

	json_object_object_add(c, "index", json_object_new_int(0));
	json_object_object_add(c, key, part);
	text(c, "finish_reason", finish);
	json_object_array_add(list, c);
	json_object_object_add(o, "choices", list);
}

char *wire_whole(const struct wire *w, const struct reply *r)
{
	json_object *o = head(w, "chat.completion"), *m = json_object_new_object();
	bool words = r->text && (*r->text || !r->tool_calls);

	text(m, "role", "assistant");
	text(m, "content", words ? r->text : NULL);
	if (r->tool_calls)
		json_object_object_add(m, "tool_calls", json_object_get(r->tool_calls));
	add_choice(o, "message", m, reason(r));
	json_object_object_add(o, "usage", usage(r));
	return render(o, "", "");
}

static char *event(const struct wire *w, json_object *delta, const char *finish)
{
	json_object *o = head(w, "chat.completion.chunk");

	add_choice(o, "delta", delta, finish);
	return render(o, "data: ", "\n\n");
}

char *wire_first(const struct wire *w)
{
	json_object *d = json_object_new_object();

	text(d, "role", "assistant");
	text(d, "content", "");
	return event(w, d, NULL);
}

char *wire_words(const struct wire *w, const char *s, size_t n)
{
	json_object *d = json_object_new_object();

	json_object_object_add(d, "content", json_object_new_string_len(s, (int)n));
	return event(w, d, NULL);
}

/* In a stream each call says which of them it is. */
static char *calls_event(const struct wire *w, json_object *calls)
{
	json_object *d = json_object_new_object(), *list = json_object_new_array();

	for (size_t i = 0; i < json_object_array_length(calls); i++) {
		json_object *copy = NULL;

		json_object_deep_copy(json_object_array_get_idx(calls, i), &copy, NULL);
		json_object_object_add(copy, "index", json_object_new_int((int)i));
		json_object_array_add(list, copy);
	}
	json_object_object_add(d, "tool_calls", list);
	return event(w, d, NULL);
}

char *wire_last(const struct wire *w, const struct reply *r, bool with_usage)
{
	auto_free char *calls =
		r->tool_calls ? calls_event(w, r->tool_calls) : mem_strdup("");
	auto_free char *end = event(w, json_object_new_object(), reason(r));
	auto_free char *cost = NULL;
	json_object *o;

	if (with_usage) {
		o = head(w, "chat.completion.chunk");
		json_object_object_add(o, "choices", json_object_new_array());
		json_object_object_add(o, "usage", usage(r));
		cost = render(o, "data: ", "\n\n");
	} else {
		cost = mem_strdup("");
	}
	if (!calls || !end || !cost)
		return NULL;
	return mem_printf("%s%s%sdata: [DONE]\n\n", calls, end, cost);
}

static json_object *error(const char *message, const char *type)
{
	json_object *o = json_object_new_object(), *e = json_object_new_object();

	text(e, "message", message);
	text(e, "type", type);
	text(e, "param", NULL);
	text(e, "code", NULL);
	json_object_object_add(o, "error", e);
	return o;
}

char *wire_error(const char *message, const char *type)
{
	return render(error(message, type), "", "\n");
}

char *wire_trouble(const char *message)
{
	return render(error(message, "server_error"), "data: ", "\n\ndata: [DONE]\n\n");
}

char *wire_models(const struct wire *w)
{
	json_object *o = json_object_new_object(), *list = json_object_new_array();
	json_object *m = json_object_new_object();

	text(o, "object", "list");
	text(m, "id", w->model);
	text(m, "object", "model");
	json_object_object_add(m, "created", json_object_new_int64(w->created));
	text(m, "owned_by", "agentctl");
	json_object_array_add(list, m);
	json_object_object_add(o, "data", list);
	return render(o, "", "\n");
}
