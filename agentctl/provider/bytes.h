/*
 * bytes.h: bytes that grow up to a bound. Private to provider.
 */
#ifndef AGENTCTL_PROVIDER_BYTES_H
#define AGENTCTL_PROVIDER_BYTES_H

#include <stddef.h>

/** Zeroed but for @max it is empty. p is NULL or ends with a NUL that n does not count.
 * After -ENOMEM or -EMSGSIZE (more than max) error stays and nothing more is taken. */
struct bytes {
	char *p;
	size_t n, cap, max;
	int error;
};

/** bytes_add(b, p, n), bytes_text(b, s): append. Return b->error. */
int bytes_add(struct bytes *b, const void *p, size_t n);
int bytes_text(struct bytes *b, const char *s);
int bytes_printf(struct bytes *b, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** bytes_json(b, s, n): as the inside of a JSON string; what is not UTF-8 is replaced. */
int bytes_json(struct bytes *b, const char *s, size_t n);

/** bytes_empty(b): forget the bytes and the error, keep the memory. */
void bytes_empty(struct bytes *b);
void bytes_free(struct bytes *b);

/** bytes_steal(b): the text, "" if there is none, and leave @b empty. NULL: no memory. */
char *bytes_steal(struct bytes *b);

#endif
