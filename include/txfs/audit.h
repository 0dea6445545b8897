/*
 * audit.h: reading the record of policyd: every verdict and every end of a piece of work.
 *
 * The record is a row of files in the state directory (policy_state_dir), mode 0600:
 * audit.jsonl, which is written to, and audit-N.jsonl, which were full; N, of twelve
 * digits, is the number of the first line. A line is one JSON object:
 *
 *	{"n":7,"time":"2026-01-31T12:00:00.123Z","op":"check","uid":..,"pid":..,"tx":..,
 *	 "agent":..,"workspace":..,"cwd":..,"command":..,"decision":..,"rule":..,
 *	 "class":..,"us":..,"prev":"<hash of line 6>","hash":"<hash of this line>"}
 *
 * What is not known is left out. "hash" is the SHA-256, in hex, of the line's bytes
 *before
 * ,"hash": so each line answers for all before it, over the ends of files, too. The first
 * "prev" of all is 64 zeros. Lines of op "record" tell of a transaction: "event" is
 *begin, committed, kept, aborted, conflict or failed; at begin "vets" lists the numbers
 *of the lines by which its commands were vetted before it had an id.
 *
 * Nothing here writes. Functions return 0 or -errno and block on reading files.
 */
#ifndef TXFS_AUDIT_H
#define TXFS_AUDIT_H

#include <stdbool.h>
#include <stddef.h>

#define AUDIT_HASH 65 /* 64 hex digits and NUL */

/** A line as it stands in a file, without its newline; valid for the call. */
struct audit_line {
	const char *file;
	unsigned long line; /* in the file, from 1 */
	const char *text;
	size_t len;
};

/** audit_walk(dir, each, arg): call each(arg, l) for every line, the oldest first. A
 * non-zero answer ends the walk and is returned. -ENOENT: there is no record. */
int audit_walk(
	const char *dir, int (*each)(void *arg, const struct audit_line *l), void *arg);

/** What a check of the chain found. */
struct audit_found {
	unsigned long lines;	 /* that hold */
	unsigned long first;	 /* number of the oldest line; over 1: older are gone */
	char head[AUDIT_HASH];	 /* hash of the last line that holds */
	bool has_wanted;	 /* the wanted hash is that of a line */
	char file[256], why[96]; /* where it breaks, and what is wrong there */
	unsigned long line;
};

/**
 * audit_verify(dir, want, f): does the chain hold? @want is the head of an earlier day,
 * or NULL. 0: it holds, and has @want. -EBADMSG: it does not, see f->file, line and why.
 * -ENOENT: no record; others: a file could not be read.
 */
int audit_verify(const char *dir, const char *want, struct audit_found *f);

/**
 * audit_mask(s, out, size): @s with what looks like a secret replaced by ***: values of
 * telling names, passwords in URLs, words in the form of a known kind of token or key.
 */
void audit_mask(const char *s, char *out, size_t size);

#endif
