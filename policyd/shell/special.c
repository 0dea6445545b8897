/*
 * special.c: the few programs whose operands are a language of their own: find, xargs,
 * git, docker, kill, echo and printf; and what a program prints, where that is known.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policyd/shell/special.h"

/* --- find ------------------------------------------------------------------------- */

struct find {
	struct sh *sh;
	struct cmd *c;
	char **roots;
	size_t n_roots;
	const char *pattern; /* of the last -name, globs as holes */
	bool files_only;
};

static char *glob_text(struct sh *sh, const char *s)
{
	struct buf b = {0};

	for (; *s; s++)
		buf_c(sh, &b, *s == '*' || *s == '?' ? SHELL_NAME : *s);
	return buf_str(sh, &b);
}

/* What the i-th root finds: below it, with the pattern's name if there is one. */
static char *found_path(struct find *f, size_t i)
{
	char *s = sh_cat3(f->sh, f->roots[i], "/", HOLE(SHELL_BELOW));

	if (f->pattern)
		s = sh_cat3(f->sh, s, "/", f->pattern);
	return s;
}

static void find_exec(struct find *f, size_t from, size_t to)
{
	for (size_t r = 0; r < f->n_roots && to > from; r++) {
		char **v = sh_alloc(f->sh, (to - from + 1) * sizeof(char *));
		char *path = found_path(f, r);

		for (size_t i = from; i < to; i++) {
			char *at = strstr(f->c->argv[i], "{}");

			v[i - from] = f->c->argv[i];
			if (at)
				v[i - from] = sh_cat3(f->sh,
					sh_strn(f->sh, f->c->argv[i],
						(size_t)(at - f->c->argv[i])),
					path, at + 2);
		}
		run_argv(f->sh, v, to - from, NULL);
	}
}

static char *run_find(struct sh *sh, struct cmd *c)
{
	struct find f = {.sh = sh, .c = c};
	struct buf out = {0};
	size_t i = 1;
	static char here[] = ".";
	static char *dot[] = {here};

	while (i < c->argc &&
		(word_in(c->argv[i], "-L -H -P") || !strncmp(c->argv[i], "-O", 2)))
		i++;
	f.roots = c->argv + i;
	while (i < c->argc && c->argv[i][0] != '-' && c->argv[i][0] != '(' &&
		c->argv[i][0] != '!')
		i++, f.n_roots++;
	if (!f.n_roots) {
		f.roots = dot;
		f.n_roots = 1;
	}
	for (size_t r = 0; r < f.n_roots; r++)
		effect_path(sh, SHELL_READ, c->name, f.roots[r], SHELL_PLAIN);
	for (; i < c->argc; i++) {
		const char *a = c->argv[i];

		if (word_in(a, "-name -iname -path -ipath -wholename") &&
			i + 1 < c->argc) {
			const char *name = strrchr(c->argv[++i], '/');

			f.pattern = glob_text(sh, name ? name + 1 : c->argv[i]);
			for (size_t r = 0; r < f.n_roots; r++) {
				const char *w = found_path(&f, r), *path;

				if (path_of(sh, w, &path) == SHELL_CREDENTIAL)
					effect_path(
						sh, SHELL_READ, c->name, w, SHELL_PLAIN);
			}
		} else if (!strcmp(a, "-delete")) {
			for (size_t r = 0; r < f.n_roots; r++)
				effect_path(sh, SHELL_DELETE, c->name, found_path(&f, r),
					SHELL_PLAIN);
		} else if (word_in(a, "-exec -execdir -ok -okdir")) {
			size_t from = i + 1, to = from;

			while (to < c->argc && strcmp(c->argv[to], ";") &&
				!(c->argv[to][0] == '+' && !c->argv[to][1]))
				to++;
			find_exec(&f, from, to);
			i = to;
		} else if (word_in(a, "-fprint -fprint0 -fprintf -fls") &&
			   i + 1 < c->argc) {
			effect_path(
				sh, SHELL_OVERWRITE, c->name, c->argv[++i], SHELL_PLAIN);
		}
	}
	for (size_t r = 0; r < f.n_roots; r++) {
		char *s = found_path(&f, r);

		buf_add(sh, &out, s, strlen(s));
		if (f.n_roots > 1)
			buf_c(sh, &out, '\n');
	}
	return buf_str(sh, &out);
}

