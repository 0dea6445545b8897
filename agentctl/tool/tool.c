/*
 * tool.c: the life of one piece of work, from the workspace to the end of its
 * transaction.
 */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>
#include "agentctl/tool/impl.h"
#include "common/quote.h"
#include "common/cleanup.h"
#include "common/mem.h"

static const bool moves[TOOL_STATES][TOOL_STATES] = {
	[TOOL_FOUND] = {[TOOL_OPEN] = true},
	[TOOL_OPEN] = {[TOOL_STOPPED] = true, [TOOL_OPEN] = true},
	[TOOL_STOPPED] = {[TOOL_ENDED] = true, [TOOL_STOPPED] = true},
	[TOOL_ENDED] = {[TOOL_ENDED] = true},
};

void tool_move(struct tool *t, enum tool_state to)
{
	assert(moves[t->state][to]);
	assert(to != TOOL_OPEN || (t->fs && t->sandbox));
	assert(to != TOOL_STOPPED || !t->sandbox);
	t->state = to;
}

int tool_say(struct tool *t, int r, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(t->message, sizeof t->message, format, ap);
	va_end(ap);
	return r;
}

uint64_t tool_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

const char *tool_message(const struct tool *t)
{
	return t ? t->message : "out of memory";
}

const char *tool_workspace(const struct tool *t)
{
	return t->ws.path ? t->ws.path : "";
}

const char *tool_cwd(const struct tool *t)
{
	return t->ws.cwd;
}

bool tool_is_mounted(const struct tool *t)
{
	return t->ws.mounted;
}

uint64_t tool_tx(const struct tool *t)
{
	return t->begun.id;
}

struct tool_times *tool_times(struct tool *t)
{
	return &t->times;
}

int tool_signal_fd(const struct tool *t)
{
	return t->signal_fd;
}

char *tool_quote(char *const *argv)
{
	return quote_argv(argv);
}

/* In the workspace it cannot be hidden: that is what commands work on. */
static int guard_secret(struct tool *t)
{
	auto_free char *real = t->o.secret ? realpath(t->o.secret, NULL) : NULL;

	if (!real || !workspace_below(real, t->ws.path))
		return 0;
	return tool_say(t, -EACCES,
		"the key file '%s' lies in the workspace, where commands see it", real);
}

int tool_open(struct tool **out, const struct tool_options *o)
{
	struct tool *t = mem_zalloc(sizeof *t);
	int r;

	*out = t;
	if (!t)
		return -ENOMEM;
	t->o = *o;
	t->signal_fd = -1;
	r = workspace_resolve(&t->ws, o->workspace, t->message, sizeof t->message);
	return r ? r : guard_secret(t);
}

/* A line of libtxfs, or the errno where it has none. */
static int fs_failed(struct tool *t, int r, const char *what)
{
	const char *why = t->fs ? txfs_message(t->fs) : NULL;

	if (why && *why)
		return tool_say(t, r, "%s", why);
	return tool_say(t, r, "cannot %s in '%s': %s", what, t->ws.path, strerror(-r));
}

/* The mount decides what the store and the mount point are; the registry knows. */
static int note_mount(struct tool *t)
{
	struct txfs_workspace *w = NULL;
	int r = txfs_workspace_find(txfs_mnt(t->fs), &w);

	if (r == 0 && !t->ws.store && w->store)
		t->ws.store = mem_strdup(w->store);
	if (r == 0 && !t->ws.mnt)
		t->ws.mnt = mem_strdup(w->mnt);
	txfs_workspace_free(w);
	if (r == 0 && t->ws.mnt && t->ws.store)
		return 0;
	return tool_say(t, r ? r : -ENOMEM,
		"cannot find the mount of '%s' in the registry", t->ws.path);
}

static void give_up(struct tool *t)
{
	sandbox_close(t->sandbox);
	t->sandbox = NULL;
	door_close(&t->door);
	if (t->begun.id)
		txfs_abort(t->fs, t->begun.id, NULL);
	if (t->mounted_here)
		txfs_unmount_idle(t->fs);
	else
		txfs_close(t->fs);
	t->fs = NULL;
	t->begun.id = 0;
}

/* After the mount, whose daemon must not inherit the mask, and before the transaction,
 * which a signal must not leave open; nor must a reader who goes away, so SIGPIPE is
 * blocked, too, and comes as an error of write. */
