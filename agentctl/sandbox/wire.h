/*
 * wire.h: what the outside half of a sandbox and its init say to each other, over a
 * socket pair that keeps message borders. Private to agentctl/sandbox.
 *
 * EXEC carries four descriptors: standard input, output, error, and a memory file that
 * holds the working directory and then the arguments, each ended by NUL. One command runs
 * at a time; EXITED answers EXEC. When the outside closes its end, init ends, and the
 * kernel kills all others with it.
 */
#ifndef AGENTCTL_SANDBOX_WIRE_H
#define AGENTCTL_SANDBOX_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include "agentctl/sandbox/sandbox.h"

enum wire_op {
	WIRE_READY = 1, /* init: set up */
	WIRE_FAILED,	/* init: not set up; error, text */
	WIRE_EXEC,	/* outside: run; count is the number of arguments */
	WIRE_SIGNAL,	/* outside: send signal `count` to the command */
	WIRE_EXITED, /* init: status as waitpid gives it, or error if it did not start */
};

#define WIRE_FDS 4

struct wire_msg {
	uint32_t op;
	uint32_t count;
	int32_t status;
	int32_t error; /* positive errno */
	char text[256];
};

/** wire_send(fd, m, fds, n): 0 or -errno; descriptors stay the caller's. */
int wire_send(int fd, const struct wire_msg *m, const int *fds, size_t n);

/** wire_recv(fd, m, fds): @fds has WIRE_FDS places, filled with -1 where none came; the
 * caller closes them. 0, -EPIPE at the end, -EPROTO, -errno. */
int wire_recv(int fd, struct wire_msg *m, int *fds);

/** Who made the sandbox; in a new user namespace the ids must be mapped first. */
struct wire_maker {
	bool user_ns;
	unsigned int uid, gid;
};

/** init_main(ctl, spec, maker): the life of pid 1; never returns. */
_Noreturn void init_main(
	int ctl, const struct sandbox_spec *spec, const struct wire_maker *maker);

/** mounts_build(spec, text, size): turn the namespace we are in into the sandbox's. Needs
 * the right to mount. 0, or -errno with a line in @text. */
int mounts_build(const struct sandbox_spec *spec, char *text, size_t size);

/** rights_drop(): give up what a sandboxed command must not have, for this process and
 * all that it starts. 0 or -errno. */
int rights_drop(void);

#endif
