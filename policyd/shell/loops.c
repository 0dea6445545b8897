/*
 * loops.c: loops that do not end, or go round very often, and start or fill something
 * each time: what a fork bomb and a full disk look like before they happen.
 */
#include <stdlib.h>
#include <string.h>

#include "policyd/shell/ast.h"
#include "policyd/shell/sh.h"

/* Does @is hold for a command in the list @n, or inside one of it? */
static bool any_node(
	const struct node *n, bool (*is)(const struct node *), bool foreground)
{
	for (; n; n = n->next) {
		if (foreground && (n->kind == N_BG || n->kind == N_FUNC))
			continue;
		for (const struct case_item *i = n->items; i; i = i->next)
			if (any_node(i->body, is, foreground))
				return true;
		if (is(n) || any_node(n->a, is, foreground) ||
			any_node(n->b, is, foreground) || any_node(n->c, is, foreground))
			return true;
	}
	return false;
}

static bool is_one_of(const struct node *n, const char *const *names)
{
	for (; *names; names++)
		if (is_literal_word(n->words, *names))
			return true;
	return false;
}

/* Something that waits, asks or ends. */
static bool waits(const struct node *n)
{
	static const char *const names[] = {"sleep", "wait", "read", "break", "exit",
		"return", "inotifywait", "fswatch", "entr", "kill", "tail", "nc",
		"usleep", NULL};

	return is_one_of(n, names);
}

static bool in_background(const struct node *n)
{
	return n->kind == N_BG || n->kind == N_COPROC;
}

/* A variable that grows by itself: x=$x$x, x+=$x. */
static bool doubles(const struct node *n)
{
	for (const struct assign *a = n->assigns; a; a = a->next) {
		const struct seg *s = a->value ? a->value->segs : NULL;
		int own = a->append;

		for (; s; s = s->next)
			own += s->kind == SEG_PARAM && !strcmp(s->text, a->name);
		if (own > 1)
			return true;
	}
	return false;
}

/* Something that writes in each round. */
static bool fills(const struct node *n)
{
	static const char *const names[] = {"mkdir", "mktemp", "dd", NULL};

	for (const struct redir *r = n->redirs; r; r = r->next)
		if (r->kind == R_APPEND)
			return true;
	return is_one_of(n, names);
}

bool loop_starts_more(const struct node *body)
{
	return any_node(body, in_background, false) && !any_node(body, waits, true);
}

bool loop_grows(const struct node *body)
{
	return loop_starts_more(body) ||
	       ((any_node(body, doubles, false) || any_node(body, fills, false)) &&
		       !any_node(body, waits, true));
}

/* true, :, [ 1 ], (( 1 )). */
static bool always(struct sh *sh, const struct node *c)
{
	const char *t;

	if (c->kind == N_ARITH || c->kind == N_COND) {
		t = expand_one(sh, c->words);
		t += strspn(t, " ");
		return *t >= '1' && *t <= '9' && !t[strspn(t, "0123456789 ")];
	}
	return is_literal_word(c->words, "true") || is_literal_word(c->words, ":") ||
	       is_literal_word(c->words, "/bin/true") ||
	       ((is_literal_word(c->words, "[") || is_literal_word(c->words, "test")) &&
		       is_literal_word(c->words->next, "1"));
}

bool loop_has_no_end(struct sh *sh, const struct node *cond, bool until)
{
	const struct node *c = cond->a; /* of a list */

	if (c->next)
		return false;
	return until ? is_literal_word(c->words, "false") : always(sh, c);
}

bool loop_counts_far(const char *head)
{
	const char *cond = strchr(head, ';'), *less;

	if (!cond || cond[1 + strspn(cond + 1, " 1")] == ';')
		return true; /* for ((;;)) */
	less = strchr(cond, '<');
	return less && atol(less + strspn(less, "<= ")) > LOOP_FAR;
}
