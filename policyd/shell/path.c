/*
 * path.c: where a word points: joined to the current directory, taken apart, and put
 * into one of a few kinds of places. Purely lexical; links are for the caller.
 *
 * A path with a hole is judged by what is fixed before it: build/<any> lies below
 * build. A word that begins with a hole of unknown shape may be any path.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "policyd/shell/sh.h"

enum { MAX_PARTS = 256 };

static bool is_number(const char *s)
{
	return *s && !s[strspn(s, "0123456789\1\2")];
}

/* /proc/self/root/x is /x, /proc/<any>/cwd is the current directory. */
static size_t proc_alias(const char **part, size_t *len, size_t n, bool *cwd)
{
	char pid[32];
	size_t k = 2;

	*cwd = false;
	if (n < 3 || len[0] != 4 || memcmp(part[0], "proc", 4) || len[1] >= sizeof(pid))
		return 0;
	memcpy(pid, part[1], len[1]);
	pid[len[1]] = '\0';
	if (strcmp(pid, "self") && strcmp(pid, "thread-self") && !is_number(pid))
		return 0;
	if (n >= 5 && len[2] == 4 && !memcmp(part[2], "task", 4))
		k = 4; /* /proc/self/task/<any>/root */
	*cwd = len[k] == 3 && !memcmp(part[k], "cwd", 3);
	return *cwd || (len[k] == 4 && !memcmp(part[k], "root", 4)) ? k + 1 : 0;
}

/* /proc/self/fd/7/x, /dev/fd/7/x where 7 was opened on a directory by exec 7< DIR. */
static const char *fd_alias(
	struct sh *sh, const char **part, const size_t *len, size_t n, size_t *skip)
{
	if (n >= 4 && len[0] == 4 && !memcmp(part[0], "proc", 4) && len[2] == 2 &&
		!memcmp(part[2], "fd", 2))
		*skip = 4;
	else if (n >= 3 && len[0] == 3 && !memcmp(part[0], "dev", 3) && len[1] == 2 &&
		 !memcmp(part[1], "fd", 2))
		*skip = 3;
	else
		return NULL;
	if (len[*skip - 1] != 1 || part[*skip - 1][0] < '0' || part[*skip - 1][0] > '9')
		return NULL;
	return fd_path(sh, (unsigned)(part[*skip - 1][0] - '0'));
}

/* Absolute, with . and .. and doubled slashes gone. @path is absolute. */
static char *normalise(struct sh *sh, const char *path, const char *cwd, int hops)
{
	const char *part[MAX_PARTS];
	size_t len[MAX_PARTS], n = 0, skip;
	struct buf b = {0};
	const char *fd;
	bool to_cwd;

	for (const char *p = path; *p;) {
		size_t l;

		p += strspn(p, "/");
		l = strcspn(p, "/");
		if (l == 2 && p[0] == '.' && p[1] == '.') {
			/* above a path of unknown depth may lie anything */
			if (n && memchr(part[n - 1], SHELL_BELOW, len[n - 1]))
				return sh_str(sh, HOLE(SHELL_ANYTHING));
			n -= n > 0;
		} else if (l && !(l == 1 && *p == '.') && n < MAX_PARTS) {
			part[n] = p;
			len[n++] = l;
		}
		p += l;
	}
	if ((fd = fd_alias(sh, part, len, n, &skip))) {
		buf_add(sh, &b, fd, strlen(fd));
		for (size_t i = skip; i < n; i++) {
			buf_c(sh, &b, '/');
			buf_add(sh, &b, part[i], len[i]);
		}
		return buf_str(sh, &b);
	}
	skip = proc_alias(part, len, n, &to_cwd);
	if (to_cwd)
		buf_add(sh, &b, cwd, strlen(cwd));
	for (size_t i = skip; i < n; i++) {
		buf_c(sh, &b, '/');
		buf_add(sh, &b, part[i], len[i]);
	}
	if (!b.n)
		buf_c(sh, &b, '/');
	buf_str(sh, &b);
	return skip && hops ? normalise(sh, b.s, cwd, hops - 1) : b.s;
}

