/*
 * mcp.c: the methods of the protocol. Requests are answered one by one; while a command
 * runs only two things are heard: that it is not wanted any more, and whether we live.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include "agentctl/mcp/bench.h"
#include "agentctl/mcp/mcp.h"
#include "agentctl/mcp/rpc.h"
#include "agentctl/mcp/tools.h"
#include "agentctl/sandbox/sandbox.h"
#include "common/version.h"

struct mcp {
	struct rpc rpc;
	struct bench *b;
	json_object *running; /* the id of the request that is worked on */
	bool inside;
	int signal;
};

static const char *method_of(json_object *message)
{
	json_object *m;

	return json_object_object_get_ex(message, "method", &m)
		       ? json_object_get_string(m)
		       : "";
}

static json_object *params_of(json_object *message)
{
	json_object *p = NULL;

	json_object_object_get_ex(message, "params", &p);
	return json_object_is_type(p, json_type_object) ? p : NULL;
}

/* --- heard while a command runs -------------------------------------------------------
 */

static bool cancels(const struct mcp *m, json_object *message)
{
	json_object *p = params_of(message), *id;

	return strcmp(method_of(message), "notifications/cancelled") == 0 && p &&
	       json_object_object_get_ex(p, "requestId", &id) && m->running &&
	       json_object_equal(id, m->running);
}

/* The client has closed both ends: nobody will read what comes of it. */
static bool is_gone(const struct mcp *m)
{
	struct pollfd p = {.fd = m->rpc.out};

	return poll(&p, 1, 0) > 0 && p.revents & (POLLERR | POLLHUP | POLLNVAL);
}

static int hear(void *arg)
{
	struct mcp *m = arg;
	json_object *id;
	bool stop = false;

	if (rpc_fill(&m->rpc) != 0)
		m->rpc.ended = true;
	for (size_t i = 0; i < m->rpc.waiting;) {
		json_object *message = m->rpc.queue[i];

		if (cancels(m, message)) {
			stop = true;
		} else if (strcmp(method_of(message), "ping") == 0 &&
			   json_object_object_get_ex(message, "id", &id)) {
			rpc_result(&m->rpc, id, json_object_new_object());
		} else {
			i++;
			continue;
		}
		rpc_drop(&m->rpc, i);
	}
	if (stop)
		return 1;
	if (!m->rpc.ended)
		return 0;
	return is_gone(m) ? 1 : -1;
}

/* --- the methods ----------------------------------------------------------------------
 */

/* The revision that the client asks for if it is one of these, else the newest. */
static const char *revision(json_object *params)
{
	static const char *const known[] = {"2025-06-18", "2025-03-26", "2024-11-05"};
	json_object *v;
	const char *wanted =
		params && json_object_object_get_ex(params, "protocolVersion", &v)
			? json_object_get_string(v)
			: "";

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		if (strcmp(known[i], wanted) == 0)
			return known[i];
	}
	return known[0];
}

static int initialize(struct mcp *m, json_object *id, json_object *params)
{
	json_object *o = json_object_new_object(), *caps = json_object_new_object();
	json_object *info = json_object_new_object();

	json_object_object_add(caps, "tools", json_object_new_object());
	json_object_object_add(info, "name", json_object_new_string("txfs"));
	json_object_object_add(info, "version", json_object_new_string(TXFS_VERSION));
	json_object_object_add(
		o, "protocolVersion", json_object_new_string(revision(params)));
	json_object_object_add(o, "capabilities", caps);
	json_object_object_add(o, "serverInfo", info);
	json_object_object_add(o, "instructions",
		json_object_new_string(
			m->b->ops.commit
				? "Changes made by run are published by commit, and "
				  "undone by abort or rollback."
				: "Changes made by run belong to a transaction that "
				  "somebody else commits or aborts."));
	return rpc_result(&m->rpc, id, o);
}

static int ping(struct mcp *m, json_object *id, json_object *params)
{
	return rpc_result(&m->rpc, id, json_object_new_object());
}