static int catch_signals(struct tool *t)
{
	static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH};
	sigset_t set, blocked;

	sigemptyset(&set);
	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
		sigaddset(&set, ours[i]);
	sigaddset(&blocked, SIGPIPE);
	if (sigprocmask(SIG_BLOCK, &set, NULL) != 0 ||
		sigprocmask(SIG_BLOCK, &blocked, NULL) != 0)
		return -errno;
	t->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return t->signal_fd < 0 ? -errno : 0;
}

/* Without a policy there is nobody to ask. */
static int open_door(struct tool *t)
{
	char tx[24], agent[128];
	const struct door_label label = {.agent = agent,
		.tx = tx,
		.workspace = t->ws.path,
		.home = getenv("HOME"),
		.id = t->begun.id,
		.allow_tx = t->o.allow_tx};
	int r;

	if (t->o.policy_off)
		return 0;
	snprintf(tx, sizeof tx, "%llu", (unsigned long long)t->begun.id);
	snprintf(agent, sizeof agent, "%s, inside", t->o.agent ? t->o.agent : "agentctl");
	r = door_open(&t->door, &label);
	return r ? tool_say(t, r, "cannot make the sandbox's socket: %s", strerror(-r))
		 : 0;
}

/* The mount, and who catches signals. */
static int attach(struct tool *t)
{
	int r = txfs_open_or_mount(t->ws.path, &t->fs, &t->mounted_here);

	if (r != 0) {
		fs_failed(t, r, "reach the mount");
		t->mounted_here = false;
		return r;
	}
	r = note_mount(t);
	if (r == 0 && (r = catch_signals(t)) != 0)
		tool_say(t, r, "cannot catch signals: %s", strerror(-r));
	return r;
}

static int begin(struct tool *t)
{
	uint64_t at = tool_now();
	int r = txfs_begin(t->fs, TXFS_BEGIN_PRIVATE, t->o.label, &t->begun);

	t->times.begin = tool_now() - at;
	if (r == 0)
		return 0;
	t->begun.id = 0;
	return fs_failed(t, r, "begin");
}

static int move_in(struct tool *t)
{
	int r = open_door(t);

	if (r == 0)
		r = tool_contain(t);
	if (r == 0)
		tool_move(t, TOOL_OPEN);
	return r;
}

int tool_begin(struct tool *t)
{
	int r = attach(t);

	if (r == 0)
		r = begin(t);
	if (r == 0)
		r = move_in(t);
	if (r != 0)
		give_up(t);
	return r;
}

/** Which transaction is looked for, and what it is. */
struct sought {
	uint64_t id;
	struct txfs_row_tx row;
};

static int seek_row(void *arg, const struct txfs_row_tx *r)
{
	struct sought *s = arg;

	if (r->id != s->id)
		return 0;
	s->row = *r;
	return 1;
}

static int seek(struct tool *t, struct sought *s)
{
	int r = txfs_list(t->fs, 0, seek_row, s);

	if (r < 0)
		return fs_failed(t, r, "list the transactions");
	if (r == 0)
		return tool_say(t, -ENOENT, "no transaction %llu is open in '%s'",
			(unsigned long long)s->id, t->ws.path);
	return 0;
}

int tool_attach_view(struct tool *t, uint64_t tx)
{
	struct sought s = {.id = tx};
	int r = seek(t, &s);

	if (r != 0)
		return r;
	if (s.row.state != TXFS_OPEN || !s.row.is_private)
		return tool_say(t, -ESTALE,
			"transaction %llu cannot be gone on with: txfs -C '%s' "
			"diff|commit|abort --tx %llu",
			(unsigned long long)tx, t->ws.path, (unsigned long long)tx);
	t->begun.id = tx;
	snprintf(t->begun.view, sizeof t->begun.view, "%.4000s/%.63s", txfs_mnt(t->fs),
		s.row.view);
	return 0;
}

/* What was there before is not ours to abort. */
int tool_resume(struct tool *t, uint64_t tx)
{
	int r = attach(t);

	if (r == 0)
		r = tool_attach_view(t, tx);
	if (r == 0)
		r = move_in(t);
	if (r != 0) {
		t->begun.id = 0;
		give_up(t);
	}
	return r;
}

/* A new sandbox for the same view; what ran in the old one is gone. */
static int renew(struct tool *t)
{
	sandbox_close(t->sandbox);
	t->sandbox = NULL;
	return tool_contain(t);
}

