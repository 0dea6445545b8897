/*
 * eval.c: the tree, read as bash would run it, but with every branch taken.
 *
 * A branch is read from the state before it and merged into the state after; a loop
 * over known words is unrolled, any other is read twice. What a command prints, where
 * that is known, goes on as the input of the next one or the text of a substitution.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policyd/shell/sh.h"

static char *join(struct sh *sh, char *a, char *b)
{
	size_t la = a ? strlen(a) : 0;

	if (!la)
		return b;
	if (!b || !*b)
		return a;
	if (la + strlen(b) > MAX_OUTPUT)
		return sh_str(sh, HOLE(SHELL_ANYTHING));
	return sh_cat(sh, a, b);
}

static char *eval_list(struct sh *sh, const struct node *n, const char *in)
{
	char *out = NULL;

	for (; n; n = n->next)
		out = join(sh, out, eval_node(sh, n, in));
	return out;
}

static void set_assign(struct sh *sh, const struct assign *a)
{
	if (a->array) {
		struct fields f = {0};
		struct var *v = a->append ? var_find(sh, a->name) : NULL;

		for (size_t i = 0; v && v->array && i < v->n_elem; i++)
			fields_add(sh, &f, v->elem[i], true);
		for (const struct word *w = a->value; w; w = w->next)
			expand_word(sh, w, &f);
		var_set_array(sh, a->name, f.v, f.n);
		return;
	}
	if (a->index) {
		char *i = expand_one(sh, a->index);
		struct var *v = var_find(sh, a->name);
		struct fields f = {0};

		for (size_t k = 0; v && v->array && k < v->n_elem; k++)
			fields_add(sh, &f, v->elem[k], true);
		fields_add(sh, &f, expand_one(sh, a->value), true);
		if (has_hole(i))
			f.v[0] = f.n > 1 ? sh_str(sh, HOLE(SHELL_ANYTHING)) : f.v[0];
		var_set_array(sh, a->name, f.v, f.n);
		return;
	}
	if (a->append) {
		const char *old = var_get(sh, a->name);

		var_set(sh, a->name,
			sh_cat(sh, old ? old : "", expand_one(sh, a->value)));
		return;
	}
	var_set(sh, a->name, expand_one(sh, a->value));
}

/* A variable that programs run as code: its text is read as a command. */
static void check_assign(struct sh *sh, const struct assign *a, const char *program)
{
	const char *v = a->array ? NULL : var_get(sh, a->name);

	if (!strncmp(a->name, "BASH_ALIASES", 12) || !strncmp(a->name, "BASH_CMDS", 9))
		effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_COMPUTED, a->name, a->name,
			"code"); /* names get another meaning */

	if (v && !variable_hook(sh, a->name, v, program) && program && strpbrk(v, " \t"))
		code_guess(sh, v, program);
}

/* The targets of redirections: effects, and what becomes of input and output. */
struct io {
	const char *in;
	const char *out_path;
	bool append;
};

static void redirect_in(struct sh *sh, const char *path, struct io *io, int fd)
{
	const struct made *m = find_made(sh, path);

	if (!redirect_net(sh, path))
		effect_path(sh, SHELL_READ, "<", path, SHELL_PLAIN);
	note_fd(sh, fd, path);
	if (fd <= 0)
		io->in = m && m->content
				 ? m->content
				 : (strcmp(path, "/dev/null") ? HOLE(SHELL_FILE) : "");
}

static void redirect_out(
	struct sh *sh, const char *path, struct io *io, const struct redir *r)
{
	enum shell_verb v = r->kind == R_APPEND ? SHELL_CREATE : SHELL_OVERWRITE;

	if (r->kind == R_RDWR)
		v = SHELL_EDIT;
	if (!redirect_net(sh, path))
		effect_path(sh, v, ">", path, SHELL_PLAIN);
	if (r->fd < 0 || r->fd == 1) {
		io->out_path = path;
		io->append = r->kind == R_APPEND;
	}
}

