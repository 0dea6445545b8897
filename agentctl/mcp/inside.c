/*
 * inside.c: a bench inside of a run: commands run in the sandbox that is there, vetted
 * through its one socket, which also answers how the transaction stands. Nothing here
 * can end the transaction: whoever started the run does.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include "agentctl/mcp/bench.h"
#include "agentctl/mcp/here.h"
#include "agentctl/sandbox/sandbox.h"
#include "common/cleanup.h"
#include "common/mem.h"

#define MAX_ENV 256
#define SECONDS 35 /* the door's own patience is 30 */
#define ANSWER_BYTES (1 << 20)

struct inside {
	struct bench b;
	int timeout_ms;
	char workspace[4096], cwd[4096];
};

static struct inside *inside_of(struct bench *b)
{
	return (struct inside *)b;
}

/* --- the door -------------------------------------------------------------------------
 */

static int connect_door(void)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX, .sun_path = SANDBOX_SOCKET};
	struct timeval patience = {.tv_sec = SECONDS};
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&sa, sizeof sa) != 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	return steal_fd(&fd);
}

static json_object *read_answer(int fd)
{
	auto_free char *buf = mem_alloc(ANSWER_BYTES + 1);
	size_t n = 0;

	while (buf && n < ANSWER_BYTES) {
		ssize_t r = recv(fd, buf + n, ANSWER_BYTES - n, 0);

		if (r <= 0)
			return NULL;
		n += (size_t)r;
		if (buf[n - 1] == '\n') {
			buf[n] = 0;
			return json_tokener_parse(buf);
		}
	}
	return NULL;
}

/* Takes @question. NULL: the door cannot be asked. */
static json_object *ask_door(json_object *question)
{
	auto_close int fd = connect_door();
	auto_free char *line = mem_printf(
		"%s\n", json_object_to_json_string_ext(question, JSON_C_TO_STRING_PLAIN));
	size_t n = line ? strlen(line) : 0;

	json_object_put(question);
	if (fd < 0 || !line || send(fd, line, n, MSG_NOSIGNAL) != (ssize_t)n)
		return NULL;
	return read_answer(fd);
}

static json_object *question(const char *op)
{
	json_object *o = json_object_new_object();

	json_object_object_add(o, "v", json_object_new_int(POLICY_VERSION));
	json_object_object_add(o, "op", json_object_new_string(op));
	return o;
}

/* The answer as data if it is a good one; else the words of @a are set. */
static int asked(json_object *o, struct answer *a)
{
	if (!o)
		return bench_say(a, true, "Not done: the run cannot be asked.");
	a->data = o;
	json_object_object_del(o, "v");
	if (json_object_get_boolean(json_object_object_get(o, "ok")))
		return bench_say(a, false, "Done.");
	return bench_say(a, true, "Not done: %s",
		json_object_get_string(json_object_object_get(o, "reason")));
}

static unsigned long long number(json_object *o, const char *key)
{
	return (unsigned long long)json_object_get_int64(json_object_object_get(o, key));
}

/* --- the tools ------------------------------------------------------------------------
 */

static int vet(struct inside *s, const char *command, struct policy_answer *a)
{
	struct policy_env env[MAX_ENV];
	auto_free char *names = NULL;
	struct policy *p = NULL;
	struct policy_request q = {.command = command,
		.cwd = s->cwd,
		.workspace = s->workspace,
		.home = getenv("HOME"),
		.env = env,
		.agent = "agentctl mcp"};
	int n = policy_env_for(command, env, MAX_ENV, &names), r;

	memset(a, 0, sizeof *a);
	if (n < 0)
		return n;
	q.n_env = (size_t)n;
	r = policy_connect(&p, SANDBOX_SOCKET, 0);
	if (r == 0)
		r = policy_check(p, &q, a);
	policy_close(p);
	return r;
}

