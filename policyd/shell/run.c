/*
 * run.c: one argv: which program it is, wrappers taken off, shells and interpreters
 * given their text, and everything else handed to the tables.
 */
#include <string.h>

#include "policyd/shell/special.h"

static const char *base_name(const char *s)
{
	const char *p = strrchr(s, '/');

	return p ? p + 1 : s;
}

bool is_stdin(const char *w)
{
	return word_in(w, "- /dev/stdin /dev/fd/0 /proc/self/fd/0 /proc/thread-self/fd/0 "
			  "/proc/\1/fd/0");
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

/* A file whose text is being read is run by that text: more and more of it. */
static bool runs_itself(struct sh *sh, const struct made *m)
{
	if (m->active && sh->in_function_bg)
		endless(sh, base_name(m->path), m->path);
	return m->active;
}

static char *run_program_text(struct sh *sh, struct cmd *c, struct made *file)
{
	char **args = sh->st.args, *out = NULL;
	const char *text = file->content, *arg0 = sh->arg0;
	size_t n = sh->st.n_args;
	const char *eol = strchr(text, '\n');

	if (runs_itself(sh, file))
		return sh_str(sh, HOLE(SHELL_ANYTHING));
	file->active = true;
	sh->arg0 = c->argv[0];
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
	file->active = false;
	sh->arg0 = arg0;
	sh->st.args = args;
	sh->st.n_args = n;
	return out;
}

static char *run_shell(struct sh *sh, struct cmd *c, const char *const *row)
{
	struct opts o;
	const struct opt *code, *rc;
	struct made *m, *file = NULL;
	const char *text = NULL, *arg0 = sh->arg0;
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
	} else if (o.n_rest && !opts_find(&o, "-s") && !is_stdin(o.rest[0])) {
		m = find_made(sh, o.rest[0]);
		if (m && m->content) {
			if (runs_itself(sh, m))
				return sh_str(sh, HOLE(SHELL_ANYTHING));
			text = m->content;
			file = m;
			sh->arg0 = o.rest[0];
		} else if (has_any(o.rest[0])) {
			effect(sh, SHELL_RUN, SHELL_UNKNOWN,
				strchr(o.rest[0], SHELL_FETCHED) ? SHELL_HOW_FETCHED
								 : SHELL_HOW_COMPUTED,
				c->name, o.rest[0], "code");
			return sh_str(sh, HOLE(SHELL_ANYTHING));
		} else {
			effect_path(sh, SHELL_READ, c->name, o.rest[0], SHELL_PLAIN);
			if (in_tree(sh, o.rest[0]))
				effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_FETCHED,
					c->name, o.rest[0], "remote-exec");
			return sh_str(sh, HOLE(SHELL_ANYTHING));
		}
		skip = 1;
	} else if (c->in) {
		if (sh->endless_input)
			endless(sh, c->name, "commands without end");
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
	if (file)
		file->active = true;
	out = eval_text(sh, text, code ? c->in : NULL, c->name);
	if (file)
		file->active = false;
	sh->arg0 = arg0;
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

/* Files of its language that the command wrote: loaded by name, by a variable, at once.
 */
static void loaded_files(struct sh *sh, struct cmd *c, const char *lang)
{
	size_t keep = sh->n_effects;

	for (const struct made *m = sh->made; m; m = m->next)
		if (m->content && !strcmp(lang, language_of(m->path)))
			code_text(sh, lang, m->content, c->name);
	/* whether they are loaded is not known: only what is literal counts */
	for (size_t i = keep; i < sh->n_effects; i++)
		if (code_counts(&sh->effects[i]) &&
			sh->effects[i].how != SHELL_HOW_COMPUTED &&
			sh->effects[i].how != SHELL_HOW_POSSIBLE)
			sh->effects[keep++] = sh->effects[i];
	sh->n_effects = keep;
}

/* perl -MLWP::Simple -e, ruby -ropen-uri -e: what the code is as if it began with. */
static const char *modules_of(struct sh *sh, const struct opts *o)
{
	struct buf b = {0};

	for (size_t i = 0; i < o->n_opt; i++)
		if (word_in(o->opt[i].name, "-M -r") && o->opt[i].value) {
			const char *use = sh_cat3(sh, "use ", o->opt[i].value, "; ");

			buf_add(sh, &b, use, strlen(use));
		}
	return buf_str(sh, &b);
}

/* python -m MODULE WORDS: like the program of that name. */
static void run_module(struct sh *sh, struct cmd *c, const char *module)
{
	size_t i = 1;

	while (i < c->argc && c->argv[i] != module)
		i++;
	if (i < c->argc && (table_row(T_VERBS, module) || table_row(T_FILES, module) ||
				   !strcmp(module, "http.server")))
		run_argv(sh, c->argv + i, c->argc - i, c->in);
}

/* python manage.py WORDS, php artisan WORDS: the script is known by its name. */
static void script_verbs(struct sh *sh, struct cmd *c, const char *script)
{
	struct cmd d = *c;
	size_t i = 1;

	while (i < c->argc && c->argv[i] != script)
		i++;
	if (i == c->argc)
		return;
	d.argv = c->argv + i;
	d.argc = c->argc - i;
	d.name = base_name(script);
	if (strchr(d.name, '.') ||
		word_in(d.name, "artisan console rails rake craft yii ace "
				"wp drush occ spark please cake"))
		verbs_apply(sh, &d);
}

/* vim +CMD FILE, ex -sc CMD FILE: the file is edited without anybody looking. */
static void edits(struct sh *sh, struct cmd *c, struct opts *o)
{
	bool batch = opts_find(o, "-e -s -S -c --cmd");

	for (size_t i = 0; i < o->n_rest; i++)
		batch |= *o->rest[i] == '+';
	for (size_t i = 0; batch && i < o->n_rest; i++)
		if (*o->rest[i] == '+')
			code_text(sh, "vim", o->rest[i] + 1, c->name);
		else
			effect_path(sh, SHELL_EDIT, c->name, o->rest[i], SHELL_PLAIN);
}

/* awk -v f=PATH 'print > f': what the code does with a variable that a word sets. */
static void awk_variable(struct sh *sh, struct cmd *c, const char *code, const char *set)
{
	const char *value = strchr(set, '=');

	if (!value || !code || set[strspn(set, "/~.-")] != *set)
		return;
	awk_named(sh, code, sh_strn(sh, set, (size_t)(value - set)), value + 1, c->name);
}

static void awk_variables(struct sh *sh, struct cmd *c, const struct opts *o)
{
	const struct opt *e = opts_find(o, "-e --source");
	const char *code = e ? e->value : o->n_rest ? o->rest[0] : NULL;

	for (size_t i = 0; i < o->n_opt; i++)
		if (word_in(o->opt[i].name, "-v --assign") && o->opt[i].value)
			awk_variable(sh, c, code, o->opt[i].value);
	for (size_t i = 1; i < o->n_rest; i++)
		awk_variable(sh, c, code, o->rest[i]);
}

/* The interpreter of another language: option, script made here, or input. */
static void run_interpreter(struct sh *sh, struct cmd *c, const char *const *row)
{
	const char *lang = row[1];
	const struct made *m;
	struct opts o;
	bool code = false, operand = word_in("operand", row[4]);
	const char *modules;

	opts_read(sh, c, row[3], &o);
	modules = modules_of(sh, &o);
	if (sh->made)
		loaded_files(sh, c, lang);
	for (size_t i = 0; i < o.n_opt; i++) {
		const char *name = o.opt[i].name, *v = o.opt[i].value;

		if (v && word_in(name, "-f --file") && strcmp(lang, "tcl")) {
			m = find_made(sh, v);
			if (is_stdin(v) && c->in)
				code_input(sh, lang, c->in, c);
			else if (m && m->content)
				code_input(sh, lang, m->content, c);
			code = true;
		}
		if (!word_in(name, row[2]))
			continue;
		code = true;
		if (v)
			code_input(sh, lang, *modules ? sh_cat(sh, modules, v) : v, c);
	}
	if (!strcmp(lang, "vim"))
		edits(sh, c, &o);
	if (!strcmp(lang, "awk"))
		awk_variables(sh, c, &o);
	if (operand && !code && o.n_rest) {
		code_input(sh, lang, o.rest[0], c);
		return;
	}
	for (size_t i = 0; i < o.n_opt; i++)
		if (word_in(o.opt[i].name, "-m") && o.opt[i].value) {
			for (size_t k = 0; k < o.n_rest; k++)
				if (strpbrk(o.rest[k], "(;"))
					code_text(sh, lang, o.rest[k], c->name);
			run_module(sh, c, o.opt[i].value);
			return;
		}
	if (code || opts_find(&o, "--version --help -V -h"))
		return;
	if (word_in(c->name, "ed red ex") && c->in)
		code_input(sh, lang, c->in, c);
	if (word_in(c->name, "deno crystal bun") && o.n_rest > 1 &&
		!strcmp(o.rest[0], "eval")) {
		code_input(sh, lang, o.rest[1], c);
		return;
	}
	if (o.n_rest && !is_stdin(o.rest[0])) {
		script_verbs(sh, c, o.rest[0]);
		m = find_made(sh, o.rest[0]);
		if (m && m->content)
			code_input(sh, lang, m->content, c);
		else if (has_any(o.rest[0]) && (strchr(o.rest[0], SHELL_FETCHED) ||
						       strchr(o.rest[0], SHELL_COMPUTED)))
			code_input(sh, lang, o.rest[0], c);
		else if (in_tree(sh, o.rest[0]))
			effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_FETCHED, c->name,
				o.rest[0], "remote-exec");
		return;
	}
	if (c->in && !word_in("data", row[4]))
		code_input(sh, lang, c->in, c);
}

