/*
 * main.c: the command line of policyd: serve, check a rules file, explain a command.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/version.h"
#include "policyd/server/server.h"

struct args {
	const char *socket, *cwd, *workspace;
	struct rules_source source[MAX_SOURCES];
	size_t n_sources;
	char user_file[PATH_MAX];
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

static int add_source(
	struct args *a, const char *path, enum rules_tier tier, bool optional)
{
	if (a->n_sources == MAX_SOURCES)
		return -1;
	a->source[a->n_sources++] =
		(struct rules_source){.path = path, .tier = tier, .optional = optional};
	return 0;
}

/* The fixed places come before the files of the command line. */
static void add_places(struct args *a)
{
	add_source(a, RULES_ADMIN_FILE, RULES_ADMIN, true);
	if (!rules_user_file(a->user_file, sizeof(a->user_file)))
		add_source(a, a->user_file, RULES_USER, true);
}

static int parse(int argc, char **argv, struct args *a)
{
	static const struct option options[] = {{"socket", required_argument, NULL, 's'},
		{"rules", required_argument, NULL, 'r'},
		{"cwd", required_argument, NULL, 'c'},
		{"workspace", required_argument, NULL, 'w'},
		{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'v'}, {0}};
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1)
		switch (c) {
		case 's': a->socket = optarg; break;
		case 'c': a->cwd = optarg; break;
		case 'w': a->workspace = optarg; break;
		case 'j': a->json = true; break;
		case 'r':
			if (add_source(a, optarg, RULES_USER, false))
				return -1;
			break;
		case 'h': exit(usage(stdout, 0));
		case 'v': puts("policyd " TXFS_VERSION); exit(0);
		default: return -1;
		}
	return 0;
}

static int check(char *const *files, size_t n)
{
	int status = 0;

	for (size_t i = 0; i < n; i++) {
		const struct rules_source one = {
			.path = files[i], .tier = RULES_USER, .anyones = true};
		struct rules *none = NULL, *r = NULL;
		char err[512] = "";
		int e = rules_load(NULL, 0, &none, err, sizeof(err));

		if (!e)
			e = rules_load(&one, 1, &r, err, sizeof(err));
		if (e) {
			fprintf(stderr, "policyd: %s\n", *err ? err : strerror(-e));
			status = 1;
		} else {
			printf("%s: ok, %zu rules\n", files[i],
				rules_count(r) - rules_count(none));
		}
		rules_free(r);
		rules_free(none);
	}
	return status;
}

static int serve(struct args *a)
{
	struct server s = {.n_sources = a->n_sources, .socket = a->socket};
	char path[PATH_MAX], err[512] = "";
	int e;

	memcpy(s.source, a->source, sizeof(s.source));
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
	e = server_load(&s, err, sizeof(err));
	if (e) {
		fprintf(stderr, "policyd: %s\n", *err ? err : strerror(-e));
		return 1;
	}
	e = server_run(&s);
	rules_free(s.rules);
	return e ? 1 : 0;
}

int main(int argc, char **argv)
{
	static struct args a;

	add_places(&a);
	if (parse(argc, argv, &a))
		return usage(stderr, 2);
	if (optind == argc)
		return serve(&a);
	if (!strcmp(argv[optind], "check") && optind + 1 < argc)
		return check(argv + optind + 1, (size_t)(argc - optind - 1));
	if (!strcmp(argv[optind], "explain") && optind + 2 == argc) {
		const struct explain_options o = {.command = argv[optind + 1],
			.cwd = a.cwd,
			.workspace = a.workspace,
			.source = a.source,
			.n_sources = a.n_sources,
			.json = a.json};

		return explain_command(&o);
	}
	return usage(stderr, 2);
}
