/*
 * stack.c: what a view shows: its own layers, commits not yet in the base, before-images
 * of later commits, the base, read from the top. All of reading comes through here.
 */
#include "fs/tree/impl.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/xattr.h>
#include <unistd.h>

enum phase { OWN, BEHIND, UNDO, END };

void stack_init(struct stack *s, struct view *v, struct obj *o, struct delta *own)
{
	*s = (struct stack){.v = v, .o = o, .own = own};
}

static struct delta *next_in(struct list *head, struct delta *cur)
{
	struct list *l = cur ? cur->in_obj.next : head->next;

	return l == head ? NULL : list_entry(l, struct delta, in_obj);
}

struct delta *stack_next(struct stack *s)
{
	struct delta *d;

	if (s->phase == OWN) {
		d = s->cur ? s->cur->below : s->own;
		if (d)
			return s->cur = d;
		s->phase = BEHIND;
		s->cur = NULL;
	}
	if (s->phase == BEHIND) {
		d = next_in(&s->o->behind, s->cur);
		while (d && d->layer->seq > s->v->snapshot)
			d = next_in(&s->o->behind, d);
		if (d)
			return s->cur = d;
		s->phase = UNDO;
		s->cur = NULL;
	}
	if (s->phase == UNDO) {
		d = next_in(&s->o->undo, s->cur);
		while (d && d->layer->seq <= s->v->snapshot)
			d = next_in(&s->o->undo, d);
		if (d)
			return s->cur = d;
		s->phase = END;
	}
	return NULL;
}

/* --- content
 * ---------------------------------------------------------------------------- */

