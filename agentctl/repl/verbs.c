/*
 * verbs.c: the table of verbs, and the options of run.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "agentctl/loop/loop.h"
#include "agentctl/repl/options.h"
#include "agentctl/repl/repl.h"

#define WRONG_USAGE 2

const struct repl_verb repl_verbs[] = {
	{"run", "[OPTIONS] [--] CMD [ARG...]",
		"run a command in a transaction, contained", repl_run},
	{"task", "[OPTIONS] [--model URL --name NAME] TEXT", "let a model work on a task",
		repl_task},
	{"transcript", "[--workspace DIR] [--json] [TX]",
		"show what was said and done in a task", repl_transcript},
	{"doctor", "[--json]", "say what works here, and what is not contained",
		repl_doctor},
	{"audit", "[--tx ID] [--decision D] ...",
		"search or verify the record of verdicts", repl_audit},
	{"hook", "claude|codex|gemini|cursor", "answer another agent's pre-tool hook",
		repl_hook},
	{"mcp", "[--workspace DIR] [--allow-tx] [OPTIONS]",
		"serve a client of the Model Context Protocol", repl_mcp},
	{"serve", "[--listen HOST:PORT] [--model DIR] [OPTIONS]",
		"serve a model by the OpenAI protocol", repl_serve},
	{NULL, NULL, NULL, NULL},
};

enum { OPT_DRY_RUN = OPT_OWN, OPT_ALLOW_TX };

static const struct option run_options[] = {
	COMMON_OPTIONS,
	{"dry-run", no_argument, NULL, OPT_DRY_RUN},
	{"allow-tx", no_argument, NULL, OPT_ALLOW_TX},
	{NULL, 0, NULL, 0},
};

int repl_usage(const char *verb)
{
	for (const struct repl_verb *v = repl_verbs; v->name; v++) {
		if (strcmp(v->name, verb) == 0)
			fprintf(stderr, "usage: agentctl %s %s\n", v->name, v->arguments);
	}
	return WRONG_USAGE;
}

static bool take(void *arg, int opt, const char *value)
{
	struct loop_options *o = arg;

	switch (opt) {
	case OPT_DRY_RUN: o->dry_run = true; return true;
	case OPT_ALLOW_TX: o->allow_tx = true; return true;
	default: return options_take(o, opt, value);
	}
}

int repl_run(int argc, char **argv)
{
	/* On a terminal a person decides; without one nobody would. */
	bool person = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	struct loop_options o = {.keep = person ? LOOP_KEEP_YES : LOOP_KEEP_NO};
	int first = options_parse(run_options, argc, argv, take, &o);

	if (first < 0 || first >= argc)
		return repl_usage("run");
	return loop_run(&o, argv + first);
}
