/*
 * transcript.h: what was said and done in a task, for reading later. Private to loop.
 *
 * A file for each task, STATE/transcripts/TIME-HASH-TX.jsonl, mode 0600: TIME in UTC,
 * HASH of the workspace's path, TX the transaction. Each line is an event as --json gives
 * it, with "time" before it. Secrets are masked as in policyd's record, by audit_mask.
 * Sandboxes do not see the state directory.
 */
#ifndef AGENTCTL_LOOP_TRANSCRIPT_H
#define AGENTCTL_LOOP_TRANSCRIPT_H

#include <json-c/json.h>
#include <stdint.h>

enum {
	TRANSCRIPT_KEEP = 1000,	     /* files; the oldest go */
	TRANSCRIPT_BYTES = 64 << 20, /* of one; then only its end is added */
	TRANSCRIPT_EARLY = 1 << 20,  /* bytes that wait for a transaction */
};

struct transcript;

/** transcript_new(): lines are kept in memory until there is a transaction. NULL: none.
 */
struct transcript *transcript_new(void);

/** transcript_begin(t, workspace, tx): make the file. 0, -errno: nothing is kept then. */
int transcript_begin(struct transcript *t, const char *workspace, uint64_t tx);

/** transcript_add(t, event): a line more, written before this returns; @event is
 * borrowed. @t may be NULL. */
void transcript_add(struct transcript *t, json_object *event);

/** transcript_free(t): NULL is fine. */
void transcript_free(struct transcript *t);

/** transcript_mask(o): a copy of @o with secrets masked in all its strings, KEY_base64 as
 * the text KEY; NULL: no memory. */
json_object *transcript_mask(json_object *o);

#endif
