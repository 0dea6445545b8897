/*
 * request.c: a conversation as the JSON of a chat completion, with the tools in the
 * request or, for servers that do not know them, in words.
 */
#include <stdio.h>
#include <string.h>
#include "agentctl/provider/request.h"

static const struct {
	const char *name, *what, *argument, *type, *meaning;
	bool needed;
} tools[] = {
	{"run", "Run a shell command in the project directory and hear what it prints.",
		"command", "string", "one command line for bash", true},
	{"finish", "End the work: all is done, or it cannot be done.", "message",
		"string", "what was done, in a sentence or two", true},
	{"rollback",
		"Undo what a step and all after it changed in the project directory.",
		"step", "integer", "number of the step, counted from 1; 0: the last one",
		false},
};

#define N_TOOLS (sizeof tools / sizeof tools[0])

static bool offered(const struct request *q, size_t i)
{
	return !q->no_rollback || strcmp(tools[i].name, "rollback") != 0;
}

static void put_tool(struct bytes *b, size_t i)
{
	bytes_printf(b,
		"{\"type\":\"function\",\"function\":{\"name\":\"%s\",\"description\":"
		"\"%s\",\"parameters\":{\"type\":\"object\",\"properties\":{\"%s\":{"
		"\"type\":\"%s\",\"description\":\"%s\"}},\"required\":[",
		tools[i].name, tools[i].what, tools[i].argument, tools[i].type,
		tools[i].meaning);
	if (tools[i].needed)
		bytes_printf(b, "\"%s\"", tools[i].argument);
	bytes_text(b, "]}}}");
}

static void put_tools(struct bytes *b, const struct request *q)
{
	bytes_text(b, ",\"tools\":[");
	for (size_t i = 0; i < N_TOOLS; i++) {
		if (!offered(q, i))
			continue;
		if (i)
			bytes_text(b, ",");
		put_tool(b, i);
	}
	bytes_text(b, "],\"tool_choice\":\"auto\"");
}

static void quote(struct bytes *b, const char *s, size_t n)
{
	bytes_text(b, "\"");
	bytes_json(b, s, n);
	bytes_text(b, "\"");
}

/* The arguments of a call, as the JSON that a model writes. */
static void put_arguments(struct bytes *b, const struct provider_message *m)
{
	if (m->back) {
		bytes_printf(b, "{\"step\":%u}", m->back_to);
		return;
	}
	bytes_text(b, "{\"command\":");
	quote(b, m->command, strlen(m->command));
	bytes_text(b, "}");
}

static const char *tool_of(const struct provider_message *m)
{
	return m->back ? "rollback" : m->command ? "run" : NULL;
}

/* The beginning of a message, up to its content's first quote. */
static void begin(struct bytes *b, const char *role)
{
	bytes_printf(b, "%s{\"role\":\"%s\",\"content\":\"",
		b->n && b->p[b->n - 1] == '}' ? "," : "", role);
}

static void put_short(struct bytes *b, const char *text)
{
	size_t line = strcspn(text, "\n"), n = strlen(text);

	if (line > TRIM_SHORT)
		line = TRIM_SHORT;
	bytes_json(b, text, line);
	if (line + 1 < n)
		bytes_printf(b, "\\n[%zu bytes left out to save room]", n - line);
}

static void put_ends(struct bytes *b, const char *text, size_t most)
{
	size_t n = strlen(text), head = most / 2, tail = most - head;

	if (n <= most) {
		bytes_json(b, text, n);
		return;
	}
	bytes_json(b, text, head);
	bytes_printf(b, "\\n[%zu bytes left out to save room]\\n", n - most);
	bytes_json(b, text + n - tail, tail);
}

static void put_observation(struct bytes *b, const struct trim *t,
	const struct provider_message *m, size_t at, size_t n)
{
	const char *text = m->text ? m->text : "";

	if (at < t->shortened)
		put_short(b, text);
	else if (at + 1 == n && t->last_bytes)
		put_ends(b, text, t->last_bytes);
	else
		bytes_json(b, text, strlen(text));
}

static void put_call_native(struct bytes *b, const struct provider_message *m)
{
	struct bytes args = {.max = b->max};

	bytes_text(b, "\",\"tool_calls\":[{\"id\":");
	quote(b, m->call_id ? m->call_id : "call",
		strlen(m->call_id ? m->call_id : "call"));
	bytes_printf(b,
		",\"type\":\"function\",\"function\":{\"name\":\"%s\","
		"\"arguments\":\"",
		tool_of(m));
	put_arguments(&args, m);
	if (args.error)
		b->error = b->error ? b->error : args.error;
	else
		bytes_json(b, args.p, args.n);
	bytes_free(&args);
	bytes_text(b, "\"}}]}");
}

