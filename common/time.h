/*
 * time.h: a moment as signed nanoseconds since the epoch, the way the store keeps it, and
 * as the struct timespec of system calls.
 */
#ifndef COMMON_TIME_H
#define COMMON_TIME_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S 1000000000ll

static inline int64_t ns_of(struct timespec ts)
{
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

/* Before 1970 the seconds go down and the nanoseconds still up. */
static inline struct timespec ts_of(int64_t ns)
{
	struct timespec ts = {ns / NS_PER_S, ns % NS_PER_S};

	if (ts.tv_nsec < 0) {
		ts.tv_nsec += NS_PER_S;
		ts.tv_sec--;
	}
	return ts;
}

/* What @clock will show @ns from now, to wait until. */
static inline struct timespec ts_in(clockid_t clock, int64_t ns)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return ts_of(ns_of(now) + ns);
}

#endif
