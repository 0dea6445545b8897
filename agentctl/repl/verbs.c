/*
 * verbs.c: the table of verbs, and the options of those that do work. Options come before
 * the command or the text; `--` ends them.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agentctl/loop/loop.h"
#include "agentctl/repl/repl.h"

#define WRONG_USAGE 2
#define MAX_STEPS 100

static int not_yet(int argc, char **argv)
{
	fprintf(stderr, "agentctl: '%s' is not supported yet\n", argv[0]);
	return WRONG_USAGE;
}

const struct repl_verb repl_verbs[] = {
	{"run", "[OPTIONS] [--] CMD [ARG...]",
		"run a command in a transaction, contained", repl_run},
	{"task", "[OPTIONS] --script FILE TEXT",
		"let a (scripted) provider work on a task", repl_task},
	{"doctor", "[--json]", "say what works here, and what is not contained",
		repl_doctor},
	{"audit", "[--tx ID] [--decision D] ...",
		"search or verify the record of verdicts", repl_audit},
	{"hook", "claude|codex|gemini|cursor", "answer another agent's pre-tool hook",
		repl_hook},
	{"mcp", "", NULL, not_yet},
	{"serve", "", NULL, not_yet},
	{NULL, NULL, NULL, NULL},
};

enum {
	OPT_WORKSPACE = 256,
	OPT_LABEL,
	OPT_CHECK,
	OPT_KEEP,
	OPT_NO_KEEP,
	OPT_LATE,
	OPT_JSON,
	OPT_DRY_RUN,
	OPT_POLICY,
	OPT_TIMEOUT,
	OPT_SCRIPT,
	OPT_STEPS,
	OPT_ROLLBACK,
};

#define COMMON_OPTIONS                                           \
	{"workspace", required_argument, NULL, OPT_WORKSPACE},   \
		{"label", required_argument, NULL, OPT_LABEL},   \
		{"check", required_argument, NULL, OPT_CHECK},   \
		{"keep", no_argument, NULL, OPT_KEEP},           \
		{"no-keep", no_argument, NULL, OPT_NO_KEEP},     \
		{"late", no_argument, NULL, OPT_LATE},           \
		{"json", no_argument, NULL, OPT_JSON},           \
		{"policy", required_argument, NULL, OPT_POLICY}, \
	{                                                        \
		"timeout", required_argument, NULL, OPT_TIMEOUT  \
	}

static const struct option run_options[] = {
	COMMON_OPTIONS,
	{"dry-run", no_argument, NULL, OPT_DRY_RUN},
	{NULL, 0, NULL, 0},
};

static const struct option task_options[] = {
	COMMON_OPTIONS,
	{"script", required_argument, NULL, OPT_SCRIPT},
	{"max-steps", required_argument, NULL, OPT_STEPS},
	{"rollback-failed", no_argument, NULL, OPT_ROLLBACK},
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

/* Seconds, with a fraction if wanted, as milliseconds. */
static bool parse_timeout(const char *text, int *ms)
{
	char *end;
	double s = strtod(text, &end);

	if (end == text || *end || !(s > 0) || s > 1000000)
		return false;
	*ms = (int)(s * 1000);
	if (*ms == 0)
		*ms = 1;
	return true;
}

static bool parse_count(const char *text, unsigned int *n)
{
	char *end;
	unsigned long v = strtoul(text, &end, 10);

	if (end == text || *end || *text == '-' || v == 0 || v > 100000)
		return false;
	*n = (unsigned int)v;
	return true;
}

static bool take_option(struct loop_options *o, int opt, const char *value)
{
	switch (opt) {
	case OPT_WORKSPACE: o->workspace = value; break;
	case OPT_LABEL: o->label = value; return strlen(value) < 128;
	case OPT_CHECK: o->check = value; return *value != 0;
	case OPT_KEEP: o->keep = LOOP_KEEP_YES; break;
	case OPT_NO_KEEP: o->keep = LOOP_KEEP_NO; break;
	case OPT_LATE: o->late = true; break;
	case OPT_JSON: o->json = true; break;
	case OPT_DRY_RUN: o->dry_run = true; break;
	case OPT_SCRIPT: o->script = value; break;
	case OPT_ROLLBACK: o->rollback_failed = true; break;
	case OPT_STEPS: return parse_count(value, &o->max_steps);
	case OPT_TIMEOUT: return parse_timeout(value, &o->timeout_ms);
	case OPT_POLICY: o->policy_off = true; return strcmp(value, "off") == 0;
	default: return false;
	}
	return true;
}

/* The index of the first word behind the options, or -1 after a complaint. */
static int parse(
	struct loop_options *o, const struct option *table, int argc, char **argv)
{
	int opt, at = 0;

	optind = 0;
	while ((opt = getopt_long(argc, argv, "+", table, &at)) != -1) {
		if (opt == '?')
			return -1;
		if (!take_option(o, opt, optarg)) {
			fprintf(stderr, "agentctl: cannot use '%s' for --%s\n",
				optarg ? optarg : "", table[at].name);
			return -1;
		}
	}
	return optind;
}

int repl_run(int argc, char **argv)
{
	/* On a terminal a person decides; without one nobody would. */
	bool person = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	struct loop_options o = {.keep = person ? LOOP_KEEP_YES : LOOP_KEEP_NO};
	int first = parse(&o, run_options, argc, argv);

	if (first < 0 || first >= argc)
		return repl_usage("run");
	return loop_run(&o, argv + first);
}

int repl_task(int argc, char **argv)
{
	struct loop_options o = {.max_steps = MAX_STEPS};
	int first = parse(&o, task_options, argc, argv);

	if (first < 0 || first != argc - 1)
		return repl_usage("task");
	return loop_task(&o, argv[first]);
}
