/*
 * call.h: one tool call, from what a model wrote to what is meant. Private to provider.
 */
#ifndef AGENTCTL_PROVIDER_CALL_H
#define AGENTCTL_PROVIDER_CALL_H

#include <json-c/json.h>
#include <stddef.h>

enum call_kind { CALL_RUN, CALL_FINISH, CALL_ROLLBACK, CALL_UNREAD };

struct call {
	enum call_kind kind;
	char *id;	   /* or NULL */
	char *text;	   /* command, last words, or why it was not understood */
	unsigned int step; /* rollback; 0: the last */
};

/** A list of calls; zeroed it is empty. More than CALLS_MAX are not taken. */
#define CALLS_MAX 64
struct calls {
	struct call *c;
	size_t n;
};

/**
 * calls_add(l, name, id, args, n): the call of the tool @name with @n bytes of JSON at
 * @args: an object, or a string that holds one; none is an empty object. A call without
 * sense is added as CALL_UNREAD. @id may be NULL. 0 or -ENOMEM.
 */
int calls_add(
	struct calls *l, const char *name, const char *id, const char *args, size_t n);

/** calls_add_object(l, o): a call as models write it into their text: name with arguments
 * or parameters, perhaps inside of `function`. -EINVAL: @o is nothing like that. */
int calls_add_object(struct calls *l, json_object *o);

/** calls_add_unread(l, fmt, ..): a call that could not even be taken apart. */
int calls_add_unread(struct calls *l, const char *why);
void calls_free(struct calls *l);

/** call_parse(s, n, used): one JSON value at the beginning of @s, or NULL; *used bytes of
 * it (may be NULL: then it must be all, but for blanks). */
json_object *call_parse(const char *s, size_t n, size_t *used);

#endif
