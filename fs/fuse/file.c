/*
 * file.c: operations on content.
 */
#include "fs/fuse/impl.h"

void op_read(
	fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	static const char zeros[4096];
	struct serve *s = serve_of(req);
	char *buf = worker_current()->buf;
	struct node *n;
	int r;

	if (is_hidden(ino)) {
		size_t left = ino == CTL_ID(CTL_SENTINEL) && off < 4096
				      ? 4096 - (size_t)off
				      : 0;

		fuse_reply_buf(req, zeros, size < left ? size : left);
		return;
	}
	WITH_NODE(s, ino, n, r, tree_read(n, buf, (uint64_t)off, size));
	if (r < 0)
		fuse_reply_err(req, -r);
	else
		fuse_reply_buf(req, buf, (size_t)r);
}

void op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t off,
	struct fuse_file_info *fi)
{
	struct serve *s = serve_of(req);
	bool kill = raw_current()->kill_suid;
	struct node *n;
	int r;

	if (ino == CTL_ID(CTL_SENTINEL)) {
		barrier_sentinel_written(s);
		fuse_reply_write(req, size);
		return;
	}
	WITH_NODE(s, ino, n, r, tree_write(n, buf, (uint64_t)off, size, kill));
	if (r < 0)
		fuse_reply_err(req, -r);
	else
		fuse_reply_write(req, (size_t)r);
}

void op_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t off, off_t len,
	struct fuse_file_info *fi)
{
	struct serve *s = serve_of(req);
	struct node *n;
	int r;

	WITH_NODE(s, ino, n, r, tree_fallocate(n, mode, (uint64_t)off, (uint64_t)len));
	fuse_reply_err(req, -r);
}

void op_lseek(
	fuse_req_t req, fuse_ino_t ino, off_t off, int whence, struct fuse_file_info *fi)
{
	struct serve *s = serve_of(req);
	struct node *n;
	int64_t r;

	WITH_NODE(s, ino, n, r, tree_seek(n, off, whence));
	if (r < 0)
		fuse_reply_err(req, (int)-r);
	else
		fuse_reply_lseek(req, r);
}

static void run_fsync(struct serve *s, struct job *j)
{
	fuse_reply_err(j->req, -txm_fsync(s->m, j->view));
	view_put(j->view);
}

/* In autocommit it is a commit, so it goes to a control thread. */
void op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
	struct serve *s = serve_of(req);
	struct job *j;
	struct node *n;
	int r;

	if (is_hidden(ino)) {
		fuse_reply_err(req, 0);
		return;
	}
	j = calloc(1, sizeof(*j));
	r = enter(s, ino, &n);
	if (!r && j) {
		atomic_fetch_add(&n->view->refs, 1);
		j->view = n->view;
		j->req = req;
		j->run = run_fsync;
	}
	leave(s);
	if (!r && j) {
		control_post(s, j);
		return;
	}
	free(j);
	fuse_reply_err(req, r ? -r : ENOMEM);
}