char *path_join(struct sh *sh, const char *cwd, const char *word)
{
	if (*word == '/')
		return normalise(sh, word, cwd, 3);
	if (is_hole(*word) && *word >= SHELL_ANYTHING)
		return sh_str(sh, word);
	if (is_hole(*cwd) && *cwd >= SHELL_ANYTHING)
		return sh_str(sh, cwd);
	return normalise(sh, sh_cat3(sh, cwd, "/", word), cwd, 3);
}

bool path_is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	while (n > 1 && dir[n - 1] == '/')
		n--;
	return !strncmp(path, dir, n) && (path[n] == '/' || !path[n] || n == 1);
}

/* A name of @pattern's and one with holes, as .ss* is: may they be the same? */
static bool may_be(const char *name, size_t n, const char *with_holes, size_t m)
{
	char plain[128], glob[128];

	if (n >= sizeof(plain) || m >= sizeof(glob) ||
		(*name == '.' && is_hole(*with_holes)))
		return false; /* no * stands for a first dot */
	memcpy(plain, name, n);
	plain[n] = '\0';
	for (size_t i = 0; i < m; i++)
		glob[i] = is_hole(with_holes[i]) ? '*' : with_holes[i];
	glob[m] = '\0';
	return fnmatch(glob, plain, 0) == 0 || fnmatch(plain, glob, 0) == 0;
}

static bool may_match(const char *pattern, const char *path)
{
	if (!has_hole(path) || strchr(path, SHELL_ANYTHING) || strchr(path, SHELL_BELOW))
		return false;
	while (*pattern == '/' && *path == '/') {
		size_t n = strcspn(++pattern, "/"), m = strcspn(++path, "/");

		if (!may_be(pattern, n, path, m))
			return false;
		pattern += n;
		path += m;
	}
	return !*pattern && !*path;
}

/* Whether @path goes on with the plain beginning of @text; all goes behind a hole. */
static bool goes_on(const char **path, const char *text)
{
	for (; *text && !strchr("*?[\\", *text) && !is_hole(**path); text++)
		if (*(*path)++ != *text)
			return false;
	return true;
}

/* Most rows have nothing in common with a path, so that is seen first. */
static bool may_begin(
	const struct shell_context *c, const char *pattern, const char *path)
{
	return *pattern == '~' ? goes_on(&path, c->home) && goes_on(&path, pattern + 1)
			       : goes_on(&path, pattern);
}

/* A row of a place table: ~ is the home, * matches within one name. */
static bool matches(const struct shell_context *c, const char *pattern, const char *path)
{
	char full[512], head[512];
	size_t n, depth = 0;
	const char *p = path;

	snprintf(full, sizeof(full), "%s%s", *pattern == '~' ? c->home : "",
		pattern + (*pattern == '~'));
	for (const char *q = full; *q; q++)
		depth += *q == '/';
	for (; *p; p++)
		if (*p == '/' && !depth--)
			break;
	n = (size_t)(p - path);
	if (n >= sizeof(head))
		return false;
	memcpy(head, path, n);
	head[n] = '\0';
	return fnmatch(full, head, FNM_PATHNAME) == 0 || may_match(full, head);
}

static bool in_table(const struct shell_context *c, enum table t, const char *path)
{
	size_t n;
	const char *const *const *rows = table_all(t, &n);

	for (size_t i = 0; i < n; i++) {
		const char *pat = rows[i][0];

		if (*pat == '*') { /* anywhere: the last names */
			if (fnmatch(pat, path, 0) == 0)
				return true;
			continue;
		}
		if ((*pat == '/' || *pat == '~') && may_begin(c, pat, path) &&
			matches(c, pat, path))
			return true;
	}
	return false;
}

static bool is_scratch(const struct shell_context *c, const char *path)
{
	static const char *const files[] = {"/dev/null", "/dev/zero", "/dev/full",
		"/dev/random", "/dev/urandom", "/dev/stdin", "/dev/stdout", "/dev/stderr",
		"/dev/tty", NULL};

	if (str_in(path, files) || path_is_below(path, "/dev/fd") ||
		path_is_below(path, "/dev/shm"))
		return true;
	if (!strncmp(path, "/proc/self/fd/", 14))
		return true;
	if (c->tmpdir && path_is_below(path, c->tmpdir))
		return true;
	return path_is_below(path, "/tmp") || path_is_below(path, "/var/tmp") ||
	       path_is_below(path, "/private/tmp");
}

