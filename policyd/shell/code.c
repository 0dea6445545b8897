/*
 * code.c: code of other languages given as text: not parsed, but scanned.
 *
 * The table code.tsv lists calls by what they do: process, delete, write, network,
 * and dynamic (code made from data) and hidden (data decoded). A call is judged by the
 * literals in its arguments: a command is read as shell, a path is an effect; a call
 * whose argument is computed, and any call beside hidden or dynamic code, is a question.
 */
#include <ctype.h>
#include <string.h>

#include "policyd/shell/sh.h"

enum {
	K_PROCESS = 1,
	K_DELETE = 2,
	K_WRITE = 4,
	K_NETWORK = 8,
	K_DYNAMIC = 16,
	K_HIDDEN = 32,
	K_FORK = 64,
	K_READ = 128,
	K_FETCH = 256,
};

struct scan {
	struct sh *sh;
	const char *lang, *text, *program;
	unsigned kinds;
};

static unsigned kind_of(const char *name)
{
	static const char *const names[] = {"process", "delete", "write", "network",
		"dynamic", "hidden", "fork", "read", "fetch"};

	for (unsigned i = 0; i < 9; i++)
		if (!strcmp(name, names[i]))
			return 1u << i;
	return 0;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The end of a string literal that begins at @p, or NULL. */
static const char *literal_end(const char *p)
{
	char q = *p == '`' || *p == '\'' || *p == '"' ? *p : 0;
	const char *s = p + 1;

	if (!q)
		return NULL;
	for (; *s; s++) {
		if (*s == '\\' && s[1])
			s++;
		else if (*s == q || (q == '`' && *s == '\'')) /* m4 quotes as well */
			return s;
	}
	return NULL;
}

/* The arguments of a call: to the matching parenthesis, or to the end of the statement.
 */
static const char *args_end(const char *p)
{
	int depth = 0;
	bool paren = *p == '(';

	for (; *p; p++) {
		const char *e = literal_end(p);

		if (e) {
			p = e;
			continue;
		}
		if (*p == '(')
			depth++;
		else if (*p == ')' && --depth <= 0 && paren)
			return p + 1;
		else if ((*p == ';' || *p == '\n' || *p == '}') && !paren)
			return p;
	}
	return p;
}

struct literals {
	char *v[64];
	size_t n;
	bool computed; /* something else than literals is in it */
};

static void collect(struct sh *sh, const char *p, const char *end, struct literals *l)
{
	bool other = false;

	*l = (struct literals){0};
	while (p < end && *p) {
		const char *e = literal_end(p);

		if (e && e <= end) {
			if (l->n < 64)
				l->v[l->n++] =
					sh_unescape(sh, p + 1, (size_t)(e - p - 1));
			p = e + 1;
			continue;
		}
		if (*p == '+' || *p == '%' || *p == '$' || !strncmp(p, ".format", 7) ||
			!strncmp(p, ".join", 5))
			other = true;
		else if (is_word(*p) && strncmp(p, "True", 4) && strncmp(p, "shell", 5) &&
			 strncmp(p, "check", 5) && strncmp(p, "text", 4))
			other |= !l->n;
		if (is_word(*p))
			while (is_word(*p))
				p++;
		else
			p++;
	}
	l->computed = other;
}

/* One command line, or an argv as a list of literals. */
static void process_call(struct scan *s, const char *args, const char *end)
{
	struct literals l;
	struct buf b = {0};

	collect(s->sh, args, end, &l);
	if (!l.n) {
		if (end - args > 2)
			effect(s->sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_COMPUTED,
				s->program, sh_strn(s->sh, args, (size_t)(end - args)),
				"code");
		return;
	}
	for (size_t i = 0; i < l.n; i++) {
		if (strpbrk(l.v[i], " \t"))
			code_guess(s->sh, l.v[i], s->program);
		buf_add(s->sh, &b, l.v[i], strlen(l.v[i]));
		buf_c(s->sh, &b, ' ');
	}
	if (l.n > 1 || !strpbrk(l.v[0], " \t"))
		code_guess(s->sh, buf_str(s->sh, &b), s->program);
	if (l.computed)
		effect(s->sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_COMPUTED, s->program,
			sh_strn(s->sh, args, (size_t)(end - args)), "code");
}

static bool is_mode(const char *s)
{
	return strlen(s) <= 4 && *s && strspn(s, "rwax+bt><") == strlen(s);
}

static void path_call(struct scan *s, enum shell_verb v, const char *args,
	const char *end, const char *before)
{
	struct literals l;
	bool any = false;

	collect(s->sh, args, end, &l);
	if (!l.n && *before == '.') { /* Path("x").unlink(): the receiver is before it */
		const char *from = before - s->text > 200 ? before - 200 : s->text;

		for (const char *p = before; p > from; p--)
			if (p[-1] == ';' || p[-1] == '\n') {
				from = p;
				break;
			}
		collect(s->sh, from, before, &l);
	}
	for (size_t i = 0; i < l.n; i++) {
		char *w = l.v[i];
		size_t n = strlen(w);

		if ((i && is_mode(w)) || !n || strchr(w, '\n'))
			continue;
		while (n > 1 && v != SHELL_READ && (*w == '>' || *w == ' '))
			w++, n--;
		any = true;
		if (*w == '~' && w[1] == '/')
			w = sh_cat(s->sh, s->sh->ctx->home, w + 1);
		effect_path(s->sh, v, s->program, w, SHELL_HOW_INLINE);
		if (v == SHELL_OVERWRITE || v == SHELL_CREATE)
			break;
	}
	if (v != SHELL_READ && (!any || l.computed))
		effect(s->sh, v, SHELL_UNKNOWN, SHELL_HOW_COMPUTED, s->program,
			sh_strn(s->sh, args, (size_t)(end - args)), "code");
}

/* open(.., "w"): only a mode or a leading > makes it a write. */
static bool opens_for_writing(struct scan *s, const char *args, const char *end)
{
	struct literals l;

	collect(s->sh, args, end, &l);
	for (size_t i = 0; i < l.n; i++)
		if ((i && is_mode(l.v[i]) && strpbrk(l.v[i], "wax+>")) ||
			l.v[i][0] == '>')
			return true;
	return false;
}

static void network_call(struct scan *s, const char *args, const char *end)
{
	struct literals l;

	collect(s->sh, args, end, &l);
	for (size_t i = 0; i < l.n; i++)
		if (strstr(l.v[i], "localhost") || !strncmp(l.v[i], "127.", 4) ||
			!strncmp(l.v[i], "http://127.", 11))
			return;
	effect(s->sh, SHELL_SEND, SHELL_NOWHERE, SHELL_HOW_POSSIBLE, s->program,
		l.n ? l.v[0] : sh_strn(s->sh, args, (size_t)(end - args)), "network");
}

static void one_call(struct scan *s, unsigned kind, const char *at, const char *after)
{
	const char *args = after + strspn(after, " \t");
	const char *end = args_end(args);

	s->kinds |= kind;
	switch (kind) {
	case K_PROCESS: process_call(s, args, end); break;
	case K_DELETE: path_call(s, SHELL_DELETE, args, end, at); break;
	case K_WRITE:
		if (!strncmp(at, "open", 4) || !strncmp(at, "fopen", 5) ||
			!strncmp(at, "File.open", 9) || !strncmp(at, "io.open", 7)) {
			if (!opens_for_writing(s, args, end)) {
				path_call(s, SHELL_READ, args, end, at);
				break;
			}
		}
		path_call(s, SHELL_OVERWRITE, args, end, at);
		break;
	case K_READ: path_call(s, SHELL_READ, args, end, at); break;
	case K_NETWORK: network_call(s, args, end); break;
	}
}

static bool for_language(const char *langs, const char *lang)
{
	return !*langs || word_in(lang, langs);
}

static void scan_calls(struct scan *s)
{
	size_t n;
	const char *const *const *rows = table_all(T_CODE, &n);

	for (size_t i = 0; i < n; i++) {
		const char *token = rows[i][0];
		size_t len = strlen(token);
		unsigned kind = kind_of(rows[i][1]);

		if (!for_language(rows[i][2], s->lang))
			continue;
		for (const char *p = s->text; (p = strstr(p, token)); p += len) {
			sh_step(s->sh);
			if (p > s->text && is_word(*token) &&
				(is_word(p[-1]) || p[-1] == '$' || p[-1] == '@'))
				continue;
			if (is_word(token[len - 1]) && is_word(p[len]))
				continue;
			one_call(s, kind, p, p + len - (token[len - 1] == '('));
		}
	}
}

/* sed: the commands w, W, r, e and the flags of s that name files or run code. */
static void scan_sed(struct scan *s)
{
	for (const char *p = s->text; *p;) {
		char cmd;

		p += strspn(p, " \t\n;{}0123456789,$!~+");
		while (*p == '/' || (*p == '\\' && p[1])) { /* an address */
			char d = *p == '\\' ? *++p : '/';

			for (p++; *p && *p != d; p++)
				p += *p == '\\' && p[1];
			p += *p == d;
			p += strspn(p, " \t0123456789,$!~+IM{");
		}
		cmd = *p ? *p++ : 0;
		if (cmd == 's' || cmd == 'y') {
			char d = *p;
			int seen = 0;

			for (p += d != 0; *p && seen < 2; p++) {
				if (*p == '\\' && p[1])
					p++;
				else if (*p == d)
					seen++;
			}
			for (; *p && strchr("gpiIeMm0123456789w", *p) && cmd == 's';
				p++) {
				if (*p == 'e')
					effect(s->sh, SHELL_RUN, SHELL_UNKNOWN,
						SHELL_HOW_COMPUTED, s->program, s->text,
						"code");
				if (*p == 'w') {
					cmd = 'w';
					p++;
					break;
				}
			}
		}
		if (cmd == 'w' || cmd == 'W' || cmd == 'r') {
			const char *f = p + strspn(p, " \t");
			size_t n = strcspn(f, "\n;}");

			if (n)
				effect_path(s->sh,
					cmd == 'r' ? SHELL_READ : SHELL_OVERWRITE,
					s->program, sh_strn(s->sh, f, n),
					SHELL_HOW_INLINE);
		}
		if (cmd == 'e')
			code_guess(
				s->sh, sh_strn(s->sh, p, strcspn(p, "\n")), s->program);
		p += strcspn(p, cmd == 'a' || cmd == 'i' || cmd == 'c' ? "\n" : ";\n}");
	}
}

/* awk: "cmd" | getline, print | "cmd", print > "file". */
static void scan_awk(struct scan *s)
{
	for (const char *p = s->text; *p; p++) {
		const char *e = literal_end(p), *after;
		const char *before = p;
		char *lit;

		if (*p != '"' || !e)
			continue;
		lit = sh_unescape(s->sh, p + 1, (size_t)(e - p - 1));
		after = e + 1 + strspn(e + 1, " \t");
		while (before > s->text && (before[-1] == ' ' || before[-1] == '\t'))
			before--;
		if (*after == '|' && after[1] != '|')
			code_guess(s->sh, lit, s->program);
		else if (before > s->text && before[-1] == '|' &&
			 !(before - 1 > s->text && before[-2] == '|'))
			code_guess(s->sh, lit, s->program);
		else if (before > s->text && before[-1] == '>')
			effect_path(s->sh, SHELL_OVERWRITE, s->program, lit,
				SHELL_HOW_INLINE);
		p = e;
	}
}

/* Beside dynamic code every literal may be what it runs or names. */
static void scan_literals(struct scan *s)
{
	for (const char *p = s->text; *p; p++) {
		const char *e = literal_end(p), *path;
		char *lit;

		if (!e)
			continue;
		lit = sh_unescape(s->sh, p + 1, (size_t)(e - p - 1));
		if (strpbrk(lit, " \t"))
			code_guess(s->sh, lit, s->program);
		else if (*lit == '/' && is_outside(path_of(s->sh, lit, &path)))
			effect(s->sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_COMPUTED,
				s->program, lit, "code");
		p = e;
	}
}

/* Literals that name a place nobody should read from. */
static void scan_credentials(struct scan *s)
{
	for (const char *p = s->text; *p; p++) {
		const char *e = literal_end(p), *path;
		char *lit;

		if (!e)
			continue;
		lit = sh_strn(s->sh, p + 1, (size_t)(e - p - 1));
		if (*lit == '~' && lit[1] == '/')
			lit = sh_cat(s->sh, s->sh->ctx->home, lit + 1);
		if (*lit == '/' && path_of(s->sh, lit, &path) == SHELL_CREDENTIAL)
			effect_path(s->sh, SHELL_READ, s->program, lit, SHELL_HOW_INLINE);
		p = e;
	}
}

void code_text(struct sh *sh, const char *lang, const char *text, const char *program)
{
	struct scan s = {.sh = sh, .lang = lang, .text = text, .program = program};

	if (!strcmp(lang, "sh")) {
		eval_text(sh, text, NULL, program);
		return;
	}
	if (*text == SHELL_FETCHED || *text == SHELL_COMPUTED ||
		(*text == SHELL_ANYTHING && !text[1])) {
		effect(sh, SHELL_RUN, SHELL_UNKNOWN,
			*text == SHELL_FETCHED ? SHELL_HOW_FETCHED : SHELL_HOW_COMPUTED,
			program, text, "code");
		return;
	}
	if (!strcmp(lang, "sed"))
		scan_sed(&s);
	else
		scan_calls(&s);
	if (!strcmp(lang, "awk"))
		scan_awk(&s);
	scan_credentials(&s);
	if (s.kinds & K_DYNAMIC)
		scan_literals(&s);
	if ((s.kinds & K_FORK) &&
		(strstr(text, "while") || strstr(text, "for") || strstr(text, "loop")))
		effect(sh, SHELL_PROCESS, SHELL_NOWHERE, SHELL_HOW_CERTAIN, program, text,
			"fork-bomb");
	if (s.kinds & K_FETCH && s.kinds & (K_DYNAMIC | K_PROCESS))
		effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_FETCHED, program, text,
			"remote-exec");
	if (s.kinds & K_NETWORK && s.kinds & K_PROCESS)
		effect(sh, SHELL_SEND, SHELL_NOWHERE, SHELL_HOW_CERTAIN, program, text,
			"reverse-shell");
	if ((s.kinds & K_HIDDEN && s.kinds & (K_DYNAMIC | K_PROCESS | K_DELETE)) ||
		(s.kinds & K_DYNAMIC && s.kinds & (K_PROCESS | K_DELETE | K_NETWORK)))
		effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_COMPUTED, program, text,
			"code");
}