static int read_full(int fd, char *buf, uint64_t off, size_t n)
{
	while (n) {
		ssize_t got = pread(fd, buf, n, (off_t)off);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got) {
			memset(buf, 0, n);
			return 0;
		}
		buf += got;
		off += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

static int read_ext(const struct ext *e, char *buf, uint64_t off, size_t n)
{
	uint64_t from = off - e->block * POOL_BLOCK + (uint64_t)e->skip * POOL_BLOCK;

	if (e->chunk_off == EXT_HOLE) {
		memset(buf, 0, n);
		return 0;
	}
	return pool_read(
		e->pool, e->chunk_off, e->chunk_bytes, e->hash, (uint32_t)from, buf, n);
}

/* The staged old file of a before-image: in the staging directory, or still in the base
 * where the checkpoint has not come to it. */
static int open_src(struct tree *t, const struct delta *d)
{
	struct fdref *dir;
	char name[256];
	struct stat st;
	int fd, r;

	for (int i = 0; i < 3; i++) {
		fd = openat(t->stagefd, d->src,
			O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0) {
			r = obj_at(t, d->obj, &dir, name);
			if (r)
				return r;
			fd = openat(dir->fd, name,
				O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
			fdcache_put(t->fds, dir);
		}
		if (fd >= 0 && !fstat(fd, &st) && st.st_ino == d->print.ino)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -TREE_AGAIN;
}

static struct delta *bottom_own(const struct stack *s)
{
	struct delta *d = s->own;

	while (d && d->below)
		d = d->below;
	return d;
}

/* Content that shows through from the base below a partly written file must be the
 * content that was there when it was written, or an error: never a mix. */
static int base_fd(struct tree *t, const struct stack *s, struct fdref **ref)
{
	struct delta *d = bottom_own(s);
	struct stat st;
	int r;

	*ref = NULL;
	if (!d || d->basefd < 0) {
		r = obj_fd(t, s->o, ref);
		return r ? r : (*ref)->fd;
	}
	if (fstat(d->basefd, &st) < 0)
		return -errno;
	if ((uint64_t)st.st_size != d->print.size ||
		ns_of(st.st_mtim) != d->print.mtime_ns)
		return -EIO;
	return d->basefd;
}

static int read_base(
	struct tree *t, const struct stack *s, char *buf, uint64_t off, size_t n)
{
	struct fdref *ref;
	int fd, r;

	if (!s->o->has_base) {
		memset(buf, 0, n);
		return 0;
	}
	fd = base_fd(t, s, &ref);
	if (fd < 0)
		return fd;
	r = read_full(fd, buf, off, n);
	fdcache_put(t->fds, ref);
	return r;
}

/* Who answers for the byte at @off, and how far: *end is lowered to where the answer
 * ends. */
static struct delta *answers(
	struct stack *s, uint64_t off, uint64_t *end, const struct ext **e, bool *zeros)
{
	struct delta *d;

	*zeros = false;
	*e = NULL;
	while ((d = stack_next(s))) {
		const struct ext *x;

		if (d->terminal)
			return d;
		x = bmap_find(&d->map, off / POOL_BLOCK);
		if (x) {
			uint64_t from = x->block * POOL_BLOCK;
			uint64_t to = (x->block + x->count) * POOL_BLOCK;
			bool covers = from <= off;

			if (covers && to < *end)
				*end = to;
			if (!covers && from < *end)
				*end = from;
			if (covers) {
				*e = x;
				return d;
			}
		}
		if (off >= d->below_bytes) {
			*zeros = true;
			return d;
		}
		if (d->below_bytes < *end)
			*end = d->below_bytes;
	}
	return NULL;
}

static int read_piece(struct tree *t, const struct stack *s, uint64_t size, char *buf,
	uint64_t off, size_t *n)
{
	struct stack c = *s;
	uint64_t end = off + *n;
	const struct ext *e;
	struct delta *d;
	bool zeros;
	int r, fd;

	d = answers(&c, off, &end, &e, &zeros);
	*n = (size_t)(end - off);
	if (e)
		return read_ext(e, buf, off, *n);
	if (zeros) {
		memset(buf, 0, *n);
		return 0;
	}
	if (!d)
		return read_base(t, s, buf, off, *n);
	fd = open_src(t, d);
	if (fd < 0)
		return fd;
	r = read_full(fd, buf, off, *n);
	close(fd);
	return r;
}

int stack_read(struct tree *t, const struct stack *s, uint64_t size, void *buf,
	uint64_t off, size_t n)
{
	char *p = buf;

	while (n) {
		size_t part = n;
		int r = read_piece(t, s, size, p, off, &part);

		if (r)
			return r;
		p += part;
		off += part;
		n -= part;
	}
	return 0;
}

/* Where base content is data: asked of the base's own file system. */
static int fd_extent(int fd, uint64_t off, bool *data, uint64_t *end)
{
	off_t at = lseek(fd, (off_t)off, SEEK_DATA), to;

	if (at < 0) {
		*data = errno != ENXIO;
		return 0;
	}
	*data = (uint64_t)at == off;
	to = *data ? lseek(fd, (off_t)off, SEEK_HOLE) : at;
	if (to > 0 && (uint64_t)to < *end)
		*end = (uint64_t)to;
	return 0;
}

int stack_extent(struct tree *t, const struct stack *s, uint64_t size, uint64_t off,
	bool *data, uint64_t *end)
{
	struct stack c = *s;
	const struct ext *e;
	struct delta *d;
	struct fdref *ref = NULL;
	bool zeros;
	int fd;

	*end = size;
	d = answers(&c, off, end, &e, &zeros);
	*data = e && e->chunk_off != EXT_HOLE;
	if (e || zeros)
		return 0;
	if (!d && !s->o->has_base)
		return 0;
	fd = d ? open_src(t, d) : base_fd(t, s, &ref);
	if (fd < 0)
		return fd;
	fd_extent(fd, off, data, end);
	if (d)
		close(fd);
	fdcache_put(t->fds, ref);
	return 0;
}

/* --- attributes
 * ------------------------------------------------------------------------- */

void attr_of_base(struct tree *t, struct obj *o, const struct bstat *st, struct attr *a)
{
	const struct base_print *p = &st->print;

	*a = (struct attr){
		.mode = p->mode,
		.uid = p->uid,
		.gid = p->gid,
		.nlink = p->nlink,
		.size = p->size,
		.rdev = st->rdev,
		.mtime_ns = p->mtime_ns,
		.ctime_ns = p->ctime_ns,
		.atime_ns = st->atime_ns,
	};
	auto_unlock pthread_mutex_t *l = lock(&t->objs_lock);

	if (o->ctime_ns && o->ctime_left_ns == p->ctime_ns)
		a->ctime_ns = o->ctime_ns;
	if (o->in_stage && o->unlink_last && !S_ISDIR(a->mode))
		a->nlink = 0; /* its last name is our own */
}

int stack_attr(struct tree *t, const struct stack *s, struct attr *a)
{
	struct stack c = *s;
	struct delta *d = stack_next(&c);
	struct bstat st;
	int r;

	if (d) {
		*a = d->a;
		return 0;
	}
	r = obj_stat(t, s->o, &st);
	if (!r)
		attr_of_base(t, s->o, &st, a);
	return r;
}

int stack_readlink(struct tree *t, const struct stack *s, char **out)
{
	struct stack c = *s;
	struct delta *d;
	struct fdref *dir;
	char name[256];
	int r;

	while ((d = stack_next(&c)))
		if (d->target) {
			*out = strdup(d->target);
			return *out ? 0 : -ENOMEM;
		}
	if (!s->o->has_base)
		return -ENOENT;
	r = obj_at(t, s->o, &dir, name);
	if (r)
		return r;
	r = base_readlink(dir->fd, name, out);
	fdcache_put(t->fds, dir);
	return r;
}

/* --- names
 * ------------------------------------------------------------------------------- */

bool tree_hidden(const struct tree *t, const struct obj *dir, const char *name)
{
	return dir == t->root &&
	       (!strcmp(name, ".txfs") ||
		       (*t->stage_name && !strcmp(name, t->stage_name)));
}

static int base_dir(struct tree *t, struct obj *o, struct fdref **dir)
{
	int r = obj_dir(t, o, dir);

	if (!r && !o->watched && t->hooks.watch)
		t->hooks.watch(t->hooks.arg, o, (*dir)->fd);
	return r;
}

static int find_in_base(struct tree *t, struct obj *o, const char *name, struct obj **out,
	struct bstat *st)
{
	struct fdref *dir;
	int r;

	if (!o->has_base || tree_hidden(t, o, name))
		return -ENOENT;
	r = base_dir(t, o, &dir);
	if (r)
		return r == -ESTALE || r == -EXDEV ? -ENOENT : r;
	r = base_stat(dir->fd, name, st);
	fdcache_put(t->fds, dir);
	if (r)
		return r;
	/* What is mounted there is no part of the base: a directory shows empty. */
	if (st->print.dev != t->dev && !S_ISDIR(st->print.mode))
		return -ENOENT;
	*out = obj_of_base(t, o, name, st);
	return *out ? 0 : -ENOMEM;
}

int stack_find(struct tree *t, const struct stack *s, const char *name, struct obj **out,
	struct bstat *st, bool *from_base)
{
	struct stack c = *s;
	struct bstat scratch;
	struct delta *d;

	if (from_base)
		*from_base = false;
	while ((d = stack_next(&c))) {
		struct nent *e = names_find(&d->names, name);

		if (!e)
			continue;
		if (!e->obj)
			return -ENOENT;
		*out = obj_get(e->obj);
		return 0;
	}
	if (from_base)
		*from_base = true;
	return find_in_base(t, s->o, name, out, st ? st : &scratch);
}

struct listing {
	struct tree *t;
	struct obj *dir;
	struct names seen;
	int (*f)(void *, const char *, struct obj *, uint8_t, uint64_t);
	void *arg;
};

static int list_base(void *arg, const char *name, unsigned char type, uint64_t ino)
{
	struct listing *l = arg;

	if (names_find(&l->seen, name) || tree_hidden(l->t, l->dir, name))
		return 0;
	return l->f(l->arg, name, NULL, type, ino);
}

static int list_delta(struct listing *l, const struct delta *d)
{
	struct nent *e;
	uint32_t i;
	int r;

	names_each(&d->names, i, e)
	{
		if (names_find(&l->seen, e->name))
			continue;
		if (!names_add(&l->seen, e->name))
			return -ENOMEM;
		if (!e->obj)
			continue;
		r = l->f(l->arg, e->name, e->obj, (uint8_t)IFTODT(e->obj->print.mode),
			e->obj->st_ino);
		if (r)
			return r;
	}
	return 0;
}

int stack_list(struct tree *t, const struct stack *s,
	int (*f)(void *, const char *, struct obj *, uint8_t, uint64_t), void *arg)
{
	struct listing l = {.t = t, .dir = s->o, .f = f, .arg = arg};
	struct stack c = *s;
	struct delta *d;
	struct fdref *dir;
	int r = 0;

	while (!r && (d = stack_next(&c)))
		r = list_delta(&l, d);
	if (!r && s->o->has_base) {
		r = base_dir(t, s->o, &dir);
		if (!r) {
			r = base_list(dir->fd, list_base, &l);
			fdcache_put(t->fds, dir);
		} else if (r == -ESTALE || r == -EXDEV) {
			r = 0;
		}
	}
	names_clear(t, &l.seen);
	return r;
}

/* What was just read at the object's place belongs to it, or a checkpoint was there
 * first. A file that was changed here and has left the base has no more to tell. */
static ssize_t from_place(struct tree *t, const struct stack *s, ssize_t n, ssize_t none)
{
	struct bstat st;
	bool moving;
	int r = 0;

	pthread_mutex_lock(&t->ckpt_lock);
	moving = t->ckpt_running;
	pthread_mutex_unlock(&t->ckpt_lock);
	if (moving)
		r = obj_stat(t, s->o, &st);
	if (r == -ESTALE || (moving && n == -ENOENT))
		return -TREE_AGAIN;
	if (r)
		return r;
	return n == -ENOENT || n == -ESTALE ? (s->own ? none : -ESTALE) : n;
}

/* --- extended attributes
 * ------------------------------------------------------------------ */

ssize_t stack_getxattr(
	struct tree *t, const struct stack *s, const char *name, void *buf, size_t size)
{
	struct stack c = *s;
	struct fdref *dir;
	struct delta *d;
	char at[256];
	ssize_t n;
	int r;

	while ((d = stack_next(&c))) {
		struct xent *x = delta_find_xattr(d, name);

		if (x && !x->value)
			return -ENODATA;
		if (x && size && x->size > size)
			return -ERANGE;
		if (x) {
			if (size)
				memcpy(buf, x->value, x->size);
			return (ssize_t)x->size;
		}
		if (d->terminal) {
			auto_close int fd = open_src(t, d);

			n = fd < 0 ? fd : fgetxattr(fd, name, buf, size);
			return fd >= 0 && n < 0 ? -errno : n;
		}
	}
	if (!s->o->has_base)
		return -ENODATA;
	r = obj_at(t, s->o, &dir, at);
	if (r)
		return from_place(t, s, r, -ENODATA);
	n = base_getxattr(dir->fd, at, name, buf, size);
	fdcache_put(t->fds, dir);
	return from_place(t, s, n, -ENODATA);
}

static int add_names(struct names *out, const char *list, ssize_t n)
{
	for (const char *p = list; p < list + n; p += strlen(p) + 1)
		if (!names_find(out, p) && !names_add(out, p))
			return -ENOMEM;
	return 0;
}

static int base_xattr_names(
	struct tree *t, const struct stack *s, const struct delta *src, struct names *out)
{
	auto_free char *list = malloc(65536);
	struct fdref *dir;
	char at[256];
	ssize_t n;
	int r;

	if (!list)
		return -ENOMEM;
	if (src) {
		auto_close int fd = open_src(t, src);

		n = fd < 0 ? fd : flistxattr(fd, list, 65536);
		n = fd >= 0 && n < 0 ? -errno : n;
	} else {
		r = obj_at(t, s->o, &dir, at);
		n = r ? r : base_listxattr(dir->fd, at, list, 65536);
		if (!r)
			fdcache_put(t->fds, dir);
		n = from_place(t, s, n, 0);
	}
	if (n < 0)
		return n == -EOPNOTSUPP ? 0 : (int)n;
	return add_names(out, list, n);
}

ssize_t stack_listxattr(struct tree *t, const struct stack *s, char *buf, size_t size)
{
	struct names all = {0}, gone = {0};
	struct stack c = *s;
	struct delta *d;
	struct nent *e;
	size_t n = 0;
	uint32_t i;
	int r = 0;

	while (!r && (d = stack_next(&c)) && !d->terminal)
		for (struct xent *x = d->xattrs; x && !r; x = x->next)
			if (!names_find(&all, x->name) && !names_find(&gone, x->name))
				r = names_add(x->value ? &all : &gone, x->name) ? 0
										: -ENOMEM;
	if (!r && (d || s->o->has_base)) {
		struct names lower = {0};

		r = base_xattr_names(t, s, d, &lower);
		names_each(&lower, i, e) if (!r && !names_find(&all, e->name) &&
					     !names_find(&gone, e->name) &&
					     !names_add(&all, e->name)) r = -ENOMEM;
		names_clear(t, &lower);
	}
	names_each(&all, i, e)
	{
		size_t len = strlen(e->name) + 1;

		if (size && n + len > size)
			r = -ERANGE;
		else if (size)
			memcpy(buf + n, e->name, len);
		n += len;
	}
	names_clear(t, &all);
	names_clear(t, &gone);
	return r ? r : (ssize_t)n;
}
