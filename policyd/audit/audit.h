/*
 * audit.h: writing the record of every verdict. Its form, and reading it, is
 * txfs/audit.h.
 *
 *	audit.c		one event to one line, and the chain
 *	writer.c	a thread that brings lines to the disk, and turns to a new file
 *	chain.c		reading and checking		mask.c	secrets
 *
 * audit_write does no I/O: a disk that hangs holds up nobody. What waits is bounded; when
 * it is full, events get no line but are counted, and a line of op "lost" says how many
 * as soon as there is room. One thread writes events.
 */
#ifndef POLICYD_AUDIT_AUDIT_H
#define POLICYD_AUDIT_AUDIT_H

#include <stddef.h>
#include <sys/types.h>

#include "txfs/audit.h"

enum {
	AUDIT_FILE_BYTES = 16 * 1024 * 1024, /* then a new file is begun */
	AUDIT_KEEP = 32,		     /* full files; the oldest go */
	AUDIT_QUEUE_BYTES = 4 * 1024 * 1024, /* that wait for the disk */
};

struct audit;

struct audit_event {
	const char *op, *command, *cwd, *workspace, *tx, *agent; /* may be NULL */
	const char *event, *vets;				 /* of op record */
	const char *decision, *rule, *class_;
	uid_t uid;
	pid_t pid;
	unsigned long us;
};

/** audit_make_dir(path, size): where the record lies; makes the folder. 0, -errno. */
int audit_make_dir(char *path, size_t size);

/**
 * audit_open(a): open or make the record, take up the chain at its last line, and start
 * the thread that writes. 0; -EBUSY: another process writes there; -errno. *a is NULL
 * then, and audit_write(NULL) counts nothing and returns -EBADF.
 */
int audit_open(struct audit **a);
/** audit_open_with: the same with other sizes, for tests. */
int audit_open_with(struct audit **a, size_t file_bytes, size_t keep, size_t queue_bytes);

/** audit_close(a): wait until all is written (a second at most), end the thread. */
void audit_close(struct audit *a);

/** audit_write(a, ev): one line more. -ENOBUFS: no room, counted as a failure. */
int audit_write(struct audit *a, const struct audit_event *ev);

/** audit_flush(a): what was written is in the file when this returns, unless the disk
 * takes longer than 20 ms. */
void audit_flush(struct audit *a);

/** audit_seal(a): nothing may be opened any more, so the file is no longer changed. */
void audit_seal(struct audit *a);

/** audit_failures(a): events without a line, and writes that failed. */
unsigned long audit_failures(const struct audit *a);
/** audit_bytes(a): all that was handed to the writer, for bounds. */
unsigned long audit_bytes(const struct audit *a);
/** audit_number(a), audit_head(a): of the last line; "" without a record. */
unsigned long audit_number(const struct audit *a);
const char *audit_head(const struct audit *a);

#endif
