/*
 * obj.c: objects: one identity for a file through renames, copies-up and checkpoints.
 *
 * A base object is known by (inode, birth); the table of these keys is weak, it holds no
 * references. Objects with a row in the store keep one reference for themselves, so that
 * the number they showed first stays theirs as long as the file lives.
 */
#include "fs/tree/impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"

static size_t ino_slot(const struct tree *t, uint64_t ino)
{
	return (ino * 0x9E3779B97F4A7C15ull >> 20) & (t->ino_slots - 1);
}

static struct inokey **key_find(struct tree *t, uint64_t ino, int64_t btime_ns)
{
	struct inokey **p = &t->by_ino[ino_slot(t, ino)];

	while (*p && ((*p)->ino != ino || (*p)->btime_ns != btime_ns))
		p = &(*p)->next;
	return p;
}

static void keys_grow(struct tree *t)
{
	size_t old = t->ino_slots;
	struct inokey **was = t->by_ino, **now = calloc(old * 2, sizeof(*now));

	if (!now)
		return; /* longer chains are only slower */
	t->by_ino = now;
	t->ino_slots = old * 2;
	for (size_t i = 0; i < old; i++)
		while (was[i]) {
			struct inokey *k = was[i], **p = &now[ino_slot(t, k->ino)];

			was[i] = k->next;
			k->next = *p;
			*p = k;
		}
	free(was);
}

static int key_add(struct tree *t, struct obj *o, uint64_t ino, int64_t btime_ns)
{
	struct inokey **p = key_find(t, ino, btime_ns), *k = *p;

	if (!k) {
		k = calloc(1, sizeof(*k));
		if (!k)
			return -ENOMEM;
		*k = (struct inokey){.ino = ino, .btime_ns = btime_ns};
		*p = k;
		if (++t->ino_used > t->ino_slots * 2)
			keys_grow(t);
	}
	k->obj = o;
	return 0;
}

static void key_del(struct tree *t, const struct obj *o, uint64_t ino, int64_t btime_ns)
{
	struct inokey **p = key_find(t, ino, btime_ns), *k = *p;

	if (!k || (o && k->obj != o))
		return;
	*p = k->next;
	t->ino_used--;
	free(k);
}

struct obj *obj_get(struct obj *o)
{
	atomic_fetch_add(&o->refs, 1);
	return o;
}

/* Drop one reference unless it is the last one. */
static bool put_if_more(struct obj *o)
{
	uint32_t n = atomic_load(&o->refs);

	while (n > 1)
		if (atomic_compare_exchange_weak(&o->refs, &n, n - 1))
			return true;
	return false;
}

static struct obj *put_locked(struct tree *t, struct obj *o)
{
	struct obj *parent;

	if (atomic_fetch_sub(&o->refs, 1) != 1)
		return NULL;
	key_del(t, o, o->print.ino, o->print.btime_ns);
	fdcache_drop(t->fds, o->id * 2);
	fdcache_drop(t->fds, o->id * 2 + 1);
	if (o->in_stage && o->unlink_last && o->name &&
		unlinkat(t->stagefd, o->name, S_ISDIR(o->print.mode) ? AT_REMOVEDIR : 0) <
			0 &&
		errno != ENOENT)
		log_warn("cannot remove '%s' from the staging directory: %s", o->name,
			strerror(errno));
	parent = o->parent;
	free(o->name);
	free(o);
	return parent; /* its reference goes next */
}

static void obj_put_locked(struct tree *t, struct obj *o)
{
	while (o)
		o = put_locked(t, o);
}

void obj_put(struct tree *t, struct obj *o)
{
	if (!o || put_if_more(o))
		return;
	auto_unlock pthread_mutex_t *l = lock(&t->objs_lock);

	obj_put_locked(t, o);
}

static struct obj *obj_alloc(struct tree *t, uint64_t id)
{
	struct obj *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->id = id;
	o->refs = 1;
	list_init(&o->undo);
	list_init(&o->behind);
	list_init(&o->nodes);
	return o;
}

struct obj *obj_new(struct tree *t)
{
	struct obj *o = obj_alloc(t, store_next_object(t->store));

