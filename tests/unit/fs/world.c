/*
 * world.c: see world.h.
 *
 * Faults: the system calls that change files are defined here, in front of the C
 * library's, so that SQLite's calls come through them as well. They count down and then
 * fail once or end the process, as a kill would.
 */
#include "tests/unit/fs/world.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "common/hash.h"
#include "common/log.h"

/* --- faults ----------------------------------------------------------------------------
 */

static atomic_long fault_left = -1;
static atomic_int fault_how;
static atomic_bool fault_was;

void fault_after(long n, int how)
{
	atomic_store(&fault_was, false);
	atomic_store(&fault_how, how);
	atomic_store(&fault_left, n);
}

bool fault_hit(void)
{
	return atomic_load(&fault_was);
}

static bool faulty(void)
{
	if (atomic_load(&fault_left) < 0 || atomic_fetch_sub(&fault_left, 1) != 0)
		return false;
	atomic_store(&fault_was, true);
	if (atomic_load(&fault_how) == FAULT_EXIT)
		_exit(FAULT_STATUS);
	errno = atomic_load(&fault_how);
	return true;
}

#define CALL(...) (faulty() ? -1 : (int)syscall(__VA_ARGS__))

int renameat2(int a, const char *from, int b, const char *to, unsigned int flags)
{
	return CALL(SYS_renameat2, a, from, b, to, flags);
}

int linkat(int a, const char *from, int b, const char *to, int flags)
{
	return CALL(SYS_linkat, a, from, b, to, flags);
}

int unlinkat(int dir, const char *name, int flags)
{
	return CALL(SYS_unlinkat, dir, name, flags);
}

int mkdirat(int dir, const char *name, mode_t mode)
{
	return CALL(SYS_mkdirat, dir, name, mode);
}

int symlinkat(const char *target, int dir, const char *name)
{
	return CALL(SYS_symlinkat, target, dir, name);
}

int fchownat(int dir, const char *name, uid_t uid, gid_t gid, int flags)
{
	return CALL(SYS_fchownat, dir, name, uid, gid, flags);
}

int fchmodat(int dir, const char *name, mode_t mode, int flags)
{
	return CALL(SYS_fchmodat, dir, name, mode);
}

int utimensat(int dir, const char *name, const struct timespec ts[2], int flags)
{
	return CALL(SYS_utimensat, dir, name, ts, flags);
}

int lsetxattr(const char *path, const char *name, const void *v, size_t n, int flags)
{
	return CALL(SYS_lsetxattr, path, name, v, n, flags);
}

