/*
 * options.c: the options of the verbs that do work. They come before the command or the
 * text; `--` ends them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/repl/options.h"

bool options_ms(const char *text, int *ms)
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

bool options_count(const char *text, unsigned long most, unsigned long *n)
{
	char *end;

	*n = strtoul(text, &end, 10);
	return end != text && !*end && *text != '-' && *n > 0 && *n <= most;
}

bool options_take(struct loop_options *o, int opt, const char *value)
{
	switch (opt) {
	case OPT_WORKSPACE: o->workspace = value; break;
	case OPT_LABEL: o->label = value; return strlen(value) < 128;
	case OPT_CHECK: o->check = value; return *value != 0;
	case OPT_KEEP: o->keep = LOOP_KEEP_YES; break;
	case OPT_NO_KEEP: o->keep = LOOP_KEEP_NO; break;
	case OPT_LATE: o->late = true; break;
	case OPT_JSON: o->json = true; break;
	case OPT_TIMEOUT: return options_ms(value, &o->timeout_ms);
	case OPT_POLICY: o->policy_off = true; return strcmp(value, "off") == 0;
	default: return false;
	}
	return true;
}

int options_parse(const struct option *table, int argc, char **argv,
	bool (*take)(void *arg, int opt, const char *value), void *arg)
{
	int opt, at = 0;

	optind = 0;
	while ((opt = getopt_long(argc, argv, "+", table, &at)) != -1) {
		if (opt == '?')
			return -1;
		if (!take(arg, opt, optarg)) {
			fprintf(stderr, "agentctl: cannot use '%s' for --%s\n",
				optarg ? optarg : "", table[at].name);
			return -1;
		}
	}
	return optind;
}
