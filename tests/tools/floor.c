/*
 * floor.c [-f] MNT: a FUSE daemon that does nothing but answer from memory: the floor
 * that no daemon of this kind gets below. No transactions, no store, no base, one lock,
 * no eviction; OPEN is answered ENOSYS, time-outs are a day, default_permissions is on.
 */
#define FUSE_USE_VERSION 312
#include <errno.h>
#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DAY 86400.0
#define BUCKETS (1u << 18)

struct node {
	struct stat st;
	char *name, *data;
	size_t cap;
	struct node *parent, *next_hash, *child, *prev, *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node root, *table[BUCKETS];
static fuse_ino_t last_ino = FUSE_ROOT_ID;

static struct node *node_of(fuse_ino_t ino)
{
	return ino == FUSE_ROOT_ID ? &root : (struct node *)(uintptr_t)ino;
}

static struct node **slot_of(struct node *dir, const char *name)
{
	size_t h = (size_t)dir >> 5;

	for (const char *p = name; *p; p++)
		h = h * 31 + (unsigned char)*p;
	return &table[h % BUCKETS];
}

static struct node *find(struct node *dir, const char *name)
{
	struct node *n = *slot_of(dir, name);

	while (n && (n->parent != dir || strcmp(n->name, name)))
		n = n->next_hash;
	return n;
}

static void touch(struct node *n)
{
	clock_gettime(CLOCK_REALTIME, &n->st.st_mtim);
	n->st.st_ctim = n->st.st_mtim;
}

static void reply(fuse_req_t req, struct node *n)
{
	struct fuse_entry_param e = {.attr_timeout = DAY, .entry_timeout = DAY};

	if (n) {
		e.ino = (fuse_ino_t)(uintptr_t)n;
		e.attr = n->st;
	}
	fuse_reply_entry(req, &e);
}

static void fl_init(void *arg, struct fuse_conn_info *conn)
{
	(void)arg;
	conn->want |=
		conn->capable & (FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_NO_OPEN_SUPPORT |
					FUSE_CAP_NO_OPENDIR_SUPPORT);
}

static void fl_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	pthread_mutex_lock(&lock);
	reply(req, find(node_of(parent), name));
	pthread_mutex_unlock(&lock);
}

static void fl_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)fi;
	pthread_mutex_lock(&lock);
	fuse_reply_attr(req, &node_of(ino)->st, DAY);
	pthread_mutex_unlock(&lock);
}

static void fl_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *st, int to_set,
	struct fuse_file_info *fi)
{
	struct node *n = node_of(ino);

	(void)fi;
	pthread_mutex_lock(&lock);
	if (to_set & FUSE_SET_ATTR_MODE)
		n->st.st_mode = st->st_mode;
	if (to_set & FUSE_SET_ATTR_SIZE)
		n->st.st_size = st->st_size;
	if (to_set & FUSE_SET_ATTR_UID)
		n->st.st_uid = st->st_uid;
	if (to_set & FUSE_SET_ATTR_GID)
		n->st.st_gid = st->st_gid;
	touch(n);
	if (to_set & FUSE_SET_ATTR_MTIME)
		n->st.st_mtim = st->st_mtim;
	fuse_reply_attr(req, &n->st, DAY);
	pthread_mutex_unlock(&lock);
}

static void fl_mknod(
	fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev)
{
	const struct fuse_ctx *c = fuse_req_ctx(req);
	struct node *dir = node_of(parent), *n = calloc(1, sizeof(*n));

	if (n)
		n->name = strdup(name);
	if (!n || !n->name) {
		free(n);
		fuse_reply_err(req, ENOMEM);
		return;
	}
	n->st.st_mode = mode;
	n->st.st_uid = c->uid;
	n->st.st_gid = c->gid;
	n->st.st_nlink = S_ISDIR(mode) ? 2 : 1;
	n->st.st_rdev = rdev;
	n->parent = dir;
	touch(n);
	pthread_mutex_lock(&lock);
	n->st.st_ino = ++last_ino;
	n->next_hash = *slot_of(dir, name);
	*slot_of(dir, name) = n;
	n->next = dir->child;
	if (dir->child)
		dir->child->prev = n;
	dir->child = n;
	touch(dir);
	reply(req, n);
	pthread_mutex_unlock(&lock);
}

static void fl_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	fl_mknod(req, parent, name, mode | S_IFDIR, 0);
}