static bool is_assignment(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
			     "0123456789%");

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

		if (!variable_hook(sh, name, value, c->name) && strpbrk(value, " \t"))
			code_guess(sh, value, c->name);
		if (var_find(sh, name) || table_row(T_VARIABLES, name))
			var_set(sh, name, value); /* until the state is put back */
	}
	return i;
}

/* sudo -l, su --help: nothing is started. */
static bool only_asks(const struct cmd *c, const struct opts *o)
{
	bool lists = word_in(c->name, "sudo doas") &&
		     opts_find(o, "-l --list -v --validate -k -K -V");

	return (lists || opts_find(o, "--version --help")) && !o->n_rest;
}

static char *run_wrapper(struct sh *sh, struct cmd *c, const char *const *row)
{
	const char *flags = row[3];
	const struct opt *dir, *out;
	struct opts o;
	struct state st = {0};
	char *text;
	size_t skip = (size_t)(row[2][0] - '0'), from;

	if (row[2][0] < '0' || row[2][0] > '9')
		skip = 0;
	opts_read(sh, c, sh_cat(sh, "first ", row[1]), &o);
	hooks_apply(sh, c);
	if (word_in("priv", flags) && !only_asks(c, &o))
		effect(sh, SHELL_PRIVILEGE, SHELL_NOWHERE, SHELL_PLAIN, c->name, c->name,
			"privilege");
	if (word_in(c->name, "setpriv capsh") &&
		opts_find(&o, "--reuid --regid --user --uid --gid"))
		effect(sh, SHELL_PRIVILEGE, SHELL_NOWHERE, SHELL_PLAIN, c->name, c->name,
			"privilege");
	if (word_in("host", flags))
		effect(sh, SHELL_HOST, SHELL_NOWHERE, SHELL_HOW_CERTAIN, c->name, c->name,
			"container-escape");
	if (word_in("leave", flags))
		effect(sh, SHELL_LEAVE, SHELL_NOWHERE, SHELL_PLAIN, c->name, c->name,
			"process");
	if (word_in("assign", flags)) {
		st = state_copy(sh);
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
	for (size_t i = 2; !strcmp(c->name, "perf") && i + 1 < c->argc; i++)
		if (!strcmp(c->argv[i], "-o"))
			effect_path(sh, SHELL_OVERWRITE, c->name, c->argv[i + 1],
				SHELL_PLAIN);
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
	if (!strcmp(c->name, "systemd-run"))
		verbs_apply(sh, c);
	if (!strcmp(c->name, "systemd-run") && !opts_find(&o, "--user"))
		effect(sh, SHELL_PRIVILEGE, SHELL_NOWHERE, SHELL_PLAIN, c->name, c->name,
			"privilege");
	if (skip >= o.n_rest && word_in(c->name, "env genv"))
		return sh_str(sh, HOLE(SHELL_FILE));
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
	text = run_argv(sh, o.rest + skip, o.n_rest - skip, c->in);
	if (word_in("assign", flags)) {
		st.cwd = sh->st.cwd;
		st.n_cwd = sh->st.n_cwd;
		sh->st = st; /* what was set for the command does not stay set */
	}
	return text;
}

/* ld.so PROGRAM .., busybox APPLET ..: the next word is the program. */
static bool is_loader(const char *name)
{
	return !strncmp(name, "ld-linux", 8) || !strncmp(name, "ld-musl", 7) ||
	       !strcmp(name, "ld.so");
}

static bool from_made(struct sh *sh, struct cmd *c, char **out)
{
	struct made *m;

	if (!strchr(c->argv[0], '/')) {
		/* found through a PATH that this command changed */
		for (m = var_find(sh, "PATH") ? sh->made : NULL; m; m = m->next)
			if (!strcmp(base_name(m->path), c->name))
				break;
		if (m && !m->program && !(m->content && *m->content != SHELL_FILE))
			return false;
	} else {
		m = find_made(sh, c->argv[0]);
		if (!m && in_tree(sh, c->argv[0]))
			effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_FETCHED, c->name,
				c->argv[0], "remote-exec");
	}
	if (!m)
		return false;
	if (m->program) {
		c->name = m->program;
		return false;
	}
	if (m->content && *m->content != SHELL_FILE) {
		*out = run_program_text(sh, c, m);
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
			if (c->argv[i + 1][0] == '-') /* an option of what runs already */
				return;
			code_guess(sh, join_args(sh, c->argv + i + 1, c->argc - i - 1),
				c->name);
			return;
		}
}

