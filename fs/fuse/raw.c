/*
 * raw.c: the parts of the kernel's protocol that libfuse 3.14 does not know, and nothing
 * else.
 *
 * A request is looked at before libfuse decodes it: the kill flags of WRITE and SETATTR
 * are kept for the thread that serves it. The answer to INIT is completed on its way out
 * with FUSE_HANDLE_KILLPRIV_V2; without it every write(2) costs a GETXATTR. Numbers are
 * those of linux/fuse.h, protocol 7.45.
 */
#include "fs/fuse/impl.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#define OP_FORGET 2u
#define OP_SETATTR 4u
#define OP_BATCH_FORGET 42u
#define OP_WRITE 16u
#define OP_INIT 26u
#define FATTR_KILL_SUIDGID (1u << 11)
#define WRITE_KILL_SUIDGID (1u << 2)
#define INIT_KILLPRIV_V2 (1u << 28)
#define NOTIFY_INC_EPOCH 8

struct in_header {
	uint32_t len, opcode;
	uint64_t unique, nodeid;
	uint32_t uid, gid, pid, padding;
};

struct out_header {
	uint32_t len;
	int32_t error;
	uint64_t unique;
};

/* The first words of the bodies that are looked at. */
struct init_in {
	uint32_t major, minor, max_readahead, flags;
};

struct init_out {
	uint32_t major, minor, max_readahead, flags;
};

struct write_in {
	uint64_t fh, offset;
	uint32_t size, write_flags;
};

static _Thread_local struct raw current;
static _Thread_local bool offers_killpriv;

const struct raw *raw_current(void)
{
	return &current;
}

void raw_read(const void *mem, size_t n)
{
	const struct in_header *h = mem;
	const void *body = h + 1;

	current = (struct raw){0};
	offers_killpriv = false;
	if (n < sizeof(*h))
		return;
	current.opcode = h->opcode;
	current.unique = h->unique;
	current.answered = h->opcode != OP_FORGET && h->opcode != OP_BATCH_FORGET;
	n -= sizeof(*h);
	if (h->opcode == OP_SETATTR && n >= sizeof(uint32_t))
		current.kill_suid = *(const uint32_t *)body & FATTR_KILL_SUIDGID;
	if (h->opcode == OP_WRITE && n >= sizeof(struct write_in))
		current.kill_suid =
			((const struct write_in *)body)->write_flags & WRITE_KILL_SUIDGID;
	if (h->opcode == OP_INIT && n >= sizeof(struct init_in))
		offers_killpriv =
			((const struct init_in *)body)->flags & INIT_KILLPRIV_V2;
}

static ssize_t dev_read(int fd, void *buf, size_t n, void *userdata)
{
	return read(fd, buf, n);
}

static ssize_t dev_writev(int fd, struct iovec *iov, int count, void *userdata)
{
	const struct out_header *h = iov[0].iov_base;
	char body[256];
	struct iovec patched[2];

	if (!offers_killpriv || current.opcode != OP_INIT || h->error || count != 2 ||
		h->unique != current.unique || iov[1].iov_len > sizeof(body) ||
		iov[1].iov_len < sizeof(struct init_out))
		return writev(fd, iov, count);
	memcpy(body, iov[1].iov_base, iov[1].iov_len);
	((struct init_out *)(void *)body)->flags |= INIT_KILLPRIV_V2;
	patched[0] = iov[0];
	patched[1] = (struct iovec){body, iov[1].iov_len};
	return writev(fd, patched, 2);
}

int raw_attach(struct serve *s, int fd)
{
	static const struct fuse_custom_io io = {.writev = dev_writev, .read = dev_read};

	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	s->devfd = fd;
	return fuse_session_custom_io(s->se, &io, fd) ? -EIO : 0;
}

int raw_inc_epoch(struct serve *s)
{
	struct out_header h = {.len = sizeof(h), .error = NOTIFY_INC_EPOCH};

	return write(s->devfd, &h, sizeof(h)) < 0 ? -errno : 0;
}
