/*
 * files.c: what a program does to the files it is given, from the table files.tsv.
 *
 * A row is: program, options that take a value, roles. Roles are tokens in order:
 *	R C E O D M S X K V	the next operand's role; with * all that remain
 *	R* O			all but the last, then the last
 *	-o=O			the value of option -o
 *	-i!E*			with option -i the remaining operands have this role
 *	-t?R*			with option -t neither first nor last operand is special:
 *all have this role, or the one that ! gave
 *	+=?			operands NAME=VALUE: of=O
 * read, create, edit, overwrite, delete, meta, send, execute, skip, move.
 */
#include <string.h>

#include "policyd/shell/sh.h"

static void apply_role(
	struct sh *sh, struct cmd *c, char role, char *word, enum shell_how how)
{
	const char *path;
	enum shell_place p;

	switch (role) {
	case 'R': effect_path(sh, SHELL_READ, c->name, word, how); break;
	case 'C': effect_path(sh, SHELL_CREATE, c->name, word, how); break;
	case 'E': effect_path(sh, SHELL_EDIT, c->name, word, how); break;
	case 'O': effect_path(sh, SHELL_OVERWRITE, c->name, word, how); break;
	case 'D': effect_path(sh, SHELL_DELETE, c->name, word, how); break;
	case 'M': effect_path(sh, SHELL_META, c->name, word, how); break;
	case 'V': /* moved away: inside the workspace nothing is lost by that */
		p = path_of(sh, word, &path);
		effect_path(sh,
			is_outside(p) || p == SHELL_UNKNOWN ? SHELL_DELETE : SHELL_EDIT,
			c->name, word, how);
		break;
	case 'S':
		effect(sh, SHELL_SEND, SHELL_NOWHERE, SHELL_HOW_CERTAIN, c->name, word,
			"network");
		break;
	case 'X': {
		const struct made *m = find_made(sh, word);

		if (m && m->content)
			eval_text(sh, m->content, NULL, c->name);
		else
			effect_path(sh, SHELL_READ, c->name, word, how);
		break;
	}
	case 'K': break;
	}
}

/* What a copy or a compiler leaves behind may be run later in the same command. */
static void note_copies(struct sh *sh, struct cmd *c, struct opts *o)
{
	const struct opt *out = opts_find(o, "-o --output");
	const struct made *m;
	const char *src;

	if (word_in(c->name, "cp mv install ln gcp") && o->n_rest == 2) {
		src = o->rest[0];
		if (word_in(c->name, "ln gln"))
			note_link(sh, o->rest[1], src, !opts_find(o, "-s --symbolic"));
		else if (opts_find(o, "-s --symbolic-link -l --link"))
			note_link(
				sh, o->rest[1], src, !opts_find(o, "-s --symbolic-link"));
		m = find_made(sh, src);
		if (m) {
			note_made(sh, o->rest[1], m->content, m->program);
			return;
		}
		if (!strncmp(src, "/bin/", 5) || !strncmp(src, "/usr/", 5) ||
			!strncmp(src, "/sbin/", 6))
			note_made(sh, o->rest[1], NULL, strrchr(src, '/') + 1);
		else if (strchr(src, '\2') || strchr(src, '\4'))
			note_made(sh, o->rest[1], NULL, NULL);
		return;
	}
	for (size_t i = 0;
		i < o->n_rest && word_in(c->name, "gcc cc clang g++ clang++ c++ tcc");
		i++)
		if ((m = find_made(sh, o->rest[i])) && m->content)
			code_text(sh, "c", m->content, c->name);
	if (out && out->value &&
		word_in(c->name, "gcc cc clang g++ clang++ c++ go rustc"))
		note_made(sh, out->value, NULL, NULL);
}

struct roles {
	const char *tokens;
	char all;     /* the role of all remaining operands */
	bool no_last; /* no operand is special */
};

static const char *token_end(const char *t)
{
	return t + strcspn(t, " ");
}

/* Options: values with a role, and flags that change the role of the operands. */
static void option_roles(
	struct sh *sh, struct cmd *c, struct opts *o, struct roles *r, enum shell_how how)
{
	for (const char *t = r->tokens; *t; t = token_end(t), t += *t == ' ') {
		const char *end = token_end(t);
		size_t n;
		char *name;

		if (*t != '-')
			continue;
		for (n = 1; t + n < end && !strchr("=!?", t[n]); n++)
			;
		name = sh_strn(sh, t, n);
		for (size_t i = 0; i < o->n_opt; i++) {
			if (strcmp(o->opt[i].name, name))
				continue;
			if (t[n] == '=' && o->opt[i].value)
				apply_role(sh, c, t[n + 1], (char *)o->opt[i].value, how);
			else if (t[n] == '!' || (t[n] == '?' && !r->all))
				r->all = t[n + 1];
			r->no_last |= t[n] == '?';
		}
	}
}

