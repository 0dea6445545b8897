/*
 * door.c: the questions of a sandbox, taken from its one socket and passed on.
 *
 * The process serves a few connections at a time with a bound on each, so whoever is
 * inside can hold up only its own kind. Of a question the command, the folder and the
 * environment are the asker's, all else is ours.
 */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agentctl/tool/door.h"
#include "agentctl/tool/guest.h"
#include "common/cleanup.h"
#include "common/mem.h"
#include "txfs/client.h"

#define GUESTS 32
#define MAX_ENV 512
#define IDLE_MS 60000
#define GUEST_SECONDS 30
#define ASKING 4
#define JSON_DEPTH 6

/* --- one question ----------------------------------------------------------------------
 */

static const char *text_of(json_object *o, const char *key)
{
	json_object *v;
	const char *s;

	if (!json_object_object_get_ex(o, key, &v) ||
		!json_object_is_type(v, json_type_string))
		return NULL;
	s = json_object_get_string(v);
	return strlen(s) == (size_t)json_object_get_string_len(v) ? s : NULL;
}

static size_t take_env(json_object *o, struct policy_env *env)
{
	json_object *v;
	size_t n = 0;

	if (!json_object_object_get_ex(o, "env", &v) ||
		!json_object_is_type(v, json_type_object))
		return 0;
	json_object_object_foreach(v, name, value)
	{
		if (n < MAX_ENV &&
			(!value || json_object_is_type(value, json_type_string)))
			env[n++] = (struct policy_env){
				name, value ? json_object_get_string(value) : NULL};
	}
	return n;
}

static void refuse(struct policy_answer *a, const char *reason)
{
	memset(a, 0, sizeof *a);
	snprintf(a->rule, sizeof a->rule, "bad-request");
	snprintf(a->class_, sizeof a->class_, "policy");
	snprintf(a->reason, sizeof a->reason, "%s", reason);
	snprintf(a->suggest, sizeof a->suggest, "ask with op check or explain");
}

static char *render(json_object *id, const struct policy_answer *a)
{
	json_object *o = json_object_new_object();
	const struct {
		const char *key, *text;
	} rows[] = {{"decision", policy_decision_name(a->decision)}, {"rule", a->rule},
		{"reason", a->reason}, {"suggest", a->suggest}, {"class", a->class_}};
	char *line;

	json_object_object_add(o, "v", json_object_new_int(POLICY_VERSION));
	if (id)
		json_object_object_add(o, "id", json_object_get(id));
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (*rows[i].text)
			json_object_object_add(
				o, rows[i].key, json_object_new_string(rows[i].text));
	}
	json_object_object_add(o, "us", json_object_new_int64((int64_t)a->us));
	line = mem_strdup(json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
	return line;
}

static void pass_on(json_object *o, const struct door_label *label,
	int (*ask)(void *arg, const struct policy_request *q, struct policy_answer *a),
	void *arg, struct policy_answer *a)
{
	struct policy_env env[MAX_ENV];
	const char *op = text_of(o, "op");
	struct policy_request q = {.command = text_of(o, "command"),
		.cwd = text_of(o, "cwd"),
		.workspace = label->workspace,
		.home = label->home,
		.env = env,
		.n_env = take_env(o, env),
		.cover = POLICY_COVER_TX,
		.tx = label->tx,
		.agent = label->agent};

	if (!op || (strcmp(op, "check") != 0 && strcmp(op, "explain") != 0)) {
		refuse(a, "only questions are answered here");
		return;
	}
	if (!q.command || !q.cwd || *q.cwd != '/') {
		refuse(a, "command and cwd are needed");
		return;
	}
	if (ask(arg, &q, a) != 0)
		a->decision = POLICY_DENY;
}

char *door_answer(const char *line, size_t n, const struct door_label *label,
	int (*ask)(void *arg, const struct policy_request *q, struct policy_answer *a),
	void *arg)
{
	json_tokener *tok = json_tokener_new_ex(JSON_DEPTH);
	json_object *o = NULL, *id = NULL;
	struct policy_answer a;
	char *out;

	if (tok) {
		json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
		o = json_tokener_parse_ex(tok, line, (int)n);
	}
	if (!json_object_is_type(o, json_type_object) ||
		json_tokener_get_error(tok) != json_tokener_success ||
		json_tokener_get_parse_end(tok) != n) {
		refuse(&a, "the request is not one JSON object");
	} else {
		json_object_object_get_ex(o, "id", &id);
		pass_on(o, label, ask, arg, &a);
	}
	out = render(id, &a);
	json_object_put(o);
	json_tokener_free(tok);
	return out;
}

