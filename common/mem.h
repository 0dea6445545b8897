/*
 * mem.h: the one place that asks for memory, so that a test can refuse it.
 *
 * The functions are malloc's own, but for a countdown that tests set: the n-th request
 * from then on fails. Memory is given back by free() as usual.
 */
#ifndef COMMON_MEM_H
#define COMMON_MEM_H

#include <stdarg.h>
#include <stddef.h>

/** mem_alloc(n), mem_zalloc(n): @n bytes (zalloc: zeroed); NULL with errno ENOMEM. */
void *mem_alloc(size_t n);
void *mem_zalloc(size_t n);

/** mem_dup(p, n): copy of @n bytes. mem_strdup(s): copy of a string. NULL as above. */
void *mem_dup(const void *p, size_t n);
char *mem_strdup(const char *s);

/** mem_printf(fmt, ..): a formatted string, NULL as above. */
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *mem_vprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/** mem_fail_after(n): let n requests pass, fail the next one, then work again.
 * Negative: never fail (the default). Any thread; for tests. */
void mem_fail_after(long n);

/** mem_failed(): whether the failure that mem_fail_after asked for has happened. */
int mem_failed(void);

#endif
