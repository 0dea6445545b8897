/*
 * private.h: what the files of this folder share.
 */
#ifndef POLICYD_RULES_PRIVATE_H
#define POLICYD_RULES_PRIVATE_H

#include "policyd/rules/rules.h"

/** One rule of a file; every field but id and decision may be absent (NULL, -1). */
struct rule {
	char *id, *program, *reason, *suggest, *class_;
	char **sub, **flags, **match, **not_match; /* NULL-ended */
	int operand;				   /* enum shell_place, or -1 */
	int effect;				   /* enum shell_verb, or -1 */
	int decision;
	int line;
	int file; /* which one: later files override */
};

struct rules {
	struct rule *rule;
	size_t n, cap;
};

/** file_load(r, path, text, file, err, size): add the rules of one file;
 * @text NULL: the built-in ones. */
int file_load(struct rules *r, const char *path, const char *text, size_t len, int file,
	char *err, size_t size);

/** file_match(rule, ctx, reading, k): does @rule apply to the k-th command? */
bool file_match(const struct rule *rule, const struct shell_context *ctx,
	const struct shell_reading *reading, size_t k);

void file_free_rule(struct rule *rule);

#endif
