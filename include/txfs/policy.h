/*
 * policy.h: asking the policy daemon whether a command may run.
 *
 * The wire is one JSON object a line, both ways, over a Unix stream socket; this header
 * is the C side of it. A request is a struct of borrowed strings, an answer a struct of
 * fixed size, so neither has anything to free.
 *
 * Every function returns 0 or -errno, and EVERY error means "not allowed": no socket,
 * a socket of somebody else, a time-out, an answer that does not parse. A caller that
 * wants to fail open has to write that down itself. struct policy_answer starts as
 * POLICY_DENY (it is zero), also after an error.
 *
 * A struct policy serves one thread at a time; several may be open in one process.
 * Calls block at most for their time-out. SIGPIPE is never raised.
 */
#ifndef TXFS_POLICY_H
#define TXFS_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#define POLICY_VERSION 1
#define POLICY_TIMEOUT_MS 2000		/* default for one request */
#define POLICY_MAX_COMMAND (128 * 1024) /* longer commands are refused unread */
#define POLICY_MAX_LINE (1024 * 1024)	/* longest line either side accepts */

/** What may happen to a command; the order is from strict to free. */
enum policy_decision {
	POLICY_DENY = 0, /* its effect could leave the workspace for good */
	POLICY_ASK,	 /* a person has to decide; headless requests never see it */
	POLICY_TX,	 /* may run: the transaction can bring everything back */
	POLICY_ALLOW,	 /* reads, or routine writes */
};

/** What can bring the command's changes back. Only agentctl may say CONTAINED. */
enum policy_cover {
	POLICY_COVER_TX = 0,	/* workspace in an open transaction, outside open */
	POLICY_COVER_CONTAINED, /* and outside is read-only or hidden */
	POLICY_COVER_NONE,	/* nothing: every tx becomes ask */
};

/** One variable of the command's environment; value NULL says it is known to be unset. */
struct policy_env {
	const char *name;
	const char *value;
};

/**
 * A question. command, cwd and workspace are needed, the rest may be NULL or zero.
 * All strings are UTF-8 and borrowed for the time of the call.
 * env: PATH, HOME, PWD, TMPDIR, USER and every variable the command names; what is not
 * listed counts as unknown. policy_env_for() collects them.
 */
struct policy_request {
	const char *command;
	const char *cwd;
	const char *workspace;
	const char *home;
	const struct policy_env *env;
	size_t n_env;
	enum policy_cover cover;
	const char *tx;	   /* transaction id, for the log */
	const char *agent; /* who asks, for the log */
	bool interactive;  /* a person can be asked: only then is POLICY_ASK answered */
};

/** An answer. Texts are UTF-8, one line, control characters escaped, cut to fit. */
struct policy_answer {
	enum policy_decision decision;
	char rule[64];	   /* which rule decided, e.g. "delete-outside" */
	char reason[1024]; /* names the word, the place and the rule */
	char suggest[512]; /* one thing to do instead, or empty */
	char class_[48];   /* kind of risk, e.g. "filesystem" */
	unsigned long us;  /* microseconds the daemon took */
	unsigned long log; /* number of its line in the record, 0: unknown */
};

struct policy; /* a connection */

/** policy_decision_name(d): "deny", "ask", "tx" or "allow"; static. */
const char *policy_decision_name(enum policy_decision d);

/**
 * policy_permits(a): may the command run unasked? True for POLICY_TX and POLICY_ALLOW.
 */
static inline bool policy_permits(const struct policy_answer *a)
{
	return a->decision == POLICY_TX || a->decision == POLICY_ALLOW;
}

/**
 * policy_state_dir(buf, size): the directory for per-user state, not created:
 * $TXFS_STATE_DIR, else /var/lib/txfs for root, else $XDG_STATE_HOME/txfs, else
 * ~/.local/state/txfs. Returns 0, -ENAMETOOLONG, -ENOENT when there is no home.
 */
int policy_state_dir(char *buf, size_t size);

/**
 * policy_socket_path(buf, size): where the daemon of this user listens:
 * $TXFS_POLICYD_SOCKET, else $XDG_RUNTIME_DIR/txfs/policyd.sock, else for root
 * /run/txfs/policyd.sock, else policyd.sock in the state directory.
 * Returns 0, -ENAMETOOLONG (also when it would not fit a socket address), -ENOENT.
 */
int policy_socket_path(char *buf, size_t size);

/**
 * policy_connect(pp, path, timeout_ms): connect to the daemon at @path (NULL: the
 * default path). The peer must run as our uid or root (else -EPERM). @timeout_ms is
 * kept for every later request; 0 is POLICY_TIMEOUT_MS. Returns 0 and *pp (close it
 * with policy_close), or -ENOENT, -ECONNREFUSED, -EPERM, -ETIMEDOUT, -ENOMEM ...;
 * *pp is NULL on error.
 */
int policy_connect(struct policy **pp, const char *path, int timeout_ms);

/**
 * policy_start(path): start policyd in the background for the socket @path (NULL: the
 * default) and wait, at most 2 s, until it answers. The program is `policyd` beside
 * this process's own executable, else the first in PATH. It runs in a session of its
 * own, with the null device as its standard streams. Returns 0 also when another
 * daemon won the race, -ENOENT without a program, -ETIMEDOUT.
 */
int policy_start(const char *path);

/**
 * policy_open(pp, path, timeout_ms): policy_connect, and when nothing answers there
 * (-ENOENT, -ECONNREFUSED) policy_start and once more.
 */
int policy_open(struct policy **pp, const char *path, int timeout_ms);

/**
 * policy_check(p, req, ans): may this command run? Returns 0 and the answer;
 * -EINVAL without command, cwd or workspace; -E2BIG for a command over
 * POLICY_MAX_COMMAND; -ETIMEDOUT; -EPROTO for an answer that makes no sense (*ans says
 * so in its reason); -EPIPE. After an error the connection is dead and every later
 * call returns -EPIPE.
 */
int policy_check(
	struct policy *p, const struct policy_request *req, struct policy_answer *ans);

/**
 * policy_exec(p, argv, cwd, workspace, ans): a program is about to start with @argv
 * (NULL ended). Answers POLICY_ALLOW or POLICY_DENY only. Errors as policy_check.
 */
int policy_exec(struct policy *p, const char *const *argv, const char *cwd,
	const char *workspace, struct policy_answer *ans);

/** What became of a piece of work, for the record (txfs/audit.h). */
struct policy_event {
	const char
		*event; /* begin, committed, kept, aborted, conflict, failed, refused */
	const char *tx; /* transaction id; not needed for refused */
	const char *workspace, *agent;
	const char *vets; /* numbers of the lines that vetted it, separated by blanks */
};

/** The end of the record: how many lines, and the hash that answers for all of them. */
struct policy_head {
	unsigned long lines;
	char hash[65];
};

/** policy_record(p, ev, head): one line more. Errors as policy_check. */
int policy_record(
	struct policy *p, const struct policy_event *ev, struct policy_head *head);

/** policy_close(p): end the connection; NULL is fine. */
void policy_close(struct policy *p);

/**
 * policy_env_for(command, env, max): fill @env with PATH, HOME, PWD, TMPDIR, USER and
 * each variable that @command may name, from this process's environment; the value is
 * NULL for those unset. Values are borrowed from the environment, names from *@names,
 * which the caller frees after the request. Returns the number of entries (at most
 * @max) or -ENOMEM.
 */
int policy_env_for(const char *command, struct policy_env *env, size_t max, char **names);

#endif