	if (o)
		o->st_ino = INO_MADE | o->id;
	return o;
}

static struct obj **row_slot(struct tree *t, uint64_t id)
{
	return &t->by_row[id % (sizeof(t->by_row) / sizeof(*t->by_row))];
}

void row_add(struct tree *t, struct obj *o)
{
	struct obj **p = row_slot(t, o->id);

	if (o->logged)
		return;
	o->logged = true;
	o->next_row = *p;
	*p = o;
	atomic_fetch_add(&o->refs, 1);
}

static struct obj *row_find(struct tree *t, uint64_t id)
{
	struct obj *o = *row_slot(t, id);

	while (o && o->id != id)
		o = o->next_row;
	return o;
}

struct obj *obj_with_row(struct tree *t, uint64_t id)
{
	auto_unlock pthread_mutex_t *l = lock(&t->objs_lock);
	struct obj *o = row_find(t, id);

	return o ? obj_get(o) : NULL;
}

void obj_unlog(struct tree *t, struct obj *o)
{
	auto_unlock pthread_mutex_t *l = lock(&t->objs_lock);
	struct obj **p = row_slot(t, o->id);

	if (!o->logged)
		return;
	while (*p != o)
		p = &(*p)->next_row;
	*p = o->next_row;
	o->logged = false;
	obj_put_locked(t, o);
}

int obj_load(struct tree *t, const struct rec_object *r)
{
	auto_unlock pthread_mutex_t *l = lock(&t->objs_lock);
	struct obj *o;

	if (r->id == t->root->id) {
		if (r->print.ino != t->root->print.ino ||
			r->print.btime_ns != t->root->print.btime_ns)
			return -EXDEV; /* rows of another directory */
		row_add(t, t->root);
		return 0;
	}
	o = obj_alloc(t, r->id);
	if (!o)
		return -ENOMEM;
	o->st_ino = r->st_ino;
	o->print = r->print;
	o->ctime_ns = r->ctime_ns;
	o->ctime_left_ns = r->ctime_left_ns;
	o->refs = 0;
	row_add(t, o);
	return r->has_base ? key_add(t, o, r->print.ino, r->print.btime_ns) : 0;
}

/* Take @parent/@name as the place; strings and references already made. */
static struct obj *place_locked(struct obj *o, struct obj *parent, char **name)
{
	struct obj *old = o->parent;
	char *old_name = o->name;

	o->parent = parent;
	o->name = *name;
	*name = old_name;
	return old;
}

int obj_load_parent(struct tree *t, const struct rec_object *r)
{
	auto_unlock pthread_mutex_t *l = lock(&t->objs_lock);
	struct obj *o = row_find(t, r->id), *parent = row_find(t, r->parent);
	auto_free char *name = strdup(r->name);

	if (!name)
		return -ENOMEM;
	if (!o || o == t->root || !r->has_base || !parent || !*name)
		return 0;
	place_locked(o, obj_get(parent), &name);
	o->has_base = true;
	return 0;
}

static struct obj *obj_seen(struct tree *t, struct obj *o, struct obj *parent,
	char **name, const struct bstat *st)
{
	atomic_fetch_add(&o->refs, 1);
	if (o->parent != parent || !o->name || strcmp(o->name, *name)) {
		struct obj *old = place_locked(o, obj_get(parent), name);

		obj_put_locked(t, old);
	}
	if (!o->has_base)
		o->has_base = true;
	o->print = st->print;
	return o;
}

static uint64_t ino_fresh(uint64_t ino)
{
	return ino < INO_MADE ? ino : INO_MADE | (ino % INO_MADE);
}

struct obj *obj_of_base(
	struct tree *t, struct obj *parent, const char *name, const struct bstat *st)
{
	auto_free char *copy = strdup(name);
	auto_unlock pthread_mutex_t *l = lock(&t->objs_lock);
	struct inokey *k = *key_find(t, st->print.ino, st->print.btime_ns);
	struct obj *o;