static int list(struct mcp *m, json_object *id, json_object *params)
{
	return rpc_result(&m->rpc, id, tools_list(m->b));
}

static int call(struct mcp *m, json_object *id, json_object *params)
{
	const struct work_ear ear = {m->rpc.in, hear, m};
	struct call c = {.ear = &ear};
	struct answer a = {0};
	json_object *name = NULL;
	int r;

	if (params) {
		json_object_object_get_ex(params, "name", &name);
		json_object_object_get_ex(params, "arguments", &c.args);
	}
	if (!json_object_is_type(name, json_type_string) ||
		(c.args && !json_object_is_type(c.args, json_type_object)))
		return rpc_error(&m->rpc, id, RPC_PARAMS,
			"a call has a name, and an object of arguments");
	m->running = id;
	r = tools_call(m->b, json_object_get_string(name), &c, &a);
	m->running = NULL;
	if (m->b->forwarded)
		m->signal = m->b->forwarded;
	if (r == -ENOENT || r == -EINVAL)
		r = rpc_error(&m->rpc, id, RPC_PARAMS, a.text ? a.text : "?");
	else if (r != 0)
		r = rpc_error(&m->rpc, id, RPC_INTERNAL, strerror(-r));
	else
		r = rpc_result(&m->rpc, id, tools_result(&a));
	free(a.text);
	json_object_put(a.data);
	return r;
}

static const struct {
	const char *name;
	int (*act)(struct mcp *m, json_object *id, json_object *params);
} methods[] = {{"initialize", initialize}, {"ping", ping}, {"tools/list", list},
	{"tools/call", call}};

static int act(struct mcp *m, json_object *message)
{
	const char *method = method_of(message);
	json_object *id = NULL;

	/* notifications want no answer; of a response nothing was asked */
	if (!json_object_object_get_ex(message, "id", &id) || !id || !*method)
		return 0;
	for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
		if (strcmp(methods[i].name, method) == 0)
			return methods[i].act(m, id, params_of(message));
	}
	return rpc_error(&m->rpc, id, RPC_NO_METHOD, "there is no such method");
}

/* --- from end to end ------------------------------------------------------------------
 */

/* A signal that came while no command ran. */
static void take_signal(struct mcp *m, int fd)
{
	struct signalfd_siginfo si;

	if (read(fd, &si, sizeof si) == sizeof si && si.ssi_signo != SIGWINCH)
		m->signal = (int)si.ssi_signo;
}

static int turn(struct mcp *m)
{
	json_object *message = rpc_next(&m->rpc);
	struct pollfd p[2] = {{.fd = m->rpc.in, .events = POLLIN}};
	int r;

	if (message) {
		r = act(m, message);
		json_object_put(message);
		return r;
	}
	p[1] = (struct pollfd){.fd = m->b->ops.signal_fd(m->b), .events = POLLIN};
	if (poll(p, 2, -1) < 0)
		return errno == EINTR ? 0 : -errno;
	if (p[1].revents)
		take_signal(m, p[1].fd);
	return p[0].revents ? rpc_fill(&m->rpc) : 0;
}

int mcp_serve(const struct mcp_options *o)
{
	struct mcp m = {.rpc = {.in = STDIN_FILENO, .out = STDOUT_FILENO}};
	struct stat st;
	sigset_t pipe;
	int r;

	m.inside = lstat(SANDBOX_SOCKET, &st) == 0 && S_ISSOCK(st.st_mode);
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigprocmask(
		SIG_BLOCK, &pipe, NULL); /* blocked, since what is ignored is inherited */
	r = m.inside ? bench_inside(&m.b, o) : bench_outside(&m.b, o);
	while (r == 0 && !m.signal && (!m.rpc.ended || m.rpc.waiting))
		r = turn(&m);
	if (m.b)
		m.b->ops.close(m.b);
	rpc_close(&m.rpc);
	if (m.signal)
		return 128 + m.signal;
	return r == 0 || r == -EPIPE ? 0 : 1;
}
