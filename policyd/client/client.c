/*
 * client.c: one question, one answer, over one line of JSON each; whatever goes wrong
 * is an error, and an error is a refusal.
 */
#include <errno.h>
#include <json-c/json.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/escape.h"
#include "policyd/client/client.h"

static const char *const decisions[] = {"deny", "ask", "tx", "allow"};
static const char *const covers[] = {"tx", "contained", "none"};

const char *policy_decision_name(enum policy_decision d)
{
	return (unsigned)d < 4 ? decisions[d] : "deny";
}

int policy_fail_(struct policy_answer *ans, int err, const char *text)
{
	memset(ans, 0, sizeof(*ans));
	snprintf(ans->rule, sizeof(ans->rule), "policyd-unreachable");
	snprintf(ans->class_, sizeof(ans->class_), "policy");
	snprintf(ans->reason, sizeof(ans->reason), "%s: %s", text, strerror(-err));
	snprintf(ans->suggest, sizeof(ans->suggest), "start policyd, then try again");
	return err;
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000L + t.tv_nsec / 1000000;
}

/* Wait for @events until @end; 0, -ETIMEDOUT or -errno. */
static int wait_for(int fd, short events, long end)
{
	struct pollfd pf = {.fd = fd, .events = events};

	for (;;) {
		long left = end - now_ms();
		int n;

		if (left <= 0)
			return -ETIMEDOUT;
		n = poll(&pf, 1, (int)left);
		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
	}
}

static int peer_is_trusted(int fd)
{
	struct ucred uc;
	socklen_t len = sizeof(uc);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &uc, &len))
		return -errno;
	return uc.uid == 0 || uc.uid == geteuid() ? 0 : -EPERM;
}

int policy_connect(struct policy **pp, const char *path, int timeout_ms)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	char buf[sizeof(sa.sun_path)];
	auto_close int fd = -1;
	struct policy *p;
	int r;

	*pp = NULL;
	if (!path && (r = policy_socket_path(buf, sizeof(buf))))
		return r;
	if (!path)
		path = buf;
	if (strlen(path) >= sizeof(sa.sun_path))
		return -ENAMETOOLONG;
	strcpy(sa.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&sa, sizeof(sa)))
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	if ((r = peer_is_trusted(fd)))
		return r;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->timeout_ms = timeout_ms > 0 ? timeout_ms : POLICY_TIMEOUT_MS;
	p->fd = steal_fd(&fd);
	*pp = p;
	return 0;
}

void policy_close(struct policy *p)
{
	if (!p)
		return;
	close(p->fd);
	free(p);
}

static int send_all(struct policy *p, const char *s, size_t n, long end)
{
	while (n) {
		ssize_t w = send(p->fd, s, n, MSG_NOSIGNAL);
		int r;

		if (w >= 0) {
			s += w;
			n -= (size_t)w;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -errno;
		if ((r = wait_for(p->fd, POLLOUT, end)))
			return r;
	}
	return 0;
}

/* In one piece, since each would wake the daemon. */
static int send_line(struct policy *p, const char *text, long end)
{
	size_t n = strlen(text);
	auto_free char *line = malloc(n + 1);

	if (!line)
		return -ENOMEM;
	memcpy(line, text, n);
	line[n] = '\n';
	return send_all(p, line, n + 1, end);
}

/* One line into @buf, without its newline. Anything behind the newline is an error. */
static int read_line(struct policy *p, char *buf, size_t size, long end)
{
	size_t have = 0;

	for (;;) {
		int r = wait_for(p->fd, POLLIN, end);
		ssize_t n;

		if (r)
			return r;
		n = recv(p->fd, buf + have, size - have, 0);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EPIPE;
		have += (size_t)n;
		if (buf[have - 1] == '\n') {
			buf[have - 1] = '\0';
			return strlen(buf) == have - 1 && !strchr(buf, '\n') ? 0
									     : -EPROTO;
		}
		if (have == size || memchr(buf, '\n', have))
			return -EPROTO;
	}
}

static bool text_of(struct json_object *o, const char *key, char *buf, size_t size)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v))
		return true;
	if (!json_object_is_type(v, json_type_string))
		return false;
	snprintf(buf, size, "%s", json_object_get_string(v));
	return true;
}

/* Where the answer tells of the record. */
static void take_head(
	struct json_object *o, struct policy_answer *ans, struct policy_head *head)
{
	struct json_object *v;

	if (json_object_object_get_ex(o, "log", &v))
		ans->log = (unsigned long)json_object_get_int64(v);
	if (!head)
		return;
	head->lines = ans->log;
	if (!text_of(o, "head", head->hash, sizeof(head->hash)))
		head->hash[0] = '\0';
}

/* The answer must be ours (id), of our version, with a decision we know. */
static int decode(const char *line, unsigned long id, struct policy_answer *ans,
	struct policy_head *head)
{
	struct json_object *o = json_tokener_parse(line), *v;
	char word[16] = "";
	int r = -EPROTO, d;

	if (!json_object_is_type(o, json_type_object))
		goto out;
	if (!json_object_object_get_ex(o, "v", &v) ||
		!json_object_is_type(v, json_type_int) ||
		json_object_get_int64(v) != POLICY_VERSION)
		goto out;
	if (!json_object_object_get_ex(o, "id", &v) ||
		!json_object_is_type(v, json_type_int) ||
		(unsigned long)json_object_get_int64(v) != id)
		goto out;
	if (!text_of(o, "decision", word, sizeof(word)) ||
		!text_of(o, "rule", ans->rule, sizeof(ans->rule)) ||
		!text_of(o, "reason", ans->reason, sizeof(ans->reason)) ||
		!text_of(o, "suggest", ans->suggest, sizeof(ans->suggest)) ||
		!text_of(o, "class", ans->class_, sizeof(ans->class_)))
		goto out;
	if (json_object_object_get_ex(o, "us", &v))
		ans->us = (unsigned long)json_object_get_int64(v);
	take_head(o, ans, head);
	for (d = 0; d < 4 && strcmp(word, decisions[d]); d++)
		;
	if (d < 4) {
		ans->decision = (enum policy_decision)d;
		r = 0;
	}
out:
	json_object_put(o);
	return r;
}