static bool has_dash(const struct cmd *c)
{
	for (size_t i = 1; i < c->argc; i++)
		if (!strcmp(c->argv[i], "-"))
			return true;
	return false;
}

/* Sources that the command wrote itself, given to a compiler, or to what runs them. */
static void compiled(struct sh *sh, struct cmd *c)
{
	static const char *const tools[][2] = {{"go", "go"}, {"rustc", "rust"},
		{"cargo", "rust"}, {"swift", "swift"}, {"swiftc", "swift"},
		{"nim", "nim"}, {"dart", "dart"}, {"javac", "jvm"}, {"java", "jvm"},
		{"kotlinc", "jvm"}, {"kotlin", "jvm"}, {"scala", "jvm"},
		{"gradle", "jvm"}, {"ghc", "haskell"}, {"runghc", "haskell"},
		{"ocaml", "ocaml"}, {"tcc", "c"}, {"gcc", "c"}, {"cc", "c"},
		{"clang", "c"}, {"g++", "c"}, {"clang++", "c"}, {"pytest", "python"},
		{"tox", "python"}, {"nox", "python"}, {"npm", "javascript"},
		{"npx", "javascript"}, {"yarn", "javascript"}, {"pnpm", "javascript"},
		{"bun", "javascript"}, {"jest", "javascript"}, {"vitest", "javascript"},
		{"rake", "ruby"}, {"bundle", "ruby"}, {"rspec", "ruby"},
		{"mix", "elixir"}, {"julia", "julia"}};

	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
		if (strcmp(c->name, tools[i][0]))
			continue;
		if (sh->made)
			loaded_files(sh, c, tools[i][1]);
		if (c->in && c->argc > 1 && !strcmp(tools[i][1], "c") && has_dash(c))
			code_text(sh, "c", c->in, c->name);
		return;
	}
}

