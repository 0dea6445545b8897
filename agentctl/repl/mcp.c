/*
 * mcp.c: the options of `agentctl mcp`.
 */
#include "agentctl/mcp/mcp.h"
#include "agentctl/repl/options.h"
#include "agentctl/repl/repl.h"

enum { OPT_ALLOW_TX = OPT_OWN };

static const struct option table[] = {
	{"workspace", required_argument, NULL, OPT_WORKSPACE},
	{"label", required_argument, NULL, OPT_LABEL},
	{"check", required_argument, NULL, OPT_CHECK},
	{"late", no_argument, NULL, OPT_LATE},
	{"timeout", required_argument, NULL, OPT_TIMEOUT},
	{"policy", required_argument, NULL, OPT_POLICY},
	{"allow-tx", no_argument, NULL, OPT_ALLOW_TX},
	{NULL, 0, NULL, 0},
};

static bool take(void *arg, int opt, const char *value)
{
	struct mcp_options *o = arg;

	if (opt != OPT_ALLOW_TX)
		return options_take(&o->loop, opt, value);
	o->allow_tx = true;
	return true;
}

int repl_mcp(int argc, char **argv)
{
	struct mcp_options o = {.loop.spoken = true};

	if (options_parse(table, argc, argv, take, &o) != argc)
		return repl_usage("mcp");
	return mcp_serve(&o);
}
