/*
 * tools.c: the table of tools: name, what a model is told, arguments.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "agentctl/mcp/tools.h"

struct argument {
	const char *name, *type, *about;
	bool needed;
};

static const struct tool_row {
	const char *name, *about;
	struct argument args[2];
	bool reads; /* changes nothing */
	size_t act; /* offset in bench_ops */
} rows[] = {
	{"run",
		"Run a shell command in the workspace, vetted by policy and contained in "
		"a "
		"transaction: nothing it changes is published until the transaction is "
		"committed. A refused command was not run; do not repeat it.",
		{{"command", "string", "for bash -c, in the workspace", true},
			{"timeout_seconds", "number", "end it after so long", false}},
		false, offsetof(struct bench_ops, run)},
	{"status", "How many paths the open transaction added, changed and deleted.", {},
		true, offsetof(struct bench_ops, status)},
	{"diff", "What the open transaction changed: paths, and lines of text files.",
		{{"path", "string", "only this path and what lies below it", false}},
		true, offsetof(struct bench_ops, diff)},
	{"savepoint", "Remember this state of the workspace under a name.",
		{{"name", "string", "of the savepoint", true}}, false,
		offsetof(struct bench_ops, savepoint)},
	{"rollback",
		"Undo what changed since a savepoint, or what the last command (or a "
		"step "
		"and all after it) changed.",
		{{"name", "string", "of a savepoint", false},
			{"step", "integer", "a command's number; else the last one",
				false}},
		false, offsetof(struct bench_ops, rollback)},
	{"begin", "Begin a transaction; the first command does so, too.", {}, false,
		offsetof(struct bench_ops, begin)},
	{"commit", "Publish all changes of the transaction at once.", {}, false,
		offsetof(struct bench_ops, commit)},
	{"abort", "Drop all changes of the transaction: every file is as before.", {},
		false, offsetof(struct bench_ops, abort)},
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

typedef int (*act_fn)(struct bench *b, const struct call *c, struct answer *a);

static act_fn act_of(const struct bench *b, const struct tool_row *row)
{
	return *(const act_fn *)((const char *)&b->ops + row->act);
}

static json_object *schema(const struct tool_row *row)
{
	json_object *o = json_object_new_object(), *props = json_object_new_object();
	json_object *needed = json_object_new_array();

	json_object_object_add(o, "type", json_object_new_string("object"));
	for (size_t i = 0; i < 2 && row->args[i].name; i++) {
		const struct argument *a = &row->args[i];
		json_object *p = json_object_new_object();

		json_object_object_add(p, "type", json_object_new_string(a->type));
		json_object_object_add(
			p, "description", json_object_new_string(a->about));
		json_object_object_add(props, a->name, p);
		if (a->needed)
			json_object_array_add(needed, json_object_new_string(a->name));
	}
	json_object_object_add(o, "properties", props);
	json_object_object_add(o, "required", needed);
	json_object_object_add(o, "additionalProperties", json_object_new_boolean(false));
	return o;
}

json_object *tools_list(const struct bench *b)
{
	json_object *out = json_object_new_object(), *list = json_object_new_array();

	for (int i = 0; i < N_ROWS; i++) {
		json_object *o, *hints;

		if (!act_of(b, &rows[i]))
			continue;
		o = json_object_new_object();
		hints = json_object_new_object();
		json_object_object_add(o, "name", json_object_new_string(rows[i].name));
		json_object_object_add(
			o, "description", json_object_new_string(rows[i].about));
		json_object_object_add(o, "inputSchema", schema(&rows[i]));
		json_object_object_add(
			hints, "readOnlyHint", json_object_new_boolean(rows[i].reads));
		json_object_object_add(o, "annotations", hints);
		json_object_array_add(list, o);
	}
	json_object_object_add(out, "tools", list);
	return out;
}

/* --- a call ---------------------------------------------------------------------------
 */

static bool of_type(json_object *v, const char *type)
{
	if (strcmp(type, "string") == 0)
		return json_object_is_type(v, json_type_string) &&
		       strlen(json_object_get_string(v)) ==
			       (size_t)json_object_get_string_len(v);
	if (json_object_is_type(v, json_type_double))
		return strcmp(type, "number") == 0 && json_object_get_double(v) > 0;
	return json_object_is_type(v, json_type_int) && json_object_get_int64(v) > 0;
}

static const struct argument *find_argument(const struct tool_row *row, const char *name)
{
	for (size_t i = 0; i < 2 && row->args[i].name; i++) {
		if (strcmp(row->args[i].name, name) == 0)
			return &row->args[i];
	}
	return NULL;
}

static int check(const struct tool_row *row, json_object *args, struct answer *a)
{
	json_object *v;

	for (size_t i = 0; i < 2 && row->args[i].name; i++) {
		if (row->args[i].needed && !(args && json_object_object_get_ex(args,
							     row->args[i].name, &v))) {
			bench_say(a, true, "%s needs '%s'", row->name, row->args[i].name);
			return -EINVAL;
		}
	}
	if (!args)
		return 0;
	json_object_object_foreach(args, key, value)
	{
		const struct argument *arg = find_argument(row, key);

		if (arg && of_type(value, arg->type))
			continue;
		bench_say(a, true,
			arg ? "'%.60s' must be a %s" : "unknown argument '%.60s'", key,
			arg ? arg->type : "");
		return -EINVAL;
	}
	return 0;
}

int tools_call(struct bench *b, const char *name, const struct call *c, struct answer *a)
{
	for (int i = 0; i < N_ROWS; i++) {
		act_fn act = act_of(b, &rows[i]);
		int r;

		if (!act || strcmp(rows[i].name, name) != 0)
			continue;
		r = check(&rows[i], c->args, a);
		return r ? r : act(b, c, a);
	}
	bench_say(a, true, "there is no tool '%.60s'", name);
	return -ENOENT;
}

json_object *tools_result(const struct answer *a)
{
	json_object *o = json_object_new_object(), *list = json_object_new_array();
	json_object *part = json_object_new_object();

	json_object_object_add(part, "type", json_object_new_string("text"));
	json_object_object_add(
		part, "text", json_object_new_string(a->text ? a->text : ""));
	json_object_array_add(list, part);
	json_object_object_add(o, "content", list);
	if (a->data)
		json_object_object_add(o, "structuredContent", json_object_get(a->data));
	json_object_object_add(o, "isError", json_object_new_boolean(a->failed));
	return o;
}
