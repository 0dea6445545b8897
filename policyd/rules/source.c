/*
 * source.c: where rules come from: the fixed places, and which files may be believed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "policyd/rules/private.h"

enum { MAX_FILE_BYTES = 1 << 20 };

static const char *env_dir(const char *name)
{
	const char *v = getenv(name);

	return v && *v == '/' ? v : NULL;
}

int rules_user_file(char *buf, size_t size)
{
	const char *config = env_dir("XDG_CONFIG_HOME"), *home = env_dir("HOME");
	int n;

	if (config)
		n = snprintf(buf, size, "%s/txfs/policy.yaml", config);
	else if (home)
		n = snprintf(buf, size, "%s/.config/txfs/policy.yaml", home);
	else
		return -ENOENT;
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int rules_workspace_file(const char *workspace, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%s/" RULES_WORKSPACE_NAME, workspace);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* Whoever could change the file could change the verdicts. A workspace's own file can
 * only tighten, so it may belong to anybody. */
static const char *not_believed(const struct rules_source *s, const struct stat *st)
{
	if (s->tier == RULES_WORKSPACE || s->anyones)
		return NULL;
	if (s->tier == RULES_ADMIN && (st->st_uid != 0 || (st->st_mode & 022)))
		return "it must belong to root and be writable by root only";
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return "it belongs to somebody else";
	return st->st_mode & 002 ? "everybody may write it" : NULL;
}

static int open_source(const struct rules_source *s)
{
	int nofollow = s->tier == RULES_WORKSPACE ? O_NOFOLLOW : 0;
	int fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | nofollow);

	return fd < 0 ? -errno : fd;
}

static int read_all(int fd, char **text, size_t *len)
{
	auto_free char *buf = malloc(MAX_FILE_BYTES + 1);
	ssize_t n;

	if (!buf)
		return -ENOMEM;
	for (*len = 0;; *len += (size_t)n) {
		n = read(fd, buf + *len, MAX_FILE_BYTES + 1 - *len);
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
	}
	if (*len > MAX_FILE_BYTES)
		return -EFBIG;
	buf[*len] = '\0';
	*text = steal(&buf);
	return 0;
}

int source_read(
	const struct rules_source *s, char **text, size_t *len, char *err, size_t size)
{
	auto_close int fd = open_source(s);
	const char *why;
	struct stat st;
	int e = fd < 0 ? fd : fstat(fd, &st) ? -errno : 0;

	*text = NULL;
	if (s->optional && (e == -ENOENT || e == -ENOTDIR))
		return -ENOENT;
	if (!e && !S_ISREG(st.st_mode))
		e = S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	if (!e && (why = not_believed(s, &st))) {
		snprintf(err, size, "%s: %s", s->path, why);
		return -EPERM;
	}
	if (!e)
		e = read_all(fd, text, len);
	if (e)
		snprintf(err, size, "cannot read rules '%s': %s", s->path, strerror(-e));
	return e;
}