/* fd PATTERN [ROOT..] -x CMD: like find with the roots behind the pattern. */
static char *run_fd(struct sh *sh, struct cmd *c)
{
	size_t i = 1;
	struct find f = {.sh = sh, .c = c};
	static char here[] = ".";
	static char *dot[] = {here};
	struct cmd head = *c;
	struct opts o;

	while (i < c->argc && !word_in(c->argv[i], "-x --exec -X --exec-batch"))
		i++;
	head.argc = i;
	opts_read(sh, &head,
		"-e --extension -t --type -d --max-depth -E --exclude -g --format", &o);
	f.roots = o.n_rest > 1 ? o.rest + 1 : dot;
	f.n_roots = o.n_rest > 1 ? o.n_rest - 1 : 1;
	if (i + 1 < c->argc) {
		char **v = sh_alloc(sh, (c->argc + 2) * sizeof(char *));
		bool braces = false;
		size_t n = c->argc;

		memcpy(v, c->argv, n * sizeof(char *));
		for (size_t k = i + 1; k < n; k++)
			braces |= strstr(v[k], "{}") != NULL;
		if (!braces)
			v[n++] = sh_str(sh, "{}");
		f.c = &head;
		head.argv = v;
		find_exec(&f, i + 1, n);
	}
	return found_path(&f, 0);
}

/* --- xargs ------------------------------------------------------------------------ */

/* The words that come in: listed one by one when they are known. */
static void input_words(struct sh *sh, const char *in, struct fields *f)
{
	if (!in) {
		fields_add(sh, f, sh_str(sh, HOLE(SHELL_ANYTHING)), false);
		return;
	}
	while (*in) {
		size_t n;

		in += strspn(in, " \t\n");
		n = strcspn(in, " \t\n");
		if (n)
			fields_add(sh, f, sh_strn(sh, in, n), false);
		in += n;
	}
}

static char *substitute(struct sh *sh, char *s, const char *mark, const char *with)
{
	char *at = strstr(s, mark);

	return at ? sh_cat3(sh, sh_strn(sh, s, (size_t)(at - s)), with, at + strlen(mark))
		  : s;
}

static const char *xargs_jobs(const struct cmd *c)
{
	for (size_t i = 1; i < c->argc; i++) {
		if (!strncmp(c->argv[i], "-P", 2))
			return c->argv[i][2]	 ? c->argv[i] + 2
			       : i + 1 < c->argc ? c->argv[i + 1]
						 : "";
		if (!strncmp(c->argv[i], "--max-procs=", 12))
			return c->argv[i] + 12;
	}
	return "";
}

/* xargs -I, -d, -0: a line is one argument, blanks and all. */
static void input_lines(struct sh *sh, const char *in, struct fields *words)
{
	for (const char *p = in; *p; p += *p == '\n') {
		size_t n = strcspn(p, "\n");

		if (n)
			fields_add(sh, words, sh_strn(sh, p, n), false);
		p += n;
	}
}

static bool fed_by_yes(const struct sh *sh)
{
	for (size_t i = sh->n_commands; i && i + 2 > sh->n_commands; i--)
		if (!strcmp(sh->commands[i - 1].program, "yes"))
			return true;
	return false;
}

