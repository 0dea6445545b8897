/*
 * mem.c: allocation with a countdown to one failure.
 */
#include "common/mem.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Requests left until the failing one; -1: none is due, -2: it has happened. */
static atomic_long countdown = -1;

void mem_fail_after(long n)
{
	atomic_store(&countdown, n < 0 ? -1 : n);
}

int mem_failed(void)
{
	return atomic_load(&countdown) == -2;
}

static int refuse(void)
{
	long n = atomic_load_explicit(&countdown, memory_order_relaxed);

	while (n >= 0)
		if (atomic_compare_exchange_weak(&countdown, &n, n ? n - 1 : -2))
			break;
	if (n != 0)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *mem_alloc(size_t n)
{
	return refuse() ? NULL : malloc(n ? n : 1);
}

void *mem_zalloc(size_t n)
{
	return refuse() ? NULL : calloc(1, n ? n : 1);
}

void *mem_dup(const void *p, size_t n)
{
	void *q = mem_alloc(n);

	if (q && n)
		memcpy(q, p, n);
	return q;
}

char *mem_strdup(const char *s)
{
	return mem_dup(s, strlen(s) + 1);
}

char *mem_vprintf(const char *fmt, va_list ap)
{
	va_list again;
	char *s;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	s = n < 0 ? NULL : mem_alloc((size_t)n + 1);
	if (s)
		vsnprintf(s, (size_t)n + 1, fmt, again);
	va_end(again);
	return s;
}

char *mem_printf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = mem_vprintf(fmt, ap);
	va_end(ap);
	return s;
}
