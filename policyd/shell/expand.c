/*
 * expand.c: words to fields, as bash does it: braces, tilde, parameters, substitutions,
 * splitting, globs. What is not known becomes a hole of the narrowest shape that fits;
 * a glob is a hole without a slash.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policyd/shell/expand.h"

void fields_add(struct sh *sh, struct fields *f, char *s, bool quoted)
{
	size_t cap = f->cap;

	if (f->n >= MAX_FIELDS) {
		/* the rest is looked at as one word that may be anything */
		f->v[MAX_FIELDS - 1] = sh_str(sh, HOLE(SHELL_ANYTHING));
		return;
	}
	f->quoted = sh_grow(sh, f->quoted, f->n, &cap, sizeof(bool));
	f->v = sh_grow(sh, f->v, f->n, &f->cap, sizeof(char *));
	f->v[f->n] = s;
	f->quoted[f->n++] = quoted;
}

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

/* A field under construction. */
struct field {
	struct sh *sh;
	struct fields *out;
	struct buf b;
	bool have, quoted;
	bool none;  /* "$@" of nothing: no field, unless something else is in it */
	bool plain; /* no splitting, no globs: assignments, case, here-documents */
};

static void end_field(struct field *f)
{
	if (f->have && !(f->none && !f->b.n))
		fields_add(f->sh, f->out, buf_str(f->sh, &f->b), f->quoted);
	f->b = (struct buf){0};
	f->have = f->quoted = f->none = false;
}

static void put(struct field *f, const char *s, size_t n)
{
	f->have = true;
	buf_add(f->sh, &f->b, s, n);
}

static void put_hole(struct field *f, enum shell_hole h)
{
	put(f, HOLE(h), 1);
}

/* Unquoted text: globs become holes. Returns the bytes consumed at @s. */
static size_t put_glob(struct field *f, const char *s)
{
	if (!f->plain && *s == '*') {
		size_t n = strspn(s, "*");

		put_hole(f, n > 1 ? SHELL_BELOW : SHELL_NAME);
		return n;
	}
	if (!f->plain && *s == '?') {
		put_hole(f, SHELL_NAME);
		return 1;
	}
	if (!f->plain && *s == '[') {
		size_t n = 1 + (s[1] == '!' || s[1] == '^');

		n += s[n] == ']';
		while (s[n] && s[n] != ']' && s[n] != '/')
			n++;
		if (s[n] == ']' && n > 1) {
			put_hole(f, SHELL_NAME);
			return n + 1;
		}
	}
	put(f, s, 1);
	return 1;
}

/* The value of an unquoted expansion: split at IFS, globs included. */
static void put_split(struct field *f, const char *s)
{
	const char *ifs = var_get(f->sh, "IFS");

	if (!ifs || has_hole(ifs))
		ifs = " \t\n";
	while (*s) {
		if (!f->plain && strchr(ifs, *s)) {
			end_field(f);
			s++;
			continue;
		}
		s += put_glob(f, s);
	}
}

static void put_value(struct field *f, const char *s, bool quoted)
{
	if (quoted || f->plain) {
		put(f, s, strlen(s));
		f->quoted |= quoted;
		return;
	}
	put_split(f, s);
}

/* "$@", "${a[@]}": a field each; "$*" and the unquoted forms in one way or another. */
static void put_list(struct field *f, char **v, size_t n, bool quoted, bool star)
{
	const char *ifs = var_get(f->sh, "IFS");

	f->none |= quoted && !star && !n;
	for (size_t i = 0; i < n; i++) {
		if (i && (star && (quoted || f->plain)))
			put(f, ifs && !has_hole(ifs) ? ifs : " ", ifs && !*ifs ? 0 : 1);
		else if (i && f->plain)
			put(f, " ", 1);
		else if (i)
			end_field(f);
		put_value(f, v[i], quoted);
	}
	if (quoted && star)
		f->have = f->quoted = true;
}

static void put_segs(struct field *f, const struct seg *s);

char *expand_one(struct sh *sh, const struct word *w)
{
	struct fields out = {0};
	struct field f = {.sh = sh, .out = &out, .plain = true};

	if (!w)
		return sh_str(sh, "");
	put_segs(&f, w->segs);
	return buf_str(sh, &f.b);
}

/* Evaluated in arithmetic, a[$(..)] in a value runs the substitution. */
void hidden_substitution(struct sh *sh, const char *s)
{
	const char *p = strstr(s, "[$(");
	struct node *n;

	if (!p)
		p = strstr(s, "[`");
	if (!p)
		return;
	n = sh_try_parse(sh, sh_cat(sh, ": ", p + 1));
	if (n && ++sh->depth < SHELL_MAX_NESTING)
		eval_node(sh, n, NULL);
	sh->depth -= !!n;
}

static const char *arithmetic(struct sh *sh, const struct seg *s)
{
	char *t = expand_one(sh, s->arg);
	size_t n = strspn(t, " ");
	size_t d = strspn(t + n, "0123456789");

	hidden_substitution(sh, t);
	arith_assigns(sh, t);
	if (d && !t[n + d + strspn(t + n + d, " ")])
		return sh_strn(sh, t + n, d);
	return HOLE(SHELL_NUMBER);
}