static char *run_xargs(struct sh *sh, struct cmd *c)
{
	const struct opt *i_opt;
	struct fields words = {0}, argv = {0};
	const char *mark = NULL;
	struct opts o;

	if ((sh->many || fed_by_yes(sh)) &&
		(word_in("0", xargs_jobs(c)) || atoi(xargs_jobs(c)) > 200))
		endless(sh, c->name, "as many at once as there are");
	opts_read(sh, c,
		"first -a --arg-file -d --delimiter -E -I --replace -L --max-lines -n "
		"--max-args "
		"-P --max-procs -s --max-chars -S -J -R",
		&o);
	i_opt = opts_find(&o, "-I -J -i --replace");
	if (i_opt)
		mark = i_opt->value && *i_opt->value ? i_opt->value : "{}";
	if (!o.n_rest)
		return c->in ? sh_str(sh, c->in) : NULL;
	if (c->in && *c->in && !opts_find(&o, "-a --arg-file") &&
		(mark || opts_find(&o, "-d --delimiter -0 --null")) && !has_hole(c->in))
		input_lines(sh, c->in, &words);
	else
		input_words(sh,
			opts_find(&o, "-a --arg-file") ? HOLE(SHELL_ANYTHING) : c->in,
			&words);
	for (size_t k = 0; k < o.n_rest; k++) {
		char *w = o.rest[k];

		if (mark && words.n && strstr(w, mark))
			for (size_t j = 0; j < words.n; j++)
				fields_add(sh, &argv, substitute(sh, w, mark, words.v[j]),
					false);
		else
			fields_add(sh, &argv, w, false);
	}
	for (size_t j = 0; !mark && j < words.n; j++)
		fields_add(sh, &argv, words.v[j], false);
	return run_argv(sh, argv.v, argv.n, NULL);
}

/* parallel CMD ::: WORDS */
static char *run_parallel(struct sh *sh, struct cmd *c)
{
	struct fields words = {0}, argv = {0};
	struct buf text = {0};
	struct opts o;
	size_t k = 0;

	opts_read(sh, c,
		"first -j --jobs -a --arg-file --delay --timeout -n -N -S --sshlogin",
		&o);
	if (!o.n_rest && c->in) /* the lines are the commands */
		return eval_text(sh, c->in, NULL, c->name);
	while (k < o.n_rest && strncmp(o.rest[k], ":::", 3))
		fields_add(sh, &argv, o.rest[k++], false);
	if (k < o.n_rest)
		for (k++; k < o.n_rest; k++)
			fields_add(sh, &words, o.rest[k], false);
	else
		input_words(sh, c->in, &words);
	for (size_t w = 0; w < words.n && w < 32; w++) {
		bool used = false;

		text = (struct buf){0};
		for (size_t i = 0; i < argv.n; i++) {
			char *s = substitute(sh, argv.v[i], "{}", words.v[w]);

			used |= s != argv.v[i];
			buf_add(sh, &text, s, strlen(s));
			buf_c(sh, &text, ' ');
		}
		if (!used)
			buf_add(sh, &text, words.v[w], strlen(words.v[w]));
		eval_text(sh, buf_str(sh, &text), NULL, c->name);
	}
	return NULL;
}

/* --- echo, printf and other known output ------------------------------------------- */

static char *run_echo(struct sh *sh, struct cmd *c)
{
	bool escapes = false, newline = true;
	struct buf b = {0};
	size_t i = 1;

	for (; i < c->argc && c->argv[i][0] == '-' && c->argv[i][1] &&
		!c->argv[i][1 + strspn(c->argv[i] + 1, "neE")];
		i++) {
		escapes |= strchr(c->argv[i], 'e') != NULL;
		newline &= strchr(c->argv[i], 'n') == NULL;
	}
	for (size_t k = i; k < c->argc; k++) {
		const char *s = escapes ? sh_unescape(sh, c->argv[k], strlen(c->argv[k]))
					: c->argv[k];

		if (k > i)
			buf_c(sh, &b, ' ');
		buf_add(sh, &b, s, strlen(s));
	}
	if (newline)
		buf_c(sh, &b, '\n');
	return buf_str(sh, &b);
}