static void operand_roles(
	struct sh *sh, struct cmd *c, struct opts *o, struct roles *r, enum shell_how how)
{
	size_t i = 0;

	if (r->all) {
		const char *skip = strstr(r->tokens, "K ");

		for (i = skip == r->tokens && !r->no_last ? 1 : 0; i < o->n_rest; i++)
			apply_role(sh, c, r->all, o->rest[i], how);
		return;
	}
	for (const char *t = r->tokens; *t && i < o->n_rest;
		t = token_end(t), t += *t == ' ') {
		const char *next = token_end(t);
		size_t keep;

		if (*t == '-' || *t == '+')
			continue;
		if (t[1] != '*') {
			char role = *t != 'B' ? *t : o->n_rest == 1 ? 'E' : 'R';

			apply_role(sh, c, role, o->rest[i++], how);
			continue;
		}
		next += *next == ' ';
		keep = *next && *next != '-' && o->n_rest > 1 ? 1 : 0;
		while (i + keep < o->n_rest)
			apply_role(sh, c, *t, o->rest[i++], how);
	}
}

/* dd and its kind: of=FILE. */
static bool named_operands(
	struct sh *sh, struct cmd *c, struct opts *o, const char *tokens)
{
	bool any = false;

	for (const char *t = tokens; *t; t = token_end(t), t += *t == ' ') {
		const char *eq = strchr(t, '=');
		size_t n;

		if (*t != '+' || !eq)
			continue;
		any = true;
		n = (size_t)(eq - t);
		for (size_t i = 0; i < o->n_rest; i++)
			if (!strncmp(o->rest[i], t + 1, n))
				apply_role(sh, c, eq[1], o->rest[i] + n, SHELL_PLAIN);
	}
	return any;
}

/* A mode with the bit that makes a program run as its owner. */
static bool sets_id(const char *mode)
{
	size_t n = strspn(mode, "01234567");

	if (!mode[n])
		return (n == 4 || n == 5) && strchr("4567", mode[n - 4]);
	return (*mode == 'u' || *mode == '+' || *mode == 'a') && strchr(mode, '+') &&
	       strchr(strchr(mode, '+'), 's');
}

bool files_apply(struct sh *sh, struct cmd *c)
{
	const char *const *row = table_row(T_FILES, c->name);
	struct cmd sub;
	enum shell_how how = SHELL_PLAIN;
	struct roles r = {0};
	struct opts o;

	for (size_t i = 1; !row && i < c->argc; i++)
		if (c->argv[i][0] != '-') { /* gio trash, rclone delete .. */
			row = strlen(c->argv[i]) < 20
				      ? table_row(T_FILES,
						sh_cat3(sh, c->name, " ", c->argv[i]))
				      : NULL;
			sub = *c;
			sub.argv = c->argv + i;
			sub.argc = c->argc - i;
			if (row)
				c = &sub;
			break;
		}
	if (!row)
		return false;
	opts_read(sh, c, row[1], &o);
	if (opts_find(&o, "--help --version --dry-run"))
		return true;
	r.tokens = row[2];
	if (opts_find(&o, "-n --no-clobber") && word_in(c->name, "cp mv gcp gmv"))
		how = SHELL_NOCLOBBER;
	if (word_in(c->name, "chmod gchmod") && o.n_rest && sets_id(o.rest[0]))
		effect(sh, SHELL_PRIVILEGE, SHELL_NOWHERE, SHELL_PLAIN, c->name,
			o.rest[0], "privilege");
	if (named_operands(sh, c, &o, row[2]))
		return true;
	if (word_in(c->name, "unzip 7z 7za unrar unar bsdtar gunzip") && o.n_rest) {
		const struct made *m =
			find_made(sh, o.rest[strcmp(c->name, "unzip") && o.n_rest > 1]);

		if (m && m->content && *m->content == SHELL_FETCHED)
			note_tree(sh, opts_find(&o, "-d") && opts_find(&o, "-d")->value
					      ? opts_find(&o, "-d")->value
					      : ".");
	}
	option_roles(sh, c, &o, &r, how);
	operand_roles(sh, c, &o, &r, how);
	note_copies(sh, c, &o);
	return true;
}
