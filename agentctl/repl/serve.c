/*
 * serve.c: the options of `agentctl serve`.
 */
#include <string.h>
#include "agentctl/repl/options.h"
#include "agentctl/repl/repl.h"
#include "agentctl/serve/serve.h"

enum {
	OPT_LISTEN = OPT_OWN,
	OPT_MODEL,
	OPT_NAME,
	OPT_KEY_FILE,
	OPT_THREADS,
	OPT_CONTEXT
};

static const struct option table[] = {
	{"listen", required_argument, NULL, OPT_LISTEN},
	{"model", required_argument, NULL, OPT_MODEL},
	{"name", required_argument, NULL, OPT_NAME},
	{"key-file", required_argument, NULL, OPT_KEY_FILE},
	{"threads", required_argument, NULL, OPT_THREADS},
	{"context", required_argument, NULL, OPT_CONTEXT},
	{NULL, 0, NULL, 0},
};

static bool take(void *arg, int opt, const char *value)
{
	struct serve_options *o = arg;
	unsigned long n = 0;
	bool good = *value != 0;

	switch (opt) {
	case OPT_LISTEN: o->listen = value; break;
	case OPT_MODEL: o->dir = strcmp(value, "embedded") == 0 ? NULL : value; break;
	case OPT_NAME: o->name = value; break;
	case OPT_KEY_FILE: o->key_file = value; break;
	case OPT_THREADS:
		good = options_count(value, 64, &n);
		o->threads = (unsigned int)n;
		break;
	default:
		good = options_count(value, 1u << 20, &n);
		o->context = (uint32_t)n;
		break;
	}
	return good;
}

int repl_serve(int argc, char **argv)
{
	struct serve_options o = {0};

	if (options_parse(table, argc, argv, take, &o) != argc)
		return repl_usage("serve");
	return serve_run(&o);
}
