/*
 * calls.c: a call, from the text that the model wrote.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/small/small.h"
#include "common/cleanup.h"
#include "common/mem.h"

static const struct row {
	const char *name;
	const char *arg[SMALL_ARGS];
	int choice; /* this argument is one of few words, a part of the frame; -1: none */
} rows[SMALL_KINDS] = {
	[SMALL_CREATE] = {"create", {"path", "text"}, -1},
	[SMALL_APPEND] = {"append", {"path", "text"}, -1},
	[SMALL_PREPEND] = {"prepend", {"path", "text"}, -1},
	[SMALL_REPLACE] = {"replace", {"path", "old", "new"}, -1},
	[SMALL_DROP] = {"drop", {"path", "text"}, -1},
	[SMALL_MOVE] = {"move", {"from", "to"}, -1},
	[SMALL_COPY] = {"copy", {"from", "to"}, -1},
	[SMALL_DELETE] = {"delete", {"path"}, -1},
	[SMALL_MKDIR] = {"mkdir", {"path"}, -1},
	[SMALL_COUNT] = {"count", {"path", "what"}, 1},
	[SMALL_SEARCH] = {"search", {"text", "path"}, -1},
	[SMALL_LIST] = {"list", {"path"}, -1},
	[SMALL_SHOW] = {"show", {"path", "part"}, 1},
	[SMALL_TEST] = {"test", {"command"}, -1},
	[SMALL_DONE] = {"done", {NULL}, -1},
	[SMALL_STOP] = {"stop", {NULL}, -1},
	[SMALL_UNCLEAR] = {"unclear", {NULL}, -1},
};

void small_free(struct small_call *c)
{
	free(c->text);
	for (int i = 0; i < SMALL_ARGS; i++)
		free(c->arg[i]);
	memset(c, 0, sizeof *c);
}

static int find(const char *name)
{
	for (int i = 0; i < SMALL_KINDS; i++) {
		if (strcmp(rows[i].name, name) == 0)
			return i;
	}
	return -1;
}

static int take_argument(struct small_call *c, int i, json_object *args)
{
	const char *key = rows[c->kind].arg[i];
	json_object *v;

	if (!key)
		return 0;
	if (!json_object_object_get_ex(args, key, &v) ||
		!json_object_is_type(v, json_type_string) ||
		strlen(json_object_get_string(v)) !=
			(size_t)json_object_get_string_len(v))
		return -EINVAL;
	c->arg[i] = mem_strdup(json_object_get_string(v));
	return c->arg[i] ? 0 : -ENOMEM;
}

static int take(struct small_call *c, json_object *o)
{
	json_object *name, *args;
	int kind, r = 0;

	if (!json_object_object_get_ex(o, "name", &name) ||
		!json_object_object_get_ex(o, "arguments", &args) ||
		!json_object_is_type(args, json_type_object))
		return -EINVAL;
	kind = find(json_object_get_string(name));
	if (kind < 0)
		return -EINVAL;
	c->kind = (enum small_kind)kind;
	for (int i = 0; i < SMALL_ARGS && r == 0; i++)
		r = take_argument(c, i, args);
	return r;
}

int small_read(const char *text, struct small_call *out)
{
	size_t n = strlen(text), json = n;
	auto_free char *only = NULL;
	json_object *o;
	int r;

	memset(out, 0, sizeof *out);
	while (json > 0 && text[json - 1] != '}')
		json--;
	only = mem_printf("%.*s", (int)json, text);
	out->text = mem_strdup(text);
	if (!only || !out->text) {
		small_free(out);
		return -ENOMEM;
	}
	o = json_tokener_parse(only);
	r = o && json_object_is_type(o, json_type_object) ? take(out, o) : -EINVAL;
	json_object_put(o);
	if (r != 0)
		small_free(out);
	return r;
}

/* The end of the JSON string that begins at @at, at its quote. */
static const char *string_end(const char *at)
{
	while (*at && *at != '"')
		at += at[0] == '\\' && at[1] ? 2 : 1;
	return at;
}

static void add(struct minimind_text *parts, size_t *n, const char *from, const char *to,
	bool markup)
{
	parts[(*n)++] = (struct minimind_text){from, (size_t)(to - from), markup};
}

size_t small_parts(const struct small_call *c, struct minimind_text *parts)
{
	const struct row *row = &rows[c->kind];
	const char *from = c->text, *at, *end;
	size_t n = 0;

	for (int i = 0; i < SMALL_ARGS && row->arg[i] && i != row->choice; i++) {
		char key[40];

		snprintf(key, sizeof key, "\"%s\": \"", row->arg[i]);
		at = strstr(from, key);
		if (!at)
			break;
		at += strlen(key);
		end = string_end(at);
		add(parts, &n, from, at, true);
		if (end > at)
			add(parts, &n, at, end, false);
		from = end;
	}
	add(parts, &n, from, from + strlen(from), true);
	return n;
}

/* --- ids ------------------------------------------------------------------------------
 */

static const char prefix[] = "small_";

/* Hexadecimal: no client can have a quarrel with it. */
char *small_id(const struct small_call *c)
{
	size_t n = strlen(c->text);
	char *id = mem_alloc(sizeof prefix + 2 * n), *to;

	if (!id)
		return NULL;
	to = stpcpy(id, prefix);
	for (size_t i = 0; i < n; i++)
		to += sprintf(to, "%02x", (unsigned char)c->text[i]);
	return id;
}

char *small_call_of(const char *id)
{
	size_t n = strlen(id);
	char *text;

	if (strncmp(id, prefix, sizeof prefix - 1) != 0 ||
		n % 2 != (sizeof prefix - 1) % 2)
		return NULL;
	id += sizeof prefix - 1;
	n = (n - (sizeof prefix - 1)) / 2;
	text = mem_zalloc(n + 1);
	for (size_t i = 0; text && i < n; i++) {
		unsigned int byte;

		if (sscanf(id + 2 * i, "%2x", &byte) != 1 || byte == 0) {
			free(text);
			return NULL;
		}
		text[i] = (char)byte;
	}
	return text;
}
