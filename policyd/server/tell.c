/*
 * tell.c: `policyd explain`: the answer in plain words, why, and what to do instead; then
 * what would run, and what each part of it would do. Works without a daemon.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/escape.h"
#include "policyd/server/private.h"

enum { MAX_LINES = 24 };

/* {p} the program, {w} the word or path. */
static const char *const forms[SHELL_N_VERBS] = {[SHELL_READ] = "{p} reads {w}",
	[SHELL_CREATE] = "{p} writes {w}",
	[SHELL_EDIT] = "{p} edits {w}",
	[SHELL_OVERWRITE] = "{p} overwrites {w}",
	[SHELL_DELETE] = "{p} deletes {w}",
	[SHELL_META] = "{p} changes the mode, owner or times of {w}",
	[SHELL_RUN] = "{p} runs code: {w}",
	[SHELL_SEND] = "{p} sends data away: {w}",
	[SHELL_REMOTE] = "{p} changes another system: {w}",
	[SHELL_PRIVILEGE] = "{p} runs the rest with more rights",
	[SHELL_HOST] = "{p} changes this machine: {w}",
	[SHELL_PROCESS] = "{p} acts on other processes: {w}",
	[SHELL_LEAVE] = "something goes on running when the command has ended",
	[SHELL_UNDECIDED] = "{w}"};

static const char *const places[SHELL_N_PLACES] = {[SHELL_NOWHERE] = "",
	[SHELL_WORKSPACE] = "in the workspace",
	[SHELL_ROOT] = "the workspace itself, or its .git",
	[SHELL_SCRATCH] = "a scratch place",
	[SHELL_CACHE] = "a tool's cache or settings",
	[SHELL_HOME] = "in the home folder, outside the workspace",
	[SHELL_SYSTEM] = "part of the system, outside the workspace",
	[SHELL_DEVICE] = "a device",
	[SHELL_CREDENTIAL] = "credentials, history or another hidden place",
	[SHELL_EMPTY] = "nothing: the word is empty",
	[SHELL_UNKNOWN] = "where that is, is not known before it runs"};

static const char *const marks[] = {"NO", "ask", "tx", "ok"};

/* A word as it would be typed, as far as people care. */
static void print_word(const struct shell_command *c, size_t at)
{
	char buf[256];

	explain_word(c, at, buf, sizeof(buf));
	printf(!*buf || strpbrk(buf, " \t'\"$&;|()*?[{") ? " '%s'" : " %s", buf);
}

static void print_commands(const struct shell_reading *r)
{
	if (r->n_commands)
		puts("it would run");
	for (size_t i = 0; i < r->n_commands && i < MAX_LINES; i++) {
		const struct shell_command *c = &r->commands[i];

		printf(i && c->piped ? "    |  " : "      ");
		for (size_t k = 0; k < c->argc && k < EXPLAIN_WORDS; k++)
			print_word(c, k);
		puts(c->argc > EXPLAIN_WORDS ? " ..." : "");
	}
	if (r->n_commands > MAX_LINES)
		printf("       and %zu more\n", r->n_commands - MAX_LINES);
}

static void print_form(const char *form, const char *program, const char *word)
{
	for (; *form; form++)
		if (!strncmp(form, "{p}", 3)) {
			fputs(program, stdout);
			form += 2;
		} else if (!strncmp(form, "{w}", 3)) {
			fputs(word, stdout);
			form += 2;
		} else {
			putchar(*form);
		}
}

static void print_effect(const struct shell_reading *r, const struct shell_effect *e,
	const struct policy_answer *ans)
{
	bool secret = explain_secret(r, e->word);
	const char *program = *e->program == '>' || *e->program == '<' ? "the redirection"
			      : *e->program			       ? e->program
								       : "it";
	char word[256], path[256], by[64];
	const char *place = places[e->place];

	explain_text(secret ? "***" : e->word, word, sizeof(word));
	explain_text(e->path && !secret ? e->path : "", path, sizeof(path));
	explain_text(program, by, sizeof(by));
	printf("  %-4s ", marks[ans->decision]);
	print_form(forms[e->verb], by, *path ? path : word);
	if (e->how == SHELL_PRODUCT && e->place != SHELL_SCRATCH)
		place = "the next build makes it again";
	if (*place && *path)
		printf(" (%s)", place);
	puts("");
}

static bool same(const struct shell_effect *a, const struct shell_effect *b)
{
	return a->verb == b->verb && a->place == b->place &&
	       !strcmp(a->program, b->program) && !strcmp(a->word, b->word) &&
	       (a->path ? b->path && !strcmp(a->path, b->path) : !b->path);
}

