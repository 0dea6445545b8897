/*
 * transcript.c: `agentctl transcript`: what was said and done in a task. Without a number
 * the transcripts are listed, the newest last. It reads files only.
 */
#include <errno.h>
#include <getopt.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/loop/loop.h"
#include "agentctl/repl/repl.h"
#include "common/cleanup.h"
#include "common/escape.h"
#include "common/mem.h"

#define FAILED 1

struct query {
	const char *workspace, *tx;
	char hash[17]; /* of the workspace; "": any */
	bool json;
	char *dir;
};

static const char *text_of(json_object *o, const char *key)
{
	json_object *v;

	return json_object_object_get_ex(o, key, &v) && v ? json_object_get_string(v)
							  : "";
}

/* Each line of @text, escaped, behind @prefix. */
static void print_lines(const char *prefix, const char *text)
{
	do {
		size_t n = strcspn(text, "\n");
		auto_free char *shown = escape_text(text, n);

		printf("%s%s\n", prefix, shown ? shown : "?");
		text += n + (text[n] == '\n');
	} while (*text);
}

static void print_event(json_object *o)
{
	const char *ev = text_of(o, "ev");
	auto_free char *who = mem_printf("%s: ", text_of(o, "provider"));
	bool refused = strcmp(text_of(o, "decision"), "deny") == 0 ||
		       strcmp(text_of(o, "decision"), "ask") == 0;

	if (strcmp(ev, "task") == 0)
		print_lines("task: ", text_of(o, "text"));
	else if (strcmp(ev, "begin") == 0)
		printf("%s  tx %s in %s\n", text_of(o, "time"), text_of(o, "tx"),
			text_of(o, "workspace"));
	else if (strcmp(ev, "say") == 0)
		print_lines(who ? who : "", text_of(o, "text"));
	else if (strcmp(ev, "call") == 0)
		print_lines("$ ", text_of(o, "command"));
	else if (strcmp(ev, "rollback") == 0)
		printf("rollback to before step %s\n", text_of(o, "to"));
	else if (strcmp(ev, "vet") == 0 && refused)
		print_lines("refused: ", text_of(o, "rule"));
	else if (strcmp(ev, "result") == 0 || strcmp(ev, "note") == 0)
		print_lines("  ", text_of(o, "text"));
	else if (strcmp(ev, "trouble") == 0)
		print_lines("trouble: ", text_of(o, "text"));
	else if (strcmp(ev, "check") == 0)
		printf("check: status %s\n", text_of(o, "status"));
	else if (strcmp(ev, "conflict") == 0)
		print_lines("conflict: ", text_of(o, "path"));
	else if (strcmp(ev, "end") == 0)
		printf("%s  %s, exit status %s\n", text_of(o, "time"),
			text_of(o, "outcome"), text_of(o, "exit"));
}

static int show(const struct query *q, const char *name)
{
	auto_free char *path = mem_printf("%s/%s", q->dir, name), *line = NULL;
	auto_file FILE *f = path ? fopen(path, "re") : NULL;
	size_t cap = 0;

	if (!f) {
		fprintf(stderr, "agentctl: cannot open '%s': %s\n", path ? path : name,
			strerror(errno));
		return FAILED;
	}
	while (getline(&line, &cap, f) > 0) {
		json_object *o = q->json ? NULL : json_tokener_parse(line);

		if (q->json)
			fputs(line, stdout);
		else if (o)
			print_event(o);
		json_object_put(o);
	}
	return 0;
}

/* The first line says what the task was, the last one how it ended. */
static void list_one(
	const struct query *q, const struct loop_transcript *t, const char *name)
{
	auto_free char *path = mem_printf("%s/%s", q->dir, name), *line = NULL;
	auto_file FILE *f = path ? fopen(path, "re") : NULL;
	json_object *first = NULL, *last = NULL, *row = json_object_new_object();
	const char *outcome;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 0) {
		json_object *o = json_tokener_parse(line);

		if (o && !first) {
			first = o;
			continue;
		}
		json_object_put(last);
		last = o;
	}
	outcome = *text_of(last, "outcome") ? text_of(last, "outcome") : "unfinished";
	if (q->json) {
		json_object_object_add(row, "tx", json_object_new_int64((int64_t)t->tx));
		json_object_object_add(
			row, "time", json_object_new_string(text_of(first, "time")));
		json_object_object_add(row, "outcome", json_object_new_string(outcome));
		json_object_object_add(row, "workspace",
			json_object_new_string(text_of(first, "workspace")));
		json_object_object_add(
			row, "text", json_object_new_string(text_of(first, "text")));
		puts(json_object_to_json_string_ext(
			row, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	} else {
		auto_free char *text = escape_text(
			text_of(first, "text"), strcspn(text_of(first, "text"), "\n"));

		printf("%6llu  %s  %-10s %s  %.60s\n", (unsigned long long)t->tx,
			text_of(first, "time"), outcome, text_of(first, "workspace"),
			text ? text : "?");
	}
	json_object_put(row);
	json_object_put(first);
	json_object_put(last);
}

static bool fits(const struct query *q, const char *name, struct loop_transcript *t)
{
	char tx[24];

	if (!loop_transcript_name(name, t) ||
		(*q->hash && strcmp(q->hash, t->workspace) != 0))
		return false;
	snprintf(tx, sizeof tx, "%llu", (unsigned long long)t->tx);
	return !q->tx || strcmp(q->tx, tx) == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Numbers of transactions are each workspace's own; of several the newest is meant. */
static int walk(struct query *q)
{
	struct dirent **list = NULL;
	char found[256] = "";
	int n = scandir(q->dir, &list, NULL, by_name);

	for (int i = 0; i < n; i++) {
		struct loop_transcript t;

		if (fits(q, list[i]->d_name, &t)) {
			snprintf(found, sizeof found, "%s", list[i]->d_name);
			if (!q->tx)
				list_one(q, &t, found);
		}
		free(list[i]);
	}
	free(list);
	if (!q->tx)
		return 0;
	if (!*found) {
		fprintf(stderr,
			"agentctl: no transcript of transaction '%s'; see `agentctl "
			"transcript`\n",
			q->tx);
		return FAILED;
	}
	return show(q, found);
}

static int parse(struct query *q, int argc, char **argv)
{
	static const struct option table[] = {{"workspace", required_argument, NULL, 'w'},
		{"json", no_argument, NULL, 'j'}, {NULL, 0, NULL, 0}};
	char real[PATH_MAX];
	int opt;

	optind = 0;
	while ((opt = getopt_long(argc, argv, "", table, NULL)) != -1) {
		if (opt == '?')
			return -EINVAL;
		if (opt == 'j')
			q->json = true;
		else
			q->workspace = optarg;
	}
	if (argc - optind > 1)
		return -EINVAL;
	q->tx = argv[optind];
	if (q->workspace)
		loop_transcript_hash(
			realpath(q->workspace, real) ? real : q->workspace, q->hash);
	return 0;
}

int repl_transcript(int argc, char **argv)
{
	struct query q = {0};
	int r = parse(&q, argc, argv);

	if (r != 0)
		return repl_usage("transcript");
	r = loop_transcript_dir(&q.dir);
	if (r != 0) {
		fprintf(stderr, "agentctl: no transcripts: %s\n", strerror(-r));
		return FAILED;
	}
	r = walk(&q);
	free(q.dir);
	return r;
}