static void redirect(struct sh *sh, const struct redir *r, struct io *io)
{
	struct fields f = {0};
	const char *path;

	switch (r->kind) {
	case R_HERE:
	case R_STRING:
		path = sh_cat(
			sh, expand_one(sh, r->word), r->kind == R_STRING ? "\n" : "");
		if (r->fd <= 0)
			io->in = path;
		else if (r->fd < 10) {
			char name[] = "/dev/fd/0";

			name[8] = (char)('0' + r->fd);
			note_made(sh, sh_str(sh, name), path, NULL);
		}
		return;
	case R_DUP_IN:
		path = expand_one(sh, r->word);
		if (r->fd <= 0 && !(*path >= '0' && *path <= '9'))
			io->in = HOLE(SHELL_ANYTHING);
		return;
	default: break;
	}
	expand_word(sh, r->word, &f);
	if (f.n == 0)
		return;
	path = f.v[0];
	if (r->kind == R_DUP_OUT &&
		(!path[strspn(path, "0123456789-")] || *path == SHELL_NUMBER))
		return;
	if (r->kind == R_IN)
		redirect_in(sh, path, io, r->fd);
	else
		redirect_out(sh, path, io, r);
}

static void redirects(struct sh *sh, const struct redir *r, struct io *io)
{
	for (; r; r = r->next)
		redirect(sh, r, io);
}

/* The output went to a file: what is in it is known from now on. */
static char *leave_output(struct sh *sh, struct io *io, char *out)
{
	const struct made *m;
	const char *text = out ? out : "";

	if (!io->out_path)
		return out;
	m = io->append ? find_made(sh, io->out_path) : NULL;
	if (m && m->content)
		text = join(sh, sh_str(sh, m->content), out);
	note_made(sh, io->out_path, text, NULL);
	return NULL;
}

static struct func *find_func(struct func *f, const char *name)
{
	while (f && strcmp(f->name, name))
		f = f->next;
	return f;
}

static char *call(struct sh *sh, struct func *f, struct fields *argv, const char *in)
{
	char **args = sh->st.args, *out;
	size_t n = sh->st.n_args;

	if (f->active) {
		if (sh->in_function_bg)
			effect(sh, SHELL_PROCESS, SHELL_NOWHERE, SHELL_HOW_CERTAIN,
				f->name, f->name, "fork-bomb");
		return sh_str(sh, HOLE(SHELL_ANYTHING));
	}
	if (sh->calls >= MAX_CALLS)
		sh_stop(sh, "its functions call each other too deeply");
	sh->calls++;
	f->active = true;
	sh->st.args = argv->v + 1;
	sh->st.n_args = argv->n - 1;
	out = eval_node(sh, f->body, in);
	f->active = false;
	sh->st.args = args;
	sh->st.n_args = n;
	sh->calls--;
	return out;
}

char *sh_quote(struct sh *sh, const char *s)
{
	struct buf b = {0};

	buf_c(sh, &b, '\'');
	for (; *s; s++)
		if (*s == '\'')
			buf_add(sh, &b, "'\\''", 4);
		else
			buf_c(sh, &b, *s);
	buf_c(sh, &b, '\'');
	return buf_str(sh, &b);
}

static char *run_alias(struct sh *sh, struct func *f, struct fields *argv, const char *in)
{
	const char *text = f->body ? "" : f->name + strlen(f->name) + 1;
	char *out;

	for (size_t i = 1; i < argv->n; i++)
		text = sh_cat3(sh, text, " ", sh_quote(sh, argv->v[i]));
	f->active = true;
	out = eval_text(sh, text, in, f->name);
	f->active = false;
	return out;
}

bool is_literal_word(const struct word *w, const char *s)
{
	return w && w->segs && !w->segs->next && w->segs->kind == SEG_TEXT &&
	       !w->segs->quoted && !strcmp(w->segs->text, s);
}

static char *run_fields(
	struct sh *sh, const struct node *n, struct fields *f, const struct io *io)
{
	const char *in = io->in;
	struct func *fn;
	struct cmd c = {.argv = f->v, .argc = f->n, .name = f->v[0]};

	check_endless(sh, &c, io->out_path);

	fn = find_func(sh->aliases, f->v[0]);
	if (fn && !fn->active && is_literal_word(n->words, f->v[0]))
		return run_alias(sh, fn, f, in);
	fn = find_func(sh->funcs, f->v[0]);
	if (fn)
		return call(sh, fn, f, in);
	return run_argv(sh, f->v, f->n, in);
}

/* One reading of a simple command, with one choice for each variable of several values.
 */
