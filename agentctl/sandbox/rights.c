/*
 * rights.c: what a sandboxed process may not do, whoever it is.
 *
 * Of root's capabilities those stay that act on files by owner and mode, and the right to
 * change ids and to signal inside the pid namespace: enough to unpack an archive or to
 * work in another's checkout. Gone are those that undo mounts, open raw devices, open
 * files by handle, trace others, or change the machine.
 */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "agentctl/sandbox/wire.h"

#define CAP(n) (UINT64_C(1) << (n))

static const uint64_t kept = CAP(CAP_CHOWN) | CAP(CAP_DAC_OVERRIDE) | CAP(CAP_FOWNER) |
			     CAP(CAP_FSETID) | CAP(CAP_SETUID) | CAP(CAP_SETGID) |
			     CAP(CAP_KILL);

static int drop_bounding(void)
{
	for (int cap = 0; cap < 64; cap++) {
		if (kept & CAP(cap))
			continue;
		if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) != 1)
			continue; /* gone already, or beyond what this kernel knows */
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0)
			return -errno;
	}
	return 0;
}

static int drop_effective(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	memset(data, 0, sizeof data);
	if (syscall(SYS_capget, &head, data) != 0)
		return -errno;
	for (int i = 0; i < 2; i++) {
		uint32_t mask = (uint32_t)(kept >> (32 * i));

		data[i].permitted &= mask;
		data[i].effective &= mask;
		data[i].inheritable = 0;
	}
	if (syscall(SYS_capset, &head, data) != 0)
		return -errno;
	return 0;
}

int rights_drop(void)
{
	/* With a limit of exactly 1 the kernel never starts a piped core handler, which
	 * would run outside. */
	struct rlimit core = {1, 1};
	int r;

	if (setrlimit(RLIMIT_CORE, &core) != 0 && errno != EPERM)
		return -errno;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -errno;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
		return -errno;
	r = drop_bounding();
	if (r == 0)
		r = drop_effective();
	return r;
}