/* A number in the form that %d, %o or %x give it; 'a is the code of a. */
static const char *as_number(struct sh *sh, const char *a, char form)
{
	char text[32], *end;
	long n = *a == '\'' || *a == '"' ? (unsigned char)a[1] : strtol(a, &end, 0);

	if (has_hole(a))
		return HOLE(SHELL_NUMBER);
	snprintf(text, sizeof(text),
		form == 'o'   ? "%lo"
		: form == 'x' ? "%lx"
		: form == 'X' ? "%lX"
			      : "%ld",
		n);
	return sh_str(sh, text);
}

static void printf_once(
	struct sh *sh, struct cmd *c, const char *fmt, size_t *arg, struct buf *b)
{
	for (; *fmt; fmt++) {
		const char *a = *arg < c->argc ? c->argv[*arg] : "";

		if (*fmt != '%') {
			buf_c(sh, b, *fmt);
			continue;
		}
		fmt++;
		if (*fmt == '%') {
			buf_c(sh, b, '%');
			continue;
		}
		fmt += strspn(fmt, "-+ #0123456789.*'");
		if (!*fmt)
			return;
		if (*fmt == 'b')
			a = sh_unescape(sh, a, strlen(a));
		else if (*fmt == 'c')
			a = sh_strn(sh, a, *a != 0);
		else if (*fmt == '(')
			fmt += strcspn(fmt, "T");
		else if (strchr("diouxX", *fmt))
			a = as_number(sh, a, *fmt);
		buf_add(sh, b, a, strlen(a));
		++*arg;
		if (!*fmt)
			return;
	}
}

static char *run_printf(struct sh *sh, struct cmd *c)
{
	size_t i = 1, arg;
	struct buf b = {0};
	const char *var = NULL, *fmt;

	if (i + 1 < c->argc && !strcmp(c->argv[i], "-v")) {
		var = c->argv[i + 1];
		i += 2;
	}
	if (i < c->argc && !strcmp(c->argv[i], "--"))
		i++;
	if (i >= c->argc)
		return NULL;
	fmt = sh_unescape(sh, c->argv[i], strlen(c->argv[i]));
	arg = i + 1;
	do {
		size_t before = arg;

		sh_step(sh);
		printf_once(sh, c, fmt, &arg, &b);
		if (arg == before || b.n > MAX_OUTPUT)
			break;
	} while (arg < c->argc);
	if (var && !has_hole(var)) {
		var_set(sh, var, buf_str(sh, &b));
		return NULL;
	}
	return buf_str(sh, &b);
}

static char *run_cat(struct sh *sh, struct cmd *c)
{
	struct buf b = {0};
	bool any = false;

	for (size_t i = 1; i < c->argc; i++) {
		const struct made *m;
		const char *text;

		if (c->argv[i][0] == '-' && c->argv[i][1])
			continue;
		any = true;
		if (!strcmp(c->argv[i], "-")) {
			text = c->in ? c->in : "";
		} else {
			m = find_made(sh, c->argv[i]);
			effect_path(sh, SHELL_READ, c->name, c->argv[i], SHELL_PLAIN);
			text = m && m->content ? m->content : HOLE(SHELL_FILE);
		}
		buf_add(sh, &b, text, strlen(text));
	}
	return any ? buf_str(sh, &b) : c->in ? sh_str(sh, c->in) : NULL;
}

/* tee FILE..: what comes in goes on, and is in the files. */
static char *run_tee(struct sh *sh, struct cmd *c)
{
	struct opts o;
	const char *in = c->in ? c->in : HOLE(SHELL_ANYTHING);

	opts_read(sh, c, "", &o);
	for (size_t i = 0; i < o.n_rest; i++) {
		effect_path(sh,
			opts_find(&o, "-a --append") ? SHELL_CREATE : SHELL_OVERWRITE,
			c->name, o.rest[i], SHELL_PLAIN);
		note_made(sh, o.rest[i], in, NULL);
	}
	return c->in ? sh_str(sh, c->in) : NULL;
}

