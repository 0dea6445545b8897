/*
 * name.c: operations on names.
 */
#include "fs/fuse/impl.h"

double name_timeout(const struct serve *s)
{
	return s->watched_all ? FOREVER : 1.0;
}

static void entry_fill(const struct serve *s, struct node *n, const struct attr *a,
	struct fuse_entry_param *e)
{
	*e = (struct fuse_entry_param){
		.ino = n->id,
		.attr_timeout = name_timeout(s),
		.entry_timeout = name_timeout(s),
	};
	stat_fill(n, a, &e->attr);
}

void reply_node(fuse_req_t req, struct node *n, const struct attr *a)
{
	struct serve *s = serve_of(req);
	struct fuse_entry_param e;

	entry_fill(s, n, a, &e);
	node_lookup(n);
	if (fuse_reply_entry(req, &e))
		node_forget(s->t, n->id, 1);
	node_put(n);
}

static void reply_made(fuse_req_t req, int r, struct node *n, const struct attr *a)
{
	if (r)
		fuse_reply_err(req, -r);
	else
		reply_node(req, n, a);
}

static void cred_of(fuse_req_t req, struct cred *c)
{
	const struct fuse_ctx *ctx = fuse_req_ctx(req);

	*c = (struct cred){ctx->uid, ctx->gid, ctx->umask};
}

void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct serve *s = serve_of(req);
	struct fuse_entry_param e = {0};
	struct node *dir, *n = NULL;
	struct attr a;
	int r = hidden_lookup(s, parent, name, &e);

	if (r == 0) {
		fuse_reply_entry(req, &e);
		return;
	}
	if (r < 0) {
		fuse_reply_err(req, -r);
		return;
	}
	WITH_NODE(s, parent, dir, r, tree_lookup(dir, name, &n, &a));
	if (r == -ENOENT) {
		e.entry_timeout = name_timeout(s);
		fuse_reply_entry(req, &e);
		return;
	}
	reply_made(req, r, n, &a);
}

void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup)
{
	node_forget(serve_of(req)->t, ino, nlookup);
	fuse_reply_none(req);
}

void op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *f)
{
	for (size_t i = 0; i < count; i++)
		node_forget(serve_of(req)->t, f[i].ino, f[i].nlookup);
	fuse_reply_none(req);
}

static void make(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
	dev_t rdev, const char *target)
{
	struct serve *s = serve_of(req);
	struct node *dir, *n = NULL;
	struct attr a;
	struct cred c;
	int r;

	cred_of(req, &c);
	WITH_NODE(
		s, parent, dir, r, tree_make(dir, name, mode, rdev, target, &c, &n, &a));
	reply_made(req, r, n, &a);
}

void op_mknod(
	fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev)
{
	make(req, parent, name, mode & S_IFMT ? mode : mode | S_IFREG, rdev, NULL);
}

void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	make(req, parent, name, (mode & ~(mode_t)S_IFMT) | S_IFDIR, 0, NULL);
}

void op_symlink(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name)
{
	make(req, parent, name, S_IFLNK | 0777, 0, target);
}

static void remove_name(fuse_req_t req, fuse_ino_t parent, const char *name, bool is_dir)
{
	struct serve *s = serve_of(req);
	struct node *dir;
	int r;

	WITH_NODE(s, parent, dir, r, tree_unlink(dir, name, is_dir));
	fuse_reply_err(req, -r);
}

void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	remove_name(req, parent, name, false);
}

void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	remove_name(req, parent, name, true);
}

static int rename_to(struct serve *s, struct node *dir, const char *name, fuse_ino_t to,
	const char *to_name, unsigned int flags)
{
	struct node *dest = node_by_id(s->t, to);

	if (!dest || dest->stale)
		return is_hidden(to) ? -EPERM : -ESTALE;
	return tree_rename(dir, name, dest, to_name, flags);
}

void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t to,
	const char *to_name, unsigned int flags)
{
	struct serve *s = serve_of(req);
	struct node *dir;
	int r;

	WITH_NODE(s, parent, dir, r, rename_to(s, dir, name, to, to_name, flags));
	fuse_reply_err(req, -r);
}

static int link_to(struct serve *s, struct node *n, fuse_ino_t parent, const char *name,
	struct attr *a)
{
	struct node *dir = node_by_id(s->t, parent);

	if (!dir || dir->stale)
		return is_hidden(parent) ? -EPERM : -ESTALE;
	if (dir->view != n->view)
		return -EXDEV;
	node_get(n); /* reply_node gives it back */
	return tree_link(n, dir, name, a);
}

void op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name)
{
	struct serve *s = serve_of(req);
	struct node *n = NULL;
	struct attr a;
	int r;

	WITH_NODE(s, ino, n, r, link_to(s, n, parent, name, &a));
	reply_made(req, r, n, &a);
}

void op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	struct serve *s = serve_of(req);
	char *target = NULL;
	struct node *n;
	int r;

	WITH_NODE(s, ino, n, r, tree_readlink(n, &target));
	if (r)
		fuse_reply_err(req, -r);
	else
		fuse_reply_readlink(req, target);
	free(target);
}
