/*
 * cmd.h: the command line of txfs.
 *
 * Every verb is a row of one table (cmd.c), which parses its options, makes the help and
 * calls it. A verb gets what was parsed and returns an exit code; it prints its data on
 * stdout and one line about a failure on stderr.
 */
#ifndef FS_CMD_CMD_H
#define FS_CMD_CMD_H

#include <stdbool.h>
#include <stdint.h>
#include "txfs/client.h"

enum cmd_exit {
	CMD_DONE = 0,
	CMD_FAILED = 1,
	CMD_USAGE = 2,
	CMD_CONFLICT = 3,
	CMD_DENIED = 4,
	CMD_BEHIND = 5, /* committed, but the base is behind */
};

/* What the options of all verbs parse into. */
struct args {
	const char *verb;
	const char *dir; /* -C, else "." */
	const char *tx;	 /* --tx, else NULL */
	const char *label, *store, *options;
	bool json, is_private, force, dry_run, foreground;
	int n; /* positional arguments */
	char **pos;
};

/** cmd_main(argc, argv): the whole program; returns its exit code. */
int cmd_main(int argc, char **argv);

/* The verbs, by file. */
int cmd_mount(const struct args *a);
int cmd_umount(const struct args *a);
int cmd_begin(const struct args *a);
int cmd_commit(const struct args *a);
int cmd_abort(const struct args *a);
int cmd_savepoint(const struct args *a);
int cmd_rollback(const struct args *a);
int cmd_release(const struct args *a);
int cmd_sync(const struct args *a);
int cmd_status(const struct args *a);
int cmd_diff(const struct args *a);
int cmd_ls(const struct args *a);
int cmd_log(const struct args *a);

/** cmd_error(fmt, ..): one line on stderr, control characters escaped. */
void cmd_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** cmd_fail(t, err): print the connection's message; the exit code for the error. */
int cmd_fail(const struct txfs *t, int err);

/** cmd_path(a, path, out): absolute path of an argument, which is relative to -C;
 * canonical where it exists and answers. Caller frees. 0 or -errno. */
int cmd_path(const struct args *a, const char *path, char **out);

/** A verb's connection; one that is not mounted is mounted while the verb runs. */
struct session {
	struct txfs *t;
	uint64_t id; /* what --tx means; 0: the main view's transaction */
	bool mounted;
};

/** session_open(a, s): connect and resolve --tx. Returns 0, or an exit code after it has
 * printed why; session_close in any case. */
int session_open(const struct args *a, struct session *s);
void session_close(struct session *s);

#endif
