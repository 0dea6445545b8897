/*
 * loop.h: the two things agentctl does headless: run one command, or let a model work.
 *
 * Both take options, do everything, report on standard error (or as JSON lines on
 * standard output) and return the exit status of the program:
 *
 *	the command's own    committed or kept (0 only then), or it failed and was aborted
 *	1    task: the model did not finish; aborted
 *	120  the check failed; aborted (or kept, with keep)
 *	121  conflict; the transaction stays open
 *	122  commit or clean-up failed, or committed but the base is behind
 *	124  timed out      125  set-up failed, nothing ran    126  refused by policy
 *	127  not found      128+n  signal n
 */
#ifndef AGENTCTL_LOOP_H
#define AGENTCTL_LOOP_H

#include <stdbool.h>
#include <stdint.h>

enum loop_keep { LOOP_KEEP_NO, LOOP_KEEP_YES };

struct loop_options {
	const char *workspace, *label, *check;
	const char *script;  /* task: the scripted provider's file */
	enum loop_keep keep; /* leave the transaction open at the end */
	bool late;	     /* commit late-running files too */
	bool json, dry_run, policy_off;
	bool rollback_failed;	/* task: undo each command that failed */
	int timeout_ms;		/* of each command; 0: none */
	unsigned int max_steps; /* task: commands */
};

/** loop_run(o, argv): vet, begin, contain, run, check, commit or abort, tell. */
int loop_run(const struct loop_options *o, char *const *argv);

/** loop_task(o, text): a provider works on @text, command by command, in one transaction
 * with a savepoint before each. */
int loop_task(const struct loop_options *o, const char *text);

/** How a piece of work ended; `outcome` of the last JSON line. */
enum loop_outcome {
	LOOP_COMMITTED,
	LOOP_KEPT,
	LOOP_ABORTED,
	LOOP_REFUSED,
	LOOP_CONFLICT,
	LOOP_FAILED,
};

/** All that the exit status depends on. */
struct loop_ending {
	enum loop_outcome outcome;
	int status; /* of the command, as a shell tells it; task: 0, or 1 unfinished */
	bool ran;   /* something ran at all */
	bool check_failed; /* or could not be asked */
	bool timed_out, behind;
	bool unclean; /* commit, abort or unmount failed */
};

/** loop_exit_code(e): the table above. loop_outcome_name(o): "committed", .. */
int loop_exit_code(const struct loop_ending *e);
const char *loop_outcome_name(enum loop_outcome o);

#endif
