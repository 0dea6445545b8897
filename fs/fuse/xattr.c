/*
 * xattr.c: operations on extended attributes. trusted.* is shown to uid 0 only.
 */
#include "fs/fuse/impl.h"

static void reply_sized(fuse_req_t req, ssize_t r, const char *buf, size_t size)
{
	if (r < 0)
		fuse_reply_err(req, (int)-r);
	else if (!size)
		fuse_reply_xattr(req, (size_t)r);
	else if ((size_t)r > size)
		fuse_reply_err(req, ERANGE);
	else
		fuse_reply_buf(req, buf, (size_t)r);
}

void op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
	struct serve *s = serve_of(req);
	char *buf = worker_current()->buf;
	struct node *n;
	ssize_t r;

	if (is_hidden(ino)) {
		fuse_reply_err(req, ENODATA);
		return;
	}
	WITH_NODE(s, ino, n, r, tree_getxattr(n, name, buf, size));
	reply_sized(req, r, buf, size);
}

static ssize_t without_trusted(char *buf, ssize_t n)
{
	ssize_t out = 0;

	for (ssize_t i = 0; i < n;) {
		size_t len = strlen(buf + i) + 1;

		if (strncmp(buf + i, "trusted.", 8)) {
			memmove(buf + out, buf + i, len);
			out += (ssize_t)len;
		}
		i += (ssize_t)len;
	}
	return out;
}

void op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size)
{
	struct serve *s = serve_of(req);
	char *buf = worker_current()->buf;
	struct node *n;
	ssize_t r;

	if (is_hidden(ino)) {
		reply_sized(req, 0, buf, size);
		return;
	}
	WITH_NODE(s, ino, n, r, tree_listxattr(n, buf, 65536));
	if (r > 0 && fuse_req_ctx(req)->uid)
		r = without_trusted(buf, r);
	reply_sized(req, r, buf, size);
}

void op_setxattr(fuse_req_t req, fuse_ino_t ino, const char *name, const char *value,
	size_t size, int flags)
{
	struct serve *s = serve_of(req);
	struct node *n;
	int r;

	if (is_hidden(ino)) {
		fuse_reply_err(req, EPERM);
		return;
	}
	WITH_NODE(s, ino, n, r, tree_setxattr(n, name, value, size, flags));
	fuse_reply_err(req, -r);
}

void op_removexattr(fuse_req_t req, fuse_ino_t ino, const char *name)
{
	struct serve *s = serve_of(req);
	struct node *n;
	int r;

	if (is_hidden(ino)) {
		fuse_reply_err(req, EPERM);
		return;
	}
	WITH_NODE(s, ino, n, r, tree_removexattr(n, name));
	fuse_reply_err(req, -r);
}