static char *simple_once(struct sh *sh, const struct node *n, const char *in)
{
	struct io io = {.in = in};
	struct fields f = {0};
	struct state before = {0};
	char *out = NULL;

	for (const struct word *w = n->words; w; w = w->next)
		expand_word(sh, w, &f);
	if (f.n && n->assigns)
		before = state_copy(sh);
	for (const struct assign *a = n->assigns; a; a = a->next) {
		set_assign(sh, a);
		check_assign(sh, a, f.n ? f.v[0] : NULL);
	}
	redirects(sh, n->redirs, &io);
	if (f.n && *f.v[0]) {
		const struct assign *outer = sh->sets;

		sh->sets = n->assigns ? n->assigns : outer;
		out = run_fields(sh, n, &f, &io);
		sh->sets = outer;
	} else if (n->redirs && !n->assigns && !n->words && io.in)
		out = sh_str(sh, io.in); /* $(< file) */
	if (f.n && n->assigns && !is_literal_word(n->words, "declare") &&
		!is_literal_word(n->words, "export") &&
		!is_literal_word(n->words, "local") &&
		!is_literal_word(n->words, "typeset") &&
		!is_literal_word(n->words, "readonly")) {
		for (const struct assign *a = n->assigns; a; a = a->next)
			var_restore(sh, &before, a->name);
	}
	return leave_output(sh, &io, out);
}

struct folders {
	char **dir;
	size_t n;
};

/* To where choice @k of a command led, or where it began if it did not move. */
static void folders_add(
	struct sh *sh, struct folders *sum, const struct folders *was, size_t k)
{
	if (sh->st.cwd == was->dir && sh->st.n_cwd == was->n) {
		add_alt(sh, &sum->dir, &sum->n,
			was->n ? was->dir[k % was->n] : sh->ctx->cwd);
		return;
	}
	for (size_t i = 0; i < sh->st.n_cwd; i++)
		add_alt(sh, &sum->dir, &sum->n, sh->st.cwd[i]);
}

static char *eval_simple(struct sh *sh, const struct node *n, const char *in)
{
	size_t pick = sh->pick, radix = sh->radix;
	struct folders was = {sh->st.cwd, sh->st.n_cwd}, sum = {NULL, 0};
	bool again = sh->again, moved = false;
	char *out = NULL;
	size_t k = 0;

	do {
		sh_step(sh);
		sh->pick = k;
		sh->radix = was.n > 1 ? was.n : 1;
		sh->again = k > 0;
		/* each choice begins where the command does */
		sh->st.cwd = was.dir;
		sh->st.n_cwd = was.n;
		sh->begun = true;
		out = join(sh, out, simple_once(sh, n, in));
		moved |= sh->st.cwd != was.dir || sh->st.n_cwd != was.n;
		folders_add(sh, &sum, &was, k);
	} while (++k < sh->radix && k < MAX_PICKS);
	sh->st.cwd = moved ? sum.dir : was.dir;
	sh->st.n_cwd = moved ? sum.n : was.n;
	sh->pick = pick;
	sh->radix = radix;
	sh->again = again;
	return out;
}

static char *eval_pipe(struct sh *sh, const struct node *n, const char *in)
{
	const char *data = in;
	char *out = NULL;

	sh->in_function_bg++;
	for (const struct node *c = n->a; c; c = c->next) {
		struct state s = state_copy(sh);
		size_t from = sh->n_commands;

		if (c != n->a && from && !strcmp(sh->commands[from - 1].program, "yes") &&
			sh->commands[from - 1].argc > 1)
			sh->endless_input = true;
		out = eval_node(sh, c, data);
		sh->endless_input = false;
		for (size_t i = from; c != n->a && i < sh->n_commands; i++)
			sh->commands[i].piped = true;
		data = out ? out : "";
		sh->st = s;
	}
	sh->in_function_bg--;
	return out;
}

/* Either branch may have run. */
static char *eval_either(
	struct sh *sh, const struct node *a, const struct node *b, const char *in)
{
	struct state s0 = state_copy(sh), s1;
	char *out = a ? eval_node(sh, a, in) : NULL;

	s1 = sh->st;
	sh->st = s0;
	if (b)
		out = join(sh, out, eval_node(sh, b, in));
	state_merge(sh, &s1);
	return out;
}

static char *eval_or(struct sh *sh, const struct node *n, const char *in)
{
	char *out = eval_node(sh, n->a, in);

	return join(sh, out, eval_either(sh, n->b, NULL, in));
}

/* while true; do something & done, with nothing in it that waits. */
static void endless_loop(struct sh *sh, const struct node *body)
{
	if (loop_grows(body))
		endless(sh, "while", "a loop without end");
}

