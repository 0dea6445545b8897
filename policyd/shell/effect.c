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
	if (sh->n_effects && sh->n_commands &&
		sh->commands[sh->n_commands - 1].first_effect < sh->n_effects) {
		e = &sh->effects[sh->n_effects - 1]; /* the same once more says nothing */
		if (e->verb == v && e->place == p && e->how == how && word && program &&
			!strcmp(e->word, word) && !strcmp(e->program, program))
			return e;
	}
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

/* What is written to a hard link is written to the file. */
static enum shell_place through_hard_link(
	struct sh *sh, enum shell_place p, const char **path)
{
	for (const struct link *l = sh->links; l; l = l->next)
		if (l->hard && !strcmp(l->path, *path)) {
			*path = l->target;
			return place_of(sh->ctx, sh, *path);
		}
	return p;
}

/* A scratch folder that the workspace or the home lies in, or a pattern that may be. */
static bool holds_us(struct sh *sh, const char *path)
{
	size_t fixed = strcspn(path, "\1\2\3\4\5\6\7");
	const char *dir = path;

	if (path[fixed]) {
		while (fixed > 1 && path[fixed - 1] != '/')
			fixed--;
		dir = sh_strn(sh, path, fixed > 1 ? fixed - 1 : 1);
		if (path[fixed] && path[fixed] != SHELL_NAME &&
			path[fixed] != SHELL_ANYTHING && path[fixed] != SHELL_BELOW)
			return false; /* a pattern of some name of its own */
	}
	return path_is_below(sh->ctx->workspace, dir) ||
	       path_is_below(sh->ctx->home, dir);
}

struct shell_effect *effect_path(struct sh *sh, enum shell_verb v, const char *program,
	const char *word, enum shell_how how)
{
	const char *path;
	enum shell_place p = path_of(sh, word, &path);
	struct shell_effect *e;

	if (p == SHELL_EMPTY)
		return NULL;
	if (v == SHELL_READ && p == SHELL_CREDENTIAL && program &&
		word_in(program,
			"ls stat du dir vdir exa eza lsd tree realpath readlink"))
		return NULL; /* names and sizes, not what is in it */
	if (v == SHELL_READ && p == SHELL_SYSTEM &&
		(strstr(path, ".pid") || !strcmp(path, "/proc")))
		sh->foreign = word; /* whose number a kill may take from it */
	if (v != SHELL_DELETE && sh->links &&
		!(program && word_in(program, "ln mv rename"))) {
		path = path_below_links(sh, word);
		p = place_of(sh->ctx, sh, path);
	}
	if (v != SHELL_READ && v != SHELL_DELETE)
		p = through_hard_link(sh, p, &path);
	if (p == SHELL_SCRATCH && v != SHELL_READ && holds_us(sh, path))
		p = SHELL_SYSTEM;
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

/* Each value of a configuration of git's may be a command. */
static void settings(struct sh *sh, const char *content)
{
	for (const char *p = strchr(content, '='); p; p = strchr(p, '=')) {
		p += 1 + strspn(p + 1, " \t\"");
		code_guess(sh, sh_strn(sh, p, strcspn(p, "\n")), "git");
	}
}

void note_made(struct sh *sh, const char *word, const char *content, const char *program)
{
	const char *path;
	struct made *m;

	if (path_of(sh, word, &path) == SHELL_EMPTY || !strcmp(path, "/dev/null"))
		return;
	if (content && strstr(path, "/.git/hooks/"))
		code_guess(sh, content, "git hook");
	if (content && strstr(path, "/.git/config"))
		settings(sh, content);
	m = sh_alloc(sh, sizeof(*m));
	*m = (struct made){
		.next = sh->made, .path = path, .content = content, .program = program};
	sh->made = m;
}

void note_tree(struct sh *sh, const char *word)
{
	struct made *m;
	const char *path;

	if (path_of(sh, word, &path) == SHELL_EMPTY || *path != '/')
		return;
	m = sh_alloc(sh, sizeof(*m));
	*m = (struct made){.next = sh->trees, .path = path};
	sh->trees = m;
}

bool in_tree(struct sh *sh, const char *word)
{
	static const char own[] =
		"configure gradlew mvnw bootstrap.sh autogen.sh bootstrap "
		"manage.py gradlew.bat";
	const char *path, *name = strrchr(word, '/');

	if (!sh->trees || path_of(sh, word, &path) == SHELL_EMPTY ||
		word_in(name ? name + 1 : word, own))
		return false;
	for (const struct made *m = sh->trees; m; m = m->next) {
		size_t n = strlen(m->path);

		if (!strncmp(path, m->path, n) && path[n] == '/')
			return true;
	}
	return false;
}

struct made *find_made(struct sh *sh, const char *word)
{
	const char *path;
	struct made *m;

	if (path_of(sh, word, &path) == SHELL_EMPTY)
		return NULL;
	for (m = sh->made; m && strcmp(m->path, path); m = m->next)
		;
	return m;
}

void note_fd(struct sh *sh, int fd, const char *word)
{
	const char *path;

	if (fd >= 0 && fd < 10 && path_of(sh, word, &path) != SHELL_EMPTY)
		sh->fd[fd] = path;
}

const char *fd_path(struct sh *sh, unsigned n)
{
	return n < 10 ? sh->fd[n] : NULL;
}

void note_link(struct sh *sh, const char *word, const char *target, bool hard)
{
	struct link *l;
	const char *path;

	if (path_of(sh, word, &path) == SHELL_EMPTY || *path != '/')
		return;
	target = *target == '/' || hard
			 ? path_join(sh, sh_cwd(sh), target)
			 : path_join(sh,
				   sh_strn(sh, path, (size_t)(strrchr(path, '/') - path)),
				   target);
	if (!strcmp(target, path))
		return;
	l = sh_alloc(sh, sizeof(*l));
	*l = (struct link){
		.next = sh->links, .path = path, .target = target, .hard = hard};
	sh->links = l;
}
