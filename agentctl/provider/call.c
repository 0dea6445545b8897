/*
 * call.c: what a tool call means. Models misspell: the arguments may be an object or a
 * string with one, the command may have another name. What is not understood is kept as
 * such, with a line that tells the model why.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/call.h"
#include "common/cleanup.h"
#include "common/mem.h"

#define JSON_DEPTH 32
#define MAX_STEP 1000000

json_object *call_parse(const char *s, size_t n, size_t *used)
{
	json_tokener *tok = n <= INT32_MAX ? json_tokener_new_ex(JSON_DEPTH) : NULL;
	json_object *o;
	size_t end;

	if (!tok)
		return NULL;
	o = json_tokener_parse_ex(tok, s, (int)n);
	end = json_tokener_get_parse_end(tok);
	if (json_tokener_get_error(tok) != json_tokener_success) {
		json_object_put(o);
		o = NULL;
	}
	json_tokener_free(tok);
	if (used) {
		*used = end;
		return o;
	}
	while (end < n && isspace((unsigned char)s[end]))
		end++;
	if (end < n) {
		json_object_put(o);
		return NULL;
	}
	return o;
}

/* The first of @keys that is there as a string without NUL, or NULL. */
static const char *string_of(json_object *o, const char *const *keys)
{
	json_object *v;

	for (; *keys; keys++) {
		if (json_object_object_get_ex(o, *keys, &v) &&
			json_object_is_type(v, json_type_string) &&
			strlen(json_object_get_string(v)) ==
				(size_t)json_object_get_string_len(v))
			return json_object_get_string(v);
	}
	return NULL;
}

static int push(struct calls *l, struct call *c, const char *id)
{
	struct call *more;

	if (l->n == CALLS_MAX) {
		free(c->text);
		return 0;
	}
	c->id = id && *id ? mem_strdup(id) : NULL;
	more = realloc(l->c, (l->n + 1) * sizeof *more);
	if (more)
		l->c = more;
	if (!more || !c->text || (id && *id && !c->id)) {
		free(c->text);
		free(c->id);
		return -ENOMEM;
	}
	l->c[l->n++] = *c;
	return 0;
}

static int unread(struct calls *l, const char *id, char *why)
{
	struct call c = {.kind = CALL_UNREAD, .text = why};

	return push(l, &c, id);
}

int calls_add_unread(struct calls *l, const char *why)
{
	return unread(l, NULL, mem_strdup(why));
}

static int add_run(struct calls *l, const char *id, json_object *args)
{
	static const char *const keys[] = {"command", "cmd", NULL};
	const char *command = string_of(args, keys);
	struct call c = {.kind = CALL_RUN};

	if (!command || !command[strspn(command, " \t\r\n")])
		return unread(
			l, id, mem_strdup("run needs the string `command`, not empty"));
	c.text = mem_strdup(command);
	return push(l, &c, id);
}

static int add_finish(struct calls *l, const char *id, json_object *args)
{
	static const char *const keys[] = {
		"message", "text", "summary", "answer", "result", NULL};
	const char *message = string_of(args, keys);
	struct call c = {.kind = CALL_FINISH, .text = mem_strdup(message ? message : "")};

	return push(l, &c, id);
}

static int add_rollback(struct calls *l, const char *id, json_object *args)
{
	struct call c = {.kind = CALL_ROLLBACK};
	json_object *v;
	int64_t step = 0;

	if (json_object_object_get_ex(args, "step", &v) && v)
		step = json_object_get_int64(v);
	if (step < 0 || step > MAX_STEP)
		return unread(l, id, mem_strdup("rollback needs the number of a step"));
	c.step = (unsigned int)step;
	c.text = mem_strdup("");
	return push(l, &c, id);
}

static int add_named(struct calls *l, const char *name, const char *id, json_object *args)
{
	json_object *v;

	if (strcmp(name, "run") == 0)
		return add_run(l, id, args);
	if (strcmp(name, "finish") == 0)
		return add_finish(l, id, args);
	if (strcmp(name, "rollback") == 0)
		return add_rollback(l, id, args);
	/* bash, shell, execute ..: models know this tool by many names */
	if (json_object_object_get_ex(args, "command", &v) ||
		json_object_object_get_ex(args, "cmd", &v))
		return add_run(l, id, args);
	return unread(l, id,
		mem_printf("there is no tool '%.64s'; there are run, finish and rollback",
			name));
}

int calls_add(
	struct calls *l, const char *name, const char *id, const char *args, size_t n)
{
	json_object *o, *inner;
	int r;

	while (n && isspace((unsigned char)*args)) {
		args++;
		n--;
	}
	o = n ? call_parse(args, n, NULL) : json_object_new_object();
	if (json_object_is_type(o, json_type_string)) { /* written as JSON twice */
		inner = call_parse(json_object_get_string(o),
			(size_t)json_object_get_string_len(o), NULL);
		json_object_put(o);
		o = inner;
	}
	if (json_object_is_type(o, json_type_object))
		r = add_named(l, name, id, o);
	else
		r = unread(l, id,
			mem_printf("the arguments of '%.64s' are not a JSON object; "
				   "perhaps they were cut off",
				name));
	json_object_put(o);
	return r;
}

int calls_add_object(struct calls *l, json_object *o)
{
	static const char *const names[] = {"name", NULL}, *const ids[] = {"id", NULL};
	json_object *f, *args = NULL;
	const char *name, *id, *text = "";
	size_t n = 0;

	if (!json_object_is_type(o, json_type_object))
		return -EINVAL;
	id = string_of(o, ids);
	if (json_object_object_get_ex(o, "function", &f) &&
		json_object_is_type(f, json_type_object))
		o = f;
	name = string_of(o, names);
	if (!name)
		return -EINVAL;
	if (!json_object_object_get_ex(o, "arguments", &args) &&
		!json_object_object_get_ex(o, "parameters", &args))
		return -EINVAL;
	if (json_object_is_type(args, json_type_string)) {
		text = json_object_get_string(args);
		n = (size_t)json_object_get_string_len(args);
	} else if (args) {
		text = json_object_to_json_string_length(
			args, JSON_C_TO_STRING_PLAIN, &n);
	}
	return calls_add(l, name, id, text, n);
}

void calls_free(struct calls *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->c[i].id);
		free(l->c[i].text);
	}
	free(l->c);
	memset(l, 0, sizeof *l);
}
