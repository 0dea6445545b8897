/*
 * key.c: a key from the environment or a file, never from a command line, which all users
 * of a machine can see.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "agentctl/provider/key.h"
#include "common/cleanup.h"
#include "common/mem.h"

#define MAX_KEY 8192

/* What may stand in a header. */
static bool is_plain(const char *key)
{
	for (; *key; key++) {
		if (*key <= ' ' || *key == 127)
			return false;
	}
	return true;
}

static int take(
	const char *key, const char *where, char **out, char *message, size_t size)
{
	if (!*key)
		return 0;
	if (!is_plain(key)) {
		snprintf(message, size,
			"%s holds no key: only visible ASCII without blanks can be one",
			where);
		return -EINVAL;
	}
	*out = mem_strdup(key);
	return *out ? 0 : -ENOMEM;
}

int key_from_env(const char *name, char **out, char *message, size_t size)
{
	char *value = getenv(name);
	int r;

	*out = NULL;
	if (!value)
		return 0;
	r = take(value, name, out, message, size);
	explicit_bzero(value, strlen(value)); /* also what /proc shows of us */
	unsetenv(name);
	return r;
}

static int say(char *message, size_t size, const char *path, int r)
{
	snprintf(message, size, "cannot read the key file '%s': %s", path,
		r == -EACCES ? "others may read it; chmod 600" : strerror(-r));
	return r;
}

int key_from_file(const char *path, char **out, char *message, size_t size)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char line[MAX_KEY + 1];
	struct stat st;
	ssize_t n;
	int r;

	*out = NULL;
	if (fd < 0 || fstat(fd, &st) != 0)
		return say(message, size, path, errno == EACCES ? -EPERM : -errno);
	if (S_ISREG(st.st_mode) && (st.st_mode & 077))
		return say(message, size, path, -EACCES);
	n = read(fd, line, MAX_KEY);
	if (n < 0)
		return say(message, size, path, -errno);
	line[n] = 0;
	line[strcspn(line, "\r\n")] = 0;
	r = take(line, path, out, message, size);
	explicit_bzero(line, sizeof line);
	if (r == 0 && !*out) {
		snprintf(message, size, "the key file '%s' is empty", path);
		return -EINVAL;
	}
	return r;
}
