/*
 * cleanup.h: release on scope exit, by the compiler's cleanup attribute.
 *
 *	auto_free char *s = strdup(x);       freed when s leaves its scope
 *	auto_close int fd = open(...);       closed (if >= 0)
 *	auto_unlock pthread_mutex_t *l = lock(&m);
 *	return steal(&s);                    hand the value on, leave NULL behind
 *
 * Everything here keeps errno.
 */
#ifndef COMMON_CLEANUP_H
#define COMMON_CLEANUP_H

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <dirent.h>

static inline void cleanup_free_(void *p)
{
	int e = errno;

	free(*(void **)p);
	errno = e;
}

static inline void cleanup_close_(int *fd)
{
	int e = errno;

	if (*fd >= 0)
		close(*fd);
	errno = e;
}

static inline void cleanup_file_(FILE **f)
{
	int e = errno;

	if (*f)
		fclose(*f);
	errno = e;
}

static inline void cleanup_dir_(DIR **d)
{
	int e = errno;

	if (*d)
		closedir(*d);
	errno = e;
}

static inline void cleanup_unlock_(pthread_mutex_t **m)
{
	if (*m)
		pthread_mutex_unlock(*m);
}

/** lock(m): take @m and return it, for auto_unlock. */
static inline pthread_mutex_t *lock(pthread_mutex_t *m)
{
	pthread_mutex_lock(m);
	return m;
}

static inline int steal_fd_(int *fd)
{
	int v = *fd;

	*fd = -1;
	return v;
}

#define auto_free __attribute__((cleanup(cleanup_free_)))
#define auto_close __attribute__((cleanup(cleanup_close_)))
#define auto_file __attribute__((cleanup(cleanup_file_)))
#define auto_dir __attribute__((cleanup(cleanup_dir_)))
#define auto_unlock __attribute__((cleanup(cleanup_unlock_), unused))
#define steal(p)                            \
	({                                  \
		__typeof__(*(p)) v_ = *(p); \
		*(p) = NULL;                \
		v_;                         \
	})
#define steal_fd(p) steal_fd_(p)

#endif
