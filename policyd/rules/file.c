/*
 * file.c: a file of rules, read from YAML by its events.
 *
 * Strict on purpose: one document, a mapping of "version" and "rules", each rule a
 * mapping of known keys with scalars or lists of scalars; no anchors, aliases, tags,
 * merges or second documents. Whatever else it holds is an error with its line.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "policyd/rules/private.h"

#include "policy_data.h"

struct reader {
	yaml_parser_t p;
	yaml_event_t ev;
	const char *path;
	char *err;
	size_t size;
	bool have_event;
	enum rules_tier tier;
	unsigned source;
};

static int fail(struct reader *r, const char *what, const char *word)
{
	size_t line = r->have_event ? r->ev.start_mark.line : r->p.problem_mark.line;

	snprintf(r->err, r->size, "%s:%zu: %s%s%s%s", r->path, line + 1, what,
		word ? " '" : "", word ? word : "", word ? "'" : "");
	return -EINVAL;
}

static int next(struct reader *r)
{
	if (r->have_event)
		yaml_event_delete(&r->ev);
	r->have_event = false;
	if (!yaml_parser_parse(&r->p, &r->ev))
		return fail(r, r->p.problem ? r->p.problem : "does not parse", NULL);
	r->have_event = true;
	if (r->ev.type == YAML_ALIAS_EVENT)
		return fail(r, "aliases are not allowed", NULL);
	if ((r->ev.type == YAML_SCALAR_EVENT &&
		    (r->ev.data.scalar.anchor || r->ev.data.scalar.tag)) ||
		(r->ev.type == YAML_SEQUENCE_START_EVENT &&
			(r->ev.data.sequence_start.anchor ||
				r->ev.data.sequence_start.tag)) ||
		(r->ev.type == YAML_MAPPING_START_EVENT &&
			(r->ev.data.mapping_start.anchor ||
				r->ev.data.mapping_start.tag)))
		return fail(r, "anchors and tags are not allowed", NULL);
	return 0;
}

static int want(struct reader *r, yaml_event_type_t type, const char *what)
{
	int e = next(r);

	return e ? e : r->ev.type == type ? 0 : fail(r, what, NULL);
}

static int scalar(struct reader *r, char **out)
{
	if (r->ev.type != YAML_SCALAR_EVENT)
		return fail(r, "a single value is wanted here", NULL);
	if (strlen((char *)r->ev.data.scalar.value) != r->ev.data.scalar.length)
		return fail(r, "a NUL byte in a value", NULL);
	*out = strdup((char *)r->ev.data.scalar.value);
	return *out ? 0 : -ENOMEM;
}

static void free_list(char **list)
{
	for (char **s = list; s && *s; s++)
		free(*s);
	free(list);
}

/* One value, or a list of them; NULL-ended either way. */
static int list(struct reader *r, char ***out)
{
	bool many = r->ev.type == YAML_SEQUENCE_START_EVENT;
	size_t n = 0;
	int e = 0;

	*out = calloc(2, sizeof(char *));
	if (!*out)
		return -ENOMEM;
	if (!many)
		return scalar(r, &(*out)[0]);
	while (!(e = next(r)) && r->ev.type != YAML_SEQUENCE_END_EVENT) {
		char **more = realloc(*out, (n + 2) * sizeof(char *));

		if (!more)
			return -ENOMEM;
		*out = more;
		more[n] = more[n + 1] = NULL;
		if ((e = scalar(r, &more[n++])))
			return e;
	}
	return e;
}

static int one_of(struct reader *r, const char *const *names, int n, int *out)
{
	char *s = NULL;
	int e = scalar(r, &s);

	if (e)
		return e;
	for (*out = 0; *out < n && strcmp(s, names[*out]); ++*out)
		;
	if (*out == n)
		e = fail(r, "unknown value", s);
	free(s);
	return e;
}

static const char *const decision_names[] = {"deny", "ask", "tx", "allow"};

