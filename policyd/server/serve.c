/*
 * serve.c: the socket, its connections, and the one loop.
 *
 * A connection is an enum of states with few moves: READING until a line is whole,
 * then its answer is queued; a client that leaves more than SEND_MAX unread, sends a
 * line over POLICY_MAX_LINE, or is silent for IDLE_MS is told so (where it can be) and
 * CLOSING, which ends it once what is queued is out. A client has one line answered a
 * turn, so that none can keep the others waiting.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "policyd/server/server.h"

struct client {
	int fd;
	enum { READING, CLOSING } state;
	struct peer peer;
	char *in, *out;
	size_t n_in, cap_in, n_out, cap_out;
	long seen_ms;
	bool more; /* a whole line may be waiting in @in */
};

struct loop {
	struct server *s;
	int listen_fd, signal_fd, lock_fd;
	struct client *client[MAX_CLIENTS];
	size_t n;
	bool stop;
};

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000L + t.tv_nsec / 1000000;
}

int server_reload(struct server *s, char *err, size_t size)
{
	struct rules *fresh;
	int e = rules_load(s->files, s->n_files, &fresh, err, size);

	if (e)
		return e;
	rules_free(s->rules);
	s->rules = fresh;
	s->stats.reloads++;
	return 0;
}

/* --- the socket --------------------------------------------------------------------- */

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

/* One daemon a socket: whoever holds the lock beside it may replace a stale one. */
static int open_socket(struct loop *l, const char *path)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	char lock_path[sizeof(sa.sun_path) + 8];
	mode_t mask;
	int e;

	if (strlen(path) >= sizeof(sa.sun_path))
		return -ENAMETOOLONG;
	if ((e = check_dir(path)))
		return e;
	snprintf(lock_path, sizeof(lock_path), "%s.lock", path);
	l->lock_fd = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (l->lock_fd < 0)
		return -errno;
	if (flock(l->lock_fd, LOCK_EX | LOCK_NB))
		return -EADDRINUSE;
	l->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->listen_fd < 0)
		return -errno;
	unlink(path);
	strcpy(sa.sun_path, path);
	mask = umask(0177);
	e = bind(l->listen_fd, (struct sockaddr *)&sa, sizeof(sa)) ? -errno : 0;
	umask(mask);
	if (!e && listen(l->listen_fd, 512))
		e = -errno;
	return e;
}

static int open_signals(struct loop *l)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	signal(SIGPIPE, SIG_IGN);
	l->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return l->signal_fd < 0 ? -errno : 0;
}

/* --- connections ----------------------------------------------------------------------
 */

static void drop(struct loop *l, size_t i)
{
	struct client *c = l->client[i];

	close(c->fd);
	free(c->in);
	free(c->out);
	free(c);
	l->client[i] = l->client[--l->n];
}

static void accept_all(struct loop *l)
{
	while (l->n < MAX_CLIENTS) {
		int fd = accept4(l->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		struct ucred uc;
		socklen_t len = sizeof(uc);
		struct client *c;

		if (fd < 0)
			return;
		c = calloc(1, sizeof(*c));
		if (!c || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &uc, &len) ||
			(uc.uid != geteuid() && uc.uid != 0)) {
			free(c);
			close(fd);
			l->s->stats.dropped++;
			continue;
		}
		c->fd = fd;
		c->peer = (struct peer){uc.uid, uc.pid};
		c->seen_ms = now_ms();
		l->client[l->n++] = c;
		l->s->stats.clients++;
	}
}

/* Queue @text (malloc'ed, consumed). False: the client has to go. */
static bool queue(struct client *c, char *text)
{
	size_t n = text ? strlen(text) : 0;

	if (!text || c->n_out + n > SEND_MAX) {
		free(text);
		return false;
	}
	if (c->n_out + n > c->cap_out) {
		size_t cap = (c->n_out + n) * 2;
		char *more = realloc(c->out, cap);

		if (!more) {
			free(text);
			return false;
		}
		c->out = more;
		c->cap_out = cap;
	}
	memcpy(c->out + c->n_out, text, n);
	c->n_out += n;
	free(text);
	return true;
}