/* The node itself stays: nobody counts what the kernel still knows. */
static void fl_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct node *dir = node_of(parent), *n, **p;

	pthread_mutex_lock(&lock);
	n = find(dir, name);
	if (n && !n->child) {
		for (p = slot_of(dir, name); *p != n; p = &(*p)->next_hash)
			;
		*p = n->next_hash;
		if (n->next)
			n->next->prev = n->prev;
		if (n->prev)
			n->prev->next = n->next;
		else
			dir->child = n->next;
		n->st.st_nlink = 0;
		touch(dir);
	}
	pthread_mutex_unlock(&lock);
	fuse_reply_err(req, !n ? ENOENT : n->child ? ENOTEMPTY : 0);
}

static void fl_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size,
	off_t off, struct fuse_file_info *fi)
{
	struct node *n = node_of(ino);
	size_t end = (size_t)off + size;

	(void)fi;
	pthread_mutex_lock(&lock);
	if (end > n->cap) {
		size_t cap = end > 8192 ? end * 2 : end;
		char *data = realloc(n->data, cap);

		if (!data) {
			pthread_mutex_unlock(&lock);
			fuse_reply_err(req, ENOMEM);
			return;
		}
		memset(data + n->cap, 0, cap - n->cap);
		n->data = data;
		n->cap = cap;
	}
	memcpy(n->data + off, buf, size);
	if ((off_t)end > n->st.st_size)
		n->st.st_size = (off_t)end;
	touch(n);
	pthread_mutex_unlock(&lock);
	fuse_reply_write(req, size);
}

static void fl_read(
	fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	struct node *n = node_of(ino);
	size_t have;

	(void)fi;
	pthread_mutex_lock(&lock);
	have = off < n->st.st_size ? (size_t)(n->st.st_size - off) : 0;
	if ((size_t)off + have > n->cap)
		have = (size_t)off < n->cap ? n->cap - (size_t)off : 0;
	fuse_reply_buf(req, n->data ? n->data + off : NULL, have < size ? have : size);
	pthread_mutex_unlock(&lock);
}

static void fl_no_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	(void)fi;
	fuse_reply_err(req, ENOSYS);
}

static void fl_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	fi->cache_readdir = 1;
	fi->keep_cache = 1;
	fuse_reply_open(req, fi);
}

/* Offsets are places in the list: enough where nobody changes it meanwhile. */
static void fl_readdirplus(
	fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	char *buf = malloc(size);
	size_t used = 0;
	off_t at = 0;

	(void)fi;
	if (!buf) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	pthread_mutex_lock(&lock);
	for (struct node *n = node_of(ino)->child; n; n = n->next) {
		struct fuse_entry_param e = {
			.attr_timeout = DAY, .entry_timeout = DAY, .attr = n->st};
		size_t len;

		if (at++ < off)
			continue;
		e.ino = (fuse_ino_t)(uintptr_t)n;
		len = fuse_add_direntry_plus(
			req, buf + used, size - used, n->name, &e, at);
		if (len > size - used)
			break;
		used += len;
	}
	pthread_mutex_unlock(&lock);
	fuse_reply_buf(req, buf, used);
	free(buf);
}

static const struct fuse_lowlevel_ops ops = {
	.init = fl_init,
	.lookup = fl_lookup,
	.getattr = fl_getattr,
	.setattr = fl_setattr,
	.mknod = fl_mknod,
	.mkdir = fl_mkdir,
	.unlink = fl_unlink,
	.rmdir = fl_unlink,
	.write = fl_write,
	.read = fl_read,
	.open = fl_no_open,
	.opendir = fl_opendir,
	.readdirplus = fl_readdirplus,
};

int main(int argc, char **argv)
{
	char *opts[] = {argv[0], "-odefault_permissions,fsname=floor", NULL};
	struct fuse_args args = FUSE_ARGS_INIT(2, opts);
	struct fuse_loop_config *config;
	struct fuse_session *se;
	int r = 1;

	if (argc < 2)
		return 2;
	root.st = (struct stat){
		.st_mode = S_IFDIR | 0755, .st_nlink = 2, .st_ino = FUSE_ROOT_ID};
	touch(&root);
	se = fuse_session_new(&args, &ops, sizeof(ops), NULL);
	if (!se)
		return 1;
	if (!fuse_set_signal_handlers(se) && !fuse_session_mount(se, argv[argc - 1])) {
		fuse_daemonize(argc > 2);
		config = fuse_loop_cfg_create();
		r = fuse_session_loop_mt(se, config);
		fuse_loop_cfg_destroy(config);
		fuse_session_unmount(se);
	}
	fuse_session_destroy(se);
	return r != 0;
}
