/*
 * links.c: finding all names of a hard-linked base file, by one walk over the base.
 */
#include "fs/tx/impl.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct strings {
	char **s;
	size_t n, cap;
};

static int push(struct strings *a, char *s)
{
	if (s && a->n == a->cap) {
		size_t cap = a->cap ? a->cap * 2 : 16;
		char **p = realloc(a->s, cap * sizeof(*p));

		if (!p) {
			free(s);
			return -ENOMEM;
		}
		a->s = p;
		a->cap = cap;
	}
	if (!s)
		return -ENOMEM;
	a->s[a->n++] = s;
	return 0;
}

struct walk {
	struct tree *t;
	uint64_t ino;
	const char *dir;
	struct strings todo, found;
};

static int see(void *arg, const char *name, unsigned char type, uint64_t ino)
{
	struct walk *w = arg;
	char *path;

	if (!*w->dir && *w->t->stage_name && !strcmp(name, w->t->stage_name))
		return 0;
	if (type != DT_DIR && type != DT_UNKNOWN && ino != w->ino)
		return 0;
	if (asprintf(&path, "%s%s%s", w->dir, *w->dir ? "/" : "", name) < 0)
		return -ENOMEM;
	return push(ino == w->ino ? &w->found : &w->todo, path);
}

int links_find(struct tree *t, uint64_t ino, char ***path, size_t *count)
{
	struct walk w = {.t = t, .ino = ino};
	int r = push(&w.todo, strdup(""));

	while (!r && w.todo.n) {
		char *dir = w.todo.s[--w.todo.n];
		int fd = base_at(t->rootfd, dir, O_PATH | O_DIRECTORY);

		w.dir = dir;
		if (fd >= 0) {
			r = base_list(fd, see, &w);
			close(fd);
		} else if (fd != -ENOTDIR && fd != -ENOENT && fd != -EXDEV &&
			   fd != -ELOOP) {
			r = fd;
		}
		free(dir);
	}
	while (w.todo.n)
		free(w.todo.s[--w.todo.n]);
	free(w.todo.s);
	*path = w.found.s;
	*count = w.found.n;
	return r;
}
