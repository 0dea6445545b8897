/*
 * run.c: one argv: which program it is, wrappers taken off, shells and interpreters
 * given their text, and everything else handed to the tables.
 */
#include <string.h>

#include "policyd/shell/sh.h"

static const char *base_name(const char *s)
{
	const char *p = strrchr(s, '/');

	return p ? p + 1 : s;
}

/* Names alone: what they are set to counts where a program's meaning depends on it. */
static const char *const *names_set(struct sh *sh)
{
	const char **names;
	size_t n = 0;

	for (const struct assign *a = sh->sets; a; a = a->next)
		n++;
	names = sh_alloc(sh, (n + 1) * sizeof(*names));
	n = 0;
	for (const struct assign *a = sh->sets; a; a = a->next)
		names[n++] = a->name;
	names[n] = NULL;
	return names;
}

static void note_command(struct sh *sh, const struct cmd *c)
{
	struct shell_command *k;

	sh->commands =
		sh_grow(sh, sh->commands, sh->n_commands, &sh->cap_commands, sizeof(*k));
	k = &sh->commands[sh->n_commands++];
	*k = (struct shell_command){.program = c->name,
		.argv = (const char *const *)c->argv,
		.argc = c->argc,
		.sets = names_set(sh),
		.first_effect = sh->n_effects};
}

/* A program whose name is not sure: below the workspace it is a script like others. */
static bool unsure_name(struct sh *sh, struct cmd *c)
{
	const char *w = c->argv[0], *path;
	enum shell_place p = path_of(sh, w, &path);

	if (strchr(w, '/') && !strpbrk(w, "\4\5\6\7") &&
		(p == SHELL_WORKSPACE || p == SHELL_SCRATCH)) {
		c->name = "";
		return false;
	}
	effect(sh, SHELL_RUN, SHELL_UNKNOWN,
		strchr(w, SHELL_FETCHED) ? SHELL_HOW_FETCHED : SHELL_HOW_COMPUTED, w, w,
		"code");
	return true;
}

static char *run_program_text(struct sh *sh, struct cmd *c, const char *text)
{
	char **args = sh->st.args, *out = NULL;
	size_t n = sh->st.n_args;
	const char *eol = strchr(text, '\n');

	sh->st.args = c->argv + 1;
	sh->st.n_args = c->argc - 1;
	if (!strncmp(text, "#!", 2) && eol) {
		const char *const *row;
		const char *lang =
			base_name(sh_strn(sh, text + 2, (size_t)(eol - text - 2)));

		if (!strncmp(lang, "env ", 4))
			lang += 4;
		lang = sh_strn(sh, lang, strcspn(lang, " "));
		row = table_row(T_INTERPRETERS, lang);
		if (row && strcmp(row[1], "sh"))
			code_text(sh, row[1], eol + 1, c->name);
		else
			out = eval_text(sh, text, c->in, c->name);
	} else {
		out = eval_text(sh, text, c->in, c->name);
	}
	sh->st.args = args;
	sh->st.n_args = n;
	return out;
}

/* cd with a known directory; options and CDPATH do not matter. */
static char *run_shell(struct sh *sh, struct cmd *c, const char *const *row)
{
	struct opts o;
	const struct opt *code, *rc;
	const struct made *m;
	const char *text = NULL;
	char **args = sh->st.args, *out;
	size_t n = sh->st.n_args, skip = 0;

	opts_read(sh, c, row[3], &o);
	code = opts_find(&o, "-c --command --init-command -C");
	rc = opts_find(&o, "--rcfile --init-file");
	if (rc && rc->value && (m = find_made(sh, rc->value)) && m->content)
		eval_text(sh, m->content, NULL, c->name);
	if (opts_find(&o, "-n") && !code)
		return NULL;
	if (code && !code->value && o.n_rest) { /* sh -c -e TEXT, sh -ce TEXT */
		text = o.rest[0];
		skip = 1;
	} else if (code) {
		text = code->value ? code->value : "";
	} else if (o.n_rest && !opts_find(&o, "-s") && strcmp(o.rest[0], "/dev/stdin") &&
		   strcmp(o.rest[0], "-")) {
		m = find_made(sh, o.rest[0]);
		if (m && m->content) {
			text = m->content;
		} else if (has_any(o.rest[0])) {
			effect(sh, SHELL_RUN, SHELL_UNKNOWN,
				strchr(o.rest[0], SHELL_FETCHED) ? SHELL_HOW_FETCHED
								 : SHELL_HOW_COMPUTED,
				c->name, o.rest[0], "code");
			return sh_str(sh, HOLE(SHELL_ANYTHING));
		} else {
			effect_path(sh, SHELL_READ, c->name, o.rest[0], SHELL_PLAIN);
			return sh_str(sh, HOLE(SHELL_ANYTHING));
		}
		skip = 1;
	} else if (c->in) {
		text = c->in;
	}
	if (!text)
		return sh_str(sh, HOLE(SHELL_ANYTHING));
	sh->st.args = o.rest + (skip < o.n_rest ? skip : o.n_rest);
	sh->st.n_args = skip < o.n_rest ? o.n_rest - skip : 0;
	if (code && sh->st.n_args) { /* the first one is $0 */
		sh->arg0 = sh->st.args[0];
		sh->st.args++;
		sh->st.n_args--;
	}
	out = eval_text(sh, text, code ? c->in : NULL, c->name);
	sh->st.args = args;
	sh->st.n_args = n;
	return out;
}

