/*
 * sandbox.c: the outside half of a sandbox: makes the namespaces, hands commands to init,
 * watches time, signals and output, and ends everything by ending init: when pid 1 of a
 * pid namespace dies the kernel kills the others, and its own death is reported only
 * after theirs.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "agentctl/sandbox/wire.h"
#include "common/cleanup.h"

#define KILL_GRACE_MS 2000
#define DRAIN_ROUNDS 32 /* more than a pipe holds, yet no endless writer stops us */

struct sandbox {
	int ctl, pidfd;
	pid_t pid;
	bool dead; /* init was killed and reaped */
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void end_init(struct sandbox *s)
{
	siginfo_t si;

	if (s->dead)
		return;
	pidfd_send_signal(s->pidfd, SIGKILL, NULL, 0);
	while (waitid(P_PIDFD, (id_t)s->pidfd, &si, WEXITED) != 0 && errno == EINTR)
		;
	s->dead = true;
}

void sandbox_close(struct sandbox *s)
{
	if (!s)
		return;
	if (s->pidfd >= 0) {
		end_init(s);
		close(s->pidfd);
	}
	if (s->ctl >= 0)
		close(s->ctl);
	free(s);
}

static int make_init(struct sandbox *s, int ctl, const struct sandbox_spec *spec)
{
	struct wire_maker maker = {
		.user_ns = geteuid() != 0, .uid = geteuid(), .gid = getegid()};
	struct clone_args a = {
		.flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_PIDFD,
		.pidfd = (uintptr_t)&s->pidfd,
		.exit_signal = SIGCHLD,
	};

	if (maker.user_ns)
		a.flags |= CLONE_NEWUSER;
	s->pid = (pid_t)syscall(SYS_clone3, &a, sizeof a);
	if (s->pid < 0)
		return -errno;
	if (s->pid == 0)
		init_main(ctl, spec, &maker);
	return 0;
}

/* Wait for init to say that it is set up. */
static int await_ready(struct sandbox *s, char *message, size_t size)
{
	struct wire_msg m;
	int fds[WIRE_FDS];
	int r = wire_recv(s->ctl, &m, fds);

	if (r != 0) {
		snprintf(message, size, "cannot set up the sandbox: its init died");
		return r;
	}
	if (m.op == WIRE_READY)
		return 0;
	snprintf(message, size, "%s", m.text);
	return m.error > 0 ? -m.error : -EIO;
}

int sandbox_open(
	struct sandbox **out, const struct sandbox_spec *spec, char *message, size_t size)
{
	struct sandbox *s = calloc(1, sizeof *s);
	int pair[2], r;

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->ctl = s->pidfd = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
		r = -errno;
		snprintf(message, size, "cannot make a socket pair: %s", strerror(-r));
		goto fail;
	}
	s->ctl = pair[0];
	r = make_init(s, pair[1], spec);
	close(pair[1]);
	if (r != 0) {
		snprintf(message, size, "cannot make namespaces: %s", strerror(-r));
		goto fail;
	}
	r = await_ready(s, message, size);
	if (r != 0)
		goto fail;
	*out = s;
	return 0;
fail:
	sandbox_close(s);
	return r;
}

/* A memory file with the working directory and the arguments. */
static int pack(const struct sandbox_cmd *cmd, uint32_t *count)
{
	auto_close int fd = memfd_create("command", MFD_CLOEXEC);
	const char *text = cmd->cwd;

	*count = 0;
	if (fd < 0)
		return -errno;
	for (;;) {
		size_t left = strlen(text) + 1;

		while (left > 0) {
			ssize_t n = write(fd, text, left);

			if (n < 0)
				return -errno;
			text += n;
			left -= (size_t)n;
		}
		text = cmd->argv[*count];
		if (!text)
			return steal_fd(&fd);
		++*count;
	}
}

/** A command under way. */
struct run {
	struct sandbox *s;
	const struct sandbox_cmd *cmd;
	struct sandbox_result *r;
	int pipes[3];	   /* our ends of captured output, by stream; -1 */
	uint64_t deadline; /* 0: none */
	bool heard;	   /* all that can be from hear_fd */
};

static int open_stream(struct run *run, int stream, int given, int *theirs)
{
	struct stat st;
	int p[2];

	if (given >= 0) {
		if (fstat(given, &st) != 0)
			return -errno;
		if (S_ISDIR(st.st_mode))
			return -EINVAL;
		*theirs = fcntl(given, F_DUPFD_CLOEXEC, 3);
		return *theirs < 0 ? -errno : 0;
	}
	if (stream == 0 || !run->cmd->output) {
		*theirs = open("/dev/null", O_RDWR | O_CLOEXEC);
		return *theirs < 0 ? -errno : 0;
	}
	if (pipe2(p, O_CLOEXEC) != 0)
		return -errno;
	run->pipes[stream] = p[0];
	*theirs = p[1];
	return fcntl(p[0], F_SETFL, O_NONBLOCK) ? -errno : 0;
}

