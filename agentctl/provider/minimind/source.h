/*
 * source.h: bytes to read from, a file or memory that is already there.
 */
#ifndef AGENTCTL_MINIMIND_SOURCE_H
#define AGENTCTL_MINIMIND_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include "agentctl/provider/minimind/why.h"

struct source {
	const uint8_t *data; /* NULL: read from fd; else borrowed from the caller */
	int fd;		     /* -1 with data */
	uint64_t size;
	char name[128]; /* for messages */
};

/** source_open(s, dir, name, why): the regular file @name below the directory @dir.
 * 0; -ENOENT and others of open(2); -EINVAL if it is no regular file. */
int source_open(struct source *s, const char *dir, const char *name, struct why *why);

/** source_memory(s, data, size, name): @size bytes at @data, which stay the caller's. */
void source_memory(struct source *s, const void *data, size_t size, const char *name);

void source_close(struct source *s);

/** source_read(s, at, buf, n, why): exactly @n bytes from offset @at. Reads instead of
 * mapping, so that a file that shrinks meanwhile is an error and not a signal. */
int source_read(
	const struct source *s, uint64_t at, void *buf, size_t n, struct why *why);

/** source_text(s, most, out, why): all of it with a NUL behind, the caller frees *out.
 * -EFBIG if it is longer than @most. */
int source_text(const struct source *s, uint64_t most, char **out, struct why *why);

#endif