static char *run_dirname(struct sh *sh, struct cmd *c)
{
	const char *a = c->argc > 1 ? c->argv[c->argc - 1] : "", *slash;

	if (!strcmp(c->name, "basename")) {
		slash = strrchr(a, '/');
		a = slash && slash[1] ? slash + 1 : a;
		if (has_any(a))
			return sh_str(sh, HOLE(SHELL_NAME));
		return sh_str(sh, a);
	}
	if (strchr(a, SHELL_ANYTHING) == a)
		return sh_str(sh, a);
	slash = strrchr(a, '/');
	if (!slash)
		return sh_str(sh, has_any(a) ? a : ".");
	if (strchr(slash, SHELL_BELOW))
		return sh_str(sh, a);
	return sh_strn(sh, a, slash == a ? 1 : (size_t)(slash - a));
}

static char *run_realpath(struct sh *sh, struct cmd *c)
{
	struct opts o;

	opts_read(sh, c, "--relative-to --relative-base", &o);
	if (!o.n_rest || opts_find(&o, "--relative-to --relative-base"))
		return sh_str(sh, HOLE(SHELL_BELOW));
	return path_below_links(sh, o.rest[o.n_rest - 1]);
}

static char *run_mktemp(struct sh *sh, struct cmd *c)
{
	const char *t = sh->ctx->tmpdir ? sh->ctx->tmpdir : "/tmp";
	struct opts o;

	opts_read(sh, c, "-p --tmpdir --suffix", &o);
	if (opts_find(&o, "-p --tmpdir") && opts_find(&o, "-p --tmpdir")->value)
		t = opts_find(&o, "-p --tmpdir")->value;
	else if (o.n_rest && !opts_find(&o, "-t --tmpdir"))
		return sh_cat(sh, o.rest[0], HOLE(SHELL_NAME));
	return sh_cat3(sh, t, "/", HOLE(SHELL_NAME));
}

/* seq, pwd, which: small and common inside $( ). */
static char *run_pwd(struct sh *sh, struct cmd *c)
{
	return sh_cat(sh, sh_cwd(sh), "\n");
}

static char *run_which(struct sh *sh, struct cmd *c)
{
	const char *name = c->argc > 1 ? c->argv[c->argc - 1] : "";

	if (!strcmp(c->name, "type") && c->argc > 1 && c->argv[1][0] != '-')
		return sh_str(sh, HOLE(SHELL_ANYTHING));
	return sh_cat3(sh, strchr(name, '/') ? "" : "/usr/bin/", name, "\n");
}

static char *run_yes(struct sh *sh, struct cmd *c)
{
	return sh_str(sh, c->argc > 1 ? c->argv[1] : "y\n");
}

static char *run_ls(struct sh *sh, struct cmd *c)
{
	struct opts o;
	const char *dir = NULL;

	opts_read(sh, c, "-I -T -w --color --time-style --sort --ignore", &o);
	for (size_t i = 0; i < o.n_rest; i++) {
		effect_path(sh, SHELL_READ, c->name, o.rest[i], SHELL_PLAIN);
		dir = o.rest[i];
	}
	if (o.n_rest > 1)
		return sh_str(sh, HOLE(SHELL_ANYTHING));
	return dir ? sh_cat3(sh, dir, "/", HOLE(SHELL_BELOW))
		   : sh_str(sh, HOLE(SHELL_BELOW));
}

/* --- files of commands that this command wrote itself ------------------------------- */

/* make hands "$$" on to the shell as one. */
static char *single_dollars(char *line)
{
	char *to = line;

	for (const char *p = line; *p; p++) {
		*to++ = *p;
		p += *p == '$' && p[1] == '$';
	}
	*to = '\0';
	return line;
}

/* @shell: what stands in front of each line instead of a shell, or NULL. */
static void recipe_lines(
	struct sh *sh, const char *text, const char *shell_words, const char *program)
{
	while (text && *text) {
		size_t n = strcspn(text, "\n");

		char *line = single_dollars(sh_strn(sh, text, n));
		char *eq = strstr(line, " = ");
		char *shell = strstr(line, "$(shell ");

		if (shell)
			code_guess(sh, sh_strn(sh, shell + 8, strcspn(shell + 8, ")")),
				program);
		if (eq)
			code_guess(sh, eq + 3, program);
		else if (*line == '\t' || *line == ' ')
			line += strspn(line, "@-+ \t");
		else if (strchr(line, ':') && strchr(line, ';'))
			line = strchr(line, ';') + 1 +
			       strspn(strchr(line, ';') + 1, "@-+ \t");
		else
			line = NULL;
		if (line && !eq)
			code_guess(sh,
				shell_words ? sh_cat3(sh, shell_words, " ", line) : line,
				program);
		text += n;
		text += *text == '\n';
	}
}

