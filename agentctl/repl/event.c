/*
 * event.c: the four forms of a hook's question. All are one JSON object; they differ in
 * the event's name, in where the command stands, and in whether "ask" is understood:
 * Codex runs the tool when it hears a word that it does not know, Gemini knows two words.
 *
 * Anything that is not understood is an error, except an event about a tool that runs no
 * command: that is not ours to judge.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "agentctl/repl/event.h"
#include "common/escape.h"
#include "agentctl/tool/tool.h"
#include "common/mem.h"

#define DEPTH 32
#define MAX_WORDS 4096

static const struct {
	const char *name, *event;
	const char *shells; /* tools that do run commands, separated by blanks */
} forms[EVENT_AGENTS] = {
	[EVENT_CLAUDE] = {"claude", "PreToolUse", " Bash "},
	[EVENT_CODEX] = {"codex", "PreToolUse",
		" Bash shell exec_command local_shell unified_exec "},
	[EVENT_GEMINI] = {"gemini", "BeforeTool", " run_shell_command "},
	[EVENT_CURSOR] = {"cursor", "beforeShellExecution", ""},
};

bool event_agent(const char *name, enum event_agent *a)
{
	for (int i = 0; i < EVENT_AGENTS; i++) {
		if (strcmp(name, forms[i].name) == 0) {
			*a = (enum event_agent)i;
			return true;
		}
	}
	return false;
}

static int bad(char *why, size_t size, const char *text)
{
	snprintf(why, size, "%s", text);
	return -EINVAL;
}

/* A text without NUL in it, or NULL. */
static const char *string_of(json_object *v)
{
	const char *s = json_object_is_type(v, json_type_string)
				? json_object_get_string(v)
				: NULL;

	return s && strlen(s) == (size_t)json_object_get_string_len(v) ? s : NULL;
}

static const char *member(json_object *o, const char *key)
{
	json_object *v;

	return json_object_is_type(o, json_type_object) &&
			       json_object_object_get_ex(o, key, &v)
		       ? string_of(v)
		       : NULL;
}

static size_t keys_of(json_object *o)
{
	size_t n = 0;

	if (json_object_is_type(o, json_type_array))
		for (size_t i = 0; i < json_object_array_length(o); i++)
			n += keys_of(json_object_array_get_idx(o, i));
	if (!json_object_is_type(o, json_type_object))
		return n;
	json_object_object_foreach(o, key, value)
	{
		(void)key;
		n += 1 + keys_of(value);
	}
	return n;
}

/* Strings before a colon in the text: more than the parser kept if a key stands twice,
 * and then nobody knows which of its values the tool will take. */
static size_t keys_written(const char *text, size_t n)
{
	size_t keys = 0;

	for (size_t i = 0; i < n; i++) {
		if (text[i] != '"')
			continue;
		for (i++; i < n && text[i] != '"'; i++)
			i += text[i] == '\\';
		for (i++; i < n && strchr(" \t\r\n", text[i]) && text[i]; i++)
			;
		keys += i < n && text[i] == ':';
		i -= i < n && text[i] == '"';
	}
	return keys;
}

static json_object *parse(const char *text, size_t n)
{
	json_tokener *tok = json_tokener_new_ex(DEPTH);
	json_object *o = tok ? json_tokener_parse_ex(tok, text, (int)n) : NULL;
	bool good = o && json_tokener_get_error(tok) == json_tokener_success &&
		    json_object_is_type(o, json_type_object);

	for (size_t i = good ? json_tokener_get_parse_end(tok) : n; i < n; i++)
		good = good && strchr(" \t\r\n", text[i]) && text[i];
	json_tokener_free(tok);
	good = good && utf8_valid(text, n) && keys_written(text, n) == keys_of(o);
	if (good)
		return o;
	json_object_put(o);
	return NULL;
}

/* A list of words is the argv that would be run. */
static char *quoted(json_object *list)
{
	size_t n = json_object_array_length(list);
	char **argv = n && n < MAX_WORDS ? calloc(n + 1, sizeof *argv) : NULL;
	char *line = NULL;
	bool good = argv != NULL;

	for (size_t i = 0; good && i < n; i++) {
		argv[i] = (char *)string_of(json_object_array_get_idx(list, i));
		good = argv[i] != NULL;
	}
	if (good)
		line = tool_quote(argv);
	free(argv);
	return line;
}

static int take_command(struct event *e, json_object *v, char *why, size_t size)
{
	if (json_object_is_type(v, json_type_array))
		e->command = quoted(v);
	else if (string_of(v))
		e->command = mem_strdup(string_of(v));
	return e->command ? 0 : bad(why, size, "its command is not a text");
}