/* name=.., name+=.., name++ inside arithmetic: a number from now on. */
void arith_assigns(struct sh *sh, const char *t)
{
	for (const char *p = t; *p;) {
		size_t n =
			strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
				  "0123456789");
		const char *q = p + n;

		if (!n || (*p >= '0' && *p <= '9')) {
			p += n ? n : 1;
			continue;
		}
		q += strspn(q, " ");
		if ((*q == '=' && q[1] != '=') ||
			(*q && strchr("+-*/%&|^", *q) && q[1] == '=') ||
			!strncmp(q, "++", 2) || !strncmp(q, "--", 2))
			var_set(sh, sh_strn(sh, p, n), HOLE(SHELL_NUMBER));
		p += n;
	}
}

static void put_substitution(struct field *f, const struct seg *s)
{
	char *out = eval_sub(f->sh, s->cmd);
	size_t n = strlen(out);

	while (n && out[n - 1] == '\n')
		out[--n] = '\0';
	put_value(f, out, s->quoted);
}

static bool put_all(struct field *f, const struct seg *s)
{
	const char *index = s->index ? expand_one(f->sh, s->index) : "";
	struct var *v;
	bool star;

	if (s->length || s->indirect)
		return false;
	if (!strcmp(s->text, "@") || !strcmp(s->text, "*")) {
		size_t skip = 0, n = f->sh->st.n_args;

		star = s->text[0] == '*';
		if (*s->op == ':' && !s->op[1]) /* "${@:2}" */
			skip = (size_t)strtoul(expand_one(f->sh, s->arg), NULL, 10);
		skip = skip ? skip - 1 : 0;
		if (skip > n)
			skip = n;
		put_list(f, f->sh->st.args + skip, n - skip, s->quoted, star);
		return true;
	}
	if (strcmp(index, "@") && strcmp(index, "*"))
		return false;
	star = index[0] == '*';
	v = var_find(f->sh, s->text);
	if (v && v->array) {
		put_list(f, v->elem, v->n_elem, s->quoted, star);
		return true;
	}
	return false;
}

static void put_param(struct field *f, const struct seg *s)
{
	const char *v;

	if (put_all(f, s))
		return;
	v = param_value(f->sh, s);
	if (v)
		put_value(f, v, s->quoted);
	else if (s->quoted)
		f->have = f->quoted = true;
}

/* A leading tilde: HOME, another user's home, or the last directories. */
static size_t put_tilde(struct field *f, const char *s)
{
	size_t n = strcspn(s, "/:\1\2\3\4\5\6\7");
	const char *home = var_get(f->sh, "HOME");

	if (n == 1)
		put(f, home ? home : f->sh->ctx->home,
			strlen(home ? home : f->sh->ctx->home));
	else if (n == 2 && s[1] == '+')
		put(f, sh_cwd(f->sh), strlen(sh_cwd(f->sh)));
	else if (n == 2 && s[1] == '-') {
		const char *old = var_get(f->sh, "OLDPWD");

		put(f, old ? old : HOLE(SHELL_ANYTHING), old ? strlen(old) : 1);
	} else if (n > 1 && (s[1] == '+' || s[1] == '-' || (s[1] >= '0' && s[1] <= '9')))
		put_hole(f, SHELL_ANYTHING); /* of the stack of pushd */
	else if (n == 5 && !memcmp(s, "~root", 5))
		put(f, "/root", 5);
	else {
		put(f, "/home/", 6);
		put(f, s + 1, n - 1);
	}
	return n;
}

static void put_text(struct field *f, const struct seg *s, bool first)
{
	const char *t = s->text;

	if (s->quoted) {
		put(f, t, strlen(t));
		f->quoted = true;
		hidden_substitution(f->sh, t);
		return;
	}
	if (first && *t == '~' && (t[1] || !s->next || !s->next->quoted))
		t += put_tilde(f, t);
	while (*t) {
		if (first && t[0] == '=' && t[1] == '~' && t > s->text &&
			s->text + strspn(s->text, NAME_CHARS) == t) { /* of=~/x */
			put(f, t++, 1);
			t += put_tilde(f, t);
			continue;
		}
		if (f->plain && t[0] == ':' && t[1] == '~') { /* PATH=a:~/bin */
			put(f, t++, 1);
			t += put_tilde(f, t);
			continue;
		}
		t += put_glob(f, t);
	}
}

static void put_segs(struct field *f, const struct seg *s)
{
	for (const struct seg *first = s; s; s = s->next) {
		sh_step(f->sh);
		switch (s->kind) {
		case SEG_TEXT: put_text(f, s, s == first); break;
		case SEG_PARAM: put_param(f, s); break;
		case SEG_CMD: put_substitution(f, s); break;
		case SEG_ARITH: put_value(f, arithmetic(f->sh, s), true); break;
		case SEG_PROC: {
			const char *p = eval_proc(f->sh, s->cmd, s->op[0]);

			put(f, p, strlen(p));
			break;
		}
		}
	}
}

void expand_word(struct sh *sh, const struct word *w, struct fields *out)
{
	struct seg_list *list = brace_expand(sh, w->segs);

	for (; list; list = list->next) {
		struct field f = {.sh = sh, .out = out};

		put_segs(&f, list->segs);
		end_field(&f);
	}
}

void arith_set_all(struct sh *sh, const struct word *w)
{
	arith_assigns(sh, expand_one(sh, w));
}
