/*
 * task.c: the options of `agentctl task`: which model, how it is reached, how long it may
 * work.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/repl/options.h"
#include "agentctl/repl/repl.h"

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
	{NULL, 0, NULL, 0},
};

struct task {
	struct loop_options o;
	struct provider_server server;
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
	struct task *t = arg;

	switch (opt) {
	case OPT_SCRIPT: t->o.script = value; return true;
	case OPT_ON_FAILURE: return take_failure(&t->o, value);
	case OPT_ROLLBACK: t->o.on_failure = LOOP_FAILURE_ROLLBACK; return true;
	case OPT_STEPS: return take_uint(value, 100000, &t->o.max_steps);
	case OPT_TOKENS: return take_tokens(value, &t->o.max_tokens);
	case OPT_SECONDS: return options_ms(value, &t->o.max_ms);
	default:
		return opt < OPT_OWN ? options_take(&t->o, opt, value)
				     : take_server(&t->server, opt, value);
	}
}

/* What does not go together. */
static const char *mistake(const struct task *t)
{
	const struct provider_server *s = &t->server;

	if (t->o.script && s->url)
		return "--script and --model exclude each other";
	if (s->url && !s->model)
		return "--model needs --name, the model's name for its server";
	if (s->key_env && s->key_file)
		return "--key-env and --key-file exclude each other";
	return NULL;
}

int repl_task(int argc, char **argv)
{
	struct task t = {.o.max_steps = MAX_STEPS, .server.retries = PROVIDER_RETRIES};
	int first = options_parse(table, argc, argv, take, &t);
	const char *wrong;

	if (first < 0 || first != argc - 1)
		return repl_usage("task");
	wrong = mistake(&t);
	if (wrong) {
		fprintf(stderr, "agentctl: %s\n", wrong);
		return repl_usage("task");
	}
	t.server.no_rollback = t.o.on_failure == LOOP_FAILURE_KEEP;
	if (t.server.url)
		t.o.server = &t.server;
	return loop_task(&t.o, argv[first]);
}
