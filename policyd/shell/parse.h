/*
 * parse.h: the cursor that parse.c and word.c share.
 */
#ifndef POLICYD_SHELL_PARSE_H
#define POLICYD_SHELL_PARSE_H

#include "policyd/shell/sh.h"

/** A here-document whose body is still to come. */
struct pending {
	struct pending *next;
	struct redir *redir;
	const char *end;
	bool strip, quoted;
};

struct parser {
	struct sh *sh;
	const char *s;
	size_t i;
	struct pending *pending, **pending_tail;
};

/** Where a word ends. */
enum stop {
	STOP_META,  /* at a blank or operator */
	STOP_BRACE, /* at the closing brace of ${ } */
	STOP_SLASH, /* or at a slash: ${x/pattern/text} */
	STOP_QUOTE, /* at the closing double quote */
	STOP_END,   /* never: the whole text, quoted as in a here-document */
};

/** parse_word(p, stop): one word from the cursor on, which may be empty. */
struct word *parse_word(struct parser *p, enum stop stop);
struct node *parse_commands(struct parser *p);
struct word *parse_arith_word(struct parser *p);
_Noreturn void parse_error(struct parser *p);
void parse_enter(struct parser *p);
void parse_leave(struct parser *p);

#endif