static void code_input(struct sh *sh, const char *lang, const char *text, struct cmd *c)
{
	if (*text == SHELL_FETCHED || *text == SHELL_COMPUTED || *text == SHELL_ANYTHING)
		effect(sh, SHELL_RUN, SHELL_UNKNOWN,
			*text == SHELL_FETCHED ? SHELL_HOW_FETCHED : SHELL_HOW_COMPUTED,
			c->name, text, "code");
	else if (*text != SHELL_FILE)
		code_text(sh, lang, text, c->name);
}

/* The interpreter of another language: option, script made here, or input. */
static void run_interpreter(struct sh *sh, struct cmd *c, const char *const *row)
{
	const char *lang = row[1];
	const struct made *m;
	struct opts o;
	bool code = false, operand = word_in("operand", row[4]);

	opts_read(sh, c, row[3], &o);
	for (size_t i = 0; i < o.n_opt; i++) {
		const char *name = o.opt[i].name, *v = o.opt[i].value;

		if (!word_in(name, row[2]))
			continue;
		code = true;
		if (v)
			code_input(sh, lang, v, c);
	}
	if (operand && !code && o.n_rest) {
		code_input(sh, lang, o.rest[0], c);
		return;
	}
	for (size_t i = 0; i < o.n_opt; i++)
		if (word_in(o.opt[i].name, "-m") && o.opt[i].value) {
			for (size_t k = 0; k < o.n_rest; k++)
				if (strpbrk(o.rest[k], "(;"))
					code_text(sh, lang, o.rest[k], c->name);
			return;
		}
	if (code || opts_find(&o, "--version --help -V -h"))
		return;
	if (o.n_rest && strcmp(o.rest[0], "-") && strcmp(o.rest[0], "/dev/stdin")) {
		m = find_made(sh, o.rest[0]);
		if (m && m->content)
			code_input(sh, lang, m->content, c);
		else if (has_any(o.rest[0]) && (strchr(o.rest[0], SHELL_FETCHED) ||
						       strchr(o.rest[0], SHELL_COMPUTED)))
			code_input(sh, lang, o.rest[0], c);
		return;
	}
	if (c->in && !word_in("data", row[4]))
		code_input(sh, lang, c->in, c);
}

static bool is_assignment(const char *s)
{
	size_t n = strspn(
		s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	return n && s[n] == '=';
}

static char *join_args(struct sh *sh, char **v, size_t n)
{
	struct buf b = {0};

	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_c(sh, &b, ' ');
		buf_add(sh, &b, v[i], strlen(v[i]));
	}
	return buf_str(sh, &b);
}

/* NAME=value operands of env: hooks in the environment are read as such. */
static size_t take_assignments(struct sh *sh, struct cmd *c, char **v, size_t n)
{
	size_t i;

	for (i = 0; i < n && is_assignment(v[i]); i++) {
		const char *value = strchr(v[i], '=') + 1;
		char *name = sh_strn(sh, v[i], (size_t)(value - v[i] - 1));
		const char *const *row = table_row(T_VARIABLES, name);

		if (row && !strcmp(row[1], "preload"))
			effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_POSSIBLE, c->name,
				v[i], "environment");
		else if ((row && !strcmp(row[1], "command")) || strpbrk(value, " \t"))
			code_guess(sh, value, c->name);
	}
	return i;
}

