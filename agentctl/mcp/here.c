/*
 * here.c: fork, exec, and a wait for three things: output, the end, and somebody who has
 * heard enough.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agentctl/loop/output.h"
#include "agentctl/mcp/here.h"
#include "common/cleanup.h"
#include "common/mem.h"
#include "common/time.h"

#define GRACE_MS 2000

struct here {
	pid_t pid;
	int pidfd, out;
	const struct work_ear *ear;
	int64_t deadline; /* ms, 0: none */
	bool ending;	  /* SIGTERM was sent */
	bool deaf;	  /* nothing more will be heard */
	struct output *text;
};

static int64_t now_ms(void)
{
	return ns_of(ts_in(CLOCK_MONOTONIC, 0)) / 1000000;
}

static _Noreturn void become(const char *command, int out)
{
	const char *shell = access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh";
	int null = open("/dev/null", O_RDONLY);

	sigset_t none;

	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(127);
	syscall(SYS_close_range, 3, ~0u, 0);
	execl(shell, shell, "-c", command, NULL);
	_exit(127);
}

static int start(struct here *h, const char *command)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) != 0)
		return -errno;
	h->pid = fork();
	if (h->pid == 0)
		become(command, p[1]);
	close(p[1]);
	h->out = p[0];
	if (h->pid < 0)
		return -errno;
	setpgid(h->pid, h->pid); /* whoever is first */
	h->pidfd = (int)syscall(SYS_pidfd_open, h->pid, 0);
	return h->pidfd < 0 ? -errno : fcntl(h->out, F_SETFL, O_NONBLOCK);
}

/* What is there now; closes the pipe at its end. */
static void drain(struct here *h)
{
	char buf[65536];
	ssize_t n;

	if (h->out < 0)
		return;
	while ((n = read(h->out, buf, sizeof buf)) > 0)
		output_collect(h->text, 1, buf, (size_t)n);
	if (n == 0) {
		close(h->out);
		h->out = -1;
	}
}

static int time_left(struct here *h)
{
	int64_t left = h->deadline - now_ms();

	if (!h->deadline)
		return -1;
	if (left > 0)
		return left > 60000 ? 60000 : (int)left;
	kill(-h->pid, h->ending ? SIGKILL : SIGTERM);
	h->ending = true;
	h->deadline = now_ms() + GRACE_MS;
	return GRACE_MS;
}

static void listen_to_ear(struct here *h)
{
	int heard = h->ear->hear(h->ear->arg);

	h->deaf = heard != 0;
	if (heard > 0)
		h->deadline = 1; /* over */
}

/* Until the command itself has ended. */
static void wait_for_end(struct here *h)
{
	struct pollfd p[3] = {{.fd = h->pidfd, .events = POLLIN}};

	do {
		p[1] = (struct pollfd){.fd = h->out, .events = POLLIN};
		p[2] = (struct pollfd){
			.fd = h->ear && !h->ending ? h->ear->fd : -1, .events = POLLIN};
		if (poll(p, 3, time_left(h)) < 0)
			p[0].revents = p[1].revents = p[2].revents = 0;
		if (p[1].revents)
			drain(h);
		if (p[2].revents)
			listen_to_ear(h);
	} while (!p[0].revents);
}

int here_run(const char *command, int timeout_ms, const struct work_ear *ear,
	struct work_result *r)
{
	auto_free struct output *text = mem_zalloc(sizeof *text);
	struct here h = {.pid = -1, .pidfd = -1, .out = -1, .ear = ear, .text = text};
	int64_t began = now_ms();
	int status = 0, e = text ? start(&h, command) : -ENOMEM;

	if (timeout_ms > 0)
		h.deadline = began + timeout_ms;
	if (e == 0)
		wait_for_end(&h);
	else if (h.pid > 0)
		kill(-h.pid, SIGKILL);
	while (h.pid > 0 && waitpid(h.pid, &status, 0) < 0 && errno == EINTR)
		;
	if (e == 0)
		drain(&h);
	if (h.out >= 0)
		close(h.out);
	if (h.pidfd >= 0)
		close(h.pidfd);
	if (e != 0)
		return e;
	r->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	r->status = r->signal ? 128 + r->signal : WEXITSTATUS(status);
	r->timed_out = h.ending;
	r->time_ns = (uint64_t)(now_ms() - began) * 1000000u;
	r->output = output_text(text, NULL);
	return r->output ? 0 : -ENOMEM;
}
