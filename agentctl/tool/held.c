/*
 * held.c: the changes of a transaction, looked through for files that run later outside.
 *
 * The view is read from outside after its sandbox ended, by calls that follow no symbolic
 * link, since its content is the work of a stranger. A directory that was renamed is one
 * row of the changes, so what lies below its new place is walked; a walk that grows too
 * long counts as held.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "agentctl/tool/below.h"
#include "agentctl/tool/impl.h"
#include "agentctl/tool/late.h"
#include "common/cleanup.h"
#include "common/mem.h"

#define MAX_CONFIG (1024 * 1024)
#define MAX_WALK 100000

struct search {
	struct tool *t;
	struct tool_held *out;
	int view, base; /* directories */
	unsigned long walked;
};

/* A small regular file as a string; NULL if it is none, *bytes then tells -1. */
static char *read_below(int dir, const char *path, ssize_t *bytes)
{
	auto_close int fd = below_open(dir, path, O_RDONLY);
	auto_free char *text = NULL;
	struct stat st;
	ssize_t n, got = 0;

	*bytes = -1;
	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
		st.st_size > MAX_CONFIG)
		return NULL;
	text = mem_alloc(MAX_CONFIG + 1);
	if (!text)
		return NULL;
	while ((n = read(fd, text + got, (size_t)(MAX_CONFIG - got))) > 0)
		got += n;
	if (n < 0 || got == MAX_CONFIG)
		return NULL;
	*bytes = got;
	return steal(&text);
}

static bool config_gained(struct search *s, const char *path)
{
	ssize_t old_bytes, bytes;
	auto_free char *now = read_below(s->view, path, &bytes);
	auto_free char *old = read_below(s->base, path, &old_bytes);

	if (!now)
		return true;
	return late_gitconfig(old, old ? (size_t)old_bytes : 0, now, (size_t)bytes);
}

static int append(char ***list, size_t *n, const char *path)
{
	char **more = realloc(*list, (*n + 1) * sizeof *more);
	char *copy = mem_strdup(path);

	if (more)
		*list = more;
	if (!more || !copy) {
		free(copy);
		return -ENOMEM;
	}
	more[(*n)++] = copy;
	return 0;
}

/* @mode as in the view; a directory of a late kind is no news, only what is in it. */
static int judge(struct search *s, const char *path, unsigned int mode)
{
	struct tool_held *h = s->out;
	const char *name = strrchr(path, '/');
	enum late_kind kind = late_kind(path);

	if (S_ISDIR(mode))
		return 0;
	name = name ? name + 1 : path;
	if (strcmp(name, ".git") == 0)
		kind = LATE_ANY; /* a file or link that leads git elsewhere */
	if (kind == LATE_GITCONFIG && (!S_ISREG(mode) || config_gained(s, path)))
		kind = LATE_ANY;
	if (kind == LATE_ANY)
		return append(&h->held, &h->n_held, path);
	if (kind == LATE_LIST)
		return append(&h->listed, &h->n_listed, path);
	return 0;
}

static int walk(struct search *s, const char *path);

static int walk_entry(struct search *s, const char *dir, int fd, const char *name)
{
	auto_free char *path = mem_printf("%s/%s", dir, name);
	struct stat st;
	int r;

	if (!path)
		return -ENOMEM;
	if (++s->walked > MAX_WALK)
		return append(&s->out->held, &s->out->n_held, dir);
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return 0;
	r = judge(s, path, st.st_mode);
	return r == 0 && S_ISDIR(st.st_mode) ? walk(s, path) : r;
}

static int walk(struct search *s, const char *path)
{
	int fd = below_open(s->view, path, O_RDONLY | O_DIRECTORY);
	auto_dir DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	int r = 0;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (r == 0 && s->walked <= MAX_WALK && (e = readdir(d))) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			r = walk_entry(s, path, fd, e->d_name);
	}
	return r;
}

static int on_change(
	void *arg, const struct txfs_row_change *r, const char *path, const char *to)
{
	struct search *s = arg;
	int e;

	switch (r->kind) {
	case TXFS_ADDED: s->out->added++; break;
	case TXFS_DELETED: s->out->deleted++; return 0;
	case TXFS_ATTR:
	case TXFS_CONTENT:
	case TXFS_RENAMED: s->out->changed++; break;
	}
	e = judge(s, to ? to : path, r->mode);
	if (e == 0 && r->kind == TXFS_RENAMED && S_ISDIR(r->mode))
		e = walk(s, to ? to : path);
	return e;
}

int tool_held(struct tool *t, struct tool_held *out)
{
	auto_close int view = open(t->begun.view, O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_close int base = open(txfs_base(t->fs), O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct search s = {.t = t, .out = out, .view = view, .base = base};
	int r;

	memset(out, 0, sizeof *out);
	if (view < 0 || base < 0)
		return tool_say(t, -errno, "cannot open the view '%s': %s", t->begun.view,
			strerror(errno));
	r = txfs_changes(t->fs, t->begun.id, 0, on_change, &s);
	if (r != 0)
		return tool_say(t, r, "cannot list the changes of transaction %llu: %s",
			(unsigned long long)t->begun.id, strerror(-r));
	return 0;
}

void tool_held_free(struct tool_held *h)
{
	for (size_t i = 0; i < h->n_held; i++)
		free(h->held[i]);
	for (size_t i = 0; i < h->n_listed; i++)
		free(h->listed[i]);
	free(h->held);
	free(h->listed);
	memset(h, 0, sizeof *h);
}
