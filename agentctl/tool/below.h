/*
 * below.h: files below a directory whose content a stranger made. Private to tool.
 */
#ifndef AGENTCTL_TOOL_BELOW_H
#define AGENTCTL_TOOL_BELOW_H

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/** below_open(dir, path, flags): openat that follows no link and does not leave @dir, and
 * does not wait. A descriptor, or -1 with errno. */
static inline int below_open(int dir, const char *path, int flags)
{
	struct open_how how = {.flags = (uint64_t)flags | O_CLOEXEC | O_NONBLOCK,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};

	return (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
}

#endif
