/*
 * commands.c: calls as commands of a shell that a person can read.
 *
 * A call that cannot be done fails: nothing is overwritten by a move, nothing is made up
 * where a file is missing, texts mean themselves. Names and texts are quoted, and no name
 * can be taken for an option.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agentctl/provider/small/small.h"
#include "common/cleanup.h"
#include "common/mem.h"
#include "common/quote.h"

/* One word for the shell; NULL: no memory. */
static char *word(const char *text)
{
	return quote_argv((char *[]){(char *)"x", (char *)text, NULL});
}

/* The quoted word behind the "x " of word(). */
static const char *bare(const char *quoted)
{
	return quoted ? quoted + 2 : "";
}

/* A name that no program takes for an option, without slashes at its end. */
static char *path_word(const char *name)
{
	auto_free char *safe = mem_printf("%s%s", *name == '-' ? "./" : "", name);
	size_t n = safe ? strlen(safe) : 0;

	while (n > 1 && safe[n - 1] == '/')
		safe[--n] = 0;
	return safe ? word(safe) : NULL;
}

static char *parent_of(const char *name)
{
	auto_free char *dir = mem_strdup(name);
	size_t n = dir ? strlen(dir) : 0;
	char *slash;

	while (n > 1 && dir[n - 1] == '/')
		dir[--n] = 0;
	slash = dir ? strrchr(dir, '/') : NULL;
	if (!slash || slash == dir)
		return NULL;
	*slash = 0;
	return path_word(dir);
}

static char *create(const char *p, const char *t, const struct small_call *c)
{
	auto_free char *dir = parent_of(c->arg[0]);
	auto_free char *first =
		dir ? mem_printf("mkdir -p %s && ", bare(dir)) : mem_strdup("");

	if (!first)
		return NULL;
	if (!*c->arg[1])
		return mem_printf("%s: > %s", first, p);
	return mem_printf("%sprintf '%%s\\n' %s > %s", first, t, p);
}

static char *append(const char *p, const char *t)
{
	return mem_printf("test -f %s && { [ -z \"$(tail -c 1 %s)\" ] || echo; "
			  "printf '%%s\\n' %s; } >> %s",
		p, p, t, p);
}

static char *prepend(const char *p, const char *t)
{
	return mem_printf(
		"test -f %s && new=$(mktemp) && { printf '%%s\\n' %s; cat %s; } "
		"> \"$new\" && cat \"$new\" > %s",
		p, t, p, p);
}

static char *drop(const char *p, const char *t)
{
	return mem_printf(
		"grep -qF -e %s %s && new=$(mktemp) && { grep -vxF -e %s %s > "
		"\"$new\"; ! cmp -s %s \"$new\" || grep -vF -e %s %s > \"$new\"; "
		"cat \"$new\" > %s; }",
		t, p, t, p, p, t, p, p);
}

/* @text with a backslash before each byte of @special. */
static char *escaped(const char *text, const char *special)
{
	char *out = mem_alloc(2 * strlen(text) + 1), *to = out;

	for (; out && *text; text++) {
		if (strchr(special, *text))
			*to++ = '\\';
		*to++ = *text;
	}
	if (out)
		*to = 0;
	return out;
}

static char *replace(const char *p, const struct small_call *c, bool whole)
{
	auto_free char *old =
		escaped(c->arg[1], whole ? "\\/.*[]^$+?(){}|" : "\\/.*[]^$");
	auto_free char *new = escaped(c->arg[2], "\\/&");
	auto_free char *literal = word(c->arg[1]);
	auto_free char *plain = NULL, *script = NULL, *values = NULL, *pattern = NULL;

	if (!old || !new || !literal)
		return NULL;
	plain = mem_printf("s/%s/%s/g", old, new);
	script = plain ? word(plain) : NULL;
	if (!script)
		return NULL;
	if (!whole)
		return mem_printf("grep -qF -e %s %s && sed -i %s %s", bare(literal), p,
			bare(script), p);
	free(plain);
	free(script);
	pattern = mem_printf("(^|[^[:alnum:]_.-])%s($|[^[:alnum:]_.-])", old);
	plain = pattern ? mem_printf("s/%s/\\1%s\\2/g", pattern, new) : NULL;
	script = plain ? word(plain) : NULL;
	values = pattern ? word(pattern) : NULL;
	if (!script || !values)
		return NULL;
	return mem_printf(
		"grep -qE -e %s %s && sed -E -i %s %s", bare(values), p, bare(script), p);
}