	if (!copy)
		return NULL;
	if (k && !k->obj->in_stage)
		return obj_seen(t, k->obj, parent, &copy, st);
	o = obj_alloc(t, store_next_object(t->store));
	if (!o || key_add(t, o, st->print.ino, st->print.btime_ns)) {
		free(o);
		return NULL;
	}
	o->st_ino = ino_fresh(st->print.ino);
	o->has_base = true;
	o->print = st->print;
	o->parent = obj_get(parent);
	o->name = steal(&copy);
	return o;
}

int obj_alias(struct tree *t, struct obj *o, const struct base_print *print)
{
	auto_unlock pthread_mutex_t *l = lock(&t->objs_lock);

	return key_add(t, o, print->ino, print->btime_ns);
}

void obj_unalias(struct tree *t, const struct base_print *print)
{
	auto_unlock pthread_mutex_t *l = lock(&t->objs_lock);

	key_del(t, NULL, print->ino, print->btime_ns);
}

struct obj *obj_at_name(
	struct tree *t, struct obj *dir, const char *name, const struct bstat *st)
{
	auto_unlock pthread_mutex_t *l = lock(&t->objs_lock);
	struct inokey *k = *key_find(t, st->print.ino, st->print.btime_ns);

	if (!k || k->obj->parent != dir || !k->obj->name || strcmp(k->obj->name, name))
		return NULL;
	return obj_get(k->obj);
}

/* Some object with this base inode shows another number: then its birth decides. */
static bool ino_renumbered(struct tree *t, uint64_t ino)
{
	auto_unlock pthread_mutex_t *l = lock(&t->objs_lock);
	struct inokey *k = t->by_ino[ino_slot(t, ino)];

	while (k && (k->ino != ino || k->obj->st_ino == ino_fresh(ino)))
		k = k->next;
	return k;
}

uint64_t obj_known_ino(struct tree *t, struct obj *dir, const char *name, uint64_t ino)
{
	struct inokey *k;
	struct fdref *ref;
	struct bstat st;
	int r;

	if (!ino_renumbered(t, ino) || obj_dir(t, dir, &ref))
		return ino_fresh(ino);
	r = base_stat(ref->fd, name, &st);
	fdcache_put(t->fds, ref);
	if (r)
		return ino_fresh(ino);
	auto_unlock pthread_mutex_t *l = lock(&t->objs_lock);

	k = *key_find(t, st.print.ino, st.print.btime_ns);
	return k && !k->obj->in_stage ? k->obj->st_ino : ino_fresh(ino);
}

int obj_place(struct tree *t, struct obj *o, struct obj *parent, const char *name)
{
	auto_free char *copy = name ? strdup(name) : NULL;
	auto_unlock pthread_mutex_t *l = lock(&t->objs_lock);
	struct obj *old;

	if (name && !copy)
		return -ENOMEM;
	old = place_locked(o, parent ? obj_get(parent) : NULL, &copy);
	o->in_stage = name && !parent;
	o->has_base = name != NULL;
	obj_put_locked(t, old);
	return 0;
}

/* What obj_at and its like need to know, copied under the lock. */
struct place {
	struct obj *parent; /* a reference, or NULL */
	bool in_stage, root;
	uint64_t ino;
	char name[256];
};

static int place_get(struct tree *t, struct obj *o, struct place *p)
{
	auto_unlock pthread_mutex_t *l = lock(&t->objs_lock);

	*p = (struct place){
		.root = o == t->root, .in_stage = o->in_stage, .ino = o->print.ino};
	if (p->root)
		return 0;
	if (!o->has_base || !o->name)
		return -ESTALE;
	strncpy(p->name, o->name, sizeof(p->name) - 1);
	p->parent = o->parent ? obj_get(o->parent) : NULL;
	return p->parent || p->in_stage ? 0 : -ESTALE;
}

/* A place that does not hold what it should is an object gone, or one in movement. */
static int gone(struct tree *t, int err)
{
	if (err != -ENOENT && err != -ESTALE && err != -ENOTDIR)
		return err;
	pthread_mutex_lock(&t->ckpt_lock);
	err = t->ckpt_running ? -TREE_AGAIN : -ESTALE;
	pthread_mutex_unlock(&t->ckpt_lock);
	return err;
}