/* make SHELL=/bin/rm .SHELLFLAGS=-rf: recipes are operands of that program. */
static const char *make_shell(struct sh *sh, const struct opts *o)
{
	const char *shell = NULL, *flags = "", *slash;
	const char *const *row;

	for (size_t i = 0; i < o->n_rest; i++)
		if (!strncmp(o->rest[i], "SHELL=", 6))
			shell = o->rest[i] + 6;
		else if (!strncmp(o->rest[i], ".SHELLFLAGS=", 12))
			flags = o->rest[i] + 12;
	if (!shell)
		return NULL;
	slash = strrchr(shell, '/');
	row = table_row(T_INTERPRETERS, slash ? slash + 1 : shell);
	return row ? NULL : sh_cat3(sh, shell, " ", flags);
}

static char *run_make(struct sh *sh, struct cmd *c)
{
	static const char *const names[] = {"Makefile", "makefile", "GNUmakefile",
		"build.ninja", "justfile", "Justfile", ".justfile", "Taskfile.yml",
		"Taskfile.yaml", "meson.build"};
	const struct opt *file, *dir;
	const char *shell;
	const struct made *m;
	struct state st;
	struct opts o;

	opts_read(sh, c, "-f --file --makefile -C --directory -j -I -o -W --eval", &o);
	hooks_apply(sh, c);
	st = state_copy(sh);
	shell = make_shell(sh, &o);
	dir = opts_find(&o, "-C --directory");
	if (dir && dir->value && !has_hole(dir->value))
		sh_chdir(sh, path_join(sh, sh_cwd(sh), dir->value));
	file = opts_find(&o, "-f --file --makefile");
	for (size_t i = 0; !file && i < sizeof(names) / sizeof(*names); i++)
		if ((m = find_made(sh, names[i])) && m->content &&
			*m->content == SHELL_FETCHED)
			effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_FETCHED, c->name,
				names[i], "remote-exec");
		else if (m)
			recipe_lines(sh, m->content, shell, c->name);
	if (file && file->value && is_stdin(file->value) && c->in &&
		strchr(c->in, SHELL_FETCHED))
		effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_FETCHED, c->name, "-f -",
			"remote-exec");
	if (file && file->value && is_stdin(file->value))
		recipe_lines(sh, c->in, shell, c->name);
	else if (file && file->value && (m = find_made(sh, file->value)) && m->content &&
		 *m->content == SHELL_FETCHED)
		effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_FETCHED, c->name,
			file->value, "remote-exec");
	else if (file && file->value && (m = find_made(sh, file->value)))
		recipe_lines(sh, m->content, shell, c->name);
	sh->st = st;
	return sh_str(sh, HOLE(SHELL_ANYTHING));
}

/* The strings of a package.json that this command wrote, as commands. */
static void package_scripts(struct sh *sh, struct cmd *c)
{
	const struct made *m = find_made(sh, "package.json");

	for (const char *p = m ? m->content : NULL; p && (p = strchr(p, '"'));) {
		size_t n = strcspn(p + 1, "\"");

		code_guess(sh, sh_strn(sh, p + 1, n), c->name);
		p += n + 1;
		p += *p == '"';
	}
}