/* mv and cp: into a folder that is there, or to a name that is not. */
static char *carry(const char *program, const char *p, const char *q,
	const struct small_call *c, const struct small_context *x)
{
	const char *slash = strrchr(c->arg[0], '/');
	size_t n = strlen(c->arg[1]);
	bool folder = (n > 0 && c->arg[1][n - 1] == '/') ||
		      small_means_folder(x->request, c->arg[1]);
	auto_free char *name = word(slash && slash[1] ? slash + 1 : c->arg[0]);

	if (!name)
		return NULL;
	if (folder)
		return mem_printf("test -d %s && test ! -e %s/%s && %s %s %s/", q, q,
			bare(name), program, p, q);
	return mem_printf("if test -d %s; then test ! -e %s/%s; else test ! -e %s; fi && "
			  "%s %s %s",
		q, q, bare(name), q, program, p, q);
}

static char *count(const char *p, const char *what)
{
	if (strcmp(what, "words") == 0)
		return mem_printf("wc -w < %s", p);
	if (strcmp(what, "characters") == 0)
		return mem_printf("LC_ALL=C.UTF-8 wc -m < %s", p);
	if (strcmp(what, "files") == 0)
		return mem_printf(
			"test -d %s && find %s -maxdepth 1 -type f | wc -l", p, p);
	return mem_printf("awk 'END { print NR }' < %s", p);
}

static char *show(const char *p, const char *part)
{
	if (strcmp(part, "first") == 0)
		return mem_printf("head -n 1 %s", p);
	if (strcmp(part, "last") == 0)
		return mem_printf("tail -n 1 %s", p);
	return mem_printf("cat %s", p);
}

/* Where a move goes: what gets another name stays in its folder. */
static char *target_word(const struct small_call *c, const struct small_context *x)
{
	const char *slash = strrchr(c->arg[0], '/');
	auto_free char *beside = NULL;

	if (c->kind != SMALL_MOVE || !slash || strchr(c->arg[1], '/') ||
		!small_means_rename(x->request))
		return path_word(c->arg[1]);
	beside = mem_printf("%.*s/%s", (int)(slash - c->arg[0]), c->arg[0], c->arg[1]);
	return beside ? path_word(beside) : NULL;
}

char *small_command(const struct small_call *c, const struct small_context *x)
{
	bool second = c->kind == SMALL_MOVE || c->kind == SMALL_COPY;
	auto_free char *path = c->arg[0] ? path_word(c->arg[0]) : NULL;
	auto_free char *other = !c->arg[1] ? NULL
				: second   ? target_word(c, x)
					   : word(c->arg[1]);
	auto_free char *text = NULL;
	const char *p = bare(path), *q = bare(other);

	if ((c->arg[0] && !path) || (c->arg[1] && !other))
		return NULL;
	switch (c->kind) {
	case SMALL_CREATE: return create(p, q, c);
	case SMALL_APPEND: return append(p, q);
	case SMALL_PREPEND: return prepend(p, q);
	case SMALL_REPLACE: return replace(p, c, x->repair);
	case SMALL_DROP: return drop(p, q);
	case SMALL_MOVE: return carry("mv", p, q, c, x);
	case SMALL_COPY: return carry("cp -r", p, q, c, x);
	case SMALL_DELETE: return mem_printf("rm -r %s", p);
	case SMALL_MKDIR: return mem_printf("mkdir -p %s", p);
	case SMALL_COUNT: return count(p, c->arg[1]);
	case SMALL_SEARCH:
		text = word(c->arg[0]);
		free(steal(&other));
		other = path_word(c->arg[1]);
		if (!text || !other)
			return NULL;
		return mem_printf("grep -rnIF --exclude-dir=.git -e %s %s", bare(text),
			bare(other));
	case SMALL_LIST: return mem_printf("ls -A %s", p);
	case SMALL_SHOW: return show(p, c->arg[1]);
	case SMALL_TEST: return mem_strdup(c->arg[0]);
	default: return mem_strdup(":");
	}
}