static const struct {
	const char *name;
	unsigned bits;
} groups[] = {{"write", RULES_BIT(SHELL_CREATE) | RULES_BIT(SHELL_EDIT) |
				RULES_BIT(SHELL_OVERWRITE) | RULES_BIT(SHELL_META)},
	{"exec", RULES_BIT(SHELL_RUN)}, {"priv", RULES_BIT(SHELL_PRIVILEGE)},
	{"net", RULES_BIT(SHELL_SEND) | RULES_BIT(SHELL_REMOTE)},
	{"tmp", RULES_BIT(SHELL_SCRATCH)}};

static unsigned bits_of(const char *s, bool place)
{
	for (int i = 0; i < (int)SHELL_N_VERBS && !place; i++)
		if (!strcmp(s, shell_verb_name((enum shell_verb)i)))
			return RULES_BIT(i);
	for (int i = 0; i < (int)SHELL_N_PLACES && place; i++)
		if (!strcmp(s, shell_place_name((enum shell_place)i)))
			return RULES_BIT(i);
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		if (!strcmp(s, groups[i].name) && (i == 4) == place)
			return groups[i].bits;
	return 0;
}

/* A list of places or of verbs, as bits. */
static int bits(struct reader *r, const char *key, bool place, unsigned *out)
{
	char **names = NULL;
	int e = *out ? fail(r, "duplicate key", key) : list(r, &names);

	for (char **s = names; !e && s && *s; s++) {
		unsigned one = bits_of(*s, place);

		e = one ? 0 : fail(r, "unknown value", *s);
		*out |= one;
	}
	if (!e && !*out)
		e = fail(r, "an empty list for", key);
	free_list(names);
	return e;
}

static int truth(struct reader *r, const char *key, int *out)
{
	static const char *const words[] = {"false", "true"};

	return *out >= 0 ? fail(r, "duplicate key", key) : one_of(r, words, 2, out);
}

static int word(struct reader *r, const char *key, struct word **out)
{
	char *s = NULL, why[160];
	int e = *out ? fail(r, "duplicate key", key) : scalar(r, &s);

	if (!e && !(*out = word_new(s, why, sizeof(why))))
		e = fail(r, why, NULL);
	free(s);
	return e;
}

static int rule_value(struct reader *r, const char *key, struct rule *x)
{
	struct {
		const char *key;
		char **one;
		char ***many;
	} fields[] = {{"id", &x->id, NULL}, {"program", &x->program, NULL},
		{"reason", &x->reason, NULL}, {"suggest", &x->suggest, NULL},
		{"class", &x->class_, NULL}, {"sub", NULL, &x->sub},
		{"flags", NULL, &x->flags}, {"env", NULL, &x->env},
		{"match", NULL, &x->match}, {"not_match", NULL, &x->not_match}};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		if (strcmp(key, fields[i].key))
			continue;
		if (fields[i].one ? *fields[i].one != NULL : *fields[i].many != NULL)
			return fail(r, "duplicate key", key);
		return fields[i].one ? scalar(r, fields[i].one) : list(r, fields[i].many);
	}
	if (!strcmp(key, "operand"))
		return bits(r, key, true, &x->operands);
	if (!strcmp(key, "redirect"))
		return bits(r, key, true, &x->redirects);
	if (!strcmp(key, "effect"))
		return bits(r, key, false, &x->effects);
	if (!strcmp(key, "word"))
		return word(r, key, &x->word);
	if (!strcmp(key, "pipe"))
		return truth(r, key, &x->pipe);
	if (!strcmp(key, "decision"))
		return x->decision >= 0 ? fail(r, "duplicate key", key)
					: one_of(r, decision_names, 4, &x->decision);
	return fail(r, "unknown key", key);
}

static int check_rule(struct reader *r, const struct rule *x)
{
	if (!x->id || !*x->id)
		return fail(r, "a rule without id", NULL);
	if (x->decision < 0)
		return fail(r, "no decision in rule", x->id);
	if (!x->program && !x->operands && !x->effects && !x->redirects)
		return fail(r, "nothing to match on in rule", x->id);
	if (x->decision <= POLICY_ASK && !x->reason)
		return fail(r, "no reason in rule", x->id);
	if (!x->match || !x->match[0])
		return fail(r, "no match example in rule", x->id);
	return 0;
}

