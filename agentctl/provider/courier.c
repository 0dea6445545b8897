/*
 * courier.c: the process that speaks with the server.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agentctl/provider/courier.h"
#include "common/cleanup.h"
#include "common/time.h"

#define GRACE_NS (5 * NS_PER_S) /* behind the courier's own clocks */

void courier_mask(char *s, const char *key)
{
	size_t n = key ? strlen(key) : 0;
	char *at = s;

	if (n < 4 || !s)
		return;
	while ((at = strstr(at, key))) {
		memcpy(at, "***", 3);
		memmove(at + 3, at + n, strlen(at + n) + 1);
		at += 3;
	}
}

/* --- the process ----------------------------------------------------------------------
 */

struct host {
	int fd;
	const struct http_to *to;
	struct http *http;
};

static void send_words(void *arg, const char *s, size_t n)
{
	struct host *h = arg;

	wire_put_words(h->fd, s, n);
}

static void mask_all(struct answer *a, struct fault *f, const char *key)
{
	courier_mask(f->text, key);
	courier_mask(a->text, key);
	for (size_t i = 0; i < a->calls.n; i++) {
		courier_mask(a->calls.c[i].text, key);
		courier_mask(a->calls.c[i].id, key);
	}
}

static int serve_one(struct host *h)
{
	auto_free char *body = NULL;
	struct fault f = {.retry_ms = -1};
	struct answer a = {0};
	struct reader r;
	size_t n;
	int e = wire_get_question(h->fd, &body, &n);

	if (e != 0)
		return e;
	reader_init(&r);
	r.say = send_words;
	r.arg = h;
	if (!h->http)
		e = http_open(&h->http, h->to, &f);
	if (e == 0)
		e = http_post(h->http, body, n, &r, &a, &f);
	mask_all(&a, &f, h->to->key);
	e = wire_put(h->fd, &a, &f, e); /* a fault is an answer, too */
	answer_free(&a);
	reader_free(&r);
	return e;
}

static void limit(int what, rlim_t to)
{
	struct rlimit l = {to, to};

	setrlimit(what, &l);
}

/* In the child: nothing of the parent but the socket. */
static _Noreturn void become_courier(int fd, pid_t parent, const struct http_to *to)
{
	struct host h = {.fd = 3, .to = to};
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	prctl(PR_SET_NAME, "agentctl-http");
	prctl(PR_SET_DUMPABLE, 0); /* the key is in here */
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_IGN); /* of the terminal: the parent decides */
	signal(SIGQUIT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN); /* TLS writes without asking */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	fd = fcntl(fd, F_DUPFD, 10);
	if (getppid() != parent || fd < 0 || null < 0 || dup2(null, 0) < 0 ||
		dup2(null, 1) < 0 || dup2(null, 2) < 0 || dup2(fd, 3) < 0)
		_exit(1);
	syscall(SYS_close_range, 4, ~0u, 0);
	fcntl(3, F_SETFD, FD_CLOEXEC);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NOFILE, 64);
	if (chdir("/") != 0)
		_exit(1);
	while (serve_one(&h) == 0)
		;
	_exit(0);
}

static int start(struct courier *c)
{
	pid_t parent = getpid();
	int pair[2];

	if (c->pid)
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return -errno;
	c->pid = fork();
	if (c->pid == 0)
		become_courier(pair[1], parent, &c->to);
	close(pair[1]);
	if (c->pid < 0) {
		int r = -errno;

		close(pair[0]);
		c->pid = 0;
		return r;
	}
	c->fd = pair[0];
	return 0;
}

void courier_close(struct courier *c)
{
	if (!c->pid)
		return;
	kill(c->pid, SIGKILL);
	close(c->fd);
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
}

static int ask(struct courier *c, const char *body, size_t n,
	const struct provider_watch *w, struct answer *a, struct fault *f)
{
	int64_t wait_ns = c->to.total_ms * 1000000ll + GRACE_NS;
	int r = start(c);

	if (r == 0)
		r = wire_put_question(c->fd, body, n);
	return r ? r : wire_get(c->fd, w, ns_of(ts_in(CLOCK_MONOTONIC, wait_ns)), a, f);
}

int courier_ask(struct courier *c, const char *body, size_t n,
	const struct provider_watch *w, struct answer *a, struct fault *f)
{
	bool was_there = c->pid != 0;
	int r;

	memset(f, 0, sizeof *f);
	f->retry_ms = -1;
	r = ask(c, body, n, w, a, f);
	if (r == 0 || r == -EIO)
		return r;
	courier_close(c);
	if (r == -EINTR || r == -ETIME)
		return r;
	if (r == -EPIPE && was_there) { /* it died between two questions */
		r = ask(c, body, n, w, a, f);
		if (r == 0 || r == -EIO)
			return r;
		courier_close(c);
		if (r == -EINTR || r == -ETIME)
			return r;
	}
	if (r == -EAGAIN)
		fault_set(f, FAULT_TIME, "no answer in time");
	else
		fault_set(f, FAULT_LOCAL, "the process that speaks with the server: %s",
			strerror(-r));
	return -EIO;
}
