/*
 * attr.c: operations on attributes.
 */
#include "fs/fuse/impl.h"

#include "common/time.h"

#include <sys/stat.h>

void stat_fill(const struct node *n, const struct attr *a, struct stat *st)
{
	*st = (struct stat){
		.st_ino = node_ino(n),
		.st_mode = a->mode,
		.st_nlink = a->nlink,
		.st_uid = a->uid,
		.st_gid = a->gid,
		.st_rdev = a->rdev,
		.st_size = (off_t)a->size,
		.st_blksize = 4096,
		.st_blocks = (blkcnt_t)((a->size + 511) / 512),
		.st_atim = ts_of(a->atime_ns),
		.st_mtim = ts_of(a->mtime_ns),
		.st_ctim = ts_of(a->ctime_ns),
	};
}

static void reply_attr(fuse_req_t req, int r, const struct stat *st)
{
	if (r)
		fuse_reply_err(req, -r);
	else
		fuse_reply_attr(req, st, name_timeout(serve_of(req)));
}

static int get(struct node *n, struct stat *st)
{
	struct attr a;
	int r = tree_getattr(n, &a);

	if (!r)
		stat_fill(n, &a, st);
	return r;
}

void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct serve *s = serve_of(req);
	struct stat st;
	struct node *n;
	int r;

	if (is_hidden(ino))
		r = hidden_stat(s, ino, &st);
	else
		WITH_NODE(s, ino, n, r, get(n, &st));
	reply_attr(req, r, &st);
}

static int set(struct node *n, const struct setattr *sa, struct stat *st)
{
	struct attr a;
	int r = tree_setattr(n, sa, &a);

	if (!r)
		stat_fill(n, &a, st);
	return r;
}

void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *to, int set_bits,
	struct fuse_file_info *fi)
{
	struct serve *s = serve_of(req);
	struct setattr sa = {
		.mode = set_bits & FUSE_SET_ATTR_MODE,
		.uid = set_bits & FUSE_SET_ATTR_UID,
		.gid = set_bits & FUSE_SET_ATTR_GID,
		.size = set_bits & FUSE_SET_ATTR_SIZE,
		.atime = set_bits & FUSE_SET_ATTR_ATIME,
		.mtime = set_bits & FUSE_SET_ATTR_MTIME,
		.atime_now = set_bits & FUSE_SET_ATTR_ATIME_NOW,
		.mtime_now = set_bits & FUSE_SET_ATTR_MTIME_NOW,
		.kill_suid = raw_current()->kill_suid,
		.to = {.mode = to->st_mode,
			.uid = to->st_uid,
			.gid = to->st_gid,
			.size = (uint64_t)to->st_size,
			.atime_ns = ns_of(to->st_atim),
			.mtime_ns = ns_of(to->st_mtim)},
	};
	struct stat st;
	struct node *n;
	int r;

	if (is_hidden(ino)) {
		fuse_reply_err(req, EPERM);
		return;
	}
	WITH_NODE(s, ino, n, r, set(n, &sa, &st));
	reply_attr(req, r, &st);
}

void op_statfs(fuse_req_t req, fuse_ino_t ino)
{
	struct statvfs v;
	int r = tree_statfs(serve_of(req)->t, &v);

	if (r)
		fuse_reply_err(req, -r);
	else
		fuse_reply_statfs(req, &v);
}
