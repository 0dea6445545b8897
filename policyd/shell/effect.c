/*
 * effect.c: noting what was found: effects, the files that the command made itself.
 */
#include <string.h>

#include "policyd/shell/sh.h"

bool is_outside(enum shell_place p)
{
	return p == SHELL_HOME || p == SHELL_SYSTEM || p == SHELL_DEVICE ||
	       p == SHELL_CREDENTIAL;
}

struct shell_effect *effect(struct sh *sh, enum shell_verb v, enum shell_place p,
	enum shell_how how, const char *program, const char *word, const char *class_)
{
	struct shell_effect *e;

	sh_step(sh);
	sh->effects =
		sh_grow(sh, sh->effects, sh->n_effects, &sh->cap_effects, sizeof(*e));
	e = &sh->effects[sh->n_effects++];
	*e = (struct shell_effect){.verb = v,
		.place = p,
		.how = how,
		.exact = !word || !has_hole(word),
		.program = program ? program : "",
		.word = word ? word : "",
		.class_ = class_};
	return e;
}

struct shell_effect *effect_path(struct sh *sh, enum shell_verb v, const char *program,
	const char *word, enum shell_how how)
{
	const char *path;
	enum shell_place p = path_of(sh, word, &path);
	struct shell_effect *e;

	if (p == SHELL_EMPTY)
		return NULL;
	if (v == SHELL_DELETE && how == SHELL_PLAIN &&
		(p == SHELL_WORKSPACE || p == SHELL_SCRATCH) &&
		path_is_product(path, sh->ctx->workspace))
		how = SHELL_PRODUCT;
	if (v == SHELL_OVERWRITE && p == SHELL_SCRATCH && !strncmp(path, "/dev/", 5))
		how = SHELL_NOCLOBBER; /* the null device and its kin lose nothing */
	e = effect(sh, v, p, how, program, word, NULL);
	e->path = path;
	e->exact = !has_hole(word) && !has_hole(path);
	return e;
}

void note_made(struct sh *sh, const char *word, const char *content, const char *program)
{
	const char *path;
	struct made *m;

	if (path_of(sh, word, &path) == SHELL_EMPTY || !path ||
		!strcmp(path, "/dev/null"))
		return;
	if (content && strstr(path, "/.git/hooks/"))
		code_guess(sh, content, "git hook");
	m = sh_alloc(sh, sizeof(*m));
	*m = (struct made){
		.next = sh->made, .path = path, .content = content, .program = program};
	sh->made = m;
}

const struct made *find_made(struct sh *sh, const char *word)
{
	const char *path;
	const struct made *m;

	if (path_of(sh, word, &path) == SHELL_EMPTY)
		return NULL;
	for (m = sh->made; m && strcmp(m->path, path); m = m->next)
		;
	return m;
}

void note_link(struct sh *sh, const char *word, const char *target)
{
	struct link *l;
	const char *path;

	if (path_of(sh, word, &path) == SHELL_EMPTY || *path != '/')
		return;
	target = path_join(sh, sh_cwd(sh), target);
	if (!strcmp(target, path))
		return;
	l = sh_alloc(sh, sizeof(*l));
	*l = (struct link){.next = sh->links, .path = path, .target = target};
	sh->links = l;
}
