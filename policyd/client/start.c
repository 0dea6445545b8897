/*
 * start.c: a daemon on demand: found beside our own executable, started in a session of
 * its own, waited for until it answers.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "policyd/client/client.h"

static int find_program(char *buf, size_t size)
{
	const char *path = getenv("PATH");
	ssize_t n = readlink("/proc/self/exe", buf, size - 1);
	char *slash;

	if (n > 0) {
		buf[n] = '\0';
		slash = strrchr(buf, '/');
		if (slash && (size_t)(slash - buf) + 9 < size) {
			strcpy(slash, "/policyd");
			if (!access(buf, X_OK))
				return 0;
		}
	}
	for (const char *p = path; p && *p;) {
		size_t len = strcspn(p, ":");

		if (len && *p == '/' && len + 9 < size) {
			snprintf(buf, size, "%.*s/policyd", (int)len, p);
			if (!access(buf, X_OK))
				return 0;
		}
		p += len;
		p += *p == ':';
	}
	return -ENOENT;
}

/* Runs in the grandchild: nothing of the caller but the environment goes with it. */
static void become_daemon(const char *program, const char *socket)
{
	int fd = open("/dev/null", O_RDWR);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (fd >= 0) {
		dup2(fd, 0);
		dup2(fd, 1);
		dup2(fd, 2);
	}
	for (int i = 3; i < 1024; i++)
		close(i);
	if (chdir("/"))
		_exit(126);
	execl(program, "policyd", "--socket", socket, (char *)NULL);
	_exit(127);
}

int policy_start(const char *path)
{
	char program[PATH_MAX], sock[PATH_MAX];
	const struct timespec step = {.tv_nsec = 5 * 1000 * 1000};
	pid_t pid;
	int r, status;

	if (!path && (r = policy_socket_path(sock, sizeof(sock))))
		return r;
	if (!path)
		path = sock;
	if ((r = find_program(program, sizeof(program))))
		return r;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		setsid();
		pid = fork();
		if (pid == 0)
			become_daemon(program, path);
		_exit(pid < 0);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	for (int i = 0; i < 400; i++) {
		struct policy *p = NULL;

		r = policy_connect(&p, path, 0);
		if (!r || (r != -ENOENT && r != -ECONNREFUSED)) {
			policy_close(p);
			return r;
		}
		nanosleep(&step, NULL);
	}
	return -ETIMEDOUT;
}

int policy_open(struct policy **pp, const char *path, int timeout_ms)
{
	int r = policy_connect(pp, path, timeout_ms);

	if (r != -ENOENT && r != -ECONNREFUSED)
		return r;
	r = policy_start(path);
	return r ? r : policy_connect(pp, path, timeout_ms);
}
