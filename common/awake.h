/*
 * awake.h: keeps idle CPUs from falling asleep while requests flow. Needs the right to
 * open /dev/cpu_dma_latency (root); without it, or on big machines, it does nothing.
 * All functions may be called by any worker.
 */
#ifndef COMMON_AWAKE_H
#define COMMON_AWAKE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct awake {
	bool able; /* else it does nothing; all zero is that */
	int fd;
	int32_t us;
	pthread_mutex_t lock; /* of the change of @on */
	_Atomic bool on;
	_Atomic uint64_t seen;
	_Atomic int64_t last_ns;
	_Atomic int run;
};

/** awake_open(a): get ready. awake_close: and take back what was asked for. */
void awake_open(struct awake *a);
void awake_close(struct awake *a);

/** awake_request(a): a worker has read a request. Never blocks for long. */
void awake_request(struct awake *a);

/** awake_wait_ms(a): how long a worker may wait for requests before it has to call
 * awake_quiet; -1: as long as it likes. */
int awake_wait_ms(const struct awake *a);

/** awake_seen(a): number of requests so far. awake_quiet(a, seen): a worker waited for
 * awake_wait_ms in vain; @seen is what awake_seen said before. */
uint64_t awake_seen(const struct awake *a);
void awake_quiet(struct awake *a, uint64_t seen);

#endif
