/*
 * private.h: what the files of this folder share.
 */
#ifndef POLICYD_RULES_PRIVATE_H
#define POLICYD_RULES_PRIVATE_H

#include "policyd/rules/rules.h"

/** One rule of a file; what it does not name is NULL or 0. */
struct rule {
	char *id, *program, *reason, *suggest, *class_;
	char **sub, **flags, **env, **match, **not_match; /* NULL-ended */
	struct word *word;				  /* a pattern for one word */
	unsigned effects, operands, redirects;		  /* bits of verbs and places */
	int pipe;					  /* 1 yes, 0 no, -1 either */
	int decision;					  /* -1: not given yet */
	int line;
	enum rules_tier tier;
	unsigned source; /* index of its file among those loaded */
};

struct rules {
	struct rule *rule;
	size_t n, cap;
	char **path; /* of each source, for messages */
	size_t n_paths;
	struct index *index;
};

/** A command in the light of which rules are looked at; `left` bounds regexes. */
struct matcher {
	const struct shell_reading *reading;
	const struct shell_command *c;
	unsigned verbs, places, redirects; /* of the command's effects, as bits */
	int left;
};

enum { RULES_REGEX_WORK = 4096 }; /* words tried for one command line */

#define RULES_BIT(n) (1u << (unsigned)(n))

/** file_load(r, path, text, len, tier, source, err, size): add the rules of one file;
 * @text NULL: the built-in ones. 0, -EINVAL with the line in @err, -ENOMEM. */
int file_load(struct rules *r, const char *path, const char *text, size_t len,
	enum rules_tier tier, unsigned source, char *err, size_t size);
void file_free_rule(struct rule *rule);

/** source_read(s, text, len, err, size): the content of a file that may be trusted for
 * its tier: regular, of at most a mebibyte, owned and writable by the right people only.
 * -ENOENT for an optional one that is not there, without a message. */
int source_read(
	const struct rules_source *s, char **text, size_t *len, char *err, size_t size);

/** match_begin(m, reading, k): look at the k-th command. match_rule(m, rule). */
void match_begin(struct matcher *m, const struct shell_reading *reading, size_t k);
bool match_rule(struct matcher *m, const struct rule *rule);

/** index_new(r): so that the number of rules does not matter. NULL: no memory.
 * index_first, index_next: the rules that may apply to @program, in order. */
struct index_walk {
	const struct index *index;
	size_t named, other;
};
struct index *index_new(const struct rules *r);
void index_free(struct index *x);
void index_first(struct index_walk *w, const struct index *x, const char *program);
const struct rule *index_next(struct index_walk *w, const struct rules *r);

/** word_new(pattern, why, size): a compiled pattern; NULL with the reason. */
struct word *word_new(const char *pattern, char *why, size_t size);
void word_free(struct word *w);
/** word_matches: 1, 0, or -1 when it needs too much work to tell. */
int word_matches(const struct word *w, const char *s);

#endif
