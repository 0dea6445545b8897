/*
 * vars.c: variables, positional parameters and the current directory, each of which may
 * have one of several values after a branch; and the forks and merges of such a state.
 */
#include <string.h>

#include "policyd/shell/sh.h"

struct var *var_find(struct sh *sh, const char *name)
{
	for (int hops = 0; hops < 8; hops++) {
		struct var *v;

		for (v = sh->st.vars; v && strcmp(v->name, name); v = v->next)
			;
		if (!v || !v->ref)
			return v;
		name = v->alt[0];
	}
	return NULL;
}

static const char *choose(struct sh *sh, char **alt, size_t n)
{
	const char *s;

	if (n == 1)
		return alt[0];
	if (sh->radix * n > MAX_PICKS)
		return HOLE(SHELL_ANYTHING);
	s = alt[(sh->pick / sh->radix) % n];
	sh->radix *= n;
	return s;
}

/* Not assigned here and not in the request: what its name says by convention. */
static const char *by_convention(struct sh *sh, const char *name)
{
	const char *const *row = table_row(T_VARIABLES, name);
	const struct shell_context *c = sh->ctx;

	if (row && !strcmp(row[1], "cwd"))
		return sh_cwd(sh);
	for (size_t i = 0; i < c->n_env; i++)
		if (!strcmp(c->env[i].name, name))
			return c->env[i].value;
	if (!row)
		return HOLE(SHELL_ANYTHING);
	if (!strcmp(row[1], "home"))
		return c->home;
	if (!strcmp(row[1], "workspace"))
		return c->workspace;
	if (!strcmp(row[1], "scratch"))
		return c->tmpdir ? c->tmpdir : "/tmp";
	if (!strcmp(name, "PPID"))
		sh->foreign = "the process that started the shell";
	if (!strcmp(row[1], "number"))
		return HOLE(SHELL_NUMBER);
	if (!strcmp(row[1], "name"))
		return HOLE(SHELL_NAME);
	return strcmp(row[1], "blank") ? HOLE(SHELL_ANYTHING) : " \t\n";
}

const char *var_get(struct sh *sh, const char *name)
{
	struct var *v;

	if (name[0] >= '0' && name[0] <= '9') {
		size_t k = 0;

		for (const char *p = name; *p && k < 100000; p++)
			k = k * 10 + (size_t)(*p - '0');
		if (k == 0)
			return sh->arg0 ? sh->arg0 : "bash";
		return k <= sh->st.n_args ? sh->st.args[k - 1] : NULL;
	}
	v = var_find(sh, name);
	if (!v)
		return by_convention(sh, name);
	if (v->unset)
		return NULL;
	if (v->array)
		return v->n_elem ? v->elem[0] : NULL;
	return v->n_alt ? choose(sh, v->alt, v->n_alt) : NULL;
}

static struct var *make(struct sh *sh, const char *name)
{
	struct var *v = var_find(sh, name);

	if (v)
		return v;
	v = sh_alloc(sh, sizeof(*v));
	v->name = sh_str(sh, name);
	v->next = sh->st.vars;
	sh->st.vars = v;
	return v;
}

void add_alt(struct sh *sh, char ***alt, size_t *n, const char *value)
{
	char **a;

	for (size_t i = 0; i < *n; i++)
		if (!strcmp((*alt)[i], value))
			return;
	if (*n == MAX_ALTS) {
		*n = 1;
		*alt = sh_alloc(sh, sizeof(char *));
		(*alt)[0] = sh_str(sh, HOLE(SHELL_ANYTHING));
		return;
	}
	a = sh_alloc(sh, (*n + 1) * sizeof(char *));
	if (*n)
		memcpy(a, *alt, *n * sizeof(char *));
	a[(*n)++] = sh_str(sh, value);
	*alt = a;
}

void var_set(struct sh *sh, const char *name, const char *value)
{
	struct var *v = make(sh, name);

	if (!sh->again || v->unset || v->array)
		v->n_alt = 0;
	v->unset = v->array = false;
	add_alt(sh, &v->alt, &v->n_alt, value);
}

void var_set_array(struct sh *sh, const char *name, char **e, size_t n)
{
	struct var *v = make(sh, name);

	v->array = true;
	v->unset = false;
	v->elem = e;
	v->n_elem = n;
}

void var_set_ref(struct sh *sh, const char *name, const char *target)
{
	struct var *v;

	if (!strcmp(name, target))
		return;
	v = make(sh, name);
	v->alt = sh_alloc(sh, sizeof(char *));
	v->alt[0] = sh_str(sh, target);
	v->n_alt = 1;
	v->ref = true;
}

void var_unset(struct sh *sh, const char *name)
{
	struct var *v = make(sh, name);

	v->n_alt = 0;
	v->array = v->ref = false;
	v->unset = true;
}

struct state state_copy(struct sh *sh)
{
	struct state s = sh->st;
	struct var **tail = &s.vars;

	for (struct var *v = sh->st.vars; v; v = v->next) {
		*tail = sh_alloc(sh, sizeof(*v));
		**tail = *v;
		tail = &(*tail)->next;
	}
	*tail = NULL;
	return s;
}

static struct var *lookup(struct var *v, const char *name)
{
	while (v && strcmp(v->name, name))
		v = v->next;
	return v;
}