static bool is_public_key(const char *path)
{
	size_t n = strlen(path);

	return n > 4 && !strcmp(path + n - 4, ".pub") && strstr(path, "/.ssh/");
}

static enum shell_place place_literal(
	const struct shell_context *c, const char *path, bool hole)
{
	const char *ws = c->workspace;
	size_t n = strlen(ws);

	if (path_is_below(path, ws)) {
		const char *rest = path + n;

		while (*rest == '/')
			rest++;
		if (!*rest)
			return hole ? SHELL_WORKSPACE : SHELL_ROOT;
		return !strcmp(rest, ".git") ? SHELL_ROOT : SHELL_WORKSPACE;
	}
	if (in_table(c, T_HIDDEN, path) && !is_public_key(path) &&
		strcmp(path, "/proc/self/environ")) /* what env prints */
		return SHELL_CREDENTIAL;
	if (in_table(c, T_CACHES, path))
		return SHELL_CACHE;
	if (path_is_below(path, c->home))
		return SHELL_HOME;
	if (is_scratch(c, path))
		return SHELL_SCRATCH;
	if (path_is_below(path, "/home") || path_is_below(path, "/root") ||
		path_is_below(path, "/Users"))
		return SHELL_HOME;
	if (path_is_below(path, "/dev"))
		return SHELL_DEVICE;
	return SHELL_SYSTEM;
}

enum shell_place place_of(const struct shell_context *c, struct sh *sh, const char *path)
{
	size_t fixed = strcspn(path, "\1\2\3\4\5\6\7");
	enum shell_place p;
	char *dir;

	if (*path != '/')
		return SHELL_UNKNOWN;
	if (!path[fixed])
		return place_literal(c, path, false);
	/* the pattern itself may say enough: /etc/shado?, anything/id_rsa */
	p = place_literal(c, path, true);
	if (in_table(c, T_HIDDEN, path) && p != SHELL_WORKSPACE)
		return SHELL_CREDENTIAL;
	while (fixed > 1 && path[fixed - 1] != '/')
		fixed--;
	if (fixed == 5 && !memcmp(path, "/dev/", 5))
		return SHELL_DEVICE;
	dir = sh_strn(sh, path, fixed > 1 ? fixed - 1 : 1);
	return place_literal(c, dir, true);
}

/* Through links that the command made, and not the link itself unless @whole. */
static char *through_links(struct sh *sh, char *p, bool whole)
{
	for (int hops = 0; hops < 8; hops++) {
		const struct link *l = sh->links;

		while (l && (l->hard || !path_is_below(p, l->path) ||
				    (!whole && !p[strlen(l->path)])))
			l = l->next;
		if (!l)
			break;
		p = path_join(sh, "/", sh_cat(sh, l->target, p + strlen(l->path)));
	}
	return p;
}

char *path_below_links(struct sh *sh, const char *word)
{
	return through_links(sh, path_join(sh, sh_cwd(sh), word), true);
}

enum shell_place path_of(struct sh *sh, const char *word, const char **path)
{
	char *p;

	if (!*word) {
		*path = NULL;
		return SHELL_EMPTY;
	}
	if (((*word | 32) >= 'a' && (*word | 32) <= 'z') && word[1] == ':' &&
		word[2] == '\\') { /* C:\.. */
		*path = word;
		return SHELL_SYSTEM;
	}
	if (!strncmp(word, "file://", 7))
		word = word[7] ? word + 7 : "/";
	p = path_join(sh, sh_cwd(sh), word);
	/* with a slash at its end the word means what the link leads to */
	*path = p = through_links(sh, p, word[strlen(word) - 1] == '/');
	return place_of(sh->ctx, sh, p);
}

bool path_is_product(const char *path, const char *workspace)
{
	size_t n, skip = path_is_below(path, workspace) ? strlen(workspace) : 0;
	const char *const *const *rows = table_all(T_PRODUCTS, &n);

	for (const char *p = path + skip; *p;) {
		char name[256];
		size_t len;

		p += strspn(p, "/");
		len = strcspn(p, "/");
		if (len && len < sizeof(name)) {
			memcpy(name, p, len);
			name[len] = '\0';
			for (size_t i = 0; i < n; i++)
				if (!fnmatch(rows[i][0], name, 0) &&
					(rows[i][0][0] != '*' || !p[len]))
					return true;
		}
		p += len;
	}
	return false;
}
