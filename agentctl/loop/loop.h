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
#include "agentctl/provider/provider.h"

struct json_object;

enum loop_keep { LOOP_KEEP_NO, LOOP_KEEP_YES };

/** What becomes of what a failed command of a task changed. */
enum loop_failure {
	LOOP_FAILURE_MODEL,    /* it stays, unless the model rolls back */
	LOOP_FAILURE_ROLLBACK, /* it is undone */
	LOOP_FAILURE_KEEP,     /* it stays */
};

struct loop_options {
	const char *workspace, *label, *check;
	enum loop_keep keep; /* leave the transaction open at the end */
	bool late;	     /* commit late-running files too */
	bool json, dry_run, policy_off;
	bool spoken;	/* our standard input and output are a protocol's, no command's */
	bool allow_tx;	/* what runs inside may set savepoints and go back to them */
	int timeout_ms; /* of each command; 0: none */
	/* hears each event of --json, whether it is printed or not; may be NULL */
	void (*hear)(void *arg, struct json_object *event);
	void *hear_arg;
	/* task: */
	const char *script;		      /* the scripted provider's file, or */
	const struct provider_server *server; /* the model to ask, or */
	/* a model in this process; NULL: the embedded one; and its options, or NULL */
	const char *model_dir;
	const struct provider_server *local;
	enum loop_failure on_failure;
	unsigned int max_steps; /* commands and roll-backs */
	uint64_t max_tokens;	/* in and out, of all answers; 0: no bound */
	int max_ms;		/* of the whole work but its end; 0: no bound */
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

/** Transcripts of tasks: a file each, of JSON lines, see loop/transcript.h. */
struct loop_transcript {
	char time[32];	    /* 20260131T120000Z */
	char workspace[32]; /* the hash of its path */
	uint64_t tx;
};

/** loop_transcript_dir(out): where they lie; made if it is missing; caller frees. */
int loop_transcript_dir(char **out);

/** loop_transcript_name(name, t): what a file's name says; false: it is no transcript. */
bool loop_transcript_name(const char *name, struct loop_transcript *t);

/** loop_transcript_hash(workspace, out): of a workspace's path, as names have it. */
void loop_transcript_hash(const char *workspace, char out[17]);

#endif