/* What counts from text that only may be a command: what cannot be brought back. */
static bool counts(const struct shell_effect *e)
{
	switch (e->verb) {
	case SHELL_CREATE:
	case SHELL_EDIT:
	case SHELL_OVERWRITE:
	case SHELL_DELETE:
	case SHELL_META: return is_outside(e->place) || e->place == SHELL_CACHE;
	case SHELL_READ: return e->place == SHELL_CREDENTIAL;
	case SHELL_RUN: return true;
	case SHELL_SEND:
	case SHELL_REMOTE:
	case SHELL_HOST:
	case SHELL_PROCESS:
	case SHELL_PRIVILEGE: return true;
	default: return false;
	}
}

void code_guess(struct sh *sh, const char *text, const char *program)
{
	unsigned depth = sh->depth, calls = sh->calls;
	size_t keep = sh->n_effects, commands = sh->n_commands;
	bool guess = sh->guess;
	struct state st;

	if (*text == SHELL_ANYTHING || *text == SHELL_FILE || !*text)
		return;
	while (*text == '!' || *text == ':' || *text == '|')
		text++;
	if (sh->depth > SHELL_MAX_NESTING)
		sh_stop(sh, "its commands are nested too deeply");
	st = state_copy(sh);
	sh->guess = true;
	eval_text(sh, text, NULL, program);
	sh->guess = guess;
	sh->depth = depth;
	sh->calls = calls;
	sh->st = st;
	for (size_t i = keep; i < sh->n_effects; i++)
		if (counts(&sh->effects[i]))
			sh->effects[keep++] = sh->effects[i];
	sh->n_effects = keep;
	sh->n_commands = commands;
}