static char *eval_while(struct sh *sh, const struct node *n, const char *in)
{
	char *out = eval_node(sh, n->a, in);

	for (int i = 0; i < 2; i++) {
		struct state s = state_copy(sh);

		out = join(sh, out, eval_node(sh, n->b, in));
		eval_node(sh, n->a, in);
		state_merge(sh, &s);
	}
	if (loop_has_no_end(sh, n->a, n->until))
		endless_loop(sh, n->b);
	return out;
}

/* What stands for any of so many words. */
static char *any_of(struct sh *sh, const struct fields *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (strpbrk(f->v[i], "/\1\2\3\4\5\6\7~."))
			return sh_str(sh, HOLE(SHELL_ANYTHING));
	return sh_str(sh, HOLE(SHELL_NAME));
}

static char *eval_for(struct sh *sh, const struct node *n, const char *in)
{
	struct fields f = {0};
	char *out = NULL;

	if (!n->name) {
		const char *head = expand_one(sh, n->words);

		arith_set_all(sh, n->words);
		if (loop_counts_far(head))
			endless_loop(sh, n->b);
		return eval_node(sh, n->b, in);
	}
	for (const struct word *w = n->words; w; w = w->next)
		expand_word(sh, w, &f);
	if (!n->has_in)
		for (size_t i = 0; i < sh->st.n_args; i++)
			fields_add(sh, &f, sh->st.args[i], true);
	if ((f.n > LOOP_FAR || sh->many) && loop_starts_more(n->b))
		endless(sh, "for", "a loop of many in the background");
	for (size_t i = 0; i < f.n && i < 4; i++)
		if (!strncmp(f.v[i], "/proc/", 6) && has_hole(f.v[i]))
			sh->foreign = f.v[i];
	if (f.n > MAX_LOOP) {
		f.v[0] = any_of(sh, &f);
		f.n = 1;
	}
	for (size_t i = 0; i < f.n; i++) {
		var_set(sh, n->name, f.v[i]);
		out = join(sh, out, eval_node(sh, n->b, in));
	}
	return out;
}

static char *eval_case(struct sh *sh, const struct node *n, const char *in)
{
	struct state s0 = state_copy(sh), merged = state_copy(sh);
	char *out = NULL;

	expand_one(sh, n->words);
	for (const struct case_item *it = n->items; it; it = it->next) {
		for (const struct word *w = it->patterns; w; w = w->next)
			expand_one(sh, w);
		if (!it->body)
			continue;
		sh->st = s0;
		s0 = state_copy(sh);
		out = join(sh, out, eval_node(sh, it->body, in));
		state_merge(sh, &merged);
		merged = state_copy(sh);
	}
	sh->st = merged;
	return out;
}

static void define(struct sh *sh, const struct node *n)
{
	struct func *f = sh_alloc(sh, sizeof(*f));

	*f = (struct func){.next = sh->funcs, .name = n->name, .body = n->a};
	sh->funcs = f;
	if (!strcmp(n->name, "command_not_found_handle"))
		eval_sub(sh, n->a);
}

/* ${NAME[0]}, ${NAME[1]}: its descriptors; $NAME_PID: its number. */
static void name_coproc(struct sh *sh, const char *name)
{
	char **e = sh_alloc(sh, 2 * sizeof(char *));

	e[0] = e[1] = sh_str(sh, HOLE(SHELL_NUMBER));
	var_set_array(sh, name, e, 2);
	var_set(sh, sh_cat(sh, name, "_PID"), HOLE(SHELL_NUMBER));
}

static char *eval_background(struct sh *sh, const struct node *n)
{
	sh->in_function_bg++;
	effect(sh, SHELL_LEAVE, SHELL_NOWHERE, SHELL_PLAIN, NULL, "&", "process");
	eval_sub(sh, n->a);
	sh->in_function_bg--;
	return NULL;
}

static char *eval_kind(struct sh *sh, const struct node *n, const char *in)
{
	struct state s;
	char *out;

	switch (n->kind) {
	case N_SIMPLE: break; /* not here */
	case N_PIPE: return eval_pipe(sh, n, in);
	case N_AND:
		out = eval_node(sh, n->a, in);
		return join(sh, out, eval_node(sh, n->b, in));
	case N_OR: return eval_or(sh, n, in);
	case N_SEQ:
	case N_NOT:
	case N_GROUP: return eval_list(sh, n->a, in);
	case N_SUB:
		s = state_copy(sh);
		out = eval_list(sh, n->a, in);
		sh->st = s;
		return out;
	case N_COPROC: name_coproc(sh, n->name); /* fallthrough */
	case N_BG: return eval_background(sh, n);
	case N_IF:
		out = eval_node(sh, n->a, in);
		return join(sh, out, eval_either(sh, n->b, n->c, in));
	case N_WHILE: return eval_while(sh, n, in);
	case N_FOR: return eval_for(sh, n, in);
	case N_CASE: return eval_case(sh, n, in);
	case N_FUNC: define(sh, n); return NULL;
	case N_ARITH:
		expand_one(sh, n->words);
		arith_set_all(sh, n->words);
		return NULL;
	case N_COND:
		for (const struct word *w = n->words; w; w = w->next)
			expand_one(sh, w);
		return NULL;
	}
	return NULL;
}

