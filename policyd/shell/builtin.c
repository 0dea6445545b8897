/*
 * builtin.c: what the shell does itself: directories, variables, eval, source, traps.
 */
#include <string.h>

#include "policyd/shell/sh.h"

/* A relative name is looked for below each folder of CDPATH first. */
static const char *by_cdpath(struct sh *sh, const char *to)
{
	struct var *v = var_find(sh, "CDPATH");
	const char *list = v ? var_get(sh, "CDPATH") : NULL;
	size_t n;

	if (!list || *to == '/' || *to == '.' || is_hole(*to))
		return to;
	n = strcspn(list, ":");
	if (!n || (n == 1 && *list == '.'))
		return to;
	return sh_cat3(sh, sh_strn(sh, list, n), "/", to);
}

/* pushd DIR, pushd: the top of the stack is not the current directory but the next. */
static char *builtin_pushd(struct sh *sh, struct cmd *c)
{
	struct dir *d = sh->st.dirs;
	const char *to = c->argc > 1 ? c->argv[c->argc - 1] : NULL;

	if (to && (*to == '+' || *to == '-'))
		to = HOLE(SHELL_ANYTHING);
	else if (!to)
		to = d ? d->path : HOLE(SHELL_ANYTHING);
	sh->st.dirs = sh_alloc(sh, sizeof(*d));
	*sh->st.dirs = (struct dir){.next = d, .path = sh_cwd(sh)};
	sh_chdir(sh, path_below_links(sh, by_cdpath(sh, to)));
	return NULL;
}

static char *builtin_popd(struct sh *sh, struct cmd *c)
{
	struct dir *d = sh->st.dirs;

	if (c->argc > 1)
		return NULL;
	sh_chdir(sh, d ? d->path : HOLE(SHELL_ANYTHING));
	if (d)
		sh->st.dirs = d->next;
	return NULL;
}

