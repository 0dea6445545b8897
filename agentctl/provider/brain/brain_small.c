/*
 * brain_small.c: the small model behind a chat. The last words of the user are the
 * request. A call becomes one of a tool that takes a shell's command, if the client
 * offers such a tool, else the command is shown. What came of it is read from the tool's
 * answer, which has no form that all clients share.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "agentctl/provider/call.h"
#include "agentctl/provider/provider.h"
#include "agentctl/provider/brain/impl.h"
#include "common/cleanup.h"
#include "common/mem.h"

struct small {
	struct brain head;
	struct provider *p;
};

static const char *text_at(json_object *o, const char *key)
{
	json_object *v;

	return o && json_object_object_get_ex(o, key, &v) &&
			       json_object_is_type(v, json_type_string)
		       ? json_object_get_string(v)
		       : NULL;
}

/* --- the client's tools ---------------------------------------------------------------
 */

static json_object *properties_of(json_object *function)
{
	json_object *p, *props;

	if (!json_object_object_get_ex(function, "parameters", &p) ||
		!json_object_object_get_ex(p, "properties", &props) ||
		!json_object_is_type(props, json_type_object))
		return NULL;
	return props;
}

/* The tool that takes a "command" as text; NULL: there is none. */
static json_object *shell_of(json_object *tools)
{
	for (size_t i = 0; tools && i < json_object_array_length(tools); i++) {
		json_object *f, *props, *command;

		if (!json_object_object_get_ex(
			    json_object_array_get_idx(tools, i), "function", &f))
			continue;
		props = properties_of(f);
		if (props && text_at(f, "name") &&
			json_object_object_get_ex(props, "command", &command) &&
			text_at(command, "type") &&
			strcmp(text_at(command, "type"), "string") == 0)
			return f;
	}
	return NULL;
}

/* What else the tool wants is filled in as far as it is text. */
static char *arguments_for(json_object *function, const char *command)
{
	json_object *o = json_object_new_object(), *p, *required = NULL;
	char *out;

	json_object_object_add(o, "command", json_object_new_string(command));
	if (json_object_object_get_ex(function, "parameters", &p))
		json_object_object_get_ex(p, "required", &required);
	for (size_t i = 0; json_object_is_type(required, json_type_array) &&
			   i < json_object_array_length(required);
		i++) {
		const char *key =
			json_object_get_string(json_object_array_get_idx(required, i));

		if (key && strcmp(key, "command") != 0)
			json_object_object_add(
				o, key, json_object_new_string("one step"));
	}
	out = mem_strdup(json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
	return out;
}

/* --- messages -------------------------------------------------------------------------
 */

/* Clients say in words how a command ended. */
static int status_in(const char *text)
{
	static const char *const marks[] = {"exit status", "exit code", "exited with",
		"exitcode", "exit_code", "return code"};

	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
		const char *at = strcasestr(text, marks[i]);

		at = at ? at + strlen(marks[i]) : NULL;
		while (at && *at && strchr(" :=\"'code", *at))
			at++;
		if (at && isdigit((unsigned char)*at))
			return atoi(at);
	}
	return strncasecmp(text, "error", 5) == 0;
}

static int take_assistant(struct provider_message *m, json_object *o)
{
	json_object *calls, *call, *f;

	m->role = PROVIDER_ASSISTANT;
	if (!json_object_object_get_ex(o, "tool_calls", &calls) ||
		!json_object_is_type(calls, json_type_array) ||
		json_object_array_length(calls) == 0)
		return 0;
	call = json_object_array_get_idx(calls, 0);
	if (!text_at(call, "id") || !json_object_object_get_ex(call, "function", &f))
		return -EINVAL;
	m->call_id = mem_strdup(text_at(call, "id"));
	m->command = mem_strdup(text_at(f, "arguments") ? text_at(f, "arguments") : "");
	return m->call_id && m->command ? 0 : -ENOMEM;
}

/* Some clients (opencode run) send what was typed as a JSON string, quotes and all. */
static void unwrap(struct provider_message *m)
{
	size_t n = strlen(m->text);
	json_object *o = n > 2 && m->text[0] == '"' && m->text[n - 1] == '"'
				 ? call_parse(m->text, n, NULL)
				 : NULL;
	char *inner = json_object_is_type(o, json_type_string)
			      ? mem_strdup(json_object_get_string(o))
			      : NULL;

	json_object_put(o);
	if (!inner)
		return;
	free(m->text);
	m->text = inner;
}