static int run(struct bench *b, const struct call *c, struct answer *a)
{
	struct inside *s = inside_of(b);
	const char *command = bench_text(c, "command");
	int ms = bench_ms(c, "timeout_seconds");
	struct work_result r = {0};
	int e = vet(s, command, &r.verdict);

	if (e != 0)
		return bench_say(
			a, true, "Not run: the policy cannot be asked: %s", strerror(-e));
	r.refused = !policy_permits(&r.verdict);
	if (!r.refused)
		e = here_run(command, ms ? ms : s->timeout_ms, c->ear, &r);
	if (e != 0)
		return bench_say(a, true, "Not run: %s", strerror(-e));
	return bench_ran(a, &r);
}

static int status(struct bench *b, const struct call *c, struct answer *a)
{
	int r = asked(ask_door(question("status")), a);

	if (r != 0 || a->failed)
		return r;
	return bench_say(a, false,
		"Inside transaction %llu: %llu added, %llu changed, %llu deleted. "
		"Whoever started the run ends it.",
		number(a->data, "tx"), number(a->data, "added"),
		number(a->data, "changed"), number(a->data, "deleted"));
}

static int diff(struct bench *b, const struct call *c, struct answer *a)
{
	json_object *q = question("diff"), *text;
	const char *path = bench_text(c, "path");
	int r;

	if (path)
		json_object_object_add(q, "path", json_object_new_string(path));
	json_object_object_add(q, "max", json_object_new_int(64 * 1024));
	r = asked(ask_door(q), a);
	if (r != 0 || a->failed)
		return r;
	text = json_object_object_get(a->data, "text");
	r = bench_say(a, false, "%s",
		json_object_get_string_len(text) ? json_object_get_string(text)
						 : "Nothing changed.");
	json_object_put(steal(&a->data)); /* the words are all of it */
	return r;
}

static int named(const char *op, const struct call *c, struct answer *a)
{
	json_object *q = question(op);
	const char *name = bench_text(c, "name");

	json_object_object_add(q, "name", json_object_new_string(name ? name : ""));
	return asked(ask_door(q), a);
}

static int savepoint(struct bench *b, const struct call *c, struct answer *a)
{
	int r = named("savepoint", c, a);

	return r || a->failed ? r
			      : bench_say(a, false, "Savepoint %s is set.",
					bench_text(c, "name"));
}

static int rollback(struct bench *b, const struct call *c, struct answer *a)
{
	int r = named("rollback", c, a);

	return r || a->failed ? r
			      : bench_say(a, false,
					"Rolled back: all that changed since the "
					"savepoint %s is "
					"undone.",
					bench_text(c, "name"));
}

static int signal_fd(struct bench *b)
{
	return -1;
}

static void close_bench(struct bench *b)
{
	free(b);
}

/* Whether the run was started with --allow-tx. */
static bool savepoints_allowed(void)
{
	struct answer a = {0};
	bool allowed =
		asked(ask_door(question("status")), &a) == 0 && !a.failed &&
		json_object_get_boolean(json_object_object_get(a.data, "savepoints"));

	free(a.text);
	json_object_put(a.data);
	return allowed;
}

int bench_inside(struct bench **out, const struct mcp_options *o)
{
	static const struct bench_ops ops = {.run = run,
		.status = status,
		.diff = diff,
		.signal_fd = signal_fd,
		.close = close_bench};
	const char *workspace = getenv("AGENTCTL_WORKSPACE");
	struct inside *s = mem_zalloc(sizeof *s);

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->b.ops = ops;
	s->timeout_ms = o->loop.timeout_ms;
	if (!getcwd(s->cwd, sizeof s->cwd))
		snprintf(s->cwd, sizeof s->cwd, "/");
	snprintf(s->workspace, sizeof s->workspace, "%s",
		workspace && *workspace == '/' ? workspace : s->cwd);
	if (savepoints_allowed()) {
		s->b.ops.savepoint = savepoint;
		s->b.ops.rollback = rollback;
	}
	*out = &s->b;
	return 0;
}