static int one_rule(struct reader *r, struct rule *x)
{
	int e;

	x->line = (int)r->ev.start_mark.line + 1;
	for (;;) {
		char *key = NULL;

		if ((e = next(r)))
			return e;
		if (r->ev.type == YAML_MAPPING_END_EVENT)
			return check_rule(r, x);
		e = scalar(r, &key);
		if (!e && !(e = next(r)))
			e = rule_value(r, key, x);
		free(key);
		if (e)
			return e;
	}
}

void file_free_rule(struct rule *x)
{
	char **lists[] = {x->sub, x->flags, x->env, x->match, x->not_match};

	for (size_t i = 0; i < 5; i++)
		free_list(lists[i]);
	word_free(x->word);
	free(x->id);
	free(x->program);
	free(x->reason);
	free(x->suggest);
	free(x->class_);
}

static int rule_list(struct reader *r, struct rules *rules)
{
	int e = want(r, YAML_SEQUENCE_START_EVENT, "rules must be a list");

	while (!e && !(e = next(r)) && r->ev.type != YAML_SEQUENCE_END_EVENT) {
		struct rule *x;

		if (r->ev.type != YAML_MAPPING_START_EVENT)
			return fail(r, "a rule must be a mapping", NULL);
		if (rules->n == rules->cap) {
			size_t cap = rules->cap ? rules->cap * 2 : 16;
			struct rule *more = realloc(rules->rule, cap * sizeof(*more));

			if (!more)
				return -ENOMEM;
			rules->rule = more;
			rules->cap = cap;
		}
		x = &rules->rule[rules->n++];
		*x = (struct rule){
			.pipe = -1, .decision = -1, .tier = r->tier, .source = r->source};
		e = one_rule(r, x);
	}
	return e;
}

static int version(struct reader *r)
{
	char *v = NULL;
	int e = next(r);

	if (!e)
		e = scalar(r, &v);
	if (!e && strcmp(v, "1"))
		e = fail(r, "unknown version", v);
	free(v);
	return e;
}

static int document(struct reader *r, struct rules *rules)
{
	bool seen_version = false, seen_rules = false;
	int e;

	if ((e = want(r, YAML_STREAM_START_EVENT, "does not parse")) ||
		(e = want(r, YAML_DOCUMENT_START_EVENT, "the file is empty")) ||
		(e = want(r, YAML_MAPPING_START_EVENT,
			 "a mapping with 'rules' is wanted")))
		return e;
	while (!(e = next(r)) && r->ev.type != YAML_MAPPING_END_EVENT) {
		char *key = NULL;
		bool *seen;

		if ((e = scalar(r, &key)))
			return e;
		seen = !strcmp(key, "version") ? &seen_version
		       : !strcmp(key, "rules") ? &seen_rules
					       : NULL;
		if (!seen || *seen)
			e = fail(r, seen ? "duplicate key" : "unknown key", key);
		else
			e = seen == &seen_rules ? rule_list(r, rules) : version(r);
		free(key);
		if (e)
			return e;
		*seen = true;
	}
	if (e)
		return e;
	if (!seen_version)
		return fail(r, "no version", NULL);
	if ((e = want(r, YAML_DOCUMENT_END_EVENT, "does not parse")))
		return e;
	return want(r, YAML_STREAM_END_EVENT, "only one document is allowed");
}

int file_load(struct rules *rules, const char *path, const char *text, size_t len,
	enum rules_tier tier, unsigned source, char *err, size_t size)
{
	struct reader r = {
		.path = path, .err = err, .size = size, .tier = tier, .source = source};
	int e;

	if (!text) {
		text = policy_rules_yaml;
		len = strlen(text);
	}
	if (!yaml_parser_initialize(&r.p))
		return -ENOMEM;
	yaml_parser_set_input_string(&r.p, (const unsigned char *)text, len);
	e = document(&r, rules);
	if (r.have_event)
		yaml_event_delete(&r.ev);
	yaml_parser_delete(&r.p);
	return e;
}