/* --- the process -----------------------------------------------------------------------
 */

struct guest {
	int fd;
	char *in;
	size_t n;
};

struct host {
	int listen_fd, stop_fd;
	const struct door_label *label;
	struct policy *policy;
	struct guest guest[GUESTS];
	size_t n;
	int asking; /* processes that ask the mount */
};

static int ask_policyd(void *arg, const struct policy_request *q, struct policy_answer *a)
{
	struct host *h = arg;
	int r = -EPIPE;

	for (int i = 0; r != 0 && i < 2; i++) { /* it may have been started anew */
		r = h->policy ? 0 : policy_open(&h->policy, NULL, 0);
		if (r != 0) {
			refuse(a, "policyd cannot be asked");
			return r;
		}
		r = policy_check(h->policy, q, a);
		if (r != 0) {
			policy_close(h->policy);
			h->policy = NULL;
		}
		if (r == -E2BIG || r == -ETIMEDOUT)
			return r;
	}
	return r;
}

static void leave(struct host *h, size_t i)
{
	close(h->guest[i].fd);
	free(h->guest[i].in);
	h->guest[i] = h->guest[--h->n];
}

/* Answers are small: whoever does not read them is not waited for. */
static bool send_line(int fd, const char *line)
{
	auto_free char *text = line ? mem_printf("%s\n", line) : NULL;
	size_t n = text ? strlen(text) : 0;

	return text && send(fd, text, n, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)n;
}

static _Noreturn void answer_from_mount(
	const struct host *h, int fd, const char *line, size_t n)
{
	struct timeval patience = {.tv_sec = GUEST_SECONDS};
	auto_free char *answer = NULL, *text = NULL;
	size_t all;

	alarm(GUEST_SECONDS);
	answer = guest_answer(line, n, h->label);
	text = answer ? mem_printf("%s\n", answer) : NULL;
	all = text ? strlen(text) : 0;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	for (size_t at = 0; at < all;) {
		ssize_t sent = send(fd, text + at, all - at, MSG_NOSIGNAL);

		if (sent <= 0)
			_exit(1);
		at += (size_t)sent;
	}
	_exit(all == 0);
}

/* Questions to the mount may take long, and others wait at the door meanwhile: each gets
 * a process, as long as there are not too many. */
static bool ask_mount(struct host *h, struct guest *g, const char *line, size_t n)
{
	static const char busy[] =
		"{\"v\":1,\"ok\":false,\"reason\":\"too many questions at once\"}";
	pid_t pid;

	while (h->asking > 0 && waitpid(-1, NULL, WNOHANG) > 0)
		h->asking--;
	if (h->asking == ASKING)
		return send_line(g->fd, busy);
	pid = fork();
	if (pid == 0)
		answer_from_mount(h, g->fd, line, n);
	h->asking += pid > 0;
	return pid > 0;
}

static bool answer_line(struct host *h, struct guest *g, const char *line, size_t n)
{
	auto_free char *out = NULL;

	if (guest_wants(line, n))
		return ask_mount(h, g, line, n);
	out = door_answer(line, n, h->label, ask_policyd, h);
	return send_line(g->fd, out);
}

/* False: the guest has to go. */
static bool serve_guest(struct host *h, struct guest *g)
{
	ssize_t r = recv(g->fd, g->in + g->n, POLICY_MAX_LINE - g->n, MSG_DONTWAIT);
	char *eol;

	if (r <= 0)
		return r < 0 && (errno == EAGAIN || errno == EINTR);
	g->n += (size_t)r;
	while ((eol = memchr(g->in, '\n', g->n))) {
		size_t len = (size_t)(eol - g->in);

		if (!answer_line(h, g, g->in, len))
			return false;
		g->n -= len + 1;
		memmove(g->in, eol + 1, g->n);
	}
	return g->n < POLICY_MAX_LINE;
}

