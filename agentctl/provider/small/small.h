/*
 * small.h: the protocol of the small model made here (agentctl/model): calls for single
 * operations on files, and what each is as a command for a shell. Private to provider.
 *
 * A conversation is one request and, turn by turn, a call and what came of it. The text,
 * frame by frame, is that of agentctl/model/tokenizer.py, which the model was trained on.
 */
#ifndef AGENTCTL_PROVIDER_SMALL_H
#define AGENTCTL_PROVIDER_SMALL_H

#include <stdbool.h>
#include <stddef.h>
#include "agentctl/provider/minimind/minimind.h"

enum small_kind {
	SMALL_CREATE,
	SMALL_APPEND,
	SMALL_PREPEND,
	SMALL_REPLACE,
	SMALL_DROP,
	SMALL_MOVE,
	SMALL_COPY,
	SMALL_DELETE,
	SMALL_MKDIR,
	SMALL_COUNT,
	SMALL_SEARCH,
	SMALL_LIST,
	SMALL_SHOW,
	SMALL_TEST,
	SMALL_DONE,
	SMALL_STOP,
	SMALL_UNCLEAR,
	SMALL_KINDS
};

enum { SMALL_ARGS = 3 };

/** A call as it was written, and its arguments, unescaped. */
struct small_call {
	enum small_kind kind;
	char *text;
	char *arg[SMALL_ARGS]; /* in the order of the table; NULL: it has fewer */
};

/** small_read(text, out): what @text (JSON and what follows it) says. -EINVAL: nothing
 * that is known; -ENOMEM. The caller frees by small_free. */
int small_read(const char *text, struct small_call *out);
void small_free(struct small_call *c);

/** small_id(c): an id that holds the call; caller frees. small_call_of(id): the text of
 * the call in @id; NULL: it holds none, or there is no memory. */
char *small_id(const struct small_call *c);
char *small_call_of(const char *id);

/** small_parts(c, parts): c->text in at most SMALL_PARTS pieces, arguments as plain text.
 * Returns how many. They point into @c. */
enum { SMALL_PARTS = 2 * SMALL_ARGS + 1 };
size_t small_parts(const struct small_call *c, struct minimind_text *parts);

/** What a command depends on besides its call. */
struct small_context {
	const char *request;
	bool repair; /* a test failed before: only whole values are replaced */
};

/** small_command(c, context): the call as a command for bash that fails where the call
 * cannot be done; caller frees. NULL: no memory. Not for done, stop and unclear. */
char *small_command(const struct small_call *c, const struct small_context *context);

/** small_means_folder(request, name): does the request say that @name is a folder to put
 * something into? */
bool small_means_folder(const char *request, const char *name);

/** small_means_rename(request): does it speak of a name, and of no place? */
bool small_means_rename(const char *request);

/** small_makes_sense(c, request): false for what nobody asks for: what the request
 * forbids, moving a thing onto itself, replacing a text by itself, a name that is the
 * request's own verb. */
bool small_makes_sense(const struct small_call *c, const char *request);

/** small_all_used(request, calls, n): whether every quoted text and every word that looks
 * like a path stands in an argument of one of the calls: else a part of the request was
 * not understood. */
bool small_all_used(const char *request, const struct small_call *calls, size_t n);

/** small_observation(status, refused, output): what the model hears; caller frees. NULL:
 * no memory. */
char *small_observation(int status, bool refused, const char *output);

#endif
