/*
 * diff.c: what a transaction changed, to read: a line for each path, and of regular
 * files the lines that differ, as diff(1) tells them.
 *
 * The view is the work of a stranger: it is opened without following links, and diff gets
 * descriptors, never names. It runs while the sandbox may go on, so it is a look at a
 * moment, not a proof.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agentctl/tool/below.h"
#include "agentctl/tool/impl.h"
#include "common/cleanup.h"
#include "common/escape.h"

#define FILE_BYTES (4 << 20) /* of larger ones only the line is told */

struct diff {
	const char *only; /* this path and what lies below it, or NULL */
	FILE *out;
	size_t max, used;
	bool full;
	int view, base; /* directories */
	unsigned long left_out;
};

static void put(struct diff *d, const char *text, size_t n)
{
	if (d->used + n > d->max) {
		d->full = true;
		return;
	}
	fwrite(text, 1, n, d->out);
	d->used += n;
}

static void put_line(struct diff *d, char sign, const char *path, const char *to)
{
	auto_free char *a = escape_text(path, strlen(path));
	auto_free char *b = to ? escape_text(to, strlen(to)) : NULL;
	auto_free char *line = NULL;
	int n = asprintf(
		&line, "%c %s%s%s\n", sign, a ? a : "?", b ? " -> " : "", b ? b : "");

	if (n > 0)
		put(d, line, (size_t)n);
}

/* A small regular file below @dir, or the empty one. -1: neither. */
static int open_content(int dir, const char *path)
{
	auto_close int fd = path ? below_open(dir, path, O_RDONLY)
				 : open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return -1;
	if (path && (!S_ISREG(st.st_mode) || st.st_size > FILE_BYTES))
		return -1;
	return steal_fd(&fd);
}

static _Noreturn void become_diff(int old, int new, int out)
{
	char *argv[] = {(char *)"diff", (char *)"-u", (char *)"--label=before",
		(char *)"--label=after", (char *)"/dev/fd/10", (char *)"/dev/fd/11",
		NULL};
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(null, 2) < 0 ||
		dup2(old, 10) < 0 || dup2(new, 11) < 0)
		_exit(2);
	execvp(argv[0], argv);
	_exit(2);
}

/* Its first two lines only name the files. */
static void copy_diff(struct diff *d, FILE *from)
{
	auto_free char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	for (int i = 0; (n = getline(&line, &cap, from)) > 0; i++) {
		if (i >= 2 || strncmp(line, "Binary", 6) == 0)
			put(d, line, (size_t)n);
		if (d->full)
			return;
	}
}

static void put_content(struct diff *d, const char *before, const char *after)
{
	auto_close int old = open_content(d->base, before);
	auto_close int new = open_content(d->view, after);
	auto_file FILE *from = NULL;
	int p[2];
	pid_t pid;

	if (old < 0 || new < 0 || pipe2(p, O_CLOEXEC) != 0)
		return;
	pid = fork();
	if (pid == 0) {
		/* out of the way of the numbers that become_diff gives */
		become_diff(fcntl(old, F_DUPFD, 20), fcntl(new, F_DUPFD, 20),
			fcntl(p[1], F_DUPFD, 20));
	}
	close(p[1]);
	from = fdopen(p[0], "r");
	if (!from)
		close(p[0]);
	else if (pid > 0)
		copy_diff(d, from);
	if (pid > 0) {
		kill(pid, SIGKILL); /* it may still have much to say */
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
}

static bool wanted(const struct diff *d, const char *path, const char *to)
{
	size_t n = d->only ? strlen(d->only) : 0;

	if (!d->only)
		return true;
	if (strncmp(path, d->only, n) == 0 && (!path[n] || path[n] == '/'))
		return true;
	return to && wanted(d, to, NULL);
}

static int on_change(
	void *arg, const struct txfs_row_change *r, const char *path, const char *to)
{
	struct diff *d = arg;

	if (!wanted(d, path, to))
		return 0;
	if (d->full) {
		d->left_out++;
		return 0;
	}
	put_line(d, (char)r->kind, path, to);
	if (!S_ISREG(r->mode))
		return 0;
	if (r->kind == TXFS_ADDED)
		put_content(d, NULL, path);
	else if (r->kind == TXFS_CONTENT)
		put_content(d, path, path);
	return 0;
}

int tool_diff(struct tool *t, const char *path, size_t max, char **text)
{
	auto_close int view = open(t->begun.view, O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_close int base = open(txfs_base(t->fs), O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct diff d = {.only = path, .max = max, .view = view, .base = base};
	size_t n = 0;
	int r;

	*text = NULL;
	if (view < 0 || base < 0)
		return tool_say(t, -errno, "cannot open the view '%s': %s", t->begun.view,
			strerror(errno));
	d.out = open_memstream(text, &n);
	if (!d.out)
		return tool_say(t, -ENOMEM, "out of memory");
	r = txfs_changes(t->fs, t->begun.id, 0, on_change, &d);
	if (d.full)
		fprintf(d.out, "[cut here; %lu more paths]\n", d.left_out);
	if (fclose(d.out) != 0 && r == 0)
		r = -ENOMEM;
	if (r == 0)
		return 0;
	free(*text);
	*text = NULL;
	return tool_say(t, r, "cannot list the changes of transaction %llu: %s",
		(unsigned long long)t->begun.id, strerror(-r));
}
