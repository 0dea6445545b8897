/*
 * model.c: one table of options for the verb task and the session without a verb.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "agentctl/repl/model.h"
#include "agentctl/repl/options.h"
#include "common/mem.h"

#define MAX_STEPS 100

enum {
	OPT_SCRIPT = OPT_OWN,
	OPT_MODEL,
	OPT_NAME,
	OPT_KEY_ENV,
	OPT_KEY_FILE,
	OPT_CA_FILE,
	OPT_TOOLS,
	OPT_NO_STREAM,
	OPT_CONTEXT,
	OPT_MAX_REPLY,
	OPT_TEMPERATURE,
	OPT_RETRIES,
	OPT_CONNECT,
	OPT_IDLE,
	OPT_ANSWER,
	OPT_ON_FAILURE,
	OPT_ROLLBACK,
	OPT_STEPS,
	OPT_TOKENS,
	OPT_SECONDS,
	OPT_RESUME,
};

static const struct option table[] = {
	COMMON_OPTIONS,
	{"script", required_argument, NULL, OPT_SCRIPT},
	{"model", required_argument, NULL, OPT_MODEL},
	{"name", required_argument, NULL, OPT_NAME},
	{"key-env", required_argument, NULL, OPT_KEY_ENV},
	{"key-file", required_argument, NULL, OPT_KEY_FILE},
	{"ca-file", required_argument, NULL, OPT_CA_FILE},
	{"tools", required_argument, NULL, OPT_TOOLS},
	{"no-stream", no_argument, NULL, OPT_NO_STREAM},
	{"context", required_argument, NULL, OPT_CONTEXT},
	{"max-reply", required_argument, NULL, OPT_MAX_REPLY},
	{"temperature", required_argument, NULL, OPT_TEMPERATURE},
	{"retries", required_argument, NULL, OPT_RETRIES},
	{"connect-timeout", required_argument, NULL, OPT_CONNECT},
	{"idle-timeout", required_argument, NULL, OPT_IDLE},
	{"answer-timeout", required_argument, NULL, OPT_ANSWER},
	{"on-failure", required_argument, NULL, OPT_ON_FAILURE},
	{"rollback-failed", no_argument, NULL, OPT_ROLLBACK},
	{"max-steps", required_argument, NULL, OPT_STEPS},
	{"max-tokens", required_argument, NULL, OPT_TOKENS},
	{"max-seconds", required_argument, NULL, OPT_SECONDS},
	{"resume", required_argument, NULL, OPT_RESUME},
	{NULL, 0, NULL, 0},
};

/* The place of @value in a list of words, or -1. */
static int word(const char *value, const char *const *words)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(value, words[i]) == 0)
			return i;
	}
	return -1;
}

static bool take_tools(struct provider_server *s, const char *value)
{
	static const char *const words[] = {"auto", "native", "text", NULL};
	int at = word(value, words);

	s->tools = at < 0 ? PROVIDER_TOOLS_AUTO : (enum provider_tools)at;
	return at >= 0;
}

static bool take_failure(struct loop_options *o, const char *value)
{
	static const char *const words[] = {"model", "rollback", "keep", NULL};
	int at = word(value, words);

	o->on_failure = at < 0 ? LOOP_FAILURE_MODEL : (enum loop_failure)at;
	return at >= 0;
}

static bool take_temperature(struct provider_server *s, const char *value)
{
	char *end;

	s->temperature = strtod(value, &end);
	s->has_temperature = true;
	return end != value && !*end && s->temperature >= 0 && s->temperature <= 2;
}

static bool take_uint(const char *value, unsigned long most, unsigned int *n)
{
	unsigned long v;
	bool good = options_count(value, most, &v);

	*n = good ? (unsigned int)v : 0;
	return good;
}

static bool take_tokens(const char *value, uint64_t *n)
{
	unsigned long v;
	bool good = options_count(value, 1000000000000, &v);

	*n = v;
	return good;
}

static bool take_retries(struct provider_server *s, const char *value)
{
	s->retries = 0;
	return strcmp(value, "0") == 0 || take_uint(value, 100, &s->retries);
}

