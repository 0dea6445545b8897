/*
 * cmd.c: the table of verbs, and the parser and the help that are made from it.
 */
#include "fs/cmd/cmd.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/cleanup.h"
#include "common/escape.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/version.h"
#include "fs/cmd/out.h"

/* --- tables ----------------------------------------------------------------------------
 */

enum opt_bit {
	OPT_JSON = 1,
	OPT_TX = 2,
	OPT_PRIVATE = 4,
	OPT_LABEL = 8,
	OPT_FORCE = 16,
	OPT_DRY = 32,
	OPT_STORE = 64,
	OPT_OPTIONS = 128,
	OPT_FOREGROUND = 256,
};

/* An option puts its value (a string, or true) into struct args. */
static const struct opt {
	enum opt_bit bit;
	char letter; /* 0: long form only */
	const char *name, *value, *help;
	size_t at;
} opts[] = {
	{OPT_JSON, 0, "json", NULL, "one JSON object a row", offsetof(struct args, json)},
	{OPT_TX, 0, "tx", "ID", "the transaction, by id or label",
		offsetof(struct args, tx)},
	{OPT_PRIVATE, 0, "private", NULL, "a view of its own, beside everybody else's",
		offsetof(struct args, is_private)},
	{OPT_LABEL, 0, "label", "TEXT", "a name for it", offsetof(struct args, label)},
	{OPT_FORCE, 0, "force", NULL, "although others would be affected",
		offsetof(struct args, force)},
	{OPT_DRY, 0, "dry-run", NULL, "say what would be done, do nothing",
		offsetof(struct args, dry_run)},
	{OPT_STORE, 0, "store", "DIR", "where transactions are kept",
		offsetof(struct args, store)},
	{OPT_OPTIONS, 'o', NULL, "OPTIONS", "mount options, separated by commas",
		offsetof(struct args, options)},
	{OPT_FOREGROUND, 'f', NULL, NULL, "stay in the foreground",
		offsetof(struct args, foreground)},
};
#define N_OPTS (sizeof(opts) / sizeof(*opts))

static const struct verb {
	const char *name, *args, *help;
	unsigned int opts;
	int min, max; /* positional arguments */
	int (*run)(const struct args *a);
} verbs[] = {
	{"mount", "BASE [MNT]", "serve a directory, over itself or at another place",
		OPT_OPTIONS | OPT_STORE | OPT_DRY | OPT_FOREGROUND, 1, 2, cmd_mount},
	{"umount", "[MNT]", "write everything, stop serving", OPT_FORCE, 0, 1,
		cmd_umount},
	{"begin", "", "begin a transaction, print its id (private: and its view)",
		OPT_PRIVATE | OPT_LABEL | OPT_FORCE | OPT_JSON, 0, 0, cmd_begin},
	{"commit", "", "publish all changes of a transaction at once",
		OPT_TX | OPT_DRY | OPT_JSON, 0, 1 << 20, cmd_commit},
	{"abort", "", "drop all changes of a transaction", OPT_TX | OPT_JSON, 0, 0,
		cmd_abort},
	{"savepoint", "NAME", "remember this state within the transaction", OPT_TX, 1, 1,
		cmd_savepoint},
	{"rollback", "NAME", "go back to a savepoint", OPT_TX, 1, 1, cmd_rollback},
	{"release", "NAME", "forget a savepoint, keep the changes", OPT_TX, 1, 1,
		cmd_release},
	{"status", "", "what is mounted and what is open", OPT_JSON, 0, 0, cmd_status},
	{"diff", "", "the paths that a transaction changed", OPT_TX | OPT_JSON, 0, 0,
		cmd_diff},
	{"ls", "", "the transactions there are", OPT_JSON, 0, 0, cmd_ls},
	{"log", "", "commits and aborts, the newest first", OPT_JSON, 0, 0, cmd_log},
	{"sync", "", "commit what is not in a transaction, wait for the disk", 0, 0, 0,
		cmd_sync},
};
#define N_VERBS (sizeof(verbs) / sizeof(*verbs))

/* --- help ------------------------------------------------------------------------------
 */

static void usage_of(FILE *f, const struct verb *v)
{
	fprintf(f, "usage: txfs [-C DIR] %s", v->name);
	for (size_t i = 0; i < N_OPTS; i++)
		if (v->opts & opts[i].bit)
			fprintf(f, " [%s%.*s%s%s%s]", opts[i].name ? "--" : "-", 1,
				opts[i].name ? "" : &opts[i].letter,
				opts[i].name ? opts[i].name : "",
				opts[i].value ? " " : "",
				opts[i].value ? opts[i].value : "");
	fprintf(f, "%s%s\n", *v->args ? " " : "", v->args);
}

static void help_of(const struct verb *v)
{
	usage_of(stdout, v);
	printf("%s\n", v->help);
	for (size_t i = 0; i < N_OPTS; i++) {
		char left[40], letter[2] = {opts[i].letter, 0};

		if (!(v->opts & opts[i].bit))
			continue;
		snprintf(left, sizeof(left), "%s%s%s%s", opts[i].name ? "--" : "-",
			opts[i].name ? opts[i].name : letter, opts[i].value ? " " : "",
			opts[i].value ? opts[i].value : "");
		printf("  %-16s %s\n", left, opts[i].help);
	}
}

static void help_all(FILE *f)
{
	fputs("usage: txfs [-C DIR] VERB [options] [args]\n"
	      "A transactional workspace: changes belong to a transaction until "
	      "commit.\n\n",
		f);
	for (size_t i = 0; i < N_VERBS; i++)
		fprintf(f, "  %-10s %-11s %s\n", verbs[i].name, verbs[i].args,
			verbs[i].help);
	fputs("\n`txfs VERB --help` lists the options of a verb.\n"
	      "exit: 0 done, 1 failed, 2 wrong usage, 3 conflict, 4 not allowed,\n"
	      "      5 committed but the base is behind\n",
		f);
}

