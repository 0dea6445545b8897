/*
 * main.c: agentctl: runs commands, and lets models run them, in transactions that can be
 * taken back. This file only finds the verb.
 */
#include <stdio.h>
#include <string.h>
#include "agentctl/repl/repl.h"
#include "common/version.h"

static void help(FILE *f)
{
	fprintf(f, "usage: agentctl [OPTIONS]                an interactive session\n"
		   "       agentctl VERB [OPTIONS] [ARGUMENTS]\n\n");
	for (const struct repl_verb *v = repl_verbs; v->name; v++) {
		if (v->help)
			fprintf(f, "    %-10s %-39s %s\n", v->name, v->arguments,
				v->help);
	}
	fprintf(f,
		"\nOptions of run and task: --workspace DIR, --label TEXT, --check CMD,\n"
		"--keep, --no-keep, --late, --json, --timeout SECONDS, --policy=off;\n"
		"run: --dry-run, --allow-tx; task: --script FILE, --model URL, --name "
		"NAME,\n"
		"--key-env VARIABLE, --key-file FILE, --ca-file FILE, --tools "
		"auto|native|text,\n"
		"--no-stream, --context N, --max-reply N, --temperature T, --retries N,\n"
		"--connect-timeout, --idle-timeout, --answer-timeout SECONDS,\n"
		"--on-failure model|rollback|keep, --max-steps N, --max-tokens N,\n"
		"--max-seconds SECONDS. See agentctl(1).\n");
}

static int verb_help(const struct repl_verb *v)
{
	printf("usage: agentctl %s %s\n", v->name, v->arguments);
	if (v->help)
		printf("%s; see agentctl(1)\n", v->help);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return repl_session(argc, argv);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
		help(stdout);
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("agentctl " TXFS_VERSION);
		return 0;
	}
	for (const struct repl_verb *v = repl_verbs; v->name; v++) {
		if (strcmp(v->name, argv[1]) != 0)
			continue;
		if (argc == 3 && strcmp(argv[2], "--help") == 0)
			return verb_help(v);
		return v->run(argc - 1, argv + 1);
	}
	if (argv[1][0] == '-')
		return repl_session(argc, argv);
	fprintf(stderr, "agentctl: unknown verb '%s'; see `agentctl --help`\n", argv[1]);
	return 2;
}