static void put_call_text(struct bytes *b, const struct provider_message *m)
{
	struct bytes call = {.max = b->max};

	bytes_printf(&call, "%s<tool_call>\n{\"name\":\"%s\",\"arguments\":",
		m->text && *m->text ? "\n" : "", tool_of(m));
	put_arguments(&call, m);
	bytes_text(&call, "}\n</tool_call>");
	if (call.error)
		b->error = b->error ? b->error : call.error;
	else
		bytes_json(b, call.p, call.n);
	bytes_free(&call);
	bytes_text(b, "\"}");
}

static void put_assistant(
	struct bytes *b, const struct request *q, const struct provider_message *m)
{
	begin(b, "assistant");
	if (m->text)
		bytes_json(b, m->text, strlen(m->text));
	if (!tool_of(m))
		bytes_text(b, "\"}");
	else if (q->tools_in_text)
		put_call_text(b, m);
	else
		put_call_native(b, m);
}

static void put_result(struct bytes *b, const struct request *q, const struct trim *t,
	const struct provider_message *m, size_t at, size_t n)
{
	if (q->tools_in_text) {
		begin(b, "user");
		bytes_text(b, "<tool_response>\\n");
		put_observation(b, t, m, at, n);
		bytes_text(b, "\\n</tool_response>\"}");
		return;
	}
	begin(b, "tool");
	put_observation(b, t, m, at, n);
	bytes_text(b, "\",\"tool_call_id\":");
	quote(b, m->call_id ? m->call_id : "call",
		strlen(m->call_id ? m->call_id : "call"));
	bytes_text(b, "}");
}

static void put_system(
	struct bytes *b, const struct request *q, const struct provider_message *m)
{
	const char *text = m->text ? m->text : "";

	begin(b, "system");
	bytes_json(b, text, strlen(text));
	if (q->tools_in_text) {
		bytes_text(b, "\\n\\n# Tools\\nTo use a tool, end your answer with\\n"
			      "<tool_call>\\n{\\\"name\\\": NAME, \\\"arguments\\\": "
			      "ARGUMENTS}\\n</tool_call>\\nOne call in an answer. The "
			      "tools, each with its argument:");
		for (size_t i = 0; i < N_TOOLS; i++) {
			if (offered(q, i))
				bytes_printf(b, "\\n- %s {\\\"%s\\\": %s}: %s %s: %s.",
					tools[i].name, tools[i].argument, tools[i].type,
					tools[i].what, tools[i].argument,
					tools[i].meaning);
		}
	}
	bytes_text(b, "\"}");
}

static void put_message(struct bytes *b, const struct request *q, const struct trim *t,
	const struct provider_message *m, size_t at, size_t n)
{
	const char *text = m->text ? m->text : "";

	switch (m->role) {
	case PROVIDER_SYSTEM: put_system(b, q, m); break;
	case PROVIDER_ASSISTANT: put_assistant(b, q, m); break;
	case PROVIDER_TOOL: put_result(b, q, t, m, at, n); break;
	case PROVIDER_USER:
		begin(b, "user");
		bytes_json(b, text, strlen(text));
		bytes_text(b, "\"}");
		break;
	}
}

static void put_options(struct bytes *b, const struct request *q)
{
	bytes_printf(b, ",\"stream\":%s", q->stream ? "true" : "false");
	if (q->stream && q->usage)
		bytes_text(b, ",\"stream_options\":{\"include_usage\":true}");
	if (q->max_reply)
		bytes_printf(b, ",\"%s\":%u",
			q->new_limit ? "max_completion_tokens" : "max_tokens",
			q->max_reply);
	if (q->has_temperature)
		bytes_printf(b, ",\"temperature\":%.4g", q->temperature);
}

int request_render(struct bytes *b, const struct request *q, const struct trim *t,
	const struct provider_message *m, size_t n)
{
	size_t head = trim_head(m, n);

	bytes_text(b, "{\"model\":");
	quote(b, q->model, strlen(q->model));
	bytes_text(b, ",\"messages\":[");
	for (size_t i = 0; i < n; i++) {
		if (i >= head && i < t->dropped) {
			if (i == head) {
				begin(b, "user");
				bytes_printf(b,
					"[%zu earlier messages left out to save "
					"room]\"}",
					t->dropped - head);
			}
			continue;
		}
		put_message(b, q, t, &m[i], i, n);
	}
	bytes_text(b, "]");
	if (!q->tools_in_text)
		put_tools(b, q);
	put_options(b, q);
	bytes_text(b, "}");
	return b->error;
}
