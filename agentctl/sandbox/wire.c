/*
 * wire.c: messages with descriptors over the socket pair of a sandbox.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "agentctl/sandbox/wire.h"

int wire_send(int fd, const struct wire_msg *m, const int *fds, size_t n)
{
	union {
		char bytes[CMSG_SPACE(WIRE_FDS * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = {.iov_base = (void *)m, .iov_len = sizeof *m};
	struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1};

	if (n > 0) {
		struct cmsghdr *c;

		memset(&control, 0, sizeof control);
		h.msg_control = control.bytes;
		h.msg_controllen = CMSG_SPACE(n * sizeof(int));
		c = CMSG_FIRSTHDR(&h);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	}
	while (sendmsg(fd, &h, MSG_NOSIGNAL) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

static void take_fds(struct msghdr *h, int *fds)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(h);
	size_t n;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return;
	n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fds, CMSG_DATA(c), (n < WIRE_FDS ? n : WIRE_FDS) * sizeof(int));
}

int wire_recv(int fd, struct wire_msg *m, int *fds)
{
	union {
		char bytes[CMSG_SPACE(WIRE_FDS * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = {.iov_base = m, .iov_len = sizeof *m};
	struct msghdr h = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes};
	ssize_t n;

	for (int i = 0; i < WIRE_FDS; i++)
		fds[i] = -1;
	do {
		h.msg_controllen = sizeof control.bytes;
		n = recvmsg(fd, &h, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	if (n == 0)
		return -EPIPE;
	take_fds(&h, fds);
	if (n != sizeof *m)
		return -EPROTO;
	m->text[sizeof m->text - 1] = 0;
	return 0;
}
