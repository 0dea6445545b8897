/*
 * writer.h: lines to the disk, by a thread of its own. Private to policyd/audit.
 */
#ifndef POLICYD_AUDIT_WRITER_H
#define POLICYD_AUDIT_WRITER_H

#include <stdbool.h>
#include <stddef.h>

struct writer;

/** Where the chain stands when a record is opened. */
struct writer_start {
	unsigned long number;
	char head[65];
};

/** writer_open(w, dir, file_bytes, keep, queue_bytes, start): 0, -EBUSY, -errno. */
int writer_open(struct writer **w, const char *dir, size_t file_bytes, size_t keep,
	size_t queue_bytes, struct writer_start *start);

/** writer_close(w): a second at most for what waits, then end. NULL is fine. */
void writer_close(struct writer *w);

/** writer_flush(w, ms): have all written now, not in a moment. False: not in time. */
bool writer_flush(struct writer *w, long ms);

/** writer_room(w, n): may @n bytes be handed over? writer_put(w, line, n): do so. */
bool writer_room(struct writer *w, size_t n);
void writer_put(struct writer *w, const char *line, size_t n);

/** writer_seal(w): never open another file. writer_failures(w): failed calls. */
void writer_seal(struct writer *w);
unsigned long writer_failures(struct writer *w);

#endif