static int launch(struct run *run)
{
	const struct sandbox_cmd *c = run->cmd;
	struct wire_msg m = {.op = WIRE_EXEC};
	int given[3] = {c->in, c->out, c->err};
	int fds[WIRE_FDS] = {-1, -1, -1, -1};
	int r = 0;

	for (int i = 0; i < 3 && r == 0; i++)
		r = open_stream(run, i, given[i], &fds[i]);
	if (r == 0) {
		fds[3] = pack(c, &m.count);
		r = fds[3] < 0 ? fds[3] : wire_send(run->s->ctl, &m, fds, WIRE_FDS);
	}
	for (int i = 0; i < WIRE_FDS; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	return r;
}

/* Take what a pipe holds now; closes it at its end. */
static void drain(struct run *run, int stream)
{
	char buf[65536];
	ssize_t n = 0;

	for (int i = 0; i < DRAIN_ROUNDS; i++) {
		n = read(run->pipes[stream], buf, sizeof buf);
		if (n <= 0)
			break;
		run->cmd->output(run->cmd->arg, stream, buf, (size_t)n);
	}
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	close(run->pipes[stream]);
	run->pipes[stream] = -1;
}

static void send_signal(struct run *run, int signo)
{
	struct wire_msg m = {.op = WIRE_SIGNAL, .count = (uint32_t)signo};

	wire_send(run->s->ctl, &m, NULL, 0);
}

static void forward(struct run *run)
{
	struct signalfd_siginfo si;

	if (read(run->cmd->signal_fd, &si, sizeof si) != sizeof si)
		return;
	send_signal(run, (int)si.ssi_signo);
	if (si.ssi_signo != SIGWINCH)
		run->r->forwarded = (int)si.ssi_signo;
}

static void hear(struct run *run)
{
	int heard = run->cmd->hear(run->cmd->hear_arg);

	run->heard = heard != 0;
	if (heard > 0)
		run->deadline = now_ns();
}

static void conclude(struct run *run, const struct wire_msg *m)
{
	struct sandbox_result *r = run->r;

	if (m->error) {
		r->start_error = m->error;
		r->status = 127;
	} else if (WIFSIGNALED(m->status)) {
		r->signal = WTERMSIG(m->status);
		r->status = 128 + r->signal;
	} else {
		r->status = WEXITSTATUS(m->status);
	}
}

/* Milliseconds to wait in poll; moves the deadline through its two stages. */
static int time_left(struct run *run)
{
	uint64_t now = now_ns();

	if (run->deadline == 0)
		return -1;
	if (now < run->deadline)
		return (int)((run->deadline - now) / 1000000u) + 1;
	if (run->r->timed_out)
		return 0;
	run->r->timed_out = true;
	run->deadline = now + KILL_GRACE_MS * 1000000ull;
	send_signal(run, SIGTERM);
	send_signal(run, SIGCONT);
	return KILL_GRACE_MS;
}

/* One turn of the wait. Returns 1 when the command ended, 0 to go on, or -errno. */
static int turn(struct run *run)
{
	bool hears = run->cmd->hear && !run->heard;
	struct pollfd p[5] = {{.fd = run->s->ctl, .events = POLLIN},
		{.fd = run->cmd->signal_fd, .events = POLLIN},
		{.fd = run->pipes[1], .events = POLLIN},
		{.fd = run->pipes[2], .events = POLLIN},
		{.fd = hears ? run->cmd->hear_fd : -1, .events = POLLIN}};
	int wait_ms = time_left(run);
	struct wire_msg m;
	int fds[WIRE_FDS], r;

	if (wait_ms == 0) {
		run->r->status = 128 + SIGKILL;
		run->r->signal = SIGKILL;
		return 1;
	}
	if (poll(p, 5, wait_ms) < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 1; i <= 2; i++) {
		if (p[i + 1].revents)
			drain(run, i);
	}
	if (p[1].revents)
		forward(run);
	if (p[4].revents)
		hear(run);
	if (!p[0].revents)
		return 0;
	r = wire_recv(run->s->ctl, &m, fds);
	if (r != 0)
		return r;
	if (m.op != WIRE_EXITED)
		return 0;
	conclude(run, &m);
	return 1;
}

int sandbox_exec(
	struct sandbox *s, const struct sandbox_cmd *cmd, struct sandbox_result *r)
{
	struct run run = {.s = s, .cmd = cmd, .r = r, .pipes = {-1, -1, -1}};
	uint64_t began = now_ns();
	int e;

	memset(r, 0, sizeof *r);
	if (s->dead)
		return -EPIPE;
	if (cmd->timeout_ms > 0)
		run.deadline = began + (uint64_t)cmd->timeout_ms * 1000000u;
	e = launch(&run);
	if (e == 0) {
		while (e == 0)
			e = turn(&run);
		if (e < 0 || r->timed_out)
			end_init(s);
	}
	for (int i = 1; i <= 2; i++) {
		if (run.pipes[i] >= 0)
			drain(&run, i);
		if (run.pipes[i] >= 0)
			close(run.pipes[i]);
	}
	r->time_ns = now_ns() - began;
	return e < 0 ? e : 0;
}
