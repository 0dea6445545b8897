/*
 * awake.c: while requests flow, idle CPUs do not fall asleep.
 *
 * A request wakes a worker and its answer wakes the client, mostly on a CPU that had
 * nothing else to do. In a virtual machine such a CPU has been handed back to the host,
 * and fetching it costs up to 100 us, more than all our work for a request
 * (fs/DESIGN.md and policyd/DESIGN.md have the figures). The kernel's interface against
 * that is /dev/cpu_dma_latency: as long as the file is open, the number in it bounds, in
 * microseconds, how long an idle CPU may take to wake up (Documentation/power/
 * pm_qos_interface.rst). We ask for it from the RUN-th request in close succession on,
 * and take it back when none came for QUIET_MS.
 */
#include "common/awake.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"

#define DEVICE "/dev/cpu_dma_latency"
#define DRIVER "/sys/devices/system/cpu/cpuidle/current_driver"
#define CLOSE_NS 1000000 /* in close succession: less than this apart */
#define RUN 8
#define QUIET_MS 4
#define MAX_CPUS 16	  /* with more, too many would wait for too little */
#define ANY_US 2000000000 /* what the file says when it is opened */
#define LIGHT_US 5	  /* C1 wakes up in about 2 us, deeper states in 20 and more */

/* A halted CPU of a virtual machine has no cheap state: only not halting helps. */
static int32_t wanted_us(void)
{
	auto_close int fd = open(DRIVER, O_RDONLY | O_CLOEXEC);
	char name[16] = "";
	ssize_t n = fd < 0 ? -1 : read(fd, name, sizeof(name) - 1);

	return n > 0 && !strncmp(name, "haltpoll", 8) ? 0 : LIGHT_US;
}

void awake_open(struct awake *a)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) > MAX_CPUS)
		return;
	a->fd = open(DEVICE, O_WRONLY | O_CLOEXEC);
	a->able = a->fd >= 0;
	a->us = wanted_us();
	pthread_mutex_init(&a->lock, NULL);
}

void awake_close(struct awake *a)
{
	if (a->able)
		close(a->fd);
	a->able = false;
}

static void ask(struct awake *a, bool on)
{
	int32_t us = on ? a->us : ANY_US;

	pthread_mutex_lock(&a->lock);
	if (a->on != on && write(a->fd, &us, sizeof(us)) == sizeof(us))
		a->on = on;
	pthread_mutex_unlock(&a->lock);
}

void awake_request(struct awake *a)
{
	struct timespec t;
	int64_t now, before;

	if (!a->able)
		return;
	atomic_fetch_add_explicit(&a->seen, 1, memory_order_relaxed);
	if (atomic_load_explicit(&a->on, memory_order_relaxed))
		return;
	clock_gettime(CLOCK_MONOTONIC, &t);
	now = t.tv_sec * 1000000000ll + t.tv_nsec;
	before = atomic_exchange_explicit(&a->last_ns, now, memory_order_relaxed);
	if (now - before > CLOSE_NS)
		atomic_store_explicit(&a->run, 0, memory_order_relaxed);
	else if (atomic_fetch_add_explicit(&a->run, 1, memory_order_relaxed) >= RUN)
		ask(a, true);
}

int awake_wait_ms(const struct awake *a)
{
	return atomic_load_explicit(&a->on, memory_order_relaxed) ? QUIET_MS : -1;
}

uint64_t awake_seen(const struct awake *a)
{
	return atomic_load_explicit(&a->seen, memory_order_relaxed);
}

void awake_quiet(struct awake *a, uint64_t seen)
{
	if (seen == awake_seen(a) && atomic_load_explicit(&a->on, memory_order_relaxed)) {
		atomic_store_explicit(&a->run, 0, memory_order_relaxed);
		ask(a, false);
	}
}