int fsync(int fd)
{
	return CALL(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	return CALL(SYS_fdatasync, fd);
}

int syncfs(int fd)
{
	return CALL(SYS_syncfs, fd);
}

ssize_t pwrite(int fd, const void *buf, size_t n, off_t off)
{
	return faulty() ? -1 : syscall(SYS_pwrite64, fd, buf, n, off);
}

/* --- the world
 * --------------------------------------------------------------------------- */

void world_make(struct world *w, const char *script)
{
	*w = (struct world){0};
	scratch(w->top);
	snprintf(w->base, sizeof(w->base), "%s/base", w->top);
	snprintf(w->dir, sizeof(w->dir), "%s/store", w->top);
	ck_assert_int_eq(mkdir(w->base, 0755), 0);
	script_ok(IN_DIR(w->base), script);
}

void world_open(struct world *w)
{
	static const struct txm_opts o = {.interval_s = 1};
	static const struct txm_hooks h;
	char *msg = NULL;
	int err = store_open(w->dir, &w->store, &msg), stage, base;

	ck_assert_msg(!err, "store: %s", msg ? msg : strerror(-err));
	log_open("/dev/null", LOG_LEVEL_ERROR);
	if (mkdirat(store_dirfd(w->store), "stage", 0700) < 0)
		ck_assert_int_eq(errno, EEXIST);
	stage = openat(
		store_dirfd(w->store), "stage", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	base = open(w->base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert(stage >= 0 && base >= 0);
	ck_assert_int_eq(tree_new(base, w->store, stage, &w->t), 0);
	err = txm_new(w->t, &o, &h, &w->m, &w->msg);
	ck_assert_msg(!err, "recover: %s", w->msg ? w->msg : strerror(-err));
}

void world_close(struct world *w)
{
	int stage = w->t->stagefd;

	txm_close(w->m);
	tree_free(w->t);
	close(stage);
	store_close(w->store);
	free(w->msg);
	w->m = NULL;
	w->t = NULL;
	w->store = NULL;
	w->msg = NULL;
}

struct txfs_ioc_end trans_io;

void trans_begin(struct world *w, struct trans *t, unsigned int flags)
{
	struct txfs_ioc_begin io = {.version = TXFS_ABI, .flags = flags};

	strcpy(io.label, "test");
	txm_begin(w->m, &io);
	ck_assert_msg(!io.error, "begin: %s", io.message);
	t->id = io.id;
	memcpy(t->token, io.token, sizeof(t->token));
	t->root = w->t->main->root;
	if (flags & TXFS_BEGIN_PRIVATE) {
		pthread_rwlock_rdlock(&w->t->gate);
		t->root = txm_view(w->m, t->id);
		pthread_rwlock_unlock(&w->t->gate);
		ck_assert_ptr_nonnull(t->root);
		node_put(t->root); /* the view holds it */
	}
}

int trans_do(struct world *w, const struct trans *t, trans_verb verb, const char *name)
{
	trans_io = (struct txfs_ioc_end){.version = TXFS_ABI, .id = t->id};
	memcpy(trans_io.token, t->token, sizeof(t->token));
	if (name)
		snprintf(trans_io.name, sizeof(trans_io.name), "%s", name);
	verb(w->m, &trans_io);
	return -trans_io.error;
}

/* --- requests, as fs/fuse makes them
 * ----------------------------------------------------- */

#define GATE(t, r, expr)                           \
	do {                                       \
		pthread_rwlock_rdlock(&(t)->gate); \
		(r) = (expr);                      \
		pthread_rwlock_unlock(&(t)->gate); \
		if ((r) == -TREE_AGAIN)            \
			tree_wait_checkpoint(t);   \
	} while ((r) == -TREE_AGAIN)

static const struct cred us = {0, 0, 022};

static struct node *walk(struct node *root, const char *path, char last[256])
{
	struct node *n = root, *next;
	struct attr a;
	const char *p = path;
	int r;

	pthread_rwlock_rdlock(&root->view->t->gate);
	node_get(n);
	pthread_rwlock_unlock(&root->view->t->gate);
	while (*p) {
		size_t len = strcspn(p, "/");
		char name[256];

		snprintf(name, sizeof(name), "%.*s", (int)len, p);
		p += len;
		p += *p == '/';
		if (!*p && last) {
			snprintf(last, 256, "%s", name);
			return n;
		}
		GATE(root->view->t, r, tree_lookup(n, name, &next, &a));
		node_put(n);
		if (!r && *p && !S_ISDIR(a.mode)) { /* the kernel's part */
			node_put(next);
			r = -ENOTDIR;
		}
		if (r) {
			errno = -r;
			return NULL;
		}
		n = next;
	}
	return n;
}

struct node *node_at(struct node *root, const char *path)
{
	return walk(root, path, NULL);
}

char *content_of(struct node *root, const char *path, long *n)
{
	struct node *f = node_at(root, path);
	struct tree *t = root->view->t;
	struct attr a;
	char *buf = NULL;
	int r;

	if (!f) {
		*n = -errno;
		return NULL;
	}
	GATE(t, r, tree_getattr(f, &a));
	if (!r) {
		size_t off = 0;

		buf = malloc(a.size + 1);
		buf[a.size] = 0;
		while (off < a.size) {
			size_t part = a.size - off < 100000 ? a.size - off : 100000;

			GATE(t, r, tree_read(f, buf + off, off, part));
			if (r <= 0)
				break;
			off += (size_t)r;
		}
		if (r > 0)
			r = 0;
	}
	node_put(f);
	*n = r ? r : (long)a.size;
	if (r) {
		free(buf);
		buf = NULL;
	}
	return buf;
}

/* --- scripts
 * ----------------------------------------------------------------------------- */

static char *native(struct place_at p, const char *path)
{
	static char buf[3][8192];
	static int i;
	char *s = buf[i++ % 3];

	snprintf(s, 8192, "%s/%s", p.dir, path);
	return s;
}

static int err_of(int r)
{
	return r < 0 ? -errno : 0;
}

static int make_at(struct place_at p, const char *path, uint32_t mode, const char *target)
{
	struct tree *t;
	struct node *dir, *n = NULL;
	struct attr a;
	char name[256];
	int r;

	if (p.dir) {
		const char *s = native(p, path);

		if (S_ISDIR(mode))
			return err_of(mkdir(s, mode & 07777));
		if (S_ISLNK(mode))
			return err_of(symlink(target, s));
		return err_of(mknod(s, mode, 0));
	}
	t = p.root->view->t;
	dir = walk(p.root, path, name);
	if (!dir)
		return -errno;
	GATE(t, r, tree_make(dir, name, mode, 0, target, &us, &n, &a));
	if (!r)
		node_put(n);
	node_put(dir);
	return r;
}

static int write_at(
	struct place_at p, const char *path, const char *data, size_t n, uint64_t off)
{
	struct tree *t;
	struct node *f;
	int r;

	if (p.dir) {
		int fd = open(native(p, path), O_WRONLY | O_CLOEXEC);

		if (fd < 0)
			return -errno;
		r = pwrite(fd, data, n, (off_t)off) == (ssize_t)n ? 0 : -EIO;
		close(fd);
		return r;
	}
	t = p.root->view->t;
	f = node_at(p.root, path);
	if (!f)
		return -errno;
	r = 0;
	for (size_t done = 0; done < n && r >= 0; done += (size_t)r)
		GATE(t, r,
			tree_write(f, data + done, off + done,
				n - done < (1 << 20) ? n - done : 1 << 20, true));
	node_put(f);
	return r < 0 ? r : 0;
}

static int setattr_at(struct place_at p, const char *path, const struct setattr *s)
{
	struct node *n;
	struct attr a;
	int r;

	if (p.dir) {
		const char *f = native(p, path);
		struct timespec ts[2] = {
			{0, UTIME_OMIT}, {s->to.mtime_ns / 1000000000, 0}};

		if (s->size)
			return err_of(truncate(f, (off_t)s->to.size));
		if (s->mode)
			return err_of(chmod(f, s->to.mode));
		if (s->uid)
			return err_of(lchown(f, s->to.uid, (gid_t)-1));
		return err_of(utimensat(AT_FDCWD, f, ts, AT_SYMLINK_NOFOLLOW));
	}
	n = node_at(p.root, path);
	if (!n)
		return -errno;
	GATE(p.root->view->t, r, tree_setattr(n, s, &a));
	node_put(n);
	return r;
}

static int put(struct place_at p, const char *path, const char *text, size_t n)
{
	const struct setattr empty = {.size = true};
	int r;

	if (p.dir) {
		int fd = open(
			native(p, path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

		if (fd < 0)
			return -errno;
		r = pwrite(fd, text, n, 0) == (ssize_t)n ? 0 : -EIO;
		close(fd);
		return r;
	}
	r = make_at(p, path, S_IFREG | 0644, NULL);
	if (r == -EEXIST)
		r = setattr_at(p, path, &empty);
	return r ? r : n ? write_at(p, path, text, n, 0) : 0;
}

static int big(struct place_at p, const char *path, size_t kib)
{
	char *buf = malloc(kib * 1024 + 1);
	int r;

	for (size_t i = 0; i < kib * 1024; i++)
		buf[i] = (char)('a' + (i * 7 + i / 4096) % 26);
	r = put(p, path, buf, kib * 1024);
	free(buf);
	return r;
}

static int punch(struct place_at p, const char *path, uint64_t off, uint64_t len)
{
	const int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
	struct node *n;
	int r;

	if (p.dir) {
		int fd = open(native(p, path), O_WRONLY | O_CLOEXEC);

		r = err_of(fallocate(fd, mode, (off_t)off, (off_t)len));
		close(fd);
		return r;
	}
	n = node_at(p.root, path);
	if (!n)
		return -errno;
	GATE(p.root->view->t, r, tree_fallocate(n, mode, off, len));
	node_put(n);
	return r;
}

static int setx(struct place_at p, const char *path, const char *name, const char *v)
{
	struct node *n;
	int r;

	if (p.dir && v)
		return err_of(lsetxattr(native(p, path), name, v, strlen(v), 0));
	if (p.dir)
		return err_of(lremovexattr(native(p, path), name));
	n = node_at(p.root, path);
	if (!n)
		return -errno;
	if (v)
		GATE(p.root->view->t, r, tree_setxattr(n, name, v, strlen(v), 0));
	else
		GATE(p.root->view->t, r, tree_removexattr(n, name));
	node_put(n);
	return r;
}

static int rename_at(struct place_at p, const char *a, const char *b, unsigned int flags)
{
	struct node *from, *to;
	char name[256], to_name[256];
	int r;

	if (p.dir)
		return err_of(
			renameat2(AT_FDCWD, native(p, a), AT_FDCWD, native(p, b), flags));
	from = walk(p.root, a, name);
	to = from ? walk(p.root, b, to_name) : NULL;
	r = -errno;
	if (to)
		GATE(p.root->view->t, r, tree_rename(from, name, to, to_name, flags));
	node_put(from);
	node_put(to);
	return r;
}

static int link_at(struct place_at p, const char *a, const char *b)
{
	struct node *n, *to;
	char name[256];
	struct attr at;
	int r;

	if (p.dir)
		return err_of(link(native(p, a), native(p, b)));
	n = node_at(p.root, a);
	to = n ? walk(p.root, b, name) : NULL;
	r = -errno;
	if (to)
		GATE(p.root->view->t, r, tree_link(n, to, name, &at));
	node_put(n);
	node_put(to);
	return r;
}

static int remove_at(struct place_at p, const char *path, bool is_dir)
{
	struct node *dir;
	char name[256];
	int r;

	if (p.dir)
		return err_of(is_dir ? rmdir(native(p, path)) : unlink(native(p, path)));
	dir = walk(p.root, path, name);
	if (!dir)
		return -errno;
	GATE(p.root->view->t, r, tree_unlink(dir, name, is_dir));
	node_put(dir);
	return r;
}

static int command(struct place_at p, int n, char *w[4])
{
	uint64_t a = n > 2 ? strtoull(w[2], NULL, 0) : 0;
	struct setattr s = {0};

#define IS(name, words) (!strcmp(w[0], name) && n == 1 + (words))
	if (IS("mkdir", 1))
		return make_at(p, w[1], S_IFDIR | 0755, NULL);
	if (IS("fifo", 1))
		return make_at(p, w[1], S_IFIFO | 0644, NULL);
	if (IS("sock", 1))
		return make_at(p, w[1], S_IFSOCK | 0755, NULL);
	if (IS("sym", 2))
		return make_at(p, w[2], S_IFLNK | 0777, w[1]);
	if (IS("put", 2))
		return put(p, w[1], w[2], strlen(w[2]));
	if (IS("big", 2))
		return big(p, w[1], a);
	if (IS("at", 3))
		return write_at(p, w[1], w[3], strlen(w[3]), a);
	if (IS("punch", 3))
		return punch(p, w[1], a, strtoull(w[3], NULL, 0));
	if (IS("setx", 3))
		return setx(p, w[1], w[2], w[3]);
	if (IS("rmx", 2))
		return setx(p, w[1], w[2], NULL);
	if (IS("mv", 2))
		return rename_at(p, w[1], w[2], 0);
	if (IS("xchg", 2))
		return rename_at(p, w[1], w[2], RENAME_EXCHANGE);
	if (IS("ln", 2))
		return link_at(p, w[1], w[2]);
	if (IS("rm", 1) || IS("rmdir", 1))
		return remove_at(p, w[1], w[0][2] == 'd');
	if (IS("trunc", 2)) {
		s.size = true;
		s.to.size = a;
		return setattr_at(p, w[1], &s);
	}
	if (IS("chmod", 2)) {
		s.mode = true;
		s.to.mode = (uint32_t)strtoul(w[1], NULL, 8);
		return setattr_at(p, w[2], &s);
	}
	if (IS("own", 2)) {
		s.uid = true;
		s.to.uid = (uint32_t)strtoul(w[1], NULL, 10);
		return setattr_at(p, w[2], &s);
	}
	if (IS("mtime", 2)) {
		s.mtime = true;
		s.to.mtime_ns = (int64_t)a * 1000000000;
		return setattr_at(p, w[1], &s);
	}
	ck_abort_msg("no such command: %s with %d words", w[0], n - 1);
	return -EINVAL;
}

int script_run(struct place_at p, const char *text)
{
	char *copy = strdup(text), *save, *save2, *line;
	int r = 0;

	for (line = strtok_r(copy, ";", &save); line && !r;
		line = strtok_r(NULL, ";", &save)) {
		char *w[4], *word = strtok_r(line, " ", &save2);
		int n = 0;

		for (; word && n < 4; word = strtok_r(NULL, " ", &save2))
			w[n++] = word;
		if (n)
			r = command(p, n, w);
	}
	free(copy);
	return r;
}

void script_ok(struct place_at p, const char *text)
{
	int r = script_run(p, text);

	ck_assert_msg(!r, "'%s': %s", text, strerror(-r));
}

/* --- dumps
 * ------------------------------------------------------------------------------- */

struct line {
	char *path, *rest;
	uint64_t ino;
	uint32_t links;
};

struct dumping {
	struct place_at p;
	unsigned int flags;
	struct line *l;
	size_t n, cap;
};

struct entry_names {
	char **s;
	uint64_t *ino;
	size_t n, cap;
};

static int take_name(
	void *arg, const char *name, uint64_t ino, uint8_t type, uint64_t next)
{
	struct entry_names *e = arg;

	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return 0;
	if (e->n == e->cap) {
		e->cap = e->cap ? e->cap * 2 : 16;
		e->s = realloc(e->s, e->cap * sizeof(*e->s));
		e->ino = realloc(e->ino, e->cap * sizeof(*e->ino));
	}
	e->s[e->n] = strdup(name);
	e->ino[e->n++] = ino;
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "name=value name=value", sorted. */
static char *xattrs_of(struct place_at p, struct node *n, const char *path)
{
	char list[4096], value[4096], *names[64], *out = strdup(""), *longer;
	struct tree *t = n ? n->view->t : NULL;
	size_t count = 0;
	ssize_t len, v;

	if (n)
		GATE(t, len, tree_listxattr(n, list, sizeof(list)));
	else
		len = llistxattr(native(p, path), list, sizeof(list));
	ck_assert_int_ge(len, 0);
	for (char *s = list; s < list + len; s += strlen(s) + 1)
		names[count++] = s;
	if (count)
		qsort(names, count, sizeof(*names), by_text);
	for (size_t i = 0; i < count; i++) {
		uint8_t h[16];
		char hex[40];

		if (n)
			GATE(t, v, tree_getxattr(n, names[i], value, sizeof(value)));
		else
			v = lgetxattr(native(p, path), names[i], value, sizeof(value));
		ck_assert_msg(v >= 0, "%s: listed, but not there", names[i]);
		hash128(value, (size_t)v, h);
		hash_hex(h, hex);
		ck_assert_int_gt(asprintf(&longer, "%s %s=%.6s", out, names[i], hex), 0);
		free(out);
		out = longer;
	}
	return out;
}

static char *data_of(
	struct place_at p, struct node *n, const char *path, uint32_t mode, uint64_t size)
{
	char *buf = NULL, *out, hex[40];
	uint8_t h[16];
	long len = 0;
	int r;

	if (S_ISLNK(mode)) {
		if (n) {
			GATE(n->view->t, r, tree_readlink(n, &buf));
			ck_assert_int_eq(r, 0);
			return buf;
		}
		buf = calloc(1, 4097);
		ck_assert_int_ge(readlink(native(p, path), buf, 4096), 0);
		return buf;
	}
	if (!S_ISREG(mode))
		return strdup("-");
	if (n) {
		buf = content_of(p.root, path, &len);
		ck_assert_msg(len >= 0, "%s: %s", path, strerror((int)-len));
	} else {
		FILE *f = fopen(native(p, path), "re");

		ck_assert_ptr_nonnull(f);
		buf = malloc(size + 1);
		len = (long)fread(buf, 1, size, f);
		buf[len] = 0;
		fclose(f);
	}
	ck_assert_int_eq(len, (long)size);
	if (size < 24)
		return buf;
	hash128(buf, (size_t)len, h);
	hash_hex(h, hex);
	free(buf);
	out = strdup(hex);
	return out;
}

static void add_line(struct dumping *d, const char *path, struct node *n,
	const struct attr *a, uint64_t ino)
{
	char *x = S_ISLNK(a->mode) && !n ? strdup("") : xattrs_of(d->p, n, path);
	char *data = data_of(d->p, n, path, a->mode, a->size);
	char times[40] = "";
	struct line *l;

	if (d->n == d->cap) {
		d->cap = d->cap ? d->cap * 2 : 32;
		d->l = realloc(d->l, d->cap * sizeof(*d->l));
	}
	l = &d->l[d->n++];
	if (d->flags & DUMP_TIMES)
		snprintf(times, sizeof(times), " @%lld", (long long)a->mtime_ns);
	l->path = strdup(path);
	l->ino = ino;
	l->links = S_ISDIR(a->mode) ? 0 : a->nlink;
	ck_assert_int_gt(
		asprintf(&l->rest, "%o %u:%u n%u s%llu%s %s%s", a->mode, a->uid, a->gid,
			a->nlink, S_ISDIR(a->mode) ? 0 : (unsigned long long)a->size,
			times, data, x),
		0);
	free(data);
	free(x);
}

static void dump_into(struct dumping *d, const char *path);

static void dump_names(struct dumping *d, const char *path, struct entry_names *e)
{
	for (size_t i = 0; i < e->n; i++) {
		char sub[4096];

		snprintf(
			sub, sizeof(sub), "%.3800s%s%s", path, *path ? "/" : "", e->s[i]);
		if (d->p.root) {
			struct node *n = node_at(d->p.root, sub);

			ck_assert_msg(n, "%s: listed, but not there", sub);
			ck_assert_msg(node_ino(n) == e->ino[i],
				"%s: readdir says %llu, stat %llu", sub,
				(unsigned long long)e->ino[i],
				(unsigned long long)node_ino(n));
			node_put(n);
		}
		dump_into(d, sub);
		free(e->s[i]);
	}
	free(e->s);
	free(e->ino);
}

static void dump_into(struct dumping *d, const char *path)
{
	struct entry_names e = {0};
	struct attr a;
	uint64_t ino;
	int r;

	if (d->p.root) {
		struct tree *t = d->p.root->view->t;
		struct node *n = node_at(d->p.root, path);

		ck_assert_msg(n, "%s: %s", path, strerror(errno));
		GATE(t, r, tree_getattr(n, &a));
		ck_assert_msg(!r, "%s: %s", path, strerror(-r));
		ino = node_ino(n);
		add_line(d, path, n, &a, ino);
		if (S_ISDIR(a.mode))
			GATE(t, r, tree_readdir(n, 0, take_name, &e));
		ck_assert_int_eq(r, 0);
		node_put(n);
	} else {
		struct stat st;
		struct dirent *de;
		DIR *dir;

		ck_assert_msg(
			!lstat(native(d->p, path), &st), "%s: %s", path, strerror(errno));
		a = (struct attr){.mode = st.st_mode,
			.uid = st.st_uid,
			.gid = st.st_gid,
			.nlink = (uint32_t)st.st_nlink,
			.size = (uint64_t)st.st_size,
			.mtime_ns =
				st.st_mtim.tv_sec * 1000000000ll + st.st_mtim.tv_nsec};
		add_line(d, path, NULL, &a, st.st_ino);
		dir = S_ISDIR(st.st_mode) ? opendir(native(d->p, path)) : NULL;
		while (dir && (de = readdir(dir)))
			take_name(&e, de->d_name, de->d_ino, 0, 0);
		if (dir)
			closedir(dir);
	}
	dump_names(d, path, &e);
}

static int by_line(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->path, ((const struct line *)b)->path);
}

char *dump(struct place_at p, unsigned int flags)
{
	struct dumping d = {.p = p, .flags = flags};
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	dump_into(&d, "");
	qsort(d.l, d.n, sizeof(*d.l), by_line);
	for (size_t i = 0; i < d.n; i++) {
		const char *first = "";

		for (size_t k = 0; k <= i && d.l[i].links > 1 && !*first; k++)
			if (d.l[k].ino == d.l[i].ino)
				first = d.l[k].path;
		fprintf(f, "/%s %s%s%s\n", d.l[i].path, d.l[i].rest, *first ? " =" : "",
			first);
	}
	for (size_t i = 0; i < d.n; i++) {
		free(d.l[i].path);
		free(d.l[i].rest);
	}
	free(d.l);
	fclose(f);
	return out;
}

void dump_same(const char *want, const char *got)
{
	if (strcmp(want, got))
		ck_abort_msg("differs; wanted:\n%s--- got:\n%s", want, got);
}

void remove_tree(const char *path)
{
	struct dirent *e;
	DIR *d = opendir(path);

	while (d && (e = readdir(d))) {
		char sub[4096];
		struct stat st;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		snprintf(sub, sizeof(sub), "%.3800s/%s", path, e->d_name);
		if (!lstat(sub, &st) && S_ISDIR(st.st_mode))
			remove_tree(sub);
		else
			unlink(sub);
	}
	if (d)
		closedir(d);
	rmdir(path);
}