/* java -jar TOOL.jar WORDS: like the tool. */
static char *run_java(struct sh *sh, struct cmd *c)
{
	const struct made *m;

	for (size_t i = 1; i + 1 < c->argc; i++)
		if (!strcmp(c->argv[i], "-jar")) {
			struct cmd d = {.argv = c->argv + i + 1,
				.argc = c->argc - i - 1,
				.flags = c->flags};
			const char *slash = strrchr(c->argv[i + 1], '/');

			slash = slash ? slash + 1 : c->argv[i + 1];
			d.name = sh_strn(sh, slash, strcspn(slash, "."));
			verbs_apply(sh, &d);
			m = find_made(sh, c->argv[i + 1]);
			if (m && m->content && *m->content == SHELL_FETCHED)
				effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_FETCHED,
					c->name, c->argv[i + 1], "remote-exec");
			break;
		}
	if (sh->made)
		unknown_apply(sh, c);
	return sh_str(sh, HOLE(SHELL_ANYTHING));
}

/* php -S ADDRESS -t FOLDER serves; all else is an interpreter's. */
static void run_php(struct sh *sh, struct cmd *c)
{
	for (size_t i = 1; i < c->argc; i++)
		if (!strcmp(c->argv[i], "-S"))
			run_server(sh, c);
}

/* seq: a few numbers are written out; many are remembered for loops over them. */
static char *run_seq(struct sh *sh, struct cmd *c)
{
	struct buf b = {0};
	long first = 1, step = 1, last;

	if (c->argc < 2 || c->argc > 4 || has_hole(c->argv[c->argc - 1]) ||
		c->argv[1][0] == '-')
		return sh_str(sh, HOLE(SHELL_NUMBER));
	last = strtol(c->argv[c->argc - 1], NULL, 10);
	if (c->argc > 2 && !has_hole(c->argv[1]))
		first = strtol(c->argv[1], NULL, 10);
	if (c->argc > 3)
		step = strtol(c->argv[2], NULL, 10);
	sh->many |= step > 0 && last - first > 500 * step;
	if (step < 1 || last - first > 40 * step || strchr(c->argv[c->argc - 1], '.'))
		return sh_str(sh, HOLE(SHELL_NUMBER));
	for (long i = first; i <= last; i += step) {
		char one[24];

		snprintf(one, sizeof(one), "%ld\n", i);
		buf_add(sh, &b, one, strlen(one));
	}
	return buf_str(sh, &b);
}

/* env and printenv alone print the environment, which may hold secrets. */
static char *run_environment(struct sh *sh, struct cmd *c)
{
	return sh_str(sh, HOLE(SHELL_FILE));
}

/* --- the table of them ---------------------------------------------------------------
 */

static const struct {
	const char *names;
	char *(*run)(struct sh *sh, struct cmd *c);
} table[] = {
	{"find gfind", run_find},
	{"fd fdfind", run_fd},
	{"xargs gxargs", run_xargs},
	{"parallel", run_parallel},
	{"echo", run_echo},
	{"printf", run_printf},
	{"cat", run_cat},
	{"tee", run_tee},
	{"dirname basename", run_dirname},
	{"realpath readlink", run_realpath},
	{"mktemp", run_mktemp},
	{"pwd", run_pwd},
	{"which type", run_which},
	{"yes", run_yes},
	{"ls dir vdir", run_ls},
	{"kill pkill killall skill slay snice killall5 xkill", run_kill},
	{"fuser", run_fuser},
	{"curl wget aria2c axel lwp-download fetch wget2", run_fetch},
	{"nc ncat netcat nc.traditional nc.openbsd socat telnet openssl", run_netcat},
	{"http https xh xhs curlie", run_httpie},
	{"http.server http-server serve live-server darkhttpd httpd devd miniserve "
	 "simple-http-server sfz dufs twistd webfsd",
		run_server},
	{"java", run_java},
	{"seq", run_seq},
	{"env printenv", run_environment},
	{"ssh", run_ssh},
	{"scp rsync", run_copy},
	{"mail mailx mutt neomutt sendmail msmtp swaks ssmtp s-nail ftp sftp lftp tnftp "
	 "ncftp pastebinit ix gist sprunge wgetpaste fpaste dpaste termbin dig "
	 "nslookup host drill ping ping6 traceroute whois getent resolvectl tftp mtr "
	 "fping",
		run_carrier},
	{"docker podman nerdctl", run_docker},
	{"git", run_git},
	{"tar gtar bsdtar", run_tar},
	{"cmake", run_cmake},
	{"make gmake bmake ninja samu just task go-task", run_make},
	{"mysql mariadb psql sqlcmd mongo mongosh redis-cli cqlsh clickhouse-client "
	 "valkey-cli snowsql bq sqlplus cockroach hive beeline trino presto impala-shell "
	 "spark-sql "
	 "athenacli snow bconsole nsupdate usql pgcli mycli mssql-cli isql dolt ksql "
	 "duckdb sqlite3 influx cypher-shell",
		run_database},
};

