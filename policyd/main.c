/*
 * main.c: the command line of policyd: serve, check a rules file, explain a command.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policyd/audit/audit.h"
#include "policyd/server/server.h"

enum { MAX_RULE_FILES = 64 };

struct args {
	const char *socket, *cwd, *workspace;
	const char *files[MAX_RULE_FILES];
	size_t n_files;
	bool json;
};

static int usage(FILE *f, int status)
{
	fputs("usage: policyd [--socket PATH] [--rules FILE]...\n"
	      "       policyd check FILE...\n"
	      "       policyd explain 'COMMAND' [--cwd DIR] [--workspace DIR] [--rules "
	      "FILE]... "
	      "[--json]\n"
	      "exit status: 0 done (explain: may run), 1 failed, 2 wrong usage, 4 "
	      "refused\n",
		f);
	return status;
}

static int parse(int argc, char **argv, struct args *a)
{
	static const struct option options[] = {{"socket", required_argument, NULL, 's'},
		{"rules", required_argument, NULL, 'r'},
		{"cwd", required_argument, NULL, 'c'},
		{"workspace", required_argument, NULL, 'w'},
		{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1)
		switch (c) {
		case 's': a->socket = optarg; break;
		case 'c': a->cwd = optarg; break;
		case 'w': a->workspace = optarg; break;
		case 'j': a->json = true; break;
		case 'r':
			if (a->n_files == MAX_RULE_FILES)
				return -1;
			a->files[a->n_files++] = optarg;
			break;
		case 'h': exit(usage(stdout, 0));
		default: return -1;
		}
	return 0;
}

static int check(const char *const *files, size_t n)
{
	int status = 0;

	for (size_t i = 0; i < n; i++) {
		char err[512] = "";
		struct rules *r;
		int e = rules_load(&files[i], 1, &r, err, sizeof(err));

		if (e) {
			fprintf(stderr, "policyd: %s\n", *err ? err : strerror(-e));
			status = 1;
			continue;
		}
		printf("%s: ok, %zu rules\n", files[i], rules_count(r));
		rules_free(r);
	}
	return status;
}

static int serve(const struct args *a)
{
	struct server s = {.files = a->files, .n_files = a->n_files, .socket = a->socket};
	char path[PATH_MAX], err[512] = "";
	int e;

	if (!s.socket) {
		e = policy_socket_path(path, sizeof(path));
		if (e) {
			fprintf(stderr,
				"policyd: no place for a socket: %s; use --socket PATH\n",
				strerror(-e));
			return 1;
		}
		s.socket = path;
	}
	e = server_reload(&s, err, sizeof(err));
	if (e) {
		fprintf(stderr, "policyd: %s\n", *err ? err : strerror(-e));
		return 1;
	}
	e = audit_open(&s.audit);
	if (e)
		fprintf(stderr, "policyd: the audit log cannot be written: %s\n",
			strerror(-e));
	e = links_new(&s.links);
	if (!e)
		e = server_run(&s);
	links_free(s.links);
	audit_close(s.audit);
	rules_free(s.rules);
	return e ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct args a = {0};

	if (parse(argc, argv, &a))
		return usage(stderr, 2);
	if (optind == argc)
		return serve(&a);
	if (!strcmp(argv[optind], "check") && optind + 1 < argc)
		return check((const char *const *)argv + optind + 1,
			(size_t)(argc - optind - 1));
	if (!strcmp(argv[optind], "explain") && optind + 2 == argc)
		return explain_command(
			argv[optind + 1], a.cwd, a.workspace, a.files, a.n_files, a.json);
	return usage(stderr, 2);
}