static int open_in(struct tree *t, int dirfd, const struct place *p, int flags)
{
	struct stat st;
	int fd = base_at(dirfd, p->root ? "" : p->name, flags);

	if (fd < 0)
		return gone(t, fd);
	if (!p->root && (fstat(fd, &st) < 0 || st.st_ino != p->ino)) {
		close(fd);
		return gone(t, -ESTALE);
	}
	return fd;
}

#define CLIMB 64 /* levels opened in one go */

/* The last levels of a climb, the lowest of them first. */
struct climb {
	struct place place[CLIMB];
	struct obj *at[CLIMB];
	size_t n;	  /* levels climbed */
	struct fdref *up; /* the cached descriptor it ended at, or NULL */
};

static void climb_forget(struct tree *t, struct climb *c, size_t i)
{
	obj_put(t, c->place[i % CLIMB].parent);
	obj_put(t, c->at[i % CLIMB]);
}

/* From @o to the nearest ancestor with a cached descriptor, or to where all begin. */
static int climb(struct tree *t, struct obj *o, struct climb *c)
{
	struct obj *cur = obj_get(o);

	for (;; c->n++) {
		struct place *p = &c->place[c->n % CLIMB];
		int r;

		if (c->n >= CLIMB)
			climb_forget(t, c, c->n);
		c->at[c->n % CLIMB] = cur;
		r = c->n < TREE_DEPTH_MAX ? place_get(t, cur, p) : -ELOOP;
		if (r) {
			p->parent = NULL;
			c->n++;
			return r;
		}
		if (p->root || p->in_stage)
			break;
		c->up = fdcache_get(t->fds, p->parent->id * 2);
		if (c->up)
			break;
		cur = obj_get(p->parent);
	}
	c->n++;
	return 0;
}

/* Downwards again, one component at a time, each opened below its parent. */
static int descend(struct tree *t, struct climb *c, size_t low)
{
	for (size_t i = c->n; i-- > low;) {
		const struct place *p = &c->place[i % CLIMB];
		int dirfd = c->up ? c->up->fd : p->in_stage ? t->stagefd : t->rootfd;
		int fd = open_in(t, dirfd, p, O_PATH | O_DIRECTORY);

		fdcache_put(t->fds, c->up);
		c->up = fd < 0 ? NULL : fdcache_add(t->fds, c->at[i % CLIMB]->id * 2, fd);
		if (!c->up)
			return fd < 0 ? fd : -ENOMEM;
	}
	return 0;
}

/* Opens the last levels of the way to @o; 1: that was all, and *@out is it. */
static int obj_dir_some(struct tree *t, struct obj *o, struct fdref **out)
{
	struct climb c;
	size_t low;
	int r;

	c.n = 0;
	c.up = NULL;
	r = climb(t, o, &c);
	low = c.n > CLIMB ? c.n - CLIMB : 0;
	if (!r)
		r = descend(t, &c, low);
	for (size_t i = low; i < c.n; i++)
		climb_forget(t, &c, i);
	if (r || low) {
		fdcache_put(t->fds, c.up);
		return r;
	}
	*out = c.up;
	return 1;
}

int obj_dir(struct tree *t, struct obj *o, struct fdref **out)
{
	int r = 0;

	*out = fdcache_get(t->fds, o->id * 2);
	if (*out)
		return 0;
	for (size_t left = TREE_DEPTH_MAX / CLIMB; !r && left; left--)
		r = obj_dir_some(t, o, out);
	return r > 0 ? 0 : r ? r : -ELOOP;
}

int obj_at(struct tree *t, struct obj *o, struct fdref **out, char name[256])
{
	struct place p;
	int r = place_get(t, o, &p);

	if (r)
		return gone(t, r);
	memcpy(name, p.name, sizeof(p.name));
	if (p.in_stage) {
		int fd = dup(t->stagefd);

		if (fd < 0)
			return -errno;
		*out = fdcache_add(t->fds, STAGE_KEY, fd);
		return *out ? 0 : -ENOMEM;
	}
	r = obj_dir(t, p.root ? o : p.parent, out);
	obj_put(t, p.parent);
	return r;
}

