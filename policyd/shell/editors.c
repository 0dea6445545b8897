/*
 * editors.c: the little languages of sed, vim, ed and awk, which name files and run
 * commands without a call.
 */
#include <ctype.h>
#include <string.h>

#include "policyd/shell/scan.h"

/* sed: the commands w, W, r, e and the flags of s that name files or run code. */
void scan_sed(struct scan *s)
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

/* vim, ed: "w FILE", "!COMMAND", also behind a range and between bars. */
void scan_vim(struct scan *s)
{
	for (const char *p = s->text; *p;) {
		size_t n = strcspn(p, "|\n");
		char *line = sh_strn(s->sh, p, n), *w;

		line += strspn(line, " \t:0123456789,$%.'");
		if (*line == '!')
			run_text(s, line + 1);
		w = line + strspn(line, "abcdefghijklmnopqrstuvwxyz");
		if (w > line && strchr("wus", *line) &&
			word_in(sh_strn(s->sh, line, (size_t)(w - line)),
				"w write wq up update sav saveas")) {
			w += strspn(w, "! \t>");
			if (*w == '~' && w[1] == '/')
				w = sh_cat(s->sh, s->sh->ctx->home, w + 1);
			if (*w && *w != '+')
				effect_path(s->sh, SHELL_OVERWRITE, s->program, w,
					SHELL_HOW_INLINE);
		}
		p += n;
		p += *p != '\0';
	}
}

void awk_named(struct sh *sh, const char *code, const char *name, const char *value,
	const char *program)
{
	for (const char *p = code; *name && (p = strstr(p, name)); p += strlen(name)) {
		const char *q = p, *after = p + strlen(name);

		if ((p > code && is_word(p[-1])) || is_word(*after))
			continue;
		after += strspn(after, " \t");
		while (q > code && (q[-1] == ' ' || q[-1] == '&'))
			q--;
		if (q > code && q[-1] == '>' && strchr(value, '/'))
			effect_path(sh, SHELL_OVERWRITE, program, value, SHELL_PLAIN);
		else if ((q > code && (q[-1] == '|' || q[-1] == '(')) ||
			 (*after == '|' && after[1] != '|'))
			code_guess(sh, value, program);
	}
}

/* In 'name = "text"', with @at behind the sign: the name, or "". */
static const char *name_before(struct scan *s, const char *at)
{
	const char *end;

	if (at == s->text || at[-1] != '=')
		return "";
	for (at--; at > s->text && (at[-1] == ' ' || at[-1] == '\t');)
		at--;
	for (end = at; at > s->text && is_word(at[-1]);)
		at--;
	return sh_strn(s->sh, at, (size_t)(end - at));
}

/* awk: "cmd" | getline, print | "cmd", print > "file". */
void scan_awk(struct scan *s)
{
	for (const char *p = s->text; *p; p++) {
		const char *e = literal_end(p), *after;
		const char *before = p;
		char *lit;

		if (*p != '"' || !e)
			continue;
		lit = sh_unescape(s->sh, p + 1, (size_t)(e - p - 1));
		after = e + 1 + strspn(e + 1, " \t");
		while (before > s->text && strchr(" \t&", before[-1]))
			before--;
		awk_named(s->sh, s->text, name_before(s, before), lit, s->program);
		if (*after == '|' && after[1] != '|')
			code_guess(s->sh, lit, s->program);
		else if (before > s->text && before[-1] == '|' &&
			 !(before - 1 > s->text && before[-2] == '|'))
			code_guess(s->sh, sh_cat(s->sh, "date | ", lit), s->program);
		else if (before > s->text && before[-1] == '>')
			effect_path(s->sh, SHELL_OVERWRITE, s->program, lit,
				SHELL_HOW_INLINE);
		p = e;
	}
}
