/*
 * dir.c: reading directories, plain and with attributes.
 */
#include "fs/fuse/impl.h"

struct page {
	fuse_req_t req;
	struct serve *s;
	struct node *dir;
	char *buf;
	size_t size, used;
	int err;
};

static int add_plain(
	void *arg, const char *name, uint64_t ino, uint8_t type, uint64_t next)
{
	struct page *p = arg;
	struct stat st = {.st_ino = ino, .st_mode = (mode_t)type << 12};
	size_t n = fuse_add_direntry(
		p->req, p->buf + p->used, p->size - p->used, name, &st, (off_t)next);

	if (n > p->size - p->used)
		return 1;
	p->used += n;
	return 0;
}

static bool is_dot(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* A name that went while the list was read is left out. */
static int add_plus(
	void *arg, const char *name, uint64_t ino, uint8_t type, uint64_t next)
{
	struct page *p = arg;
	struct fuse_entry_param e = {
		.attr = {.st_ino = ino, .st_mode = (mode_t)type << 12}};
	struct node *n = NULL;
	struct attr a;
	size_t len;
	bool full;

	if (!is_dot(name)) {
		p->err = tree_lookup(p->dir, name, &n, &a);
		if (p->err == -ENOENT || p->err == -ESTALE)
			p->err = 0;
		if (!n)
			return p->err != 0;
		e.ino = n->id;
		e.attr_timeout = e.entry_timeout = name_timeout(p->s);
		stat_fill(n, &a, &e.attr);
	}
	len = fuse_add_direntry_plus(
		p->req, p->buf + p->used, p->size - p->used, name, &e, (off_t)next);
	full = len > p->size - p->used;
	if (!full) {
		p->used += len;
		if (n)
			node_lookup(n);
	}
	node_put(n);
	return full;
}

static int list(struct page *p, struct node *dir, off_t off, bool plus)
{
	int r;

	p->dir = dir;
	p->used = 0;
	p->err = 0;
	r = tree_readdir(dir, (uint64_t)off, plus ? add_plus : add_plain, p);
	/* What was looked up is told; the rest is asked for again. */
	return p->used ? 0 : r ? r : p->err;
}

static void read_dir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, bool plus)
{
	struct serve *s = serve_of(req);
	struct page p = {.req = req, .s = s, .buf = worker_current()->buf, .size = size};
	struct node *dir;
	int r;

	if (is_hidden(ino)) {
		hidden_readdir(req, ino, size, off);
		return;
	}
	WITH_NODE(s, ino, dir, r, list(&p, dir, off, plus));
	if (r)
		fuse_reply_err(req, -r);
	else
		fuse_reply_buf(req, p.buf, p.used);
}

void op_readdir(
	fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	read_dir(req, ino, size, off, false);
}

void op_readdirplus(
	fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	read_dir(req, ino, size, off, true);
}