static void admit(struct host *h)
{
	struct guest g = {.fd = accept4(h->listen_fd, NULL, NULL, SOCK_CLOEXEC)};

	if (g.fd < 0)
		return;
	if (h->n == GUESTS)
		leave(h, 0);
	g.in = malloc(POLICY_MAX_LINE);
	if (!g.in) {
		close(g.fd);
		return;
	}
	h->guest[h->n++] = g;
}

static _Noreturn void serve(struct host *h)
{
	for (;;) {
		struct pollfd p[GUESTS + 2] = {{.fd = h->stop_fd, .events = POLLIN},
			{.fd = h->listen_fd, .events = POLLIN}};
		size_t n = h->n;

		for (size_t i = 0; i < n; i++)
			p[i + 2] =
				(struct pollfd){.fd = h->guest[i].fd, .events = POLLIN};
		if (poll(p, n + 2, IDLE_MS) < 0 && errno != EINTR)
			_exit(1);
		if (p[0].revents)
			_exit(0);
		for (size_t i = n; i-- > 0;) { /* from the end: leave moves the last */
			if (p[i + 2].revents && !serve_guest(h, &h->guest[i]))
				leave(h, i);
		}
		if (p[1].revents)
			admit(h);
	}
}

/* In the child: nothing of the parent but the socket, the pipe, and standard error. */
static _Noreturn void become_host(
	int listen_fd, int stop_fd, const struct door_label *label)
{
	struct host h = {.listen_fd = 3, .stop_fd = 4, .label = label};
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	prctl(PR_SET_NAME, "agentctl-door");
	prctl(PR_SET_DUMPABLE, 0);
	signal(SIGINT, SIG_IGN); /* of the terminal: the parent decides */
	signal(SIGQUIT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	listen_fd = fcntl(listen_fd, F_DUPFD, 10);
	stop_fd = fcntl(stop_fd, F_DUPFD, 10);
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 ||
		dup2(listen_fd, 3) < 0 || dup2(stop_fd, 4) < 0)
		_exit(1);
	syscall(SYS_close_range, 5, ~0u, 0);
	fcntl(3, F_SETFD, FD_CLOEXEC);
	fcntl(4, F_SETFD, FD_CLOEXEC);
	if (chdir("/") != 0)
		_exit(1);
	serve(&h);
}

/* A socket's address is short; a folder's descriptor makes any path short. */
static int bind_in(const char *dir, const char *name)
{
	auto_close int folder = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	auto_close int fd =
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mode_t mask;
	int r;

	if (folder < 0 || fd < 0)
		return -errno;
	snprintf(sa.sun_path, sizeof sa.sun_path, "/proc/self/fd/%d/%s", folder, name);
	mask = umask(0177);
	r = bind(fd, (struct sockaddr *)&sa, sizeof sa) ? -errno : 0;
	umask(mask);
	if (r == 0 && listen(fd, GUESTS) != 0)
		r = -errno;
	return r ? r : steal_fd(&fd);
}

int door_open(struct door *d, const struct door_label *label)
{
	auto_free char *state = NULL;
	auto_close int listen_fd = -1, stop = -1, ours = -1;
	char name[48];
	int p[2], r = txfs_state_dir(&state);

	memset(d, 0, sizeof *d);
	d->stop = -1;
	if (r != 0)
		return r;
	snprintf(name, sizeof name, "door-%ld", (long)getpid());
	snprintf(d->path, sizeof d->path, "%s/%s", state, name);
	unlink(d->path); /* of an earlier process with our number */
	listen_fd = bind_in(state, name);
	if (listen_fd < 0 || pipe2(p, O_CLOEXEC) != 0) {
		r = listen_fd < 0 ? listen_fd : -errno;
		d->path[0] = 0;
		return r;
	}
	stop = p[0];
	ours = p[1];
	d->pid = fork();
	if (d->pid == 0)
		become_host(listen_fd, stop, label);
	if (d->pid < 0) {
		r = -errno;
		unlink(d->path);
		d->path[0] = 0;
		return r;
	}
	d->stop = steal_fd(&ours);
	return 0;
}

void door_close(struct door *d)
{
	if (!*d->path)
		return;
	close(d->stop);
	kill(d->pid, SIGKILL);
	while (waitpid(d->pid, NULL, 0) < 0 && errno == EINTR)
		;
	unlink(d->path);
	memset(d, 0, sizeof *d);
	d->stop = -1;
}