bool special_apply(struct sh *sh, struct cmd *c, char **out)
{
	if (sh->made && word_in(c->name, "npm yarn pnpm bun"))
		package_scripts(sh, c);
	processes_seen(sh, c);
	if (!strcmp(c->name, "php"))
		run_php(sh, c);
	if (word_in(c->name, "aws gsutil gcloud mc rclone az s3cmd s5cmd azcopy"))
		run_store_copy(sh, c);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (word_in(c->name, table[i].names)) {
			*out = table[i].run(sh, c);
			return true;
		}
	return false;
}

/* What is known of the output of programs that the tables handled. */
/* Of the folders that grep -l looks through, one outside if there is any. */
static const char *root_of(struct sh *sh, const struct cmd *c)
{
	const char *root = ".", *path;
	size_t plain = 0;

	for (size_t i = 1; i < c->argc; i++) {
		if (c->argv[i][0] == '-' || plain++ == 0)
			continue; /* the first is the pattern */
		root = c->argv[i];
		if (is_outside(path_of(sh, root, &path)))
			break;
	}
	return root;
}

char *output_of(struct sh *sh, struct cmd *c)
{
	const char *in = c->in;

	if (word_in(c->name, "grep egrep fgrep rg ag head tail sort uniq tac shuf")) {
		if (in && *in && in[0] != SHELL_ANYTHING)
			return strchr(in, '\n') && !has_hole(in) ? sh_str(sh, in)
								 : sh_str(sh, in);
		if (word_in(c->name, "grep rg egrep fgrep ag")) {
			for (size_t i = 1; i < c->argc; i++)
				if (c->argv[i][0] == '-' && strchr(c->argv[i], 'l')) {
					return sh_cat3(sh, root_of(sh, c), "/",
						HOLE(SHELL_BELOW));
				}
		}
		return sh_str(sh, in ? HOLE(SHELL_ANYTHING) : HOLE(SHELL_FILE));
	}
	if (word_in(c->name,
		    "base64 base32 basenc xxd rev tr openssl uudecode gpg gunzip zcat "
		    "bzcat xzcat iconv rot13 od hexdump python perl"))
		return sh_str(sh, HOLE(SHELL_COMPUTED));
	if (word_in(c->name, "sed awk gawk mawk cut paste fold nl fmt column"))
		return sh_str(sh, in && strchr(in, SHELL_FETCHED) ? HOLE(SHELL_FETCHED)
								  : HOLE(SHELL_COMPUTED));
	if (word_in(c->name,
		    "date nproc id uname hostname arch whoami wc stat tput seq getconf "
		    "sha256sum md5sum lsb_release basename pgrep pidof"))
		return sh_str(sh, HOLE(SHELL_NAME));
	if (in && strchr(in, SHELL_FETCHED))
		return sh_str(sh, HOLE(SHELL_FETCHED));
	if (word_in(c->name,
		    "ssh-agent direnv dircolors pyenv rbenv nodenv fnm mise asdf conda "
		    "mamba "
		    "opam starship zoxide lesspipe keychain register-python-argcomplete"))
		return sh_str(sh, HOLE(SHELL_FILE)); /* made to be evaluated */
	return sh_str(sh, HOLE(SHELL_ANYTHING));
}
