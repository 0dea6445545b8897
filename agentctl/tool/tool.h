/*
 * tool.h: one piece of work in a workspace: vet commands, begin a private transaction,
 *run commands contained in its view, look at what changed, and end it.
 *
 *	tool_open > tool_vet* > tool_begin > tool_exec* > tool_stop > tool_held
 *		> tool_commit | tool_abort | tool_keep > tool_close
 *
 * The states are a table in tool.c. Functions return 0 or -errno; after an error
 * tool_message() is one line that names the subject. One thread.
 */
#ifndef AGENTCTL_TOOL_H
#define AGENTCTL_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agentctl/sandbox/sandbox.h"
#include "txfs/client.h"
#include "txfs/policy.h"

struct tool;

struct tool_options {
	const char *workspace; /* NULL: found from the current directory */
	const char *label;     /* of the transaction, or NULL */
	const char *agent;     /* who asks, for the policy's log */
	const char *secret;    /* a file that no command may see, or NULL */
	bool policy_off;       /* tool_vet allows everything */
	bool allow_tx;	       /* commands may set savepoints and go back to them */
};

/** Times in ns, 0 where a step did not happen; end is the commit's or the abort's. */
struct tool_times {
	uint64_t begin, contain, vet, run, check, end;
};

/** tool_open(out, o): find the workspace. On error *out is set all the same if there was
 * memory, for its message; close it always. -EPERM: the place is refused; -EACCES: the
 * secret file lies in it. */
int tool_open(struct tool **out, const struct tool_options *o);
void tool_close(struct tool *t);
const char *tool_message(const struct tool *t);

const char *tool_workspace(const struct tool *t); /* absolute path */
const char *tool_cwd(const struct tool *t);	  /* where commands start */
bool tool_is_mounted(const struct tool *t);	  /* before tool_begin */
uint64_t tool_tx(const struct tool *t);		  /* 0 before tool_begin */
struct tool_times *tool_times(struct tool *t);

/** tool_signal_fd(t): a signalfd with the signals that tool_begin blocked, for times when
 * no command runs; -1 before tool_begin. */
int tool_signal_fd(const struct tool *t);

/** tool_vet(t, command, a): ask policyd about a shell command. 0 with the answer; an
 * error, also of policyd, is a refusal and leaves POLICY_DENY and a reason in @a. */
int tool_vet(struct tool *t, const char *command, struct policy_answer *a);

/** tool_record(t, event): tell policyd's record what became of this piece of work, see
 * struct policy_event. tool_head(t): the end of the record then, NULL: none. */
int tool_record(struct tool *t, const char *event);
const struct policy_head *tool_head(const struct tool *t);

/** tool_quote(argv): as one line of shell; caller frees. NULL: no memory. */
char *tool_quote(char *const *argv);

/** tool_begin(t): mount the workspace if it is not, begin, build the sandbox. On error
 * nothing is left behind. From here on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGWINCH are
 * blocked in this process and go to the command that runs. */
int tool_begin(struct tool *t);

/** tool_resume(t, tx): instead of tool_begin: go on in a private transaction that is open
 * and that nobody else works in. -ENOENT: there is none of that number; -ESTALE: it is
 * suspended and can only be looked at, committed or aborted. */
int tool_resume(struct tool *t, uint64_t tx);

/** tool_exec(t, cmd, r): run in the sandbox; see sandbox_exec; signal_fd is set here. A
 * sandbox that a time-out ended is built anew. cwd NULL: tool_cwd. */
int tool_exec(struct tool *t, const struct sandbox_cmd *cmd, struct sandbox_result *r);

/** tool_savepoint(t, name), tool_release(t, name): set one; forget it and all newer ones,
 * and keep the changes. */
int tool_savepoint(struct tool *t, const char *name);
int tool_release(struct tool *t, const char *name);

/** tool_rollback(t, name): undo what changed since the savepoint. All that still runs in
 * the sandbox is killed first, or it would go on in what was undone; a new one is built.
 */
int tool_rollback(struct tool *t, const char *name);

/** tool_count(t, out): how many paths changed so far; nothing else of @out is set.
 * tool_diff(t, path, max, text): the changes to read, of @path (relative; NULL: of all),
 * cut at @max bytes; names are escaped, lines of files are as they are. Caller frees. */
struct tool_held;
int tool_count(struct tool *t, struct tool_held *out);
int tool_diff(struct tool *t, const char *path, size_t max, char **text);

/** tool_stop(t): end all that still runs in the sandbox. Nothing is written after it. */
void tool_stop(struct tool *t);

/** Paths that run later outside, found by tool_held. */
struct tool_held {
	char **held, **listed; /* held back; only to be named */
	size_t n_held, n_listed;
	uint64_t added, changed, deleted; /* all changed paths, counted */
};

/** tool_held(t, out): look through the changes. Caller frees by tool_held_free. */
int tool_held(struct tool *t, struct tool_held *out);
void tool_held_free(struct tool_held *h);

/** tool_commit(t, e): publish. -EBUSY: conflict, see tool_conflicts; the transaction
 * stays open. 0 with e->behind: committed, the base is behind. tool_abort(t, e): drop it.
 */
int tool_commit(struct tool *t, struct txfs_ended *e);
int tool_abort(struct tool *t, struct txfs_ended *e);

/** tool_keep(t): leave it open, for a person or a later call. */
void tool_keep(struct tool *t);

/** tool_conflicts(t, each, arg): the paths that a failed commit named. */
int tool_conflicts(struct tool *t, void (*each)(void *arg, const char *path), void *arg);

/** tool_finish(t): unmount what this or an earlier run mounted, unless work is kept there
 * or others use it. 0, or -errno with a message: the work is ended as it is. */
int tool_finish(struct tool *t);

#endif