static int take(struct provider_message *m, json_object *o)
{
	const char *role = text_at(o, "role");

	m->text = question_text(o);
	if (!m->text)
		return -ENOMEM;
	if (strcmp(role, "user") == 0) {
		m->role = PROVIDER_USER;
		unwrap(m);
	} else if (strcmp(role, "assistant") == 0) {
		return take_assistant(m, o);
	} else if (strcmp(role, "tool") == 0) {
		m->role = PROVIDER_TOOL;
		m->status = status_in(m->text);
		m->failed = m->status != 0;
		m->refused = strcasestr(m->text, "refused by") != NULL;
		if (strcmp(m->text, "(no output)") == 0)
			*m->text = 0; /* opencode's word for it */
		/* agentctl's own form has it in a line before the output */
		if (strncmp(m->text, "exit status ", 12) == 0)
			m->output = strcspn(m->text, "\n") + 1;
	} else {
		m->role = PROVIDER_SYSTEM;
	}
	return 0;
}

static void free_messages(struct provider_message *m, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(m[i].text);
		free(m[i].command);
		free(m[i].call_id);
	}
	free(m);
}

/* --- answering ------------------------------------------------------------------------
 */

static int say_text(struct reply *r, char *text, brain_say say, void *arg)
{
	r->text = text;
	if (!text)
		return -ENOMEM;
	say(arg, text, strlen(text));
	return 0;
}

/* The tool that ends a task with last words, as agentctl itself offers one. */
static json_object *finish_of(json_object *tools)
{
	for (size_t i = 0; tools && i < json_object_array_length(tools); i++) {
		json_object *f, *props, *message;

		if (json_object_object_get_ex(
			    json_object_array_get_idx(tools, i), "function", &f) &&
			text_at(f, "name") && strcmp(text_at(f, "name"), "finish") == 0 &&
			(props = properties_of(f)) &&
			json_object_object_get_ex(props, "message", &message))
			return f;
	}
	return NULL;
}

static int give_words(struct reply *r, const struct question *q,
	const struct provider_reply *p, brain_say say, void *arg)
{
	json_object *o;

	if (q->no_calls || !finish_of(q->tools))
		return say_text(r, mem_strdup(p->text ? p->text : ""), say, arg);
	o = json_object_new_object();
	json_object_object_add(o, "message", json_object_new_string(p->text));
	r->tool_calls = json_object_new_array();
	json_object_array_add(r->tool_calls,
		brain_tool_call("small_end", "finish",
			json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN)));
	json_object_put(o);
	return 0;
}

static int give_call(struct reply *r, const struct question *q,
	const struct provider_reply *p, brain_say say, void *arg)
{
	json_object *shell = q->no_calls ? NULL : shell_of(q->tools);
	auto_free char *arguments = shell ? arguments_for(shell, p->command) : NULL;

	if (!shell)
		return say_text(r, mem_printf("```sh\n%s\n```", p->command), say, arg);
	if (!arguments)
		return -ENOMEM;
	r->tool_calls = json_object_new_array();
	json_object_array_add(r->tool_calls,
		brain_tool_call(p->call_id, text_at(shell, "name"), arguments));
	return 0;
}

static int answer(struct brain *b, const struct question *q, brain_say say, void *arg,
	struct reply *r, char *message, size_t size)
{
	struct small *s = (struct small *)b;
	size_t n = json_object_array_length(q->messages);
	struct provider_message *m = mem_zalloc(n * sizeof *m);
	struct provider_reply p = {0};
	int e = m ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && e == 0; i++)
		e = take(&m[i], json_object_array_get_idx(q->messages, i));
	if (e == 0)
		e = s->p->ops->next(s->p, m, n, &p);
	if (e == 0 && p.command)
		e = give_call(r, q, &p, say, arg);
	else if (e == 0)
		e = give_words(r, q, &p, say, arg);
	r->tokens_in = p.tokens_in;
	r->tokens_out = p.tokens_out;
	if (e != 0)
		snprintf(message, size, "%s",
			*s->p->message ? s->p->message : strerror(-e));
	provider_reply_free(&p);
	if (m)
		free_messages(m, n);
	return e;
}

static void close_small(struct brain *b)
{
	struct small *s = (struct small *)b;

	provider_close(s->p);
	free(s);
}

int brain_open_small(struct brain **out, const char *dir, char *message, size_t size)
{
	static const struct brain_ops ops = {answer, close_small};
	struct small *s = mem_zalloc(sizeof *s);
	int r = s ? provider_open_embedded(&s->p, dir, message, size) : -ENOMEM;

	*out = NULL;
	if (r != 0) {
		free(s);
		return r;
	}
	s->head.ops = &ops;
	*out = &s->head;
	return 0;
}
