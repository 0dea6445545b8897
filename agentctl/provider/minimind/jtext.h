/*
 * jtext.h: JSON of a model's files, read once into a flat array.
 *
 * A node knows where it stands in the text and where its subtree ends, so that walking
 * needs no pointers and memory is bounded by the text. An object's children are key,
 * value, key, value. Node 0 is the root; 0 also means "not there", since nobody's child
 * is the root. The text is borrowed and must outlive the document.
 */
#ifndef AGENTCTL_MINIMIND_JTEXT_H
#define AGENTCTL_MINIMIND_JTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agentctl/provider/minimind/why.h"

enum jtext_kind {
	JTEXT_NULL,
	JTEXT_FALSE,
	JTEXT_TRUE,
	JTEXT_NUMBER,
	JTEXT_STRING,
	JTEXT_ARRAY,
	JTEXT_OBJECT,
};

struct jtext_node {
	enum jtext_kind kind;
	uint32_t at, len; /* in the text; of a string without its quotes, still escaped */
	uint32_t next;	  /* the node behind this one's subtree */
};

struct jtext {
	const char *text;
	size_t size;
	struct jtext_node *nodes;
	size_t n, cap;
};

/** jtext_parse(d, text, size, name, why): read all of @text. -EINVAL with the offset in
 * @why when it is no JSON, is nested deeper than 64 or has more than 8 M values; @name is
 * what it is called there. The caller frees with jtext_free, also after an error. */
int jtext_parse(struct jtext *d, const char *text, size_t size, const char *name,
	struct why *why);
void jtext_free(struct jtext *d);

/** jtext_get(d, object, key): the value of the first @key, 0 if there is none or
 * @object is no object. */
uint32_t jtext_get(const struct jtext *d, uint32_t object, const char *key);

enum jtext_kind jtext_kind(const struct jtext *d, uint32_t node);

/** Children of an array, or keys and values of an object:
 *	for (i = jtext_first(d, a); i < jtext_end(d, a); i = jtext_next(d, i))
 * There are none in anything else. */
uint32_t jtext_first(const struct jtext *d, uint32_t node);
uint32_t jtext_end(const struct jtext *d, uint32_t node);
uint32_t jtext_next(const struct jtext *d, uint32_t node);
size_t jtext_count(const struct jtext *d, uint32_t node);

/** jtext_string(d, node, buf): the bytes of a string into @buf of at least node.len
 * bytes; returns how many, no NUL. A lone surrogate becomes U+FFFD. */
size_t jtext_string(const struct jtext *d, uint32_t node, char *buf);
/** jtext_name(d, node, buf, size): the same, as a C string; false if it is no string,
 * does not fit or holds a NUL. */
bool jtext_name(const struct jtext *d, uint32_t node, char *buf, size_t size);
bool jtext_is(const struct jtext *d, uint32_t node, const char *text);

/** The value of a number; false if it is none, or for uint no whole one below 2^53. */
bool jtext_number(const struct jtext *d, uint32_t node, double *out);
bool jtext_uint(const struct jtext *d, uint32_t node, uint64_t *out);

#endif
