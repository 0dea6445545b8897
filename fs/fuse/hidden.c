/*
 * hidden.c: `.txfs` in the root of the main view: where the ioctls go and private views
 *lie.
 *
 *	.txfs/ctl       takes the ioctls of txfs/ioctl.h
 *	.txfs/sentinel  dirtied by the barrier; nobody else has a use for it
 *	.txfs/tx/ID/    private views
 *
 * It is never listed, and its mode lets only the owner of the mount in.
 */
#include "fs/fuse/impl.h"

#include <stdio.h>

static const struct hidden {
	const char *name;
	fuse_ino_t parent, ino;
	uint32_t mode;
} table[] = {
	{".txfs", FUSE_ROOT_ID, CTL_ID(CTL_BASE), S_IFDIR | 0700},
	{"ctl", CTL_ID(CTL_BASE), CTL_ID(CTL_CTL), S_IFREG | 0600},
	{"sentinel", CTL_ID(CTL_BASE), CTL_ID(CTL_SENTINEL), S_IFREG | 0600},
	{"tx", CTL_ID(CTL_BASE), CTL_ID(CTL_TX), S_IFDIR | 0700},
};
#define ROWS (sizeof(table) / sizeof(*table))

int hidden_stat(struct serve *s, fuse_ino_t ino, struct stat *st)
{
	for (size_t i = 0; i < ROWS; i++)
		if (table[i].ino == ino) {
			*st = (struct stat){
				.st_ino = ino,
				.st_mode = table[i].mode,
				.st_nlink = S_ISDIR(table[i].mode) ? 2 : 1,
				.st_uid = s->uid,
				.st_gid = s->gid,
				.st_size = ino == CTL_ID(CTL_SENTINEL) ? 4096 : 0,
				.st_blksize = 4096,
			};
			return 0;
		}
	return -ENOENT;
}

static int lookup_view(struct serve *s, const char *name, struct fuse_entry_param *e)
{
	char *end;
	uint64_t id = strtoull(name, &end, 10);
	struct node *n;
	struct attr a;
	int r;

	if (*end || name[0] < '1' || name[0] > '9')
		return -ENOENT;
	pthread_rwlock_rdlock(&s->t->gate);
	n = txm_view(s->m, id);
	r = n ? tree_getattr(n, &a) : -ENOENT;
	if (!r) {
		/* Checked at every use, since it ends without the kernel being asked. */
		*e = (struct fuse_entry_param){
			.ino = n->id, .attr_timeout = name_timeout(s)};
		stat_fill(n, &a, &e->attr);
		node_lookup(n);
	}
	pthread_rwlock_unlock(&s->t->gate);
	node_put(n);
	return r;
}

int hidden_lookup(
	struct serve *s, fuse_ino_t parent, const char *name, struct fuse_entry_param *e)
{
	if (parent != FUSE_ROOT_ID && !is_hidden(parent))
		return 1;
	if (parent == CTL_ID(CTL_TX))
		return lookup_view(s, name, e);
	for (size_t i = 0; i < ROWS; i++)
		if (table[i].parent == parent && !strcmp(table[i].name, name)) {
			e->ino = table[i].ino;
			e->attr_timeout = e->entry_timeout = FOREVER;
			return hidden_stat(s, e->ino, &e->attr);
		}
	return parent == FUSE_ROOT_ID ? 1 : -ENOENT;
}

struct listing {
	fuse_req_t req;
	char *buf;
	size_t size, used;
	uint64_t at, from;
};

static void add(struct listing *l, const char *name, fuse_ino_t ino, mode_t mode)
{
	struct stat st = {.st_ino = ino, .st_mode = mode};
	struct fuse_entry_param e = {.attr = st};
	size_t n;

	if (l->at++ < l->from)
		return;
	if (raw_current()->opcode == OP_READDIRPLUS)
		n = fuse_add_direntry_plus(l->req, l->buf + l->used, l->size - l->used,
			name, &e, (off_t)l->at);
	else
		n = fuse_add_direntry(l->req, l->buf + l->used, l->size - l->used, name,
			&st, (off_t)l->at);
	if (n <= l->size - l->used)
		l->used += n;
}

static void add_view(void *arg, uint64_t id)
{
	char name[24];

	snprintf(name, sizeof(name), "%llu", (unsigned long long)id);
	add(arg, name, CTL_ID(CTL_LAST) + id, S_IFDIR);
}

void hidden_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off)
{
	struct serve *s = serve_of(req);
	struct listing l = {.req = req,
		.buf = worker_current()->buf,
		.size = size,
		.from = (uint64_t)off};

	add(&l, ".", ino, S_IFDIR);
	add(&l, "..", FUSE_ROOT_ID, S_IFDIR);
	for (size_t i = 0; i < ROWS; i++)
		if (table[i].parent == ino)
			add(&l, table[i].name, table[i].ino, table[i].mode);
	if (ino == CTL_ID(CTL_TX)) {
		pthread_rwlock_rdlock(&s->t->gate);
		txm_each_private(s->m, add_view, &l);
		pthread_rwlock_unlock(&s->t->gate);
	}
	fuse_reply_buf(req, l.buf, l.used);
}
