/*
 * hook.c: `agentctl hook AGENT`: the answer to another agent's question before it runs a
 * command. Exit 0: no objection (or "ask", where that is understood); exit 2 with the
 * reason on standard error blocks, in all four. All trouble is exit 2: a daemon that is
 * gone, JSON that does not parse, time that is over, even a crash of our own.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "agentctl/repl/event.h"
#include "agentctl/repl/repl.h"
#include "agentctl/tool/cover.h"
#include "agentctl/sandbox/sandbox.h"
#include "common/cleanup.h"
#include "common/escape.h"
#include "txfs/policy.h"

#define BLOCK 2
#define SECONDS 5
#define INPUT_BYTES (4 << 20)
#define MAX_ENV 256

static const char *const agents[] = {"claude", "codex", "gemini", "cursor"};

/* What a signal handler may do, and no more. */
static void die_blocking(int signo)
{
	static const char late[] = "agentctl hook: no verdict in time; the command is "
				   "refused\n";
	static const char other[] =
		"agentctl hook: interrupted; the command is refused\n";
	ssize_t n = signo == SIGALRM ? write(2, late, sizeof late - 1)
				     : write(2, other, sizeof other - 1);

	(void)n;
	_exit(BLOCK);
}

static void block_on_trouble(void)
{
	static const int signals[] = {SIGALRM, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV,
		SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGXCPU, SIGXFSZ, SIGUSR1,
		SIGUSR2};
	static char stack[16384];
	const stack_t alt = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction sa = {.sa_handler = die_blocking, .sa_flags = SA_ONSTACK};
	sigset_t none;

	sigaltstack(&alt, NULL);
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		sigaction(signals[i], &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	alarm(SECONDS);
}

static int block(const char *reason, const char *suggest)
{
	auto_free char *why = escape_text(reason, strlen(reason));
	auto_free char *instead = escape_text(suggest, strlen(suggest));

	fprintf(stderr, "Refused by policy, nothing was run: %s%s%s\n",
		why ? why : "out of memory", instead && *instead ? ". Instead: " : "",
		instead ? instead : "");
	return BLOCK;
}

static int trouble(const char *what, const char *why)
{
	char text[512];

	snprintf(text, sizeof text, "agentctl hook: %s: %s", what, why);
	return block(
		text, "run `agentctl doctor`, and see agentctl(1) for the hook's form");
}

/* All of standard input. NULL: it cannot be read, or is too long. */
static char *read_input(size_t *n)
{
	size_t cap = 65536;
	char *buf = malloc(cap + 1);

	*n = 0;
	while (buf) {
		ssize_t r = read(STDIN_FILENO, buf + *n, cap - *n);
		char *more;

		if (r < 0 && errno == EINTR)
			continue;
		if (r == 0) {
			buf[*n] = 0;
			return buf;
		}
		*n += r > 0 ? (size_t)r : 0;
		if (r < 0 || *n >= INPUT_BYTES)
			break;
		if (*n < cap)
			continue;
		cap *= 2;
		more = realloc(buf, cap + 1);
		if (!more)
			break;
		buf = more;
	}
	free(buf);
	return NULL;
}

/* Inside a run there is one socket of ours; outside, the daemon is found or started. */
static int connect_policy(struct policy **p)
{
	struct stat st;

	if (lstat(SANDBOX_SOCKET, &st) == 0 && S_ISSOCK(st.st_mode))
		return policy_connect(p, SANDBOX_SOCKET, 0);
	return policy_open(p, NULL, 0);
}

static int ask(const struct event *e, const char *agent, struct policy_answer *a)
{
	auto_free char *names = NULL;
	struct policy_env env[MAX_ENV];
	struct policy *p = NULL;
	struct cover c;
	char label[64];
	struct policy_request q = {.command = e->command,
		.cwd = e->cwd,
		.workspace = c.workspace,
		.home = getenv("HOME"),
		.env = env,
		.agent = label,
		.interactive = e->person};
	int n = policy_env_for(e->command, env, MAX_ENV, &names), r;

	if (n < 0)
		return n;
	q.n_env = (size_t)n;
	if (q.home && *q.home != '/')
		q.home = NULL;
	cover_find(e->cwd, &c);
	q.cover = c.cover;
	q.tx = *c.tx ? c.tx : NULL;
	snprintf(label, sizeof label, "hook %s", agent);
	r = connect_policy(&p);
	if (r == 0)
		r = policy_check(p, &q, a);
	policy_close(p);
	return r;
}

static int answer(const struct event *e, const struct policy_answer *a)
{
	auto_free char *line = NULL, *reason = NULL;

	if (a->decision == POLICY_DENY || (a->decision == POLICY_ASK && !e->person))
		return block(a->reason, a->suggest);
	if (a->decision == POLICY_ASK) {
		if (asprintf(&reason, "%s%s%s", a->reason,
			    *a->suggest ? "; instead: " : "", a->suggest) < 0)
			return block("out of memory", "");
		line = event_ask(e, reason);
		if (!line)
			return block("out of memory", "");
	}
	if (puts(line ? line : event_pass(e->agent)) < 0 || fflush(stdout) != 0)
		return line ? block(a->reason, a->suggest) : 0;
	return 0;
}

int repl_hook(int argc, char **argv)
{
	auto_free char *text = NULL;
	struct policy_answer a = {0};
	enum event_agent agent;
	struct event e;
	char why[256];
	size_t n;
	int r;

	block_on_trouble();
	if (argc != 2 || !event_agent(argv[1], &agent)) {
		repl_usage("hook");
		return BLOCK;
	}
	text = read_input(&n);
	if (!text)
		return trouble("standard input", "cannot be read, or is too long");
	if (event_read(&e, agent, text, n, why, sizeof why) != 0) {
		event_free(&e);
		return trouble("the event on standard input is not understood", why);
	}
	if (!e.command) {
		puts(event_pass(agent));
		return 0;
	}
	r = ask(&e, agents[agent], &a);
	if (r != 0)
		r = trouble("policyd cannot be asked", strerror(-r));
	else
		r = answer(&e, &a);
	event_free(&e);
	return r;
}
