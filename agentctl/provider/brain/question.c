/*
 * question.c: the JSON of a chat completion. What is not known here is passed over, as
 * clients send more with every version; what is known must make sense.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/brain/brain.h"
#include "common/cleanup.h"
#include "common/mem.h"

#define JSON_DEPTH 64

static int bad(char *message, size_t size, const char *what)
{
	snprintf(message, size, "%s", what);
	return -EINVAL;
}

static json_object *get(json_object *o, const char *key, json_type type)
{
	json_object *v;

	return json_object_object_get_ex(o, key, &v) && json_object_is_type(v, type)
		       ? v
		       : NULL;
}

static double number(json_object *o, const char *key, double fallback)
{
	json_object *v;

	if (!json_object_object_get_ex(o, key, &v) ||
		(!json_object_is_type(v, json_type_double) &&
			!json_object_is_type(v, json_type_int)))
		return fallback;
	return json_object_get_double(v);
}

static void take_stops(struct question *q)
{
	json_object *v = NULL;

	json_object_object_get_ex(q->json, "stop", &v);
	if (json_object_is_type(v, json_type_string)) {
		q->stops[q->how.n_stops++] = json_object_get_string(v);
	} else if (json_object_is_type(v, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(v); i++) {
			json_object *s = json_object_array_get_idx(v, i);

			if (q->how.n_stops < BRAIN_STOPS &&
				json_object_get_string_len(s) > 0)
				q->stops[q->how.n_stops++] = json_object_get_string(s);
		}
	}
	q->how.stops = q->stops;
}

static int take_sampling(struct question *q, char *message, size_t size)
{
	double most = number(q->json, "max_tokens", 0);
	double temperature = number(q->json, "temperature", 0.7);
	double top_p = number(q->json, "top_p", 0.92);

	most = number(q->json, "max_completion_tokens", most);
	if (temperature < 0 || temperature > 2)
		return bad(message, size, "temperature must be from 0 to 2");
	if (top_p < 0 || top_p > 1)
		return bad(message, size, "top_p must be from 0 to 1");
	if (most < 0 || most > 1e9)
		return bad(message, size, "max_tokens is out of bounds");
	if (number(q->json, "n", 1) != 1)
		return bad(message, size, "n must be 1");
	q->how.temperature = (float)temperature;
	q->how.top_p = (float)top_p;
	q->how.max_tokens = (uint32_t)most;
	q->how.seed = (uint64_t)number(q->json, "seed", 0);
	take_stops(q);
	return 0;
}

static int take(struct question *q, char *message, size_t size)
{
	json_object *o = q->json, *v;

	q->messages = get(o, "messages", json_type_array);
	if (!q->messages || json_object_array_length(q->messages) == 0)
		return bad(message, size, "messages must be a list, and not empty");
	for (size_t i = 0; i < json_object_array_length(q->messages); i++) {
		v = json_object_array_get_idx(q->messages, i);
		if (!json_object_is_type(v, json_type_object) ||
			!get(v, "role", json_type_string))
			return bad(message, size, "a message has a role");
	}
	q->tools = get(o, "tools", json_type_array);
	if (q->tools && json_object_array_length(q->tools) == 0)
		q->tools = NULL;
	v = get(o, "tool_choice", json_type_string);
	q->no_calls = v && strcmp(json_object_get_string(v), "none") == 0;
	v = get(o, "model", json_type_string);
	q->model = v ? json_object_get_string(v) : "";
	v = get(o, "stream", json_type_boolean);
	q->stream = v && json_object_get_boolean(v);
	v = get(o, "stream_options", json_type_object);
	v = v ? get(v, "include_usage", json_type_boolean) : NULL;
	q->usage = v && json_object_get_boolean(v);
	return take_sampling(q, message, size);
}

int question_read(
	struct question *q, const char *body, size_t n, char *message, size_t size)
{
	json_tokener *tok = json_tokener_new_ex(JSON_DEPTH);
	bool whole;

	memset(q, 0, sizeof *q);
	if (!tok)
		return -ENOMEM;
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	q->json = json_tokener_parse_ex(tok, body, (int)n);
	if (json_tokener_get_error(tok) == json_tokener_continue)
		q->json = json_tokener_parse_ex(tok, "", 1);
	whole = json_tokener_get_error(tok) == json_tokener_success;
	json_tokener_free(tok);
	if (!whole || !json_object_is_type(q->json, json_type_object)) {
		question_free(q);
		return bad(message, size, "the body is not a JSON object");
	}
	if (take(q, message, size) == 0)
		return 0;
	question_free(q);
	return -EINVAL;
}

void question_free(struct question *q)
{
	json_object_put(q->json);
	memset(q, 0, sizeof *q);
}

/* Texts only; pictures and the like are passed over. */
static void add_part(FILE *f, json_object *part)
{
	json_object *text = json_object_is_type(part, json_type_object)
				    ? get(part, "text", json_type_string)
				    : NULL;

	if (text)
		fputs(json_object_get_string(text), f);
}

char *question_text(json_object *message)
{
	json_object *content = NULL;
	char *out = NULL;
	size_t n = 0;
	FILE *f;

	json_object_object_get_ex(message, "content", &content);
	if (!json_object_is_type(content, json_type_array))
		return mem_strdup(json_object_is_type(content, json_type_string)
					  ? json_object_get_string(content)
					  : "");
	f = open_memstream(&out, &n);
	for (size_t i = 0; f && i < json_object_array_length(content); i++)
		add_part(f, json_object_array_get_idx(content, i));
	if (f && fclose(f) != 0) {
		free(out);
		return NULL;
	}
	return out;
}

void reply_free(struct reply *r)
{
	free(r->text);
	json_object_put(r->tool_calls);
	memset(r, 0, sizeof *r);
}