int obj_fd(struct tree *t, struct obj *o, struct fdref **out)
{
	struct fdref *r = fdcache_get(t->fds, o->id * 2 + 1), *dir;
	struct place p;
	int fd;

	if (r) {
		*out = r;
		return 0;
	}
	fd = place_get(t, o, &p);
	if (fd)
		return gone(t, fd);
	if (p.in_stage) {
		fd = open_in(t, t->stagefd, &p, O_RDONLY | O_NONBLOCK);
	} else {
		fd = obj_dir(t, p.parent, &dir);
		obj_put(t, p.parent);
		if (fd)
			return fd;
		fd = open_in(t, dir->fd, &p, O_RDONLY | O_NONBLOCK);
		fdcache_put(t->fds, dir);
	}
	if (fd < 0)
		return fd;
	*out = fdcache_add(t->fds, o->id * 2 + 1, fd);
	return *out ? 0 : -ENOMEM;
}

int obj_stat(struct tree *t, struct obj *o, struct bstat *st)
{
	struct fdref *dir;
	char name[256];
	int r = obj_at(t, o, &dir, name);

	if (r)
		return r;
	r = base_stat(dir->fd, name, st);
	fdcache_put(t->fds, dir);
	if (r)
		return gone(t, r);
	auto_unlock pthread_mutex_t *l = lock(&t->objs_lock);

	if (o->print.ino && st->print.ino != o->print.ino) {
		struct inokey *k = *key_find(t, st->print.ino, st->print.btime_ns);

		/* Mid-checkpoint the exchanged file is already there: the same object. */
		if (!k || k->obj != o)
			return -ESTALE;
		return 0;
	}
	o->print = st->print;
	return 0;
}

int obj_path(struct tree *t, struct obj *o, char **out)
{
	auto_unlock pthread_mutex_t *l = lock(&t->objs_lock);
	size_t len = 0, steps = 0;
	struct obj *p;
	char *s;

	for (p = o; p != t->root; p = p->parent) {
		if (!p->has_base || !p->parent || !p->name || ++steps > TREE_DEPTH_MAX)
			return -ENOENT;
		len += strlen(p->name) + 1;
	}
	s = malloc(len + 1);
	if (!s)
		return -ENOMEM;
	*out = s;
	s += len;
	*s = 0;
	for (p = o; p != t->root; p = p->parent) {
		size_t n = strlen(p->name);

		if (*s)
			*--s = '/';
		s -= n;
		memcpy(s, p->name, n);
	}
	memmove(*out, s, strlen(s) + 1);
	return 0;
}

/* The object at one name of a base directory; a reference. */
static int step_down(struct tree *t, struct obj *dir, const char *name, struct obj **out)
{
	struct fdref *ref;
	struct bstat st;
	int r = obj_dir(t, dir, &ref);

	if (r)
		return r;
	r = base_stat(ref->fd, name, &st);
	fdcache_put(t->fds, ref);
	if (r)
		return r;
	*out = obj_of_base(t, dir, name, &st);
	return *out ? 0 : -ENOMEM;
}

int obj_find_at(struct tree *t, struct obj *o, const char *path)
{
	auto_free char *copy = strdup(path);
	struct obj *cur = obj_get(t->root), *next;
	char *save, *name;
	int r = copy ? 0 : -ENOMEM;

	name = copy ? strtok_r(copy, "/", &save) : NULL;
	for (; name && !r; name = strtok_r(NULL, "/", &save)) {
		r = step_down(t, cur, name, &next);
		if (!r) {
			obj_put(t, cur);
			cur = next;
		}
	}
	if (!r && cur != o)
		r = -ENOENT;
	obj_put(t, cur);
	return r;
}

void obj_forget_fds(struct tree *t, struct obj *o)
{
	fdcache_drop(t->fds, o->id * 2);
	fdcache_drop(t->fds, o->id * 2 + 1);
}

void objs_clear(struct tree *t)
{
	for (size_t i = 0; i < sizeof(t->by_row) / sizeof(*t->by_row); i++)
		while (t->by_row[i])
			obj_unlog(t, t->by_row[i]);
	for (size_t i = 0; i < t->ino_slots; i++)
		while (t->by_ino[i]) {
			struct inokey *k = t->by_ino[i];

			t->by_ino[i] = k->next;
			free(k);
		}
	free(t->by_ino);
}