/* A loop or a group, with one choice for each variable in its words and redirections. */
static char *compound_once(struct sh *sh, const struct node *n, const char *in)
{
	struct io io = {.in = in};

	redirects(sh, n->redirs, &io);
	return leave_output(sh, &io, eval_kind(sh, n, io.in));
}

/* As a simple command is read once for each choice, so is what expands words before it.
 */
static char *eval_compound(struct sh *sh, const struct node *n, const char *in)
{
	size_t pick = sh->pick, radix = sh->radix;
	bool again = sh->again;
	char *out = NULL;
	size_t k = 0;

	if (!n->redirs && n->kind != N_FOR)
		return eval_kind(sh, n, in);
	do {
		sh_step(sh);
		sh->pick = k;
		sh->radix = sh->st.n_cwd > 1 ? sh->st.n_cwd : 1;
		sh->again = again || k > 0;
		out = join(sh, out, compound_once(sh, n, in));
	} while (++k < sh->radix && k < MAX_PICKS);
	sh->pick = pick;
	sh->radix = radix;
	sh->again = again;
	return out;
}

char *eval_node(struct sh *sh, const struct node *n, const char *in)
{
	char *out;

	sh_step(sh);
	if (++sh->depth > 2 * SHELL_MAX_NESTING)
		sh_stop(sh, "it is nested too deeply");
	out = n->kind == N_SIMPLE ? eval_simple(sh, n, in) : eval_compound(sh, n, in);
	sh->depth--;
	return out;
}

char *eval_sub(struct sh *sh, const struct node *n)
{
	size_t pick = sh->pick, radix = sh->radix;
	bool again = sh->again;
	struct state s = state_copy(sh);
	char *out;

	sh->again = false;
	sh->in_function_bg++;
	out = eval_node(sh, n, NULL);
	sh->in_function_bg--;
	sh->st = s;
	sh->pick = pick;
	sh->radix = radix;
	sh->again = again;
	return out ? sh_str(sh, out) : sh_str(sh, "");
}

char *eval_proc(struct sh *sh, const struct node *n, char dir)
{
	char path[32];
	char *out;

	snprintf(path, sizeof(path), "/dev/fd/%u", 100 + sh->fds++);
	if (dir == '>') {
		struct state s = state_copy(sh);

		eval_node(sh, n, HOLE(SHELL_ANYTHING));
		sh->st = s;
		return sh_str(sh, path);
	}
	out = eval_sub(sh, n);
	note_made(sh, path, out, NULL);
	return sh_str(sh, path);
}

char *eval_text(struct sh *sh, const char *text, const char *in, const char *program)
{
	const char *p = text + strspn(text, " \t\n");
	struct node *n;
	char *out;

	if (*p == SHELL_FETCHED || *p == SHELL_COMPUTED ||
		(*p == SHELL_ANYTHING && !p[1 + strspn(p + 1, " \t\n")])) {
		effect(sh, SHELL_RUN, SHELL_UNKNOWN,
			*p == SHELL_FETCHED ? SHELL_HOW_FETCHED : SHELL_HOW_COMPUTED,
			program, text, "code");
		return sh_str(sh, HOLE(SHELL_ANYTHING));
	}
	if (*p == SHELL_FILE)
		return sh_str(sh, HOLE(SHELL_ANYTHING));
	if (strchr(p, SHELL_FETCHED))
		effect(sh, SHELL_RUN, SHELL_UNKNOWN, SHELL_HOW_FETCHED, program, text,
			"code");
	if (++sh->calls > MAX_CALLS)
		sh_stop(sh, "its shells call each other too deeply");
	n = sh->guess ? sh_try_parse(sh, text) : sh_parse(sh, text);
	out = n ? eval_node(sh, n, in) : NULL;
	sh->calls--;
	return out;
}