static char *run_wrapper(struct sh *sh, struct cmd *c, const char *const *row)
{
	const char *flags = row[3];
	const struct opt *dir, *out;
	struct opts o;
	char *text;
	size_t skip = (size_t)(row[2][0] - '0'), from;

	if (row[2][0] < '0' || row[2][0] > '9')
		skip = 0;
	opts_read(sh, c, sh_cat(sh, "first ", row[1]), &o);
	hooks_apply(sh, c);
	if (word_in("priv", flags))
		effect(sh, SHELL_PRIVILEGE, SHELL_NOWHERE, SHELL_PLAIN, c->name, c->name,
			"privilege");
	if (word_in("host", flags))
		effect(sh, SHELL_HOST, SHELL_NOWHERE, SHELL_HOW_CERTAIN, c->name, c->name,
			"container-escape");
	if (word_in("leave", flags))
		effect(sh, SHELL_LEAVE, SHELL_NOWHERE, SHELL_PLAIN, c->name, c->name,
			"process");
	if (word_in("assign", flags)) {
		from = take_assignments(sh, c, o.rest, o.n_rest);
		o.rest += from;
		o.n_rest -= from;
	}
	dir = word_in(c->name, "env genv sudo run0 systemd-run")
		      ? opts_find(&o, "-C --chdir -D")
		      : NULL;
	out = word_in(c->name, "time gtime strace ltrace perf valgrind multitime")
		      ? opts_find(&o, "-o --output --log-file")
		      : NULL;
	if (out && out->value)
		effect_path(sh, SHELL_OVERWRITE, c->name, out->value, SHELL_PLAIN);
	if (word_in(c->name, "script scriptlive") && o.n_rest)
		effect_path(sh, SHELL_OVERWRITE, c->name, o.rest[0], SHELL_PLAIN);
	if (dir && dir->value) {
		struct state s = state_copy(sh);

		sh_chdir(sh, path_join(sh, sh_cwd(sh), dir->value));
		text = skip < o.n_rest
			       ? run_argv(sh, o.rest + skip, o.n_rest - skip, c->in)
			       : NULL;
		sh->st = s;
		return text;
	}
	if (skip >= o.n_rest)
		return word_in("text", flags) ? NULL : c->in ? sh_str(sh, c->in) : NULL;
	if (word_in("each", flags)) {
		for (size_t i = 0; i < o.n_rest; i++)
			code_guess(sh, o.rest[i], c->name);
		return NULL;
	}
	if (word_in("shell", flags))
		return eval_text(sh, join_args(sh, o.rest + skip, o.n_rest - skip), c->in,
			c->name);
	return run_argv(sh, o.rest + skip, o.n_rest - skip, c->in);
}

/* ld.so PROGRAM .., busybox APPLET ..: the next word is the program. */
static bool is_loader(const char *name)
{
	return !strncmp(name, "ld-linux", 8) || !strncmp(name, "ld-musl", 7) ||
	       !strcmp(name, "ld.so");
}

static bool from_made(struct sh *sh, struct cmd *c, char **out)
{
	const struct made *m;

	if (!strchr(c->argv[0], '/')) {
		/* found through a PATH that this command changed */
		for (m = var_find(sh, "PATH") ? sh->made : NULL; m; m = m->next)
			if (m->program && !strcmp(base_name(m->path), c->name)) {
				c->name = m->program;
				break;
			}
		return false;
	}
	m = find_made(sh, c->argv[0]);
	if (!m)
		return false;
	if (m->program) {
		c->name = m->program;
		return false;
	}
	if (m->content && *m->content != SHELL_FILE) {
		*out = run_program_text(sh, c, m->content);
		return true;
	}
	c->flags |= CMD_BUILT;
	return false;
}

/* kubectl exec POD -- COMMAND and its kin: what follows may well be run. */
static void inner_behind_dashes(struct sh *sh, struct cmd *c)
{
	for (size_t i = 1; i + 1 < c->argc; i++)
		if (!strcmp(c->argv[i], "--")) {
			code_guess(sh, join_args(sh, c->argv + i + 1, c->argc - i - 1),
				c->name);
			return;
		}
}

static char *run_known(struct sh *sh, struct cmd *c)
{
	const char *const *row;
	char *out = NULL;
	bool known = false;

	if (run_builtin(sh, c, &out))
		return out;
	if (is_loader(c->name) && c->argc > 1)
		return run_argv(sh, c->argv + 1, c->argc - 1, c->in);
	if ((row = table_row(T_WRAPPERS, c->name)))
		return run_wrapper(sh, c, row);
	row = table_row(T_INTERPRETERS, c->name);
	if (row && !strcmp(row[1], "sh"))
		return run_shell(sh, c, row);
	if (special_apply(sh, c, &out))
		return out;
	for (size_t i = 1; word_in(c->name, "gdb lldb rr") && i + 1 < c->argc; i++)
		if (!strcmp(c->argv[i], "--args"))
			return run_argv(sh, c->argv + i + 1, c->argc - i - 1, c->in);
	if (row)
		run_interpreter(sh, c, row);
	known |= row != NULL;
	known |= files_apply(sh, c);
	known |= verbs_apply(sh, c);
	hooks_apply(sh, c);
	if (known && !row)
		inner_behind_dashes(sh, c);
	if (!known)
		unknown_apply(sh, c);
	return output_of(sh, c);
}

char *run_argv(struct sh *sh, char **argv, size_t argc, const char *in)
{
	struct cmd c = {.argv = argv, .argc = argc, .in = in};
	size_t at = sh->n_commands;
	char *out = NULL;

	if (!argc)
		return NULL;
	if (++sh->depth > 2 * SHELL_MAX_NESTING)
		sh_stop(sh, "its wrappers are nested too deeply");
	sh_step(sh);
	c.name = base_name(argv[0]);
	if (has_hole(argv[0]) && unsure_name(sh, &c)) {
		sh->depth--;
		return sh_str(sh, HOLE(SHELL_ANYTHING));
	}
	note_command(sh, &c);
	if (!from_made(sh, &c, &out))
		out = run_known(sh, &c);
	sh->commands[at].n_effects = sh->n_effects - sh->commands[at].first_effect;
	sh->depth--;
	return out;
}
