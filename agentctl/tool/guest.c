/*
 * guest.c: a sandbox asks how its own transaction stands. The number of the transaction
 * is the label's; a guest cannot name another one.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/tool/guest.h"
#include "agentctl/tool/impl.h"
#include "common/cleanup.h"
#include "common/mem.h"

#define JSON_DEPTH 4

static json_object *parse(const char *line, size_t n)
{
	json_tokener *tok = json_tokener_new_ex(JSON_DEPTH);
	json_object *o = NULL;

	if (!tok)
		return NULL;
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	o = json_tokener_parse_ex(tok, line, (int)n);
	if (json_tokener_get_error(tok) != json_tokener_success ||
		json_tokener_get_parse_end(tok) != n ||
		!json_object_is_type(o, json_type_object)) {
		json_object_put(o);
		o = NULL;
	}
	json_tokener_free(tok);
	return o;
}

/* A string without NUL bytes, or NULL. */
static const char *text_of(json_object *o, const char *key)
{
	json_object *v;
	const char *s;

	if (!json_object_object_get_ex(o, key, &v) ||
		!json_object_is_type(v, json_type_string))
		return NULL;
	s = json_object_get_string(v);
	return strlen(s) == (size_t)json_object_get_string_len(v) ? s : NULL;
}

/* --- the operations
 * ---------------------------------------------------------------------
 */

static void add_int(json_object *o, const char *key, uint64_t v)
{
	json_object_object_add(o, key, json_object_new_int64((int64_t)v));
}

static int do_status(
	struct tool *t, const struct door_label *label, json_object *in, json_object *out)
{
	struct tool_held h;
	int r = tool_count(t, &h);

	add_int(out, "tx", t->begun.id);
	json_object_object_add(out, "workspace", json_object_new_string(t->ws.path));
	add_int(out, "added", h.added);
	add_int(out, "changed", h.changed);
	add_int(out, "deleted", h.deleted);
	json_object_object_add(
		out, "savepoints", json_object_new_boolean(label->allow_tx));
	return r;
}

static int do_diff(
	struct tool *t, const struct door_label *label, json_object *in, json_object *out)
{
	auto_free char *text = NULL;
	json_object *v;
	int64_t max = GUEST_DIFF_BYTES;
	int r;

	if (json_object_object_get_ex(in, "max", &v) && json_object_get_int64(v) > 0 &&
		json_object_get_int64(v) < max)
		max = json_object_get_int64(v);
	r = tool_diff(t, text_of(in, "path"), (size_t)max, &text);
	if (r == 0)
		json_object_object_add(out, "text", json_object_new_string(text));
	return r;
}

static int named(struct tool *t, const struct door_label *label, json_object *in,
	int (*call)(struct tool *t, const char *name))
{
	const char *name = text_of(in, "name");

	if (!label->allow_tx)
		return tool_say(t, -EPERM,
			"savepoints were not allowed: agentctl run --allow-tx");
	if (!name || !*name || strncmp(name, "step-", 5) == 0)
		return tool_say(t, -EINVAL,
			"a savepoint needs a name that does not begin with step-");
	return call(t, name);
}

static int do_savepoint(
	struct tool *t, const struct door_label *label, json_object *in, json_object *out)
{
	return named(t, label, in, tool_savepoint);
}

/* What runs goes on: who asks is inside, too. Descriptors of what was undone are fenced.
 */
static int back(struct tool *t, const char *name)
{
	int r = txfs_rollback(t->fs, t->begun.id, name);

	return r ? tool_say(t, r, "%s", txfs_message(t->fs)) : 0;
}

static int do_rollback(
	struct tool *t, const struct door_label *label, json_object *in, json_object *out)
{
	return named(t, label, in, back);
}

static const struct {
	const char *op;
	int (*act)(struct tool *t, const struct door_label *label, json_object *in,
		json_object *out);
} ops[] = {{"status", do_status}, {"diff", do_diff}, {"savepoint", do_savepoint},
	{"rollback", do_rollback}};

/* -1: it is none of them. */
static int op_of(json_object *in)
{
	const char *op = text_of(in, "op");

	for (int i = 0; op && i < (int)(sizeof ops / sizeof ops[0]); i++) {
		if (strcmp(ops[i].op, op) == 0)
			return i;
	}
	return -1;
}

bool guest_wants(const char *line, size_t n)
{
	json_object *in = parse(line, n);
	bool wants = in && op_of(in) >= 0;

	json_object_put(in);
	return wants;
}

static int act(
	struct tool *t, const struct door_label *label, json_object *in, json_object *out)
{
	int op = op_of(in), r;

	if (op < 0)
		return tool_say(t, -EINVAL, "only questions are answered here");
	r = txfs_open(label->workspace, &t->fs);
	if (r == 0)
		r = tool_attach_view(t, label->id);
	else
		tool_say(t, r, "the mount cannot be reached: %s", strerror(-r));
	return r ? r : ops[op].act(t, label, in, out);
}

char *guest_answer(const char *line, size_t n, const struct door_label *label)
{
	struct tool *t = mem_zalloc(sizeof *t);
	json_object *in = parse(line, n), *out = json_object_new_object(), *id = NULL;
	char *text = NULL;
	int r = t && out ? 0 : -ENOMEM;

	if (r == 0 && in) {
		t->ws.path = (char *)label->workspace;
		r = act(t, label, in, out);
		json_object_object_get_ex(in, "id", &id);
	} else if (r == 0) {
		r = tool_say(t, -EINVAL, "the request is not one JSON object");
	}
	if (out) {
		json_object_object_add(out, "v", json_object_new_int(POLICY_VERSION));
		if (id)
			json_object_object_add(out, "id", json_object_get(id));
		json_object_object_add(out, "ok", json_object_new_boolean(r == 0));
		if (r != 0)
			json_object_object_add(out, "reason",
				json_object_new_string(t ? t->message : "out of memory"));
		text = mem_strdup(json_object_to_json_string_ext(
			out, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	}
	json_object_put(in);
	json_object_put(out);
	if (t && t->fs)
		txfs_close(t->fs);
	free(t);
	return text;
}
