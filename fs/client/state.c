/*
 * state.c: the state directory, and the handling of paths and small files in it.
 */
#include "fs/client/impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/cleanup.h"
#include "common/hash.h"
#include "common/mem.h"

#define FILE_MAX (64u << 10)

int make_dirs(const char *path)
{
	auto_free char *p = mem_strdup(path);

	if (!p)
		return -ENOMEM;
	for (char *slash = strchr(p + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(p, 0700) && errno != EEXIST && errno != EROFS &&
			errno != EACCES)
			return -errno;
		*slash = '/';
	}
	return mkdir(p, 0700) && errno != EEXIST ? -errno : 0;
}

static char *state_path(void)
{
	const char *own = getenv("TXFS_STATE_DIR");
	const char *xdg = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");

	errno = ENOENT;
	if (own && *own)
		return mem_strdup(own);
	if (geteuid() == 0)
		return mem_strdup("/var/lib/txfs");
	if (xdg && *xdg == '/')
		return mem_printf("%s/txfs", xdg);
	if (home && *home == '/')
		return mem_printf("%s/.local/state/txfs", home);
	return NULL;
}

int txfs_state_dir(char **out)
{
	auto_free char *path = state_path();
	int err;

	*out = NULL;
	if (!path)
		return -errno;
	err = make_dirs(path);
	if (err)
		return err;
	*out = realpath(path, NULL);
	return *out ? 0 : -errno;
}

int state_sub(const char *name, char **out)
{
	auto_free char *top = NULL;
	auto_free char *path = NULL;
	int err = txfs_state_dir(&top);

	*out = NULL;
	if (err)
		return err;
	path = mem_printf("%s/%s", top, name);
	if (!path)
		return -ENOMEM;
	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	*out = steal(&path);
	return 0;
}

void path_hash(const char *path, char hex[33])
{
	uint8_t h[HASH_BYTES];

	hash128(path, strlen(path), h);
	hash_hex(h, hex);
}

int txfs_default_store(const char *base, char **out)
{
	auto_free char *dir = NULL;
	char hash[33];
	int err = state_sub("store", &dir);

	*out = NULL;
	if (err)
		return err;
	path_hash(base, hash);
	*out = mem_printf("%s/%s", dir, hash);
	return *out ? 0 : -ENOMEM;
}

static int write_all(int fd, const char *text)
{
	size_t n = strlen(text);

	while (n) {
		ssize_t w = write(fd, text, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return -errno;
		text += w;
		n -= (size_t)w;
	}
	return 0;
}

int write_file(const char *path, const char *text)
{
	auto_free char *tmp = mem_printf("%s.XXXXXX", path);
	auto_close int fd = -1;
	int err;

	if (!tmp)
		return -ENOMEM;
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = write_all(fd, text);
	if (!err && rename(tmp, path))
		err = -errno;
	if (err)
		unlink(tmp);
	return err;
}

int read_file(const char *path, char **out)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	auto_free char *buf = NULL;
	size_t n = 0;
	ssize_t got;

	*out = NULL;
	if (fd < 0)
		return -errno;
	buf = mem_alloc(FILE_MAX + 1);
	if (!buf)
		return -ENOMEM;
	do {
		got = read(fd, buf + n, FILE_MAX - n);
		if (got < 0 && errno != EINTR)
			return -errno;
		n += got > 0 ? (size_t)got : 0;
	} while (got && n < FILE_MAX);
	buf[n] = 0;
	*out = steal(&buf);
	return 0;
}