static char *builtin_cd(struct sh *sh, struct cmd *c)
{
	const char *to = NULL;

	for (size_t i = 1; i < c->argc; i++)
		if (c->argv[i][0] != '-' || !c->argv[i][1])
			to = c->argv[i];
	if (!to)
		to = var_get(sh, "HOME");
	else if (!strcmp(to, "-"))
		to = var_get(sh, "OLDPWD");
	if (!to)
		to = HOLE(SHELL_ANYTHING);
	var_set(sh, "OLDPWD", sh_cwd(sh));
	/* an unknown directory that is only a name stays below the current one */
	sh_chdir(sh, *to ? path_below_links(sh, by_cdpath(sh, to)) : sh_cwd(sh));
	return NULL;
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

static char *builtin_eval(struct sh *sh, struct cmd *c)
{
	return eval_text(sh, join_args(sh, c->argv + 1, c->argc - 1), c->in, "eval");
}

static char *builtin_source(struct sh *sh, struct cmd *c)
{
	struct made *m;
	const char *f;

	if (c->argc < 2)
		return NULL;
	f = c->argv[1];
	if (is_stdin(f))
		return c->in ? eval_text(sh, c->in, NULL, "source") : NULL;
	m = find_made(sh, f);
	if (m && m->active) {
		if (sh->in_function_bg)
			endless(sh, "source", m->path);
		return NULL;
	}
	if (m && m->content) {
		char *out;

		m->active = true;
		out = eval_text(sh, m->content, c->in, "source");
		m->active = false;
		return out;
	}
	if (strchr(f, SHELL_FETCHED) || strchr(f, SHELL_COMPUTED))
		return eval_text(sh, f, NULL, "source");
	effect_path(sh, SHELL_READ, "source", f, SHELL_PLAIN);
	return NULL;
}

static char *builtin_trap(struct sh *sh, struct cmd *c)
{
	bool in_trap = sh->in_trap;

	if (c->argc > 2 && strcmp(c->argv[1], "-") && c->argv[1][0] != '-') {
		size_t keep = sh->n_effects, commands = sh->n_commands;

		sh->in_trap = true;
		eval_text(sh, c->argv[1], NULL, "trap");
		sh->in_trap = in_trap;
		if (!word_in(c->argv[2], "EXIT 0") || c->argc > 3)
			return NULL;
		/* what is not known yet may be when it runs: at the end */
		for (size_t i = keep; i < sh->n_effects; i++)
			if (sh->effects[i].place != SHELL_UNKNOWN)
				sh->effects[keep++] = sh->effects[i];
		sh->n_effects = keep;
		sh->n_commands = commands;
		sh->at_exit = sh_str(sh, c->argv[1]);
	}
	return NULL;
}

static char *builtin_alias(struct sh *sh, struct cmd *c)
{
	for (size_t i = 1; i < c->argc; i++) {
		char *eq = strchr(c->argv[i], '=');
		struct func *f;
		char *name;

		if (!eq)
			continue;
		name = sh_str(sh, c->argv[i]);
		name[eq - c->argv[i]] = '\0';
		f = sh_alloc(sh, sizeof(*f));
		*f = (struct func){.next = sh->aliases, .name = name};
		sh->aliases = f;
	}
	return NULL;
}

/* hash -p FILE NAME: from now on NAME is FILE. */
static char *builtin_hash(struct sh *sh, struct cmd *c)
{
	struct func *f;
	char *name;

	if (c->argc < 4 || strcmp(c->argv[1], "-p"))
		return NULL;
	name = sh_cat3(sh, c->argv[3], "=", c->argv[2]);
	name[strlen(c->argv[3])] = '\0';
	f = sh_alloc(sh, sizeof(*f));
	*f = (struct func){.next = sh->aliases, .name = name};
	sh->aliases = f;
	return NULL;
}

/* export, declare, local ..: NAME=value words, here after expansion. */
static char *builtin_declare(struct sh *sh, struct cmd *c)
{
	bool ref = false;

	for (size_t i = 1; i < c->argc; i++) {
		char *a = c->argv[i], *eq = strchr(a, '='), *name;

		if (*a == '-' || *a == '+') {
			ref |= *a == '-' && strchr(a, 'n') && strcmp(c->name, "export");
			continue;
		}
		if (!eq)
			continue;
		name = sh_strn(sh, a, (size_t)(eq - a));
		if (has_hole(name))
			continue;
		if (eq > a && eq[-1] == '+') {
			const char *old;

			name[eq - a - 1] = '\0';
			old = var_get(sh, name);
			var_set(sh, name, sh_cat(sh, old ? old : "", eq + 1));
			continue;
		}
		if (ref && !has_hole(eq + 1))
			var_set_ref(sh, name, eq + 1);
		else
			var_set(sh, name, eq + 1);
		variable_hook(sh, name, eq + 1, name);
	}
	return NULL;
}

static char *builtin_set(struct sh *sh, struct cmd *c)
{
	size_t i = 1;

	while (i < c->argc && (c->argv[i][0] == '-' || c->argv[i][0] == '+')) {
		const char *a = c->argv[i++];

		if (!strcmp(a, "--"))
			goto set;
		if (!strcmp(a, "+o") && i < c->argc && !strcmp(c->argv[i], "history"))
			variable_hook(sh, "HISTFILE", "", c->name);
		if (a[1] && a[strlen(a) - 1] == 'o')
			i++;
	}
	if (i >= c->argc)
		return NULL;
set:
	sh->st.args = c->argv + i;
	sh->st.n_args = c->argc - i;
	return NULL;
}

static char *builtin_shift(struct sh *sh, struct cmd *c)
{
	size_t n = c->argc > 1 && c->argv[1][0] >= '1' && c->argv[1][0] <= '9'
			   ? (size_t)(c->argv[1][0] - '0')
			   : 1;

	if (n > sh->st.n_args)
		n = sh->st.n_args;
	sh->st.args += n;
	sh->st.n_args -= n;
	return NULL;
}

/* read: what comes in, split or not; several names share the shape. */
enum { MAX_READ = 64 };

/* @v split as read does, the rest in the last of at most @max; a hole may be anything. */
static size_t read_fields(struct sh *sh, const char *v, char **e, size_t max)
{
	const char *ifs = var_find(sh, "IFS") ? var_get(sh, "IFS") : " \t\n";
	size_t n = 0;

	if (max == 1 || !ifs || !*ifs || has_hole(ifs)) {
		e[0] = sh_str(sh, v);
		return 1;
	}
	while (*v && n + 1 < max) {
		size_t len = strcspn(v, ifs);

		e[n++] = sh_strn(sh, v, len);
		v += len;
		v += *v ? 1 + strspn(v + 1, " \t") : 0;
	}
	if (*v || !n)
		e[n++] = sh_str(sh, v);
	return n;
}

static void read_names(struct sh *sh, const struct opts *o, const char *v)
{
	char **e = sh_alloc(sh, (o->n_rest + 1) * sizeof(char *));
	size_t n = o->n_rest ? read_fields(sh, v, e, o->n_rest) : 0;

	for (size_t i = 0; i < o->n_rest; i++)
		if (!has_hole(o->rest[i]))
			var_set(sh, o->rest[i],
				has_hole(v) && o->n_rest > 1 ? HOLE(SHELL_ANYTHING)
				: i < n			     ? e[i]
							     : "");
}

static char *builtin_read(struct sh *sh, struct cmd *c)
{
	const char *v = c->in ? c->in : HOLE(SHELL_ANYTHING);
	struct opts o;
	const struct opt *a;

	opts_read(sh, c, "-a -d -i -n -N -p -t -u", &o);
	for (size_t i = 0; i < o.n_rest; i++)
		hidden_substitution(sh, o.rest[i]);
	if (strchr(v, '\n')) {
		const char *first = sh_strn(sh, v, strcspn(v, "\n"));

		/* the lines may differ: one that is alone is exact */
		v = v[strlen(first) + 1] ? HOLE(SHELL_ANYTHING) : first;
	}
	if (!var_find(sh, "IFS")) { /* blanks around the line are dropped */
		size_t len;

		v += strspn(v, " \t");
		len = strlen(v);
		while (len && strchr(" \t", v[len - 1]))
			len--;
		v = sh_strn(sh, v, len);
	}
	a = opts_find(&o, "-a");
	if (a && a->value) {
		char **e = sh_alloc(sh, MAX_READ * sizeof(char *));

		var_set_array(sh, a->value, e, read_fields(sh, v, e, MAX_READ));
	} else if (!o.n_rest) {
		var_set(sh, "REPLY", v);
	}
	read_names(sh, &o, v);
	return NULL;
}

static char *builtin_mapfile(struct sh *sh, struct cmd *c)
{
	char **e = sh_alloc(sh, sizeof(char *));
	struct opts o;

	opts_read(sh, c, "-C -c -d -n -O -s -u", &o);
	e[0] = sh_str(sh, c->in && !strchr(c->in, '\n') ? c->in : HOLE(SHELL_ANYTHING));
	if (o.n_opt && opts_find(&o, "-C") && opts_find(&o, "-C")->value)
		eval_text(sh, opts_find(&o, "-C")->value, NULL, "mapfile");
	var_set_array(sh, o.n_rest ? o.rest[0] : "MAPFILE", e, 1);
	return NULL;
}

static char *builtin_unset(struct sh *sh, struct cmd *c)
{
	for (size_t i = 1; i < c->argc; i++)
		hidden_substitution(sh, c->argv[i]);
	for (size_t i = 1; i < c->argc; i++)
		if (c->argv[i][0] != '-' && !has_hole(c->argv[i])) {
			if (word_in(c->argv[i], "HISTFILE HISTSIZE"))
				variable_hook(sh, c->argv[i], "", c->name);
			var_unset(sh, c->argv[i]);
		}
	return NULL;
}

/* command, builtin, exec: the rest is a command; -v and -V only look. */
static char *builtin_command(struct sh *sh, struct cmd *c)
{
	size_t i = 1;

	for (; i < c->argc && c->argv[i][0] == '-' && c->argv[i][1]; i++) {
		if (!strcmp(c->argv[i], "--")) {
			i++;
			break;
		}
		if (!strcmp(c->argv[i], "-v"))
			return i + 1 < c->argc ? sh_cat(sh, c->argv[i + 1], "\n") : NULL;
		if (!strcmp(c->argv[i], "-V"))
			return sh_str(sh, HOLE(SHELL_ANYTHING));
		if (!strcmp(c->name, "exec") && !strcmp(c->argv[i], "-a"))
			i++;
	}
	return i < c->argc ? run_argv(sh, c->argv + i, c->argc - i, c->in) : NULL;
}

static char *builtin_let(struct sh *sh, struct cmd *c)
{
	for (size_t i = 1; i < c->argc; i++)
		hidden_substitution(sh, c->argv[i]);
	for (size_t i = 1; i < c->argc; i++) {
		size_t n = strcspn(c->argv[i], "=+-*/%");

		if (c->argv[i][n] && n && !has_hole(c->argv[i]))
			var_set(sh, sh_strn(sh, c->argv[i], n), HOLE(SHELL_NUMBER));
	}
	return NULL;
}

/* compgen -C CMD, complete -C CMD: run when words are completed, or at once. */
static char *builtin_complete(struct sh *sh, struct cmd *c)
{
	struct opts o;
	const struct opt *code;

	opts_read(sh, c, "-C -F -A -G -W -P -S -X -o", &o);
	for (size_t i = 0; i < o.n_opt; i++)
		if (word_in(o.opt[i].name, "-C -F") && o.opt[i].value)
			eval_text(sh, o.opt[i].value, NULL, c->name);
	code = opts_find(&o, "-W"); /* its words are expanded */
	if (code && code->value)
		eval_text(sh, sh_cat(sh, ": ", code->value), NULL, c->name);
	code = opts_find(&o, "-G"); /* what a pattern stands for */
	if (code && code->value)
		return eval_text(
			sh, sh_cat(sh, "printf '%s\\n' ", code->value), NULL, c->name);
	return NULL;
}

/* bind -x '"KEY": CMD' */
static char *builtin_bind(struct sh *sh, struct cmd *c)
{
	for (size_t i = 1; i + 1 < c->argc; i++) {
		const char *colon = strchr(c->argv[i + 1], ':');

		if (!strcmp(c->argv[i], "-x") && colon)
			code_guess(sh, colon + 1, c->name);
	}
	return NULL;
}

/* An index in an operand of test, unset, read .. is evaluated, and may hold $( ). */
static char *builtin_test(struct sh *sh, struct cmd *c)
{
	for (size_t i = 1; i < c->argc; i++)
		hidden_substitution(sh, c->argv[i]);
	return NULL;
}

static char *builtin_nothing(struct sh *sh, struct cmd *c)
{
	return NULL;
}

static char *builtin_wait(struct sh *sh, struct cmd *c)
{
	for (size_t i = 0; i < sh->n_effects; i++)
		if (sh->effects[i].verb == SHELL_LEAVE &&
			!strcmp(sh->effects[i].word, "&"))
			sh->effects[i].place = SHELL_SCRATCH; /* waited for */
	return NULL;
}

bool run_builtin(struct sh *sh, struct cmd *c, char **out)
{
	static const struct {
		const char *names;
		char *(*run)(struct sh *sh, struct cmd *c);
	} table[] = {
		{"cd chdir", builtin_cd},
		{"pushd", builtin_pushd},
		{"popd", builtin_popd},
		{"compgen complete", builtin_complete},
		{"bind", builtin_bind},
		{"test [", builtin_test},
		{"eval", builtin_eval},
		{". source", builtin_source},
		{"trap", builtin_trap},
		{"alias", builtin_alias},
		{"hash", builtin_hash},
		{"export declare local typeset readonly", builtin_declare},
		{"set", builtin_set},
		{"shift", builtin_shift},
		{"read", builtin_read},
		{"mapfile readarray", builtin_mapfile},
		{"unset", builtin_unset},
		{"command builtin exec", builtin_command},
		{"let", builtin_let},
		{"wait", builtin_wait},
		{": true false exit return break continue shopt umask ulimit jobs bg fg "
		 "hash "
		 "times getopts compopt dirs enable help "
		 "disown "
		 "caller suspend logout unalias",
			builtin_nothing},
	};

	if (strchr(c->argv[0], '/'))
		return false;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (word_in(c->argv[0], table[i].names)) {
			*out = table[i].run(sh, c);
			return true;
		}
	return false;
}
