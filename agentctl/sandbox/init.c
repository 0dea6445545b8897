/*
 * init.c: pid 1 of a sandbox. It builds the mounts, gives up its rights, and then serves
 * one request at a time: start this command, send it that signal. It reaps whatever was
 * orphaned. It cannot be traced or looked into by what runs beside it, and it ends when
 * the outside is gone; the kernel then kills all others.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agentctl/sandbox/wire.h"
#include "common/cleanup.h"

struct init {
	int ctl, children; /* the outside; SIGCHLD as a descriptor */
	pid_t command;	   /* running now, or 0 */
};

static int write_file(const char *path, const char *text)
{
	auto_close int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t n = strlen(text);

	if (fd < 0)
		return -errno;
	return write(fd, text, n) == (ssize_t)n ? 0 : -EIO;
}

/* An ordinary user stays who it is; there is no other id inside. */
static int map_ids(uid_t uid, gid_t gid)
{
	char line[64];
	int r;

	r = write_file("/proc/self/setgroups", "deny");
	if (r != 0 && r != -ENOENT)
		return r;
	snprintf(line, sizeof line, "%u %u 1\n", uid, uid);
	r = write_file("/proc/self/uid_map", line);
	if (r != 0)
		return r;
	snprintf(line, sizeof line, "%u %u 1\n", gid, gid);
	return write_file("/proc/self/gid_map", line);
}

/* The arguments behind the working directory; *data is the whole text, to be unmapped. */
static char **arguments(int fd, uint32_t count, char **cwd)
{
	struct stat st;
	char **argv, *data, *p, *end;

	if (fstat(fd, &st) != 0 || st.st_size == 0)
		return NULL;
	data = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	argv = calloc(count + 1, sizeof *argv);
	if (data == MAP_FAILED || !argv)
		return NULL;
	end = data + st.st_size;
	if (end[-1] != 0)
		return NULL;
	*cwd = data;
	p = data + strlen(data) + 1;
	for (uint32_t i = 0; i < count; i++) {
		if (p >= end)
			return NULL;
		argv[i] = p;
		p += strlen(p) + 1;
	}
	return argv;
}

/* In the child: become the command. Returns only what went wrong. */
static int become(const struct wire_msg *m, int *fds)
{
	char *cwd = NULL, **argv;
	sigset_t none;

	argv = arguments(fds[3], m->count, &cwd);
	if (!argv || !argv[0])
		return EINVAL;
	setsid();
	for (int i = 0; i < 3; i++) {
		if (dup2(fds[i], i) < 0)
			return errno;
	}
	if (chdir(cwd) != 0)
		return errno;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	setenv("PWD", cwd, 1);
	execvp(argv[0], argv);
	return errno;
}

/* Start a command; its exec tells its failure through a pipe that exec closes. */
static int start(struct init *in, const struct wire_msg *m, int *fds)
{
	int report[2], error = 0;
	ssize_t n;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) != 0)
		return errno;
	pid = fork();
	if (pid == 0) {
		error = become(m, fds);
		n = write(report[1], &error, sizeof error);
		_exit(n < 0 ? 1 : 127);
	}
	error = pid < 0 ? errno : 0;
	close(report[1]);
	do {
		n = read(report[0], &error, sizeof error);
	} while (n < 0 && errno == EINTR);
	close(report[0]);
	if (pid > 0 && error == 0)
		in->command = pid;
	return error;
}

static void on_request(struct init *in)
{
	struct wire_msg m, answer = {.op = WIRE_EXITED};
	int fds[WIRE_FDS];

	if (wire_recv(in->ctl, &m, fds) != 0)
		_exit(0);
	if (m.op == WIRE_EXEC) {
		answer.error = in->command ? EBUSY : start(in, &m, fds);
		if (answer.error != 0 && wire_send(in->ctl, &answer, NULL, 0) != 0)
			_exit(0);
	} else if (m.op == WIRE_SIGNAL && in->command) {
		if (kill(-in->command, (int)m.count) != 0)
			kill(in->command, (int)m.count);
	}
	for (int i = 0; i < WIRE_FDS; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
}

static void on_child(struct init *in)
{
	struct wire_msg m = {.op = WIRE_EXITED};
	struct signalfd_siginfo si;
	pid_t pid;

	/* SIGCHLDs merge: one read, then all who ended. */
	if (read(in->children, &si, sizeof si) < 0 && errno != EAGAIN)
		_exit(1);
	while ((pid = waitpid(-1, &m.status, WNOHANG)) > 0) {
		if (pid != in->command)
			continue;
		in->command = 0;
		if (wire_send(in->ctl, &m, NULL, 0) != 0)
			_exit(0);
	}
}

static void serve(struct init *in)
{
	struct pollfd p[2] = {{.fd = in->ctl, .events = POLLIN},
		{.fd = in->children, .events = POLLIN}};

	for (;;) {
		if (poll(p, 2, -1) < 0) {
			if (errno == EINTR)
				continue;
			_exit(1);
		}
		if (p[1].revents)
			on_child(in);
		if (p[0].revents)
			on_request(in);
	}
}

/* Nothing of the process that made us may be found in us. */
static int detach(struct init *in)
{
	auto_close int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t all;

	if (null < 0)
		return -errno;
	for (int i = 0; i < 3; i++) {
		if (dup2(null, i) < 0)
			return -errno;
	}
	if (in->ctl != 3) {
		if (dup3(in->ctl, 3, O_CLOEXEC) < 0)
			return -errno;
		in->ctl = 3;
	}
	if (close_range(4, ~0U, 0) != 0)
		return -errno;
	null = -1;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigemptyset(&all);
	sigaddset(&all, SIGCHLD);
	in->children = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	if (in->children < 0 || setsid() < 0 || chdir("/") != 0)
		return -errno;
	/* Never dumpable, never traced, and gone with its maker. */
	if (prctl(PR_SET_DUMPABLE, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		return -errno;
	return prctl(PR_SET_NAME, "agentctl-init") ? -errno : 0;
}

/* One step of becoming init: names itself in the message when it fails. */
static int step(struct wire_msg *m, const char *what, int r)
{
	if (r != 0 && m->text[0] == 0)
		snprintf(m->text, sizeof m->text, "%s: %s", what, strerror(-r));
	return r;
}

static int set_up(struct init *in, const struct sandbox_spec *spec,
	const struct wire_maker *maker, struct wire_msg *m)
{
	int r = 0;

	if (maker->user_ns)
		r = step(m, "cannot map user", map_ids(maker->uid, maker->gid));
	if (r == 0)
		r = step(m, "cannot mount", mounts_build(spec, m->text, sizeof m->text));
	if (r == 0)
		r = step(m, "cannot drop rights", rights_drop());
	if (r == 0)
		r = step(m, "cannot detach", detach(in));
	return r;
}

_Noreturn void init_main(
	int ctl, const struct sandbox_spec *spec, const struct wire_maker *maker)
{
	struct wire_msg m = {.op = WIRE_READY};
	struct init in = {.ctl = ctl, .children = -1};
	int r = set_up(&in, spec, maker, &m);

	if (r != 0) {
		m.op = WIRE_FAILED;
		m.error = -r;
	}
	environ = (char **)spec->env;
	if (wire_send(in.ctl, &m, NULL, 0) != 0 || r != 0)
		_exit(1);
	serve(&in);
	_exit(0);
}