static bool take_server(struct provider_server *s, int opt, const char *value)
{
	switch (opt) {
	case OPT_MODEL: s->url = value; break;
	case OPT_NAME: s->model = value; return *value != 0;
	case OPT_KEY_ENV: s->key_env = value; return *value && !strchr(value, '=');
	case OPT_KEY_FILE: s->key_file = value; break;
	case OPT_CA_FILE: s->ca_file = value; break;
	case OPT_TOOLS: return take_tools(s, value);
	case OPT_NO_STREAM: s->no_stream = true; break;
	case OPT_CONTEXT: return take_uint(value, 1000000000, &s->context);
	case OPT_MAX_REPLY: return take_uint(value, 1000000000, &s->max_reply);
	case OPT_TEMPERATURE: return take_temperature(s, value);
	case OPT_RETRIES: return take_retries(s, value);
	case OPT_CONNECT: return options_ms(value, &s->connect_ms);
	case OPT_IDLE: return options_ms(value, &s->idle_ms);
	case OPT_ANSWER: return options_ms(value, &s->total_ms);
	default: return false;
	}
	return true;
}

static bool take(void *arg, int opt, const char *value)
{
	struct model *t = arg;

	switch (opt) {
	case OPT_SCRIPT: t->o.script = value; return true;
	case OPT_ON_FAILURE: return take_failure(&t->o, value);
	case OPT_ROLLBACK: t->o.on_failure = LOOP_FAILURE_ROLLBACK; return true;
	case OPT_STEPS: return take_uint(value, 100000, &t->o.max_steps);
	case OPT_TOKENS: return take_tokens(value, &t->o.max_tokens);
	case OPT_SECONDS: return options_ms(value, &t->o.max_ms);
	case OPT_RESUME: t->resume = value; return *value != 0;
	default:
		return opt < OPT_OWN ? options_take(&t->o, opt, value)
				     : take_server(t->server, opt, value);
	}
}

/* The model is in this process: the embedded one, or in a directory. */
static bool is_here(const char *model)
{
	struct stat st;

	return strcmp(model, "embedded") == 0 ||
	       (!strstr(model, "://") && strncmp(model, "unix:", 5) != 0 &&
		       stat(model, &st) == 0 && S_ISDIR(st.st_mode));
}

/* What does not go together. */
static const char *mistake(const struct model *m, bool session)
{
	const struct provider_server *s = m->server;

	if (m->o.script && s->url)
		return "--script and --model exclude each other";
	if (s->url && is_here(s->url) && s->model)
		return "--name is for servers";
	if (s->url && !is_here(s->url) && !s->model)
		return "--model needs --name, the model's name for its server";
	if (s->key_env && s->key_file)
		return "--key-env and --key-file exclude each other";
	if (m->resume && !session)
		return "--resume is for sessions";
	if (session && m->o.json)
		return "--json is for verbs";
	return NULL;
}

/* Where the words that were given lead. */
static void settle(struct model *m)
{
	const char *spec = m->server->url;

	m->server->no_rollback = m->o.on_failure == LOOP_FAILURE_KEEP;
	m->o.server = spec && !is_here(spec) ? m->server : NULL;
	m->o.local = m->server;
	m->o.model_dir =
		spec && !m->o.server && strcmp(spec, "embedded") != 0 ? spec : NULL;
	m->name = m->o.script	? m->o.script
		  : m->o.server ? m->server->model
		  : spec	? spec
				: "embedded";
}

int model_options(struct model *m, int argc, char **argv, bool session)
{
	const char *wrong;
	int first;

	memset(m, 0, sizeof *m);
	m->o.max_steps = MAX_STEPS;
	m->server = mem_zalloc(sizeof *m->server);
	if (!m->server)
		return -1;
	m->server->retries = PROVIDER_RETRIES;
	first = options_parse(table, argc, argv, take, m);
	wrong = first < 0 ? NULL : mistake(m, session);
	if (wrong)
		fprintf(stderr, "agentctl: %s\n", wrong);
	else
		settle(m);
	return wrong ? -1 : first;
}

bool model_choose(struct model *m, const char *spec, const char *name)
{
	struct provider_server *server = mem_dup(m->server, sizeof *server);

	m->server = server;
	m->spec = mem_strdup(spec);
	m->server_name = name ? mem_strdup(name) : NULL;
	m->o.script = NULL;
	if (!server || !m->spec || (name && !m->server_name) || is_here(spec) != !name) {
		model_free(m);
		return false;
	}
	server->url = m->spec;
	server->model = m->server_name;
	settle(m);
	return true;
}

void model_keep(struct model *m, struct model *next)
{
	model_free(m);
	*m = *next;
}

void model_free(struct model *m)
{
	free(m->server);
	free(m->spec);
	free(m->server_name);
	m->server = NULL;
	m->spec = m->server_name = NULL;
}