static bool flush(struct client *c)
{
	while (c->n_out) {
		ssize_t n = send(c->fd, c->out, c->n_out, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		memmove(c->out, c->out + n, c->n_out - (size_t)n);
		c->n_out -= (size_t)n;
	}
	return true;
}

static bool grow(struct client *c)
{
	size_t cap = c->cap_in ? c->cap_in * 2 : 8192;
	char *more;

	if (c->n_in < c->cap_in)
		return true;
	if (cap > POLICY_MAX_LINE)
		cap = POLICY_MAX_LINE;
	if (c->n_in >= cap)
		return false;
	more = realloc(c->in, cap);
	if (!more)
		return false;
	c->in = more;
	c->cap_in = cap;
	return true;
}

/* Answer the first whole line, if there is one. False: the client has to go. */
static bool answer_one(struct loop *l, struct client *c)
{
	char *eol = c->n_in ? memchr(c->in, '\n', c->n_in) : NULL;
	size_t len;

	c->more = false;
	if (!eol) {
		if (c->n_in < POLICY_MAX_LINE)
			return true;
		c->state = CLOSING;
		return queue(c, request_refuse("the request is longer than 1 MiB"));
	}
	len = (size_t)(eol - c->in);
	if (!queue(c, request_answer(l->s, c->in, len, &c->peer)))
		return false;
	c->n_in -= len + 1;
	memmove(c->in, eol + 1, c->n_in);
	c->more = c->n_in && memchr(c->in, '\n', c->n_in);
	return true;
}

static bool receive(struct loop *l, struct client *c)
{
	ssize_t n;

	if (!grow(c))
		return c->n_in >= POLICY_MAX_LINE ? answer_one(l, c) : false;
	n = recv(c->fd, c->in + c->n_in, c->cap_in - c->n_in, MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0) {
		c->state = CLOSING;
		return true;
	}
	c->seen_ms = now_ms();
	c->n_in += (size_t)n;
	return answer_one(l, c);
}

static bool serve_client(struct loop *l, struct client *c, short events)
{
	if (events & (POLLERR | POLLNVAL))
		return false;
	if (c->state == READING && c->more && !answer_one(l, c))
		return false;
	if (c->state == READING && !c->more && (events & (POLLIN | POLLHUP)) &&
		!receive(l, c))
		return false;
	if (!flush(c))
		return false;
	if (c->state == CLOSING && !c->n_out)
		return false;
	return now_ms() - c->seen_ms < IDLE_MS;
}

static void take_signals(struct loop *l)
{
	struct signalfd_siginfo si;
	char err[512] = "";

	while (read(l->signal_fd, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo != SIGHUP)
			l->stop = true;
		else if (server_reload(l->s, err, sizeof(err)))
			fprintf(stderr, "policyd: the old rules stay: %s\n", err);
	}
}

static int turn(struct loop *l, struct pollfd *pf)
{
	size_t n = l->n;
	bool more = false;

	pf[0] = (struct pollfd){.fd = l->signal_fd, .events = POLLIN};
	pf[1] = (struct pollfd){
		.fd = n < MAX_CLIENTS ? l->listen_fd : -1, .events = POLLIN};
	for (size_t i = 0; i < n; i++) {
		struct client *c = l->client[i];

		pf[i + 2] = (struct pollfd){.fd = c->fd};
		if (c->state == READING && !c->more)
			pf[i + 2].events |= POLLIN;
		if (c->n_out)
			pf[i + 2].events |= POLLOUT;
		more |= c->more;
	}
	if (poll(pf, n + 2, more ? 0 : n ? 10 * 1000 : -1) < 0)
		return errno == EINTR ? 0 : -errno;
	for (size_t i = n; i-- > 0;) /* from the end: drop moves the last one */
		if (!serve_client(l, l->client[i], pf[i + 2].revents))
			drop(l, i);
	if (pf[1].revents)
		accept_all(l);
	if (pf[0].revents)
		take_signals(l);
	return 0;
}

static void find_home(struct server *s)
{
	const struct passwd *pw = getpwuid(geteuid());

	if (pw && pw->pw_dir)
		snprintf(s->home, sizeof(s->home), "%s", pw->pw_dir);
}

int server_run(struct server *s)
{
	struct loop l = {.s = s, .listen_fd = -1, .signal_fd = -1, .lock_fd = -1};
	auto_free struct pollfd *pf = calloc(MAX_CLIENTS + 2, sizeof(*pf));
	struct rlimit files = {MAX_CLIENTS + 64, MAX_CLIENTS + 64}, none = {0, 0};
	int e = pf ? open_signals(&l) : -ENOMEM;

	find_home(s);
	if (!e)
		e = open_socket(&l, s->socket);
	if (e == -EADDRINUSE)
		fprintf(stderr, "policyd: another policyd serves '%s'\n", s->socket);
	else if (e)
		fprintf(stderr, "policyd: cannot listen on '%s': %s\n", s->socket,
			strerror(-e));
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_NOFILE, &files);
	while (!e && !l.stop)
		e = turn(&l, pf);
	while (l.n)
		drop(&l, l.n - 1);
	if (l.listen_fd >= 0) {
		unlink(s->socket);
		close(l.listen_fd);
	}
	if (l.signal_fd >= 0)
		close(l.signal_fd);
	if (l.lock_fd >= 0)
		close(l.lock_fd);
	return e;
}