void var_restore(struct sh *sh, const struct state *before, const char *name)
{
	const struct var *w = lookup(before->vars, name);
	struct var **at = &sh->st.vars;

	while (*at && strcmp((*at)->name, name))
		at = &(*at)->next;
	if (*at && w) {
		struct var *next = (*at)->next;

		**at = *w;
		(*at)->next = next;
	} else if (*at) {
		*at = (*at)->next;
	}
}

/* Never assigned on the one side: its value there is what the environment says. */
static const char *outer_value(struct sh *sh, const char *name)
{
	const char *s = by_convention(sh, name);

	return s ? s : "";
}

static bool same_args(const struct state *a, const struct state *b)
{
	if (a->n_args != b->n_args)
		return false;
	for (size_t i = 0; i < a->n_args; i++)
		if (strcmp(a->args[i], b->args[i]))
			return false;
	return true;
}

void state_merge(struct sh *sh, const struct state *o)
{
	for (struct var *v = sh->st.vars; v; v = v->next) {
		struct var *w = lookup(o->vars, v->name);

		if (v->array || v->ref || (w && (w->array || w->ref)))
			continue;
		if (!w)
			add_alt(sh, &v->alt, &v->n_alt, outer_value(sh, v->name));
		else if (w->unset != v->unset)
			add_alt(sh, &v->alt, &v->n_alt, "");
		for (size_t i = 0; w && i < w->n_alt; i++)
			add_alt(sh, &v->alt, &v->n_alt, w->alt[i]);
		if (v->n_alt)
			v->unset = false;
	}
	for (struct var *w = o->vars; w; w = w->next) {
		struct var *v;

		if (lookup(sh->st.vars, w->name))
			continue;
		v = sh_alloc(sh, sizeof(*v));
		*v = *w;
		if (!v->array && !v->ref)
			add_alt(sh, &v->alt, &v->n_alt, outer_value(sh, v->name));
		v->next = sh->st.vars;
		sh->st.vars = v;
	}
	if (!same_args(&sh->st, o)) { /* "$@" of either: nothing is known of it */
		static char any[] = {SHELL_ANYTHING, '\0'};
		static char *unknown[] = {any, any, any, any, any, any, any, any, any};

		sh->st.args = unknown;
		sh->st.n_args = sizeof(unknown) / sizeof(*unknown);
	}
	for (size_t i = 0; i < o->n_cwd; i++)
		add_alt(sh, &sh->st.cwd, &sh->st.n_cwd, o->cwd[i]);
}

const char *sh_cwd(struct sh *sh)
{
	if (!sh->st.n_cwd)
		return sh->ctx->cwd;
	return sh->st.cwd[sh->st.n_cwd > 1 ? sh->pick % sh->st.n_cwd : 0];
}

void sh_chdir(struct sh *sh, const char *dir)
{
	if (!sh->again || sh->begun)
		sh->st.n_cwd = 0;
	sh->begun = false;
	add_alt(sh, &sh->st.cwd, &sh->st.n_cwd, dir);
}

/* "'alias.x=!cmd' 'core.pager=cmd'": what git takes from GIT_CONFIG_PARAMETERS. */
static void git_parameters(struct sh *sh, const char *value, const char *program)
{
	for (const char *p = strchr(value, '='); p; p = strchr(p + 1, '='))
		code_guess(sh, sh_strn(sh, p + 1, strcspn(p + 1, "'")), program);
}

bool variable_hook(
	struct sh *sh, const char *name, const char *value, const char *program)
{
	const char *const *row = table_row(T_VARIABLES, name);
	const char *kind = row ? row[1] : "";
	const struct made *m;

	if (!strncmp(name, "GIT_CONFIG_VALUE_", 17) || !strncmp(name, "BASH_FUNC_", 10) ||
		!strncmp(value, "() {", 4)) {
		value += strspn(value, "() ");
		code_guess(sh, value, program);
		return true;
	}
	if (!strcmp(kind, "history")) { /* nothing is to be remembered */
		if (!*value || word_in(value, "/dev/null 0 *"))
			effect(sh, SHELL_HOST, SHELL_NOWHERE, SHELL_HOW_CERTAIN,
				program ? program : name, name, "defense-evasion");
		return true;
	}
	if (!strcmp(kind, "preload")) {
		effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_POSSIBLE, program, value,
			"environment");
	} else if (!strcmp(kind, "command")) {
		code_guess(sh, value, program);
	} else if (!strcmp(kind, "gitconfig")) {
		git_parameters(sh, value, program);
	} else if (!strncmp(kind, "options ", 8)) { /* given to every run of a program */
		code_guess(sh, sh_cat3(sh, kind + 8, " ", value), program);
	} else if (!strncmp(kind, "code:", 5)) {
		code_text(sh, kind + 5, value, program);
	} else if (!strncmp(kind, "output", 6)) { /* a file that programs write */
		const char *at = kind[6] ? strstr(value, kind + 7) : value;

		at = at && kind[6] ? at + strlen(kind + 7) : at;
		if (at && (*at == '/' || *at == '~'))
			effect_path(sh, SHELL_CREATE, program ? program : name,
				kind[6] ? sh_strn(sh, at, strcspn(at, ": ")) : at,
				SHELL_PLAIN);
	} else if (!strcmp(kind, "file")) { /* read as code when a program starts */
		if ((m = find_made(sh, value)) && m->content)
			code_guess(sh, m->content, program);
	} else {
		return false;
	}
	return true;
}
