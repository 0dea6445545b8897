/*
 * explain.c: what a command would do, for people: its programs, its effects with their
 * verdicts, and the answer; without a daemon, as text or as one JSON object.
 */
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policyd/server/server.h"

static struct json_object *text(const char *s)
{
	char buf[1024];

	shell_show(s ? s : "", buf, sizeof(buf));
	return json_object_new_string(buf);
}

static struct json_object *effects_json(const struct shell_context *ctx,
	const struct shell_reading *r, const struct rules_look *look)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < r->n_effects; i++) {
		const struct shell_effect *e = &r->effects[i];
		struct json_object *o = json_object_new_object();
		struct policy_answer ans;

		rules_effect(ctx, POLICY_COVER_TX, e, look, &ans);
		json_object_object_add(o, "verb", text(shell_verb_name(e->verb)));
		json_object_object_add(o, "place", text(shell_place_name(e->place)));
		json_object_object_add(o, "exact", json_object_new_boolean(e->exact));
		json_object_object_add(o, "program", text(e->program));
		json_object_object_add(o, "word", text(e->word));
		json_object_object_add(o, "path", e->path ? text(e->path) : NULL);
		json_object_object_add(
			o, "decision", text(policy_decision_name(ans.decision)));
		json_object_object_add(o, "rule", text(ans.rule));
		json_object_array_add(a, o);
	}
	return a;
}

static void print_json(const struct shell_context *ctx, const struct shell_reading *r,
	const struct rules_look *look, const struct policy_answer *ans)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "decision", text(policy_decision_name(ans->decision)));
	json_object_object_add(o, "rule", text(ans->rule));
	json_object_object_add(o, "class", text(ans->class_));
	json_object_object_add(o, "reason", text(ans->reason));
	json_object_object_add(o, "suggest", text(ans->suggest));
	json_object_object_add(o, "effects", effects_json(ctx, r, look));
	puts(json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}

static void print_command(const struct shell_command *c)
{
	char word[256];

	printf("  runs   ");
	for (size_t i = 0; i < c->argc && i < 40; i++) {
		shell_show(c->argv[i], word, sizeof(word));
		printf(" %s", *word ? word : "''");
	}
	putchar('\n');
}

static void print_effect(const struct shell_context *ctx, const struct shell_effect *e,
	const struct rules_look *look)
{
	char word[256], path[256];
	struct policy_answer ans;

	rules_effect(ctx, POLICY_COVER_TX, e, look, &ans);
	shell_show(e->word, word, sizeof(word));
	shell_show(e->path ? e->path : "", path, sizeof(path));
	printf("  %-9s %s%s%s%s: %s", shell_verb_name(e->verb), word,
		*path && strcmp(path, word) ? " = " : "",
		*path && strcmp(path, word) ? path : "", e->exact ? "" : " (not certain)",
		policy_decision_name(ans.decision));
	printf(", %s (%s)\n", shell_place_name(e->place), ans.rule);
}

static void print_text(const struct shell_context *ctx, const struct shell_reading *r,
	const struct rules_look *look, const struct policy_answer *ans)
{
	printf("%s\n", policy_decision_name(ans->decision));
	for (size_t i = 0; i < r->n_commands; i++)
		print_command(&r->commands[i]);
	for (size_t i = 0; i < r->n_effects; i++)
		print_effect(ctx, &r->effects[i], look);
	if (*ans->reason)
		printf("  because   %s\n", ans->reason);
	if (*ans->suggest)
		printf("  instead   %s\n", ans->suggest);
}

int explain_command(const char *command, const char *cwd, const char *workspace,
	const char *const *files, size_t n_files, bool json)
{
	char err[512] = "", here[PATH_MAX];
	struct shell_context ctx = {.home = getenv("HOME"), .tmpdir = getenv("TMPDIR")};
	struct rules_look look = {0};
	struct shell_reading *r = NULL;
	struct links *links = NULL;
	struct policy_answer ans;
	struct rules *rules;
	int e;

	if (!getcwd(here, sizeof(here)))
		strcpy(here, "/");
	ctx.cwd = cwd ? cwd : workspace ? workspace : here;
	ctx.workspace = workspace ? workspace : ctx.cwd;
	if (!ctx.home || *ctx.home != '/')
		ctx.home = "/root";
	if (rules_load(files, n_files, &rules, err, sizeof(err))) {
		fprintf(stderr, "policyd: %s\n", *err ? err : "out of memory");
		return 1;
	}
	if (!links_new(&links)) {
		links_begin(links);
		look = (struct rules_look){links_look, links};
	}
	e = shell_read(&ctx, command, &r);
	if (!e) {
		rules_judge(rules, &ctx, POLICY_COVER_TX, r, &look, &ans);
		if (links)
			links_begin(links);
		if (json)
			print_json(&ctx, r, &look, &ans);
		else
			print_text(&ctx, r, &look, &ans);
		e = policy_permits(&ans) ? 0 : 4;
	} else {
		fprintf(stderr, "policyd: out of memory\n");
		e = 1;
	}
	shell_free(r);
	links_free(links);
	rules_free(rules);
	return e;
}