int tool_exec(struct tool *t, const struct sandbox_cmd *cmd, struct sandbox_result *r)
{
	struct sandbox_cmd here = *cmd;
	int e;

	assert(t->state == TOOL_OPEN);
	if (!here.cwd)
		here.cwd = t->ws.cwd;
	here.signal_fd = t->signal_fd;
	e = sandbox_exec(t->sandbox, &here, r);
	if (e == -EINVAL)
		tool_say(t, e, "standard input, output or error is a directory");
	else if (e != 0)
		tool_say(t, e, "cannot run in the sandbox: %s", strerror(-e));
	if (e == -EPIPE || (e == 0 && r->timed_out)) {
		int again = renew(t);

		return e ? e : again;
	}
	return e;
}

void tool_stop(struct tool *t)
{
	if (t->state != TOOL_OPEN)
		return;
	sandbox_close(t->sandbox);
	t->sandbox = NULL;
	door_close(&t->door);
	tool_move(t, TOOL_STOPPED);
}

int tool_count(struct tool *t, struct tool_held *out)
{
	struct sought s = {.id = t->begun.id};
	int r = seek(t, &s);

	memset(out, 0, sizeof *out);
	out->added = s.row.added;
	out->changed = s.row.changed;
	out->deleted = s.row.deleted;
	return r;
}

int tool_savepoint(struct tool *t, const char *name)
{
	int r = txfs_savepoint(t->fs, t->begun.id, name);

	return r ? fs_failed(t, r, "set a savepoint") : 0;
}

int tool_release(struct tool *t, const char *name)
{
	int r = txfs_release(t->fs, t->begun.id, name);

	return r ? fs_failed(t, r, "release a savepoint") : 0;
}

int tool_rollback(struct tool *t, const char *name)
{
	int r;

	sandbox_close(t->sandbox);
	t->sandbox = NULL;
	r = txfs_rollback(t->fs, t->begun.id, name);
	return r ? fs_failed(t, r, "roll back") : tool_contain(t);
}

int tool_commit(struct tool *t, struct txfs_ended *e)
{
	uint64_t at = tool_now();
	int r;

	assert(t->state == TOOL_STOPPED);
	memset(e, 0, sizeof *e);
	r = txfs_commit(t->fs, t->begun.id, 0, e);
	t->times.end = tool_now() - at;
	if (r == 0)
		tool_move(t, TOOL_ENDED);
	return r ? fs_failed(t, r, "commit") : 0;
}

int tool_abort(struct tool *t, struct txfs_ended *e)
{
	uint64_t at = tool_now();
	int r;

	assert(t->state == TOOL_STOPPED);
	memset(e, 0, sizeof *e);
	r = txfs_abort(t->fs, t->begun.id, e);
	t->times.end = tool_now() - at;
	if (r == 0)
		tool_move(t, TOOL_ENDED);
	return r ? fs_failed(t, r, "abort") : 0;
}

void tool_keep(struct tool *t)
{
	assert(t->state == TOOL_STOPPED);
	t->kept = true;
	tool_move(t, TOOL_ENDED);
}

/** Who wants to hear of a conflict. */
struct listener {
	void (*each)(void *arg, const char *path);
	void *arg;
};

static int tell(
	void *arg, const struct txfs_row_change *r, const char *path, const char *to)
{
	struct listener *l = arg;

	l->each(l->arg, to ? to : path);
	return 0;
}

int tool_conflicts(struct tool *t, void (*each)(void *arg, const char *path), void *arg)
{
	struct listener l = {each, arg};

	return txfs_changes(t->fs, t->begun.id, TXFS_CHANGES_CONFLICTS, tell, &l);
}

int tool_finish(struct tool *t)
{
	struct txfs *fs = t->fs;
	int r;

	if (!fs)
		return 0;
	t->fs = NULL;
	if (t->kept || t->state != TOOL_ENDED) {
		txfs_close(fs);
		return 0;
	}
	r = txfs_unmount_idle(fs);
	if (r == 0 || r == -EBUSY)
		return 0; /* busy: others work there, or it is a person's own mount */
	return tool_say(t, r, "cannot unmount '%s': %s", t->ws.mnt, strerror(-r));
}

void tool_close(struct tool *t)
{
	if (!t)
		return;
	sandbox_close(t->sandbox);
	door_close(&t->door);
	if (t->fs)
		txfs_close(t->fs);
	if (t->signal_fd >= 0)
		close(t->signal_fd);
	policy_close(t->policy);
	workspace_free(&t->ws);
	free(t);
}