/* /etc/init.d/NAME VERB: what service does. */
static char *run_service(struct sh *sh, struct cmd *c)
{
	char **v = sh_alloc(sh, (c->argc + 1) * sizeof(char *));

	v[0] = sh_str(sh, "service");
	v[1] = sh_str(sh, c->name);
	for (size_t i = 1; i < c->argc; i++)
		v[i + 1] = c->argv[i];
	return run_argv(sh, v, c->argc + 1, c->in);
}

static char *run_known(struct sh *sh, struct cmd *c)
{
	const char *const *row;
	char *out = NULL;
	bool known = false;

	if (run_builtin(sh, c, &out))
		return out;
	if (sh->made || c->in)
		compiled(sh, c);
	remotes_apply(sh, c);
	for (size_t i = 1; !strcmp(c->name, "nim") && i < c->argc; i++)
		if (!strncmp(c->argv[i], "--eval:", 7))
			code_text(sh, "nim", c->argv[i] + 7, c->name);
	if (word_in(c->name, "deno bun"))
		for (size_t i = 1; i < c->argc && i < 12; i++)
			if ((!strncmp(c->argv[i], "http://", 7) ||
				    !strncmp(c->argv[i], "https://", 8)) &&
				word_in(c->argv[1], "run serve x eval repl test"))
				effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_FETCHED,
					c->name, c->argv[i], "remote-exec");
	if (!strncmp(c->argv[0], "/etc/init.d/", 12))
		return run_service(sh, c);
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