static void print_effects(const struct shell_context *ctx, const struct shell_reading *r,
	const struct rules_look *look)
{
	size_t lines = 0;

	if (r->n_effects)
		puts("so that");
	for (size_t i = 0; i < r->n_effects && lines < MAX_LINES; i++) {
		struct policy_answer ans;
		size_t k = 0;

		while (k < i && !same(&r->effects[k], &r->effects[i]))
			k++;
		if (k < i)
			continue;
		rules_effect(ctx, POLICY_COVER_TX, &r->effects[i], look, &ans);
		print_effect(r, &r->effects[i], &ans);
		lines++;
	}
	if (lines == MAX_LINES)
		puts("       and more");
	if (r->undecided)
		printf("the rest cannot be read: %s\n", r->undecided);
}

static void print_answer(const struct shell_reading *r, const struct policy_answer *ans)
{
	char reason[1024], suggest[1024];

	explain_text(ans->reason, reason, sizeof(reason));
	explain_text(ans->suggest, suggest, sizeof(suggest));
	switch (ans->decision) {
	case POLICY_ALLOW:
		puts(r->n_effects ? "allow: what it does is routine"
				  : "allow: it does nothing that would have to be "
				    "brought back");
		break;
	case POLICY_TX:
		puts("tx: it may run, since the open transaction can bring everything "
		     "back");
		break;
	case POLICY_ASK:
		printf("ask: %s\n", reason);
		puts("     a person may let it run; with nobody to ask it is refused");
		break;
	default: printf("deny: %s\n", reason);
	}
	if (*suggest)
		printf("instead: %s\n", suggest);
}

static void print_text(const struct shell_context *ctx, const struct shell_reading *r,
	const struct rules_look *look, const struct policy_answer *ans)
{
	print_answer(r, ans);
	print_commands(r);
	print_effects(ctx, r, look);
}

static void print_json(const struct shell_context *ctx, const struct shell_reading *r,
	const struct rules_look *look, const struct policy_answer *ans)
{
	struct json_object *o = json_object_new_object();
	char buf[1024];

	json_add(o, "decision", policy_decision_name(ans->decision));
	json_add(o, "rule", ans->rule);
	json_add(o, "class", ans->class_);
	json_add(o, "reason", explain_text(ans->reason, buf, sizeof(buf)));
	json_add(o, "suggest", explain_text(ans->suggest, buf, sizeof(buf)));
	explain_json(o, ctx, POLICY_COVER_TX, r, look);
	puts(json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}

static int explain(const struct explain_options *o, const struct shell_context *ctx,
	const struct rules *rules, const struct rules *ws)
{
	struct rules_look look = {0};
	struct links *links = NULL;
	struct policy_answer ans;
	struct shell_reading *r;

	if (shell_read(ctx, o->command, &r)) {
		fprintf(stderr, "policyd: out of memory\n");
		return 1;
	}
	if (!links_new(&links))
		look = (struct rules_look){links_look, links};
	links_judge(links, rules, ws, ctx, POLICY_COVER_TX, r, &ans);
	if (o->json)
		print_json(ctx, r, &look, &ans);
	else
		print_text(ctx, r, &look, &ans);
	shell_free(r);
	links_free(links);
	return policy_permits(&ans) ? 0 : 4;
}

/* @dir from here on; NULL with a line on standard error where it is too long. */
static const char *absolute(const char *dir, const char *here, char *buf, size_t size)
{
	if (*dir == '/')
		return dir;
	if ((size_t)snprintf(buf, size, "%s/%s", here, dir) < size)
		return buf;
	fprintf(stderr, "policyd: '%.100s...' is too long\n", dir);
	return NULL;
}

int explain_command(const struct explain_options *o)
{
	struct shell_context ctx = {.home = getenv("HOME"), .tmpdir = getenv("TMPDIR")};
	char err[512] = "", here[PATH_MAX], path[PATH_MAX], cwd[PATH_MAX], top[PATH_MAX];
	struct rules *rules = NULL, *ws = NULL;
	int status = 1;

	if (!utf8_valid(o->command, strlen(o->command))) {
		fputs("policyd: the command is not UTF-8, so it is refused\n", stderr);
		return 4;
	}
	if (!getcwd(here, sizeof(here)))
		strcpy(here, "/");
	ctx.cwd = absolute(o->cwd	  ? o->cwd
			   : o->workspace ? o->workspace
					  : here,
		here, cwd, sizeof(cwd));
	ctx.workspace = absolute(o->workspace ? o->workspace
				 : ctx.cwd    ? ctx.cwd
					      : here,
		here, top, sizeof(top));
	if (!ctx.cwd || !ctx.workspace)
		return 2;
	if (!ctx.home || *ctx.home != '/')
		ctx.home = "/root";
	if (rules_load(o->source, o->n_sources, &rules, err, sizeof(err)) ||
		(!rules_workspace_file(ctx.workspace, path, sizeof(path)) &&
			rules_load_workspace(path, &ws, err, sizeof(err))))
		fprintf(stderr, "policyd: %s\n", *err ? err : "out of memory");
	else
		status = explain(o, &ctx, rules, ws);
	rules_free(rules);
	rules_free(ws);
	return status;
}
