/*
 * request.c: from JSON to a request: known keys, each value of its type. Whatever fails
 * is an error in the request, and an error is a refusal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policyd/server/private.h"

enum { MAX_ENV = 512, MAX_ARGV = 16384 };

const char *const op_names[N_OPS] = {
	"check", "exec", "explain", "reload", "stats", "record"};

/* A string without NUL in it (JSON can say \u0000). */
static const char *string_of(struct request *q, struct json_object *v, const char *error)
{
	const char *s = json_object_is_type(v, json_type_string)
				? json_object_get_string(v)
				: NULL;

	if (!s || strlen(s) != (size_t)json_object_get_string_len(v)) {
		q->error = error;
		return NULL;
	}
	return s;
}

static int one_of(struct request *q, struct json_object *v, const char *const *names,
	int n, const char *error)
{
	const char *s = string_of(q, v, error);

	for (int i = 0; s && i < n; i++)
		if (!strcmp(s, names[i]))
			return i;
	q->error = error;
	return 0;
}

static void take_env(struct request *q, struct json_object *v)
{
	if (!json_object_is_type(v, json_type_object) ||
		json_object_object_length(v) > MAX_ENV) {
		q->error = "env must be an object of at most 512 variables";
		return;
	}
	q->env = calloc((size_t)json_object_object_length(v) + 1, sizeof(*q->env));
	if (!q->env) {
		q->error = "out of memory";
		return;
	}
	json_object_object_foreach(v, name, value)
	{
		const char *s =
			value ? string_of(q, value, "env: a value must be text or null")
			      : NULL;

		for (const char *p = s; p && *p; p++)
			if ((unsigned char)*p < 8)
				q->error = "env: control characters";
		q->env[q->n_env++] = (struct shell_var){name, s};
	}
}

static void take_argv(struct request *q, struct json_object *v)
{
	size_t n =
		json_object_is_type(v, json_type_array) ? json_object_array_length(v) : 0;

	if (!n || n > MAX_ARGV) {
		q->error = "argv must be a list of 1 to 16384 texts";
		return;
	}
	q->argv = calloc(n + 1, sizeof(*q->argv));
	if (!q->argv) {
		q->error = "out of memory";
		return;
	}
	for (size_t i = 0; i < n && !q->error; i++)
		q->argv[q->argc++] = string_of(q, json_object_array_get_idx(v, i),
			"argv must be a list of texts");
}

static void take_key(struct request *q, const char *key, struct json_object *v)
{
	static const char *const covers[] = {"tx", "contained", "none"};
	static const char *const modes[] = {"headless", "interactive"};
	struct {
		const char *key;
		const char **to;
	} texts[] = {{"command", &q->command}, {"cwd", &q->cwd},
		{"workspace", &q->workspace}, {"home", &q->home}, {"tx", &q->tx},
		{"agent", &q->agent}, {"event", &q->event}, {"vets", &q->vets}};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!strcmp(key, texts[i].key)) {
			*texts[i].to = string_of(q, v, "a text is wanted");
			return;
		}
	if (!strcmp(key, "v")) {
		if (!json_object_is_type(v, json_type_int) ||
			json_object_get_int64(v) != 1)
			q->error = "unknown version: v must be 1";
	} else if (!strcmp(key, "id")) {
		if (!json_object_is_type(v, json_type_int) &&
			!json_object_is_type(v, json_type_string))
			q->error = "id must be a number or a text";
	} else if (!strcmp(key, "op")) {
		q->op = (enum op)one_of(q, v, op_names, N_OPS, "unknown op");
	} else if (!strcmp(key, "cover")) {
		q->cover = (enum policy_cover)one_of(q, v, covers, 3, "unknown cover");
	} else if (!strcmp(key, "mode")) {
		q->interactive = one_of(q, v, modes, 2, "unknown mode") == 1;
	} else if (!strcmp(key, "env")) {
		take_env(q, v);
	} else if (!strcmp(key, "argv")) {
		take_argv(q, v);
	} else {
		q->error = "unknown key";
	}
}

static void decode(struct request *q)
{
	static const char *const needed[] = {"v", "op"};
	struct json_object *v;

	for (size_t i = 0; i < 2; i++)
		if (!json_object_object_get_ex(q->o, needed[i], &v))
			q->error = "v and op are needed";
	json_object_object_foreach(q->o, key, value)
	{
		if (!q->error)
			take_key(q, key, value);
	}
	if (q->error || q->op == OP_RELOAD || q->op == OP_STATS)
		return;
	if (q->op == OP_RECORD) {
		static const char *const events[] = {"begin", "committed", "kept",
			"aborted", "conflict", "failed", "refused"};
		size_t i = 0;

		while (q->event && i < 7 && strcmp(q->event, events[i]))
			i++;
		if (!q->event || i == 7 || (i < 6 && !q->tx))
			q->error = "a record needs tx and a known event";
		return;
	}
	if (q->op == OP_EXEC ? !q->argv : !q->command)
		q->error = q->op == OP_EXEC ? "no argv" : "no command";
	else if (!q->cwd || *q->cwd != '/' || !q->workspace || *q->workspace != '/')
		q->error = "cwd and workspace must be absolute paths";
	else if (q->home && *q->home != '/')
		q->error = "home must be an absolute path";
}

void request_decode(struct request *q, const char *line, size_t len)
{
	memset(q, 0, sizeof(*q));
	q->o = json_line(line, len, &q->error);
	if (q->o)
		decode(q);
}

void request_free(struct request *q)
{
	free(q->env);
	free(q->argv);
	json_object_put(q->o);
	memset(q, 0, sizeof(*q));
}
