/*
 * audit.h: the record of every verdict: append-only JSON lines, each with the SHA-256
 * of the line before it, so that a changed or missing line shows.
 *
 * The file is audit.jsonl in the state directory (policy_state_dir), mode 0600. A line:
 *	{"n":7,"time":"2026-01-31T12:00:00.123Z","op":"check","uid":..,"pid":..,"tx":..,
 *	 "agent":..,"cwd":..,"command":..,"decision":..,"rule":..,"class":..,"us":..,
 *	 "prev":"<hash of line 6>","hash":"<hash of this line up to here>"}
 * "hash" is of the line's bytes up to (not with) ,"hash": the first "prev" is 64 zeros.
 * Secrets that show by their form (tokens, passwords in options and URLs) are masked,
 * control characters escaped. Used by one thread.
 */
#ifndef POLICYD_AUDIT_AUDIT_H
#define POLICYD_AUDIT_AUDIT_H

#include <stddef.h>
#include <sys/types.h>

struct audit;

struct audit_event {
	const char *op, *command, *cwd, *tx, *agent; /* may be NULL */
	const char *decision, *rule, *class_;
	uid_t uid;
	pid_t pid;
	unsigned long us;
};

/**
 * audit_open(a): open or make the log, and take up the chain at its last line. Returns
 * 0 or -errno; *a is NULL then, and audit_write(NULL) counts and complains only.
 */
int audit_open(struct audit **a);
void audit_close(struct audit *a);

/**
 * audit_write(a, ev): append one line; -errno when it could not. The caller goes on;
 * the first failure of a row is said on standard error, and audit_failures counts all.
 */
int audit_write(struct audit *a, const struct audit_event *ev);
unsigned long audit_failures(const struct audit *a);
/** audit_head(a): the hash of the last line, 64 hex digits. */
const char *audit_head(const struct audit *a);

/** audit_mask(s, out, size): @s with what looks like a secret replaced by ***. */
void audit_mask(const char *s, char *out, size_t size);

/** audit_verify(path, line): 0 if the chain holds, -EBADMSG and the line that breaks it.
 */
int audit_verify(const char *path, unsigned long *line);

#endif
