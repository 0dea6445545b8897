/*
 * explain.c: what a command would do, as JSON, and its words made fit to be shown: what
 * is not known is named, controls escaped, secrets masked.
 */
#include <stdio.h>
#include <string.h>

#include "common/escape.h"
#include "policyd/audit/audit.h"
#include "policyd/server/private.h"

enum { MAX_SHOWN = 200 };

/* For people and for JSON alike: holes named, controls escaped, secrets masked. */
const char *explain_text(const char *s, char *buf, size_t size)
{
	char raw[1024];

	shell_show(s ? s : "", raw, sizeof(raw));
	audit_mask(raw, buf, size);
	return buf;
}

/* A word of a command; whether it is a secret may depend on the program and on the word
 * before it, so these are masked with it, and taken off again. */
const char *explain_word(const struct shell_command *c, size_t at, char *buf, size_t size)
{
	char head[300] = "", word[512], line[1024], masked[1024];
	size_t n;

	shell_show(c->argv[at], word, sizeof(word));
	if (at) {
		char program[128], before[128];

		shell_show(c->argv[0], program, sizeof(program));
		shell_show(at > 1 ? c->argv[at - 1] : "", before, sizeof(before));
		snprintf(head, sizeof(head), "%s %s%s", program, before,
			*before ? " " : "");
	}
	n = strlen(head);
	snprintf(line, sizeof(line), "%s%s", head, word);
	audit_mask(line, masked, sizeof(masked));
	if (strncmp(masked, head, n)) /* the words before it have secrets, too */
		return explain_text(c->argv[at], buf, size);
	snprintf(buf, size, "%s", masked + n);
	return buf;
}

/* The same word as an effect has it: a secret there is one here. */
bool explain_secret(const struct shell_reading *r, const char *word)
{
	char buf[1024];

	for (size_t i = 0; i < r->n_commands && i < MAX_SHOWN; i++)
		for (size_t k = 1; k < r->commands[i].argc && k < EXPLAIN_WORDS; k++)
			if (!strcmp(r->commands[i].argv[k], word) &&
				strstr(explain_word(&r->commands[i], k, buf, sizeof(buf)),
					"***"))
				return true;
	return false;
}

static struct json_object *valid_text(char *buf)
{
	for (char *p = buf; *p && !utf8_valid(buf, strlen(buf)); p++)
		if (*p & 0x80)
			*p = '?';
	return json_object_new_string(buf);
}

static struct json_object *text(const char *s)
{
	char buf[1024];

	explain_text(s, buf, sizeof(buf));
	return valid_text(buf);
}

static struct json_object *effect_json(const struct shell_context *ctx,
	enum policy_cover cover, const struct shell_reading *r,
	const struct shell_effect *e, const struct rules_look *look)
{
	bool secret = explain_secret(r, e->word);
	struct json_object *o = json_object_new_object();
	struct policy_answer ans;

	rules_effect(ctx, cover, e, look, &ans);
	json_add(o, "verb", shell_verb_name(e->verb));
	json_add(o, "place", shell_place_name(e->place));
	json_object_object_add(o, "exact", json_object_new_boolean(e->exact));
	json_object_object_add(o, "program", text(e->program));
	json_object_object_add(o, "word", text(secret ? "***" : e->word));
	json_object_object_add(o, "path", e->path && !secret ? text(e->path) : NULL);
	json_add(o, "decision", policy_decision_name(ans.decision));
	json_add(o, "rule", ans.rule);
	return o;
}

void explain_json(struct json_object *o, const struct shell_context *ctx,
	enum policy_cover cover, const struct shell_reading *r,
	const struct rules_look *look)
{
	struct json_object *commands = json_object_new_array();
	struct json_object *effects = json_object_new_array();

	for (size_t i = 0; i < r->n_commands && i < MAX_SHOWN; i++) {
		struct json_object *argv = json_object_new_array();

		for (size_t k = 0; k < r->commands[i].argc && k < EXPLAIN_WORDS; k++) {
			char buf[1024];

			explain_word(&r->commands[i], k, buf, sizeof(buf));
			json_object_array_add(argv, valid_text(buf));
		}
		json_object_array_add(commands, argv);
	}
	for (size_t i = 0; i < r->n_effects && i < MAX_SHOWN; i++)
		json_object_array_add(
			effects, effect_json(ctx, cover, r, &r->effects[i], look));
	json_object_object_add(o, "commands", commands);
	json_object_object_add(o, "effects", effects);
	if (r->undecided)
		json_add(o, "undecided", r->undecided);
}
