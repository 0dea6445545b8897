/*
 * ops.c: the table of operations, and what each of them does first: find its node.
 *
 * OPEN, OPENDIR, CREATE and FLUSH are answered ENOSYS once and never come again: content
 * is reached by inode, its life ends with FORGET. Created files come as MKNOD.
 */
#include "fs/fuse/impl.h"

int enter(struct serve *s, fuse_ino_t ino, struct node **n)
{
	pthread_rwlock_rdlock(&s->t->gate);
	*n = node_by_id(s->t, ino);
	if (!*n || (*n)->stale || (*n)->view->dead)
		return -ESTALE;
	return 0;
}

void leave(struct serve *s)
{
	pthread_rwlock_unlock(&s->t->gate);
}

static void op_init(void *userdata, struct fuse_conn_info *c)
{
	const unsigned int want =
		FUSE_CAP_ASYNC_READ | FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_READDIRPLUS |
		FUSE_CAP_READDIRPLUS_AUTO | FUSE_CAP_NO_OPEN_SUPPORT |
		FUSE_CAP_NO_OPENDIR_SUPPORT | FUSE_CAP_POSIX_ACL | FUSE_CAP_DONT_MASK |
		FUSE_CAP_CACHE_SYMLINKS | FUSE_CAP_EXPORT_SUPPORT | FUSE_CAP_IOCTL_DIR;

	c->want = want & c->capable;
	c->max_write = 1 << 20;
	c->max_background = 64;
	c->congestion_threshold = 48;
	c->time_gran = 1;
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	fuse_reply_err(req, ENOSYS);
}

static void op_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	fuse_reply_err(req, ENOSYS);
}

static void op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
	struct fuse_file_info *fi)
{
	fuse_reply_err(req, ENOSYS);
}

const struct fuse_lowlevel_ops serve_ops = {
	.init = op_init,
	.lookup = op_lookup,
	.forget = op_forget,
	.forget_multi = op_forget_multi,
	.getattr = op_getattr,
	.setattr = op_setattr,
	.readlink = op_readlink,
	.mknod = op_mknod,
	.mkdir = op_mkdir,
	.symlink = op_symlink,
	.unlink = op_unlink,
	.rmdir = op_rmdir,
	.rename = op_rename,
	.link = op_link,
	.open = op_open,
	.create = op_create,
	.flush = op_flush,
	.opendir = op_open,
	.read = op_read,
	.write = op_write,
	.fsync = op_fsync,
	.fsyncdir = op_fsync,
	.readdir = op_readdir,
	.readdirplus = op_readdirplus,
	.statfs = op_statfs,
	.getxattr = op_getxattr,
	.listxattr = op_listxattr,
	.setxattr = op_setxattr,
	.removexattr = op_removexattr,
	.fallocate = op_fallocate,
	.lseek = op_lseek,
	.ioctl = op_ioctl,
};
