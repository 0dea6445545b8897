/*
 * options.h: the options of the verbs that do work, and numbers in them. Private to repl.
 */
#ifndef AGENTCTL_REPL_OPTIONS_H
#define AGENTCTL_REPL_OPTIONS_H

#include <getopt.h>
#include "agentctl/loop/loop.h"

enum {
	OPT_WORKSPACE = 256,
	OPT_LABEL,
	OPT_CHECK,
	OPT_KEEP,
	OPT_NO_KEEP,
	OPT_LATE,
	OPT_JSON,
	OPT_POLICY,
	OPT_TIMEOUT,
	OPT_OWN, /* a verb's own options begin here */
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

/** options_take(o, opt, value): one of the common options. False: it is none, or @value
 * makes no sense. */
bool options_take(struct loop_options *o, int opt, const char *value);

/** options_parse(table, argc, argv, take, arg): give each option to @take. The index of
 * the first word behind them, or -1 after a complaint. */
int options_parse(const struct option *table, int argc, char **argv,
	bool (*take)(void *arg, int opt, const char *value), void *arg);

/** options_ms(text, ms): seconds, with a fraction if wanted; above 0. */
bool options_ms(const char *text, int *ms);

/** options_count(text, most, n): 1 to @most. */
bool options_count(const char *text, unsigned long most, unsigned long *n);

#endif