/* Send @o (consumed) and take the answer; any failure kills the connection. */
static int ask(struct policy *p, struct json_object *o, struct policy_answer *ans,
	struct policy_head *head)
{
	static const size_t max = 16 * 1024;
	long end = now_ms() + p->timeout_ms;
	auto_free char *line = malloc(max);
	unsigned long id = ++p->next_id;
	const char *text;
	int r = -ENOMEM;

	memset(ans, 0, sizeof(*ans));
	if (p->dead) {
		json_object_put(o);
		return policy_fail_(ans, -EPIPE, "connection to policyd is dead");
	}
	json_object_object_add(o, "v", json_object_new_int(POLICY_VERSION));
	json_object_object_add(o, "id", json_object_new_int64((int64_t)id));
	text = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN);
	if (line && text)
		r = send_line(p, text, end);
	json_object_put(o);
	if (!r)
		r = read_line(p, line, max, end);
	if (!r)
		r = decode(line, id, ans, head);
	if (!r)
		return 0;
	p->dead = true;
	return policy_fail_(ans, r, "no usable answer from policyd");
}

/* The wire is UTF-8. A byte of a name that is not becomes U+FFFD: it stands for itself in
 * a path and is never a character the shell reads specially, so the verdict is the same.
 */
static struct json_object *wire_text(const char *s)
{
	static const char mark[] = "\xEF\xBF\xBD";
	size_t n = strlen(s), out = 0;
	struct json_object *o;
	char *copy;

	if (utf8_valid(s, n))
		return json_object_new_string(s);
	copy = malloc(n * 3 + 1);
	if (!copy)
		return NULL;
	for (size_t i = 0; i < n;) {
		size_t len = 1;

		while (len <= 4 && i + len <= n && !utf8_valid(s + i, len))
			len++;
		if (len > 4 || i + len > n) {
			memcpy(copy + out, mark, 3);
			out += 3;
			i++;
			continue;
		}
		memcpy(copy + out, s + i, len);
		out += len;
		i += len;
	}
	o = json_object_new_string_len(copy, (int)out);
	free(copy);
	return o;
}

static void add(struct json_object *o, const char *key, const char *value)
{
	if (value)
		json_object_object_add(o, key, wire_text(value));
}

static void add_env(struct json_object *o, const struct policy_request *req)
{
	struct json_object *env = json_object_new_object();

	for (size_t i = 0; i < req->n_env; i++)
		json_object_object_add(env, req->env[i].name,
			req->env[i].value ? wire_text(req->env[i].value) : NULL);
	json_object_object_add(o, "env", env);
}

int policy_check(
	struct policy *p, const struct policy_request *req, struct policy_answer *ans)
{
	struct json_object *o;

	if (!req->command || !req->cwd || !req->workspace || (unsigned)req->cover > 2)
		return policy_fail_(ans, -EINVAL, "incomplete question");
	if (strlen(req->command) > POLICY_MAX_COMMAND)
		return policy_fail_(ans, -E2BIG, "command is longer than 128 KiB");
	o = json_object_new_object();
	add(o, "op", "check");
	add(o, "command", req->command);
	add(o, "cwd", req->cwd);
	add(o, "workspace", req->workspace);
	add(o, "home", req->home);
	add(o, "tx", req->tx);
	add(o, "agent", req->agent);
	add(o, "cover", covers[req->cover]);
	add(o, "mode", req->interactive ? "interactive" : "headless");
	if (req->n_env)
		add_env(o, req);
	return ask(p, o, ans, NULL);
}

int policy_exec(struct policy *p, const char *const *argv, const char *cwd,
	const char *workspace, struct policy_answer *ans)
{
	struct json_object *o, *a;
	size_t total = 0;
	int r;

	if (!argv || !argv[0] || !cwd || !workspace)
		return policy_fail_(ans, -EINVAL, "incomplete question");
	for (size_t i = 0; argv[i]; i++)
		total += strlen(argv[i]) + 1;
	if (total > POLICY_MAX_COMMAND)
		return policy_fail_(ans, -E2BIG, "argv is longer than 128 KiB");
	o = json_object_new_object();
	a = json_object_new_array();
	for (size_t i = 0; argv[i]; i++)
		json_object_array_add(a, wire_text(argv[i]));
	add(o, "op", "exec");
	json_object_object_add(o, "argv", a);
	add(o, "cwd", cwd);
	add(o, "workspace", workspace);
	r = ask(p, o, ans, NULL);
	if (!r && ans->decision != POLICY_ALLOW && ans->decision != POLICY_DENY) {
		p->dead = true;
		r = policy_fail_(ans, -EPROTO, "no usable answer from policyd");
	}
	return r;
}

int policy_record(
	struct policy *p, const struct policy_event *ev, struct policy_head *head)
{
	struct json_object *o = json_object_new_object();
	struct policy_answer ans;
	int r;

	memset(head, 0, sizeof(*head));
	add(o, "op", "record");
	add(o, "event", ev->event);
	add(o, "tx", ev->tx);
	add(o, "workspace", ev->workspace);
	add(o, "agent", ev->agent);
	add(o, "vets", ev->vets);
	r = ask(p, o, &ans, head);
	if (!r && (ans.decision != POLICY_ALLOW || strlen(head->hash) != 64))
		r = -EIO;
	return r;
}