static bool runs_commands(enum event_agent a, const char *tool)
{
	char word[128];

	if (!tool || strlen(tool) > 100)
		return true;
	snprintf(word, sizeof word, " %s ", tool);
	return strstr(forms[a].shells, word) != NULL;
}

static int find_command(struct event *e, json_object *o, char *why, size_t size)
{
	static const char *const keys[] = {"command", "cmd"};
	json_object *in = o, *v;

	if (e->agent != EVENT_CURSOR && !json_object_object_get_ex(o, "tool_input", &in))
		return bad(why, size, "it has no tool_input");
	for (size_t i = 0; i < 2 && json_object_is_type(in, json_type_object); i++) {
		if (json_object_object_get_ex(in, keys[i], &v))
			return take_command(e, v, why, size);
	}
	if (runs_commands(e->agent, member(o, "tool_name")))
		return bad(why, size, "it has no command");
	return 0;
}

/* The folder that the command starts in: the agent's, and a folder of the tool's below.
 */
static int find_cwd(struct event *e, json_object *o, char *why, size_t size)
{
	static const char *const keys[] = {"directory", "dir_path", "workdir"};
	const char *base = member(o, "cwd"), *dir = NULL;
	json_object *in = NULL;
	char here[PATH_MAX];
	struct stat st;
	int n;

	if (!json_object_object_get_ex(o, "cwd", NULL))
		base = getcwd(here, sizeof here);
	if (!base || *base != '/')
		return bad(why, size, "it names no folder, or not by its full path");
	json_object_object_get_ex(o, "tool_input", &in);
	for (size_t i = 0; i < 3 && !dir; i++)
		dir = member(in, keys[i]);
	if (dir && *dir == '/')
		n = snprintf(e->cwd, sizeof e->cwd, "%s", dir);
	else
		n = snprintf(e->cwd, sizeof e->cwd, "%s%s%s", base,
			dir && *dir ? "/" : "", dir ? dir : "");
	if (n < 0 || (size_t)n >= sizeof e->cwd)
		return bad(why, size, "its folder is too long");
	return stat(e->cwd, &st) == 0 && S_ISDIR(st.st_mode)
		       ? 0
		       : bad(why, size, "its folder is not there");
}

/* In a mode that asks nobody, "ask" would be answered by nobody. */
static bool can_ask(const struct event *e, json_object *o)
{
	const char *mode = member(o, "permission_mode");

	if (e->agent == EVENT_CURSOR)
		return true;
	return e->agent == EVENT_CLAUDE &&
	       (!mode || (strcmp(mode, "bypassPermissions") && strcmp(mode, "dontAsk")));
}

int event_read(struct event *e, enum event_agent agent, const char *text, size_t n,
	char *why, size_t size)
{
	json_object *o = parse(text, n);
	const char *name;
	int r;

	memset(e, 0, sizeof *e);
	e->agent = agent;
	if (!o)
		return bad(why, size, "it is not one JSON object");
	name = member(o, "hook_event_name");
	if (name && strcmp(name, forms[agent].event) != 0)
		r = bad(why, size, "it is not the event before a tool runs");
	else
		r = find_command(e, o, why, size);
	if (r == 0)
		r = find_cwd(e, o, why, size);
	e->person = can_ask(e, o);
	json_object_put(o);
	return r;
}

void event_free(struct event *e)
{
	free(e->command);
	e->command = NULL;
}

const char *event_pass(enum event_agent agent)
{
	return agent == EVENT_CURSOR ? "{\"permission\":\"allow\"}" : "{}";
}

char *event_ask(const struct event *e, const char *reason)
{
	json_object *o = json_object_new_object(), *in;
	char *line;

	if (e->agent == EVENT_CURSOR) {
		json_object_object_add(o, "permission", json_object_new_string("ask"));
		json_object_object_add(o, "user_message", json_object_new_string(reason));
		json_object_object_add(
			o, "agent_message", json_object_new_string(reason));
	} else {
		in = json_object_new_object();
		json_object_object_add(
			in, "hookEventName", json_object_new_string("PreToolUse"));
		json_object_object_add(
			in, "permissionDecision", json_object_new_string("ask"));
		json_object_object_add(
			in, "permissionDecisionReason", json_object_new_string(reason));
		json_object_object_add(o, "hookSpecificOutput", in);
	}
	line = mem_strdup(json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
	return line;
}
