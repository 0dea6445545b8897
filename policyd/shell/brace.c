/*
 * brace.c: a{b,c}d and {1..5}, before anything else is expanded.
 *
 * A word is a list of segments; a brace may begin in one and end in another
 * ({a,"b c"}), so positions are (segment, offset) pairs and slices copy segments.
 * One brace is opened at a time; its results are queued and looked at again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policyd/shell/expand.h"

enum { MAX_BRACES = 2048, MAX_RANGE = 64 };

struct pos {
	struct seg *seg;
	size_t off;
};

static bool has_brace(const struct seg *s)
{
	for (; s; s = s->next)
		if (s->kind == SEG_TEXT && !s->quoted && strchr(s->text, '{'))
			return true;
	return false;
}

static bool is_text(const struct seg *s)
{
	return s->kind == SEG_TEXT && !s->quoted;
}

/* A copy of what lies in [from, to); to.seg NULL: to the end. Appends at @tail. */
static struct seg **slice(
	struct sh *sh, struct pos from, struct pos to, struct seg **tail)
{
	for (struct seg *s = from.seg; s; s = s->next) {
		size_t a = s == from.seg ? from.off : 0;
		struct seg *c;

		if (to.seg == s && to.off <= a)
			break;
		c = sh_alloc(sh, sizeof(*c));
		*c = *s;
		c->next = NULL;
		if (is_text(s))
			c->text = to.seg == s ? sh_strn(sh, s->text + a, to.off - a)
					      : sh_str(sh, s->text + a);
		*tail = c;
		tail = &c->next;
		if (to.seg == s)
			break;
	}
	return tail;
}

static struct seg **literal(struct sh *sh, const char *t, struct seg **tail)
{
	struct seg *c = sh_alloc(sh, sizeof(*c));

	*c = (struct seg){.kind = SEG_TEXT, .text = t, .op = ""};
	*tail = c;
	return &c->next;
}

/* The first brace that closes and has a comma or a range: open, close, commas. */
struct brace {
	struct pos open, close, comma[64];
	size_t n_comma;
	bool range;
};

static bool scan_from(struct pos open, struct brace *b)
{
	int depth = 0;

	*b = (struct brace){.open = open};
	for (struct seg *s = open.seg; s; s = s->next) {
		if (!is_text(s))
			continue;
		for (size_t i = s == open.seg ? open.off : 0; s->text[i]; i++) {
			char c = s->text[i];

			if (c == '{')
				depth++;
			else if (c == ',' && depth == 1 && b->n_comma < 64)
				b->comma[b->n_comma++] = (struct pos){s, i};
			else if (c == '.' && s->text[i + 1] == '.' && depth == 1)
				b->range = s == open.seg;
			else if (c == '}' && !--depth) {
				b->close = (struct pos){s, i};
				b->range = b->range && !b->n_comma && s == open.seg;
				return b->n_comma || b->range;
			}
		}
	}
	return false;
}

static bool find_brace(struct seg *segs, struct brace *b)
{
	for (struct seg *s = segs; s; s = s->next) {
		if (!is_text(s))
			continue;
		for (size_t i = 0; s->text[i]; i++)
			if (s->text[i] == '{' && scan_from((struct pos){s, i}, b))
				return true;
	}
	return false;
}

struct queue {
	struct sh *sh;
	struct seg_list *first, **tail;
	size_t n;
};

static void push(struct queue *q, struct seg *segs)
{
	struct seg_list *l = sh_alloc(q->sh, sizeof(*l));

	if (++q->n > MAX_BRACES)
		sh_stop(q->sh, "its braces stand for too many words");
	l->segs = segs;
	*q->tail = l;
	q->tail = &l->next;
}

static void push_with(struct queue *q, struct seg *segs, const struct brace *b,
	struct pos from, struct pos to, const char *text)
{
	struct seg *head = NULL, **t;
	struct pos rest = {b->close.seg, b->close.off + 1};

	t = slice(q->sh, (struct pos){segs, 0}, b->open, &head);
	t = text ? literal(q->sh, text, t) : slice(q->sh, from, to, t);
	slice(q->sh, rest, (struct pos){NULL, 0}, t);
	push(q, head);
}

static void push_range(struct queue *q, struct seg *segs, const struct brace *b)
{
	const char *s = b->open.seg->text + b->open.off + 1;
	const struct pos none = {NULL, 0};
	char first[16] = "", last[16] = "", num[24];
	long a, z;

	if (sscanf(s, "%15[^.}]..%15[^.}]", first, last) != 2)
		first[0] = '\0';
	if (first[0] && last[0] && !first[1] && !last[1] &&
		(first[0] > '9' || last[0] > '9')) {
		for (int c = first[0];; c += first[0] < last[0] ? 1 : -1) {
			num[0] = (char)c;
			num[1] = '\0';
			push_with(q, segs, b, none, none, sh_str(q->sh, num));
			if (c == last[0])
				return;
		}
	}
	a = strtol(first, NULL, 10);
	z = strtol(last, NULL, 10);
	if (!first[0] || labs(a - z) > MAX_RANGE) {
		q->sh->many |= labs(a - z) > 500;
		push_with(q, segs, b, none, none, HOLE(SHELL_NAME));
		return;
	}
	for (long i = a;; i += a < z ? 1 : -1) {
		snprintf(num, sizeof(num), "%ld", i);
		push_with(q, segs, b, none, none, sh_str(q->sh, num));
		if (i == z)
			return;
	}
}

static void push_parts(struct queue *q, struct seg *segs, const struct brace *b)
{
	struct pos from = {b->open.seg, b->open.off + 1};

	for (size_t i = 0; i <= b->n_comma; i++) {
		struct pos to = i < b->n_comma ? b->comma[i] : b->close;

		push_with(q, segs, b, from, to, NULL);
		from = (struct pos){to.seg, to.off + 1};
	}
}

struct seg_list *brace_expand(struct sh *sh, struct seg *segs)
{
	struct seg_list *done = NULL, **tail = &done;
	struct queue todo = {.sh = sh};
	struct brace b;

	todo.tail = &todo.first;
	push(&todo, segs);
	while (todo.first) {
		struct seg_list *l = todo.first;

		sh_step(sh);
		todo.first = l->next;
		if (!todo.first)
			todo.tail = &todo.first;
		l->next = NULL;
		if (has_brace(l->segs) && find_brace(l->segs, &b)) {
			struct queue more = {.sh = sh, .n = todo.n};

			more.tail = &more.first;
			if (b.range)
				push_range(&more, l->segs, &b);
			else
				push_parts(&more, l->segs, &b);
			*more.tail = todo.first; /* keep the order: in front */
			if (!todo.first)
				todo.tail = more.tail;
			todo.first = more.first;
			todo.n = more.n;
			continue;
		}
		*tail = l;
		tail = &l->next;
	}
	return done;
}