/* --- parsing ---------------------------------------------------------------------------
 */

#define HELP_CODE 1000
#define LONG_CODE 1001 /* and up: long option by its place in opts */

static void set(struct args *a, const struct opt *o, const char *value)
{
	char *at = (char *)a + o->at;

	if (o->value)
		*(const char **)at = value;
	else
		*(bool *)at = true;
}

static const struct opt *opt_of(int code)
{
	if (code >= LONG_CODE)
		return &opts[code - LONG_CODE];
	for (size_t i = 0; i < N_OPTS; i++)
		if (opts[i].letter == code)
			return &opts[i];
	return NULL;
}

static void getopt_tables(const struct verb *v, struct option *longs, char *shorts)
{
	for (size_t i = 0; i < N_OPTS; i++) {
		if (!(v->opts & opts[i].bit))
			continue;
		if (opts[i].name)
			*longs++ = (struct option){opts[i].name,
				opts[i].value ? required_argument : no_argument, NULL,
				LONG_CODE + (int)i};
		if (opts[i].letter) {
			*shorts++ = opts[i].letter;
			if (opts[i].value)
				*shorts++ = ':';
		}
	}
	*longs++ = (struct option){"help", no_argument, NULL, HELP_CODE};
	*longs = (struct option){NULL, 0, NULL, 0};
	*shorts = 0;
}

static int wrong_usage(const struct verb *v, const char *what)
{
	cmd_error("%s: %s", v->name, what);
	usage_of(stderr, v);
	return CMD_USAGE;
}

static int bad_option(const struct verb *v, char **argv, int code)
{
	auto_free char *what = mem_printf("%s '%s'",
		code == ':' ? "no value for option" : "unknown option", argv[optind - 1]);

	return wrong_usage(v, what ? what : "wrong option");
}

/* -1: go on and run the verb; else the exit code. */
static int parse(const struct verb *v, struct args *a, int argc, char **argv)
{
	struct option longs[N_OPTS + 2];
	char shorts[2 * N_OPTS + 2] = ":";
	int code;

	getopt_tables(v, longs, shorts + 1);
	optind = 0; /* reset of all of getopt's state */
	opterr = 0;
	while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (code == HELP_CODE) {
			help_of(v);
			return out_end() ? CMD_DONE : CMD_FAILED;
		}
		if (code == '?' || code == ':')
			return bad_option(v, argv, code);
		set(a, opt_of(code), optarg);
	}
	a->n = argc - optind;
	a->pos = argv + optind;
	if (a->n < v->min)
		return wrong_usage(v, "an argument is missing");
	if (a->n > v->max)
		return wrong_usage(v, "too many arguments");
	return -1;
}

static int run_verb(const struct verb *v, struct args *a, int argc, char **argv)
{
	int rc = parse(v, a, argc, argv);

	if (rc >= 0)
		return rc;
	rc = v->run(a);
	if (!out_end() && rc == CMD_DONE) {
		cmd_error("cannot write to standard output: %s", strerror(errno));
		return CMD_FAILED;
	}
	return rc;
}

int cmd_main(int argc, char **argv)
{
	struct args a = {.dir = "."};
	int i = 1;

	for (; i < argc && *argv[i] == '-'; i++) {
		if (!strcmp(argv[i], "-C") && i + 1 < argc) {
			a.dir = argv[++i];
		} else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			help_all(stdout);
			return out_end() ? CMD_DONE : CMD_FAILED;
		} else if (!strcmp(argv[i], "--version")) {
			puts("txfs " TXFS_VERSION);
			return out_end() ? CMD_DONE : CMD_FAILED;
		} else {
			cmd_error("unknown option '%s'; see: txfs --help", argv[i]);
			return CMD_USAGE;
		}
	}
	if (i == argc) {
		help_all(stderr);
		return CMD_USAGE;
	}
	a.verb = argv[i];
	for (size_t k = 0; k < N_VERBS; k++)
		if (!strcmp(verbs[k].name, a.verb))
			return run_verb(&verbs[k], &a, argc - i, argv + i);
	cmd_error("unknown verb '%s'; see: txfs --help", a.verb);
	return CMD_USAGE;
}

/* --- what the verbs share --------------------------------------------------------------
 */

void cmd_error(const char *fmt, ...)
{
	auto_free char *line = NULL;
	auto_free char *safe = NULL;
	va_list ap;

	va_start(ap, fmt);
	line = mem_vprintf(fmt, ap);
	va_end(ap);
	safe = line ? escape_text(line, strlen(line)) : NULL;
	fflush(stdout);
	fprintf(stderr, "txfs: %s\n", safe ? safe : "out of memory");
}

int cmd_fail(const struct txfs *t, int err)
{
	cmd_error("%s", txfs_message(t));
	return err == -EPERM || err == -EACCES ? CMD_DENIED : CMD_FAILED;
}

int cmd_path(const struct args *a, const char *path, char **out)
{
	auto_free char *joined = NULL;
	auto_free char *absolute = NULL;
	int err;

	*out = NULL;
	joined = *path == '/' ? mem_strdup(path) : mem_printf("%s/%s", a->dir, path);
	if (!joined)
		return -ENOMEM;
	err = path_absolute(joined, &absolute);
	if (err)
		return err;
	*out = realpath(joined, NULL);
	if (!*out)
		*out = steal(&absolute);
	return 0;
}
