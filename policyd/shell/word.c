/*
 * word.c: one word taken apart into segments: text, parameters, substitutions.
 *
 * The same loop serves plain words, the inside of double quotes, here-documents and the
 * argument of ${x:-..}; they differ in where they stop and in what a quote means.
 */
#include <stdlib.h>
#include <string.h>

#include "policyd/shell/parse.h"

struct builder {
	struct parser *p;
	struct seg *first, **tail;
	struct buf text;
	bool quoted; /* of the text collected so far */
	bool have;
};

static bool is_name_start(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name(char c)
{
	return is_name_start(c) || (c >= '0' && c <= '9');
}

static void flush(struct builder *b)
{
	struct seg *s;

	if (!b->have)
		return;
	s = sh_alloc(b->p->sh, sizeof(*s));
	*s = (struct seg){.kind = SEG_TEXT,
		.quoted = b->quoted,
		.text = buf_str(b->p->sh, &b->text)};
	*b->tail = s;
	b->tail = &s->next;
	b->text = (struct buf){0};
	b->have = false;
}

static void text(struct builder *b, bool quoted, const char *s, size_t n)
{
	if (b->have && b->quoted != quoted)
		flush(b);
	b->quoted = quoted;
	b->have = true;
	buf_add(b->p->sh, &b->text, s, n);
}

static struct seg *add(struct builder *b, enum seg_kind kind, bool quoted)
{
	struct seg *s;

	flush(b);
	s = sh_alloc(b->p->sh, sizeof(*s));
	s->kind = kind;
	s->quoted = quoted;
	s->op = "";
	s->text = "";
	*b->tail = s;
	b->tail = &s->next;
	return s;
}

/* `..`: one level of backslashes goes, then it is a command of its own. */
static void backquote(struct builder *b, bool quoted)
{
	struct parser *p = b->p;
	struct buf t = {0};

	for (p->i++; p->s[p->i] != '`'; p->i++) {
		char c = p->s[p->i];

		if (!c)
			parse_error(p);
		if (c == '\\' && p->s[p->i + 1] &&
			strchr(quoted ? "$`\\\"" : "$`\\", p->s[p->i + 1]))
			c = p->s[++p->i];
		buf_c(p->sh, &t, c);
	}
	p->i++;
	parse_enter(p);
	add(b, SEG_CMD, quoted)->cmd = sh_parse(p->sh, buf_str(p->sh, &t));
	parse_leave(p);
}

static struct node *parenthesised(struct parser *p)
{
	struct node *n;

	parse_enter(p);
	n = parse_commands(p);
	if (p->s[p->i] != ')')
		parse_error(p);
	p->i++;
	parse_leave(p);
	return n;
}

/* The name of ${..}: a name, a number, or one special character. */
static const char *param_name(struct parser *p)
{
	size_t n = 0;

	if (is_name_start(p->s[p->i]))
		while (is_name(p->s[p->i + n]))
			n++;
	else if (p->s[p->i] >= '0' && p->s[p->i] <= '9')
		while (p->s[p->i + n] >= '0' && p->s[p->i + n] <= '9')
			n++;
	else if (p->s[p->i] && strchr("@*#?$!-", p->s[p->i]))
		n = 1;
	if (!n)
		parse_error(p);
	p->i += n;
	return sh_strn(p->sh, p->s + p->i - n, n);
}

static void param_operator(struct parser *p, struct seg *s, bool quoted)
{
	static const char *const ops[] = {":-", ":=", ":?", ":+", "##", "#", "%%", "%",
		"//", "/#", "/%", "/", "^^", "^", ",,", ",", "@", "-", "=", "?", "+",
		":"};
	const char *op = NULL;

	for (size_t k = 0; k < sizeof(ops) / sizeof(*ops) && !op; k++)
		if (!strncmp(p->s + p->i, ops[k], strlen(ops[k])))
			op = ops[k];
	if (!op) {
		parse_error(p);
		return;
	}
	s->op = op;
	p->i += strlen(op);
	parse_enter(p);
	s->arg = parse_word(p, *op == '/' ? STOP_SLASH : STOP_BRACE);
	if (*op == '/' && p->s[p->i] == '/') {
		p->i++;
		s->arg2 = parse_word(p, STOP_BRACE);
	}
	parse_leave(p);
}

static void braced(struct builder *b, bool quoted)
{
	struct parser *p = b->p;
	struct seg *s = add(b, SEG_PARAM, quoted);

	p->i += 2;
	if (p->s[p->i] == '#' && p->s[p->i + 1] != '}' &&
		!strchr("#%:-=?+/", p->s[p->i + 1])) {
		s->length = true;
		p->i++;
	} else if (p->s[p->i] == '!' && p->s[p->i + 1] != '}') {
		s->indirect = true;
		p->i++;
	}
	s->text = param_name(p);
	if (p->s[p->i] == '[') {
		size_t n = 1;
		int depth = 1;

		for (; p->s[p->i + n] && depth; n++)
			depth += (p->s[p->i + n] == '[') - (p->s[p->i + n] == ']');
		if (depth)
			parse_error(p);
		parse_enter(p);
		s->index = sh_parse_text(p->sh, sh_strn(p->sh, p->s + p->i + 1, n - 2));
		parse_leave(p);
		p->i += n;
	}
	if (s->indirect && (p->s[p->i] == '*' || p->s[p->i] == '@') &&
		p->s[p->i + 1] == '}')
		p->i++;
	if (p->s[p->i] != '}')
		param_operator(p, s, quoted);
	if (p->s[p->i] != '}')
		parse_error(p);
	p->i++;
}

/* $'..': decoded here, so that nothing later sees the escapes. */
static void ansi_quoted(struct builder *b)
{
	struct parser *p = b->p;
	size_t start = p->i += 2;
	char *s;

	while (p->s[p->i] != '\'') {
		if (!p->s[p->i])
			parse_error(p);
		p->i += p->s[p->i] == '\\' && p->s[p->i + 1] ? 2 : 1;
	}
	s = sh_unescape(p->sh, p->s + start, p->i - start);
	p->i++;
	text(b, true, s, strlen(s));
}

static void dollar(struct builder *b, bool quoted, enum stop stop)
{
	struct parser *p = b->p;
	const char *s = p->s + p->i + 1;

	if (*s == '\'' && !quoted) {
		ansi_quoted(b);
	} else if (*s == '"' && !quoted) {
		p->i++; /* $"..": the translated string is the string */
	} else if (s[0] == '(' && s[1] == '(') {
		struct word *w;
		size_t start = p->i;

		p->i += 3;
		w = parse_arith_word(p);
		if (w) {
			add(b, SEG_ARITH, quoted)->arg = w;
			return;
		}
		p->i = start + 2;
		add(b, SEG_CMD, quoted)->cmd = parenthesised(p);
	} else if (*s == '(') {
		struct seg *seg = add(b, SEG_CMD, quoted);

		p->i += 2;
		seg->cmd = parenthesised(p);
	} else if (*s == '{') {
		braced(b, quoted);
	} else if (*s == '[') {
		size_t n = strcspn(s + 1, "]");
		struct seg *seg = add(b, SEG_ARITH, quoted);

		if (!s[1 + n])
			parse_error(p);
		seg->arg = sh_parse_text(p->sh, sh_strn(p->sh, s + 1, n));
		p->i += n + 3;
	} else if (is_name_start(*s) || (*s && strchr("@*#?$!-0123456789", *s))) {
		struct seg *seg = add(b, SEG_PARAM, quoted);
		size_t n = 1;

		if (is_name_start(*s))
			while (is_name(s[n]))
				n++;
		seg->text = sh_strn(p->sh, s, n);
		p->i += n + 1;
	} else {
		text(b, quoted, "$", 1);
		p->i++;
	}
}

static void double_quoted(struct builder *b);

/* A backslash: what it protects depends on the quoting around it. */
static void backslash(struct builder *b, enum stop stop)
{
	struct parser *p = b->p;
	char c = p->s[p->i + 1];

	if (c == '\n') {
		p->i += 2;
		return;
	}
	if (!c) {
		text(b, true, "\\", 1);
		p->i++;
		return;
	}
	if ((stop == STOP_QUOTE && !strchr("$`\"\\", c)) ||
		(stop == STOP_END && !strchr("$`\\", c))) {
		text(b, true, p->s + p->i, 2);
		p->i += 2;
		return;
	}
	text(b, true, &c, 1);
	p->i += 2;
}

/* ?(..) *(..) +(..) @(..) !(..): a pattern; what it matches has no slash. */
static bool extended_glob(struct builder *b)
{
	struct parser *p = b->p;
	size_t i = p->i + 1;
	int depth = 0;

	if (!strchr("?*+@!", p->s[p->i]) || p->s[i] != '(')
		return false;
	for (; p->s[i]; i++) {
		depth += (p->s[i] == '(') - (p->s[i] == ')');
		if (!depth)
			break;
	}
	if (!p->s[i])
		parse_error(p);
	p->i = i + 1;
	text(b, false, "*", 1);
	return true;
}

static bool stops(struct parser *p, enum stop stop)
{
	char c = p->s[p->i];

	if (!c)
		return true;
	switch (stop) {
	case STOP_META:
		return strchr(" \t\n;&|()", c) ||
		       ((c == '<' || c == '>') && p->s[p->i + 1] != '(');
	case STOP_BRACE: return c == '}';
	case STOP_SLASH: return c == '}' || c == '/';
	case STOP_QUOTE: return c == '"';
	case STOP_END: return false;
	}
	return true;
}

struct word *parse_word(struct parser *p, enum stop stop)
{
	bool quoted = stop == STOP_QUOTE || stop == STOP_END;
	struct word *w = sh_alloc(p->sh, sizeof(*w));
	struct builder b = {.p = p};

	b.tail = &b.first;
	while (!stops(p, stop)) {
		char c = p->s[p->i];

		if (c == '\\') {
			backslash(&b, stop);
		} else if (c == '\'' && !quoted) {
			size_t n = strcspn(p->s + p->i + 1, "'");

			if (!p->s[p->i + 1 + n])
				parse_error(p);
			text(&b, true, p->s + p->i + 1, n);
			p->i += n + 2;
		} else if (c == '"' && stop != STOP_END) {
			double_quoted(&b);
		} else if (c == '`') {
			backquote(&b, quoted);
		} else if (c == '$') {
			dollar(&b, quoted, stop);
		} else if (!quoted && (c == '<' || c == '>') && p->s[p->i + 1] == '(') {
			struct seg *s = add(&b, SEG_PROC, quoted);

			s->op = c == '<' ? "<" : ">";
			p->i += 2;
			s->cmd = parenthesised(p);
		} else if (quoted || stop != STOP_META || !extended_glob(&b)) {
			text(&b, quoted, &c, 1);
			p->i++;
		}
	}
	flush(&b);
	if ((stop == STOP_QUOTE || stop == STOP_BRACE || stop == STOP_SLASH) &&
		!p->s[p->i])
		parse_error(p);
	w->segs = b.first;
	return w;
}

static void double_quoted(struct builder *b)
{
	struct word *w;
	struct seg *s;

	b->p->i++;
	parse_enter(b->p);
	w = parse_word(b->p, STOP_QUOTE);
	parse_leave(b->p);
	b->p->i++;
	text(b, true, "", 0); /* "" is a word, though empty */
	flush(b);
	for (s = w->segs; s; s = s->next)
		b->tail = &s->next;
	if (w->segs) {
		struct seg **t = &b->first;

		while (*t)
			t = &(*t)->next;
		*t = w->segs;
	}
}

struct word *sh_parse_text(struct sh *sh, const char *s)
{
	struct parser p = {.sh = sh, .s = s};
	struct word *w;

	p.pending_tail = &p.pending;
	parse_enter(&p);
	w = parse_word(&p, STOP_END);
	parse_leave(&p);
	return w;
}
