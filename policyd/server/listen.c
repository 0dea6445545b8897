/*
 * listen.c: the socket: given by systemd, or made by us in a folder that is ours. One
 * daemon a socket: whoever holds the lock beside it may replace a stale one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "policyd/server/private.h"

enum { FIRST_GIVEN = 3, BACKLOG = 4096 };

/* Its directory must be ours, and nobody else may write in it. */
static int check_dir(const char *sock)
{
	char dir[sizeof(((struct sockaddr_un *)0)->sun_path)];
	char *slash;
	struct stat st;

	snprintf(dir, sizeof(dir), "%s", sock);
	slash = strrchr(dir, '/');
	if (!slash || slash == dir)
		return -EINVAL;
	*slash = '\0';
	for (char *p = dir + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			if (mkdir(dir, 0700) && errno != EEXIST)
				return -errno;
			*p = '/';
		}
	if (mkdir(dir, 0700) && errno != EEXIST)
		return -errno;
	if (stat(dir, &st))
		return -errno;
	if (st.st_uid != geteuid() || (st.st_mode & 022)) {
		fprintf(stderr,
			"policyd: the folder '%s' must be yours and writable only by "
			"you\n",
			dir);
		return -EPERM;
	}
	return 0;
}

/* Exactly one listening Unix socket, as sd_listen_fds(3) describes. 1: taken. */
static int take_given(struct listener *l)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	int type = 0, domain = 0, listens = 0;
	socklen_t len = sizeof(int);

	if (!pid || !fds || atol(pid) != (long)getpid())
		return 0;
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	if (strcmp(fds, "1") ||
		getsockopt(FIRST_GIVEN, SOL_SOCKET, SO_TYPE, &type, &len) ||
		getsockopt(FIRST_GIVEN, SOL_SOCKET, SO_DOMAIN, &domain, &len) ||
		getsockopt(FIRST_GIVEN, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) ||
		type != SOCK_STREAM || domain != AF_UNIX || !listens) {
		fprintf(stderr, "policyd: one listening Unix socket is wanted from "
				"systemd\n");
		return -EINVAL;
	}
	if (fcntl(FIRST_GIVEN, F_SETFD, FD_CLOEXEC) ||
		fcntl(FIRST_GIVEN, F_SETFL, O_NONBLOCK))
		return -errno;
	l->fd = FIRST_GIVEN;
	return 1;
}

static int take_lock(struct listener *l)
{
	char path[sizeof(((struct sockaddr_un *)0)->sun_path) + 8];

	snprintf(path, sizeof(path), "%s.lock", l->path);
	l->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (l->lock_fd < 0)
		return -errno;
	return flock(l->lock_fd, LOCK_EX | LOCK_NB) ? -EADDRINUSE : 0;
}

/* A socket without a daemon, by the lock that we hold; nothing else is removed. */
static int remove_stale(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -ENOTSOCK;
	return unlink(path) ? -errno : 0;
}

int listen_open(struct listener *l, const char *path)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	mode_t mask;
	int e;

	*l = (struct listener){.fd = -1, .lock_fd = -1, .path = path};
	e = take_given(l);
	if (e)
		return e < 0 ? e : 0;
	if (strlen(path) >= sizeof(sa.sun_path))
		return -ENAMETOOLONG;
	if ((e = check_dir(path)) || (e = take_lock(l)))
		return e;
	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->fd < 0)
		return -errno;
	if ((e = remove_stale(path)))
		return e;
	strcpy(sa.sun_path, path);
	mask = umask(0177);
	e = bind(l->fd, (struct sockaddr *)&sa, sizeof(sa)) ? -errno : 0;
	umask(mask);
	l->made = !e;
	return !e && listen(l->fd, BACKLOG) ? -errno : e;
}

/* The name goes while the lock is held: nobody else's is removed. */
void listen_close(struct listener *l)
{
	if (l->fd >= 0) {
		if (l->made)
			unlink(l->path);
		close(l->fd);
	}
	if (l->lock_fd >= 0)
		close(l->lock_fd);
}
