/*
 * dir.c: names: looking up, making, linking, renaming, removing.
 */
#include "fs/tree/impl.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>

#define LINKS_MAX 65000u /* as ext4 */

static void touch(struct delta *d, int64_t now)
{
	d->a.mtime_ns = d->a.ctime_ns = now;
}

static int find(struct node *dir, const char *name, struct obj **out, struct bstat *st,
	bool *from_base)
{
	struct stack s;
	bool base;
	int r;

	if (strlen(name) > 255)
		return -ENAMETOOLONG;
	node_stack(&s, dir);
	r = stack_find(dir->view->t, &s, name, out, st, &base);
	if (base && dir->pins && (!r || r == -ENOENT)) {
		struct obj *pinned = node_pinned(dir, name);

		if (pinned && !r)
			obj_put(dir->view->t, *out);
		if (pinned) {
			*out = pinned;
			base = false;
			r = 0;
		}
	}
	if (from_base)
		*from_base = base;
	return r;
}

/* Find the child that @name means, as a node. */
static int child(struct node *dir, const char *name, struct node **out)
{
	struct obj *o;
	int r = find(dir, name, &o, NULL, NULL);

	if (r)
		return r;
	*out = node_of(dir->view, o, dir, name);
	obj_put(dir->view->t, o);
	return *out ? 0 : -ENOMEM;
}

static int attr_of_child(
	struct node *n, bool from_base, const struct bstat *st, struct attr *a)
{
	struct stack s;
	int r = 0;

	pthread_rwlock_rdlock(&n->lock);
	node_stack(&s, n);
	if (from_base) {
		struct stack c = s;

		from_base = !stack_next(&c);
	}
	if (from_base)
		attr_of_base(n->view->t, n->obj, st, a);
	else
		r = stack_attr(n->view->t, &s, a);
	pthread_rwlock_unlock(&n->lock);
	return r;
}

int tree_lookup(struct node *dir, const char *name, struct node **out, struct attr *a)
{
	struct tree *t = dir->view->t;
	struct bstat st;
	struct node *n = NULL;
	bool from_base;
	struct obj *o;
	int r;

	pthread_rwlock_rdlock(&dir->lock);
	r = find(dir, name, &o, &st, &from_base);
	if (!r) {
		n = node_of(dir->view, o, dir, name);
		obj_put(t, o);
		if (!n)
			r = -ENOMEM;
	}
	pthread_rwlock_unlock(&dir->lock);
	if (r)
		return r;
	r = attr_of_child(n, from_base, &st, a);
	if (r) {
		node_put(n);
		return r;
	}
	*out = n;
	return 0;
}

/* --- making
 * -------------------------------------------------------------------------------- */

static void attr_fresh(const struct delta *dir, uint32_t mode, uint64_t rdev,
	const char *target, const struct cred *c, int64_t now, struct attr *a)
{
	*a = (struct attr){
		.mode = mode,
		.uid = c->uid,
		.gid = dir->a.mode & S_ISGID ? dir->a.gid : c->gid,
		.nlink = S_ISDIR(mode) ? 2 : 1,
		.size = target		? strlen(target)
			: S_ISDIR(mode) ? POOL_BLOCK
					: 0,
		.rdev = S_ISCHR(mode) || S_ISBLK(mode) ? rdev : 0,
		.mtime_ns = now,
		.ctime_ns = now,
		.atime_ns = now,
	};
	if (dir->a.mode & S_ISGID && S_ISDIR(mode))
		a->mode |= S_ISGID;
}

static int give_acls(struct node *dir, struct delta *d, uint32_t umask, struct log *l)
{
	auto_free void *access = NULL, *dflt = NULL;
	size_t na, nd;
	int r = acl_inherit(dir, &d->a.mode, umask, &access, &na, &dflt, &nd);

	if (!r && access)
		r = delta_set_xattr(d, ACL_ACCESS, access, na, l);
	if (!r && dflt)
		r = delta_set_xattr(d, ACL_DEFAULT, dflt, nd, l);
	if (access || dflt)
		d->parts |= PART_XATTR;
	return r;
}

/* A new object's own delta; its node comes with one reference for the caller. */
static int make_child(struct node *dir, struct delta *dd, const char *name,
	const struct attr *a, const char *target, uint32_t umask, struct log *l,
	struct node **out)
{
	struct tree *t = dir->view->t;
	struct obj *o = obj_new(t);
	struct node *n = NULL;
	struct delta *d;
	int r = -ENOMEM;

	if (!o)
		return -ENOMEM;
	o->print.mode = a->mode;
	n = node_of(dir->view, o, dir, name);
	d = n ? delta_new(t, dir->view->top, o) : NULL;
	if (!d)
		goto out;
	d->a = *a;
	d->parts = PART_NEW;
	d->node = node_get(n);
	n->top = d;
	if (target && !(d->target = strdup(target)))
		goto out;
	r = delta_log_object(t, o, l);
	if (!r)
		r = give_acls(dir, d, umask, l);
	if (!r)
		r = delta_set_name(t, dd, name, o, NULL, l);
	delta_log_inode(d, l);
out:
	obj_put(t, o);
	if (r) /* a delta without a name is dropped with its layer */
		node_put(n);
	else
		*out = n;
	return r;
}

int tree_make(struct node *dir, const char *name, uint32_t mode, uint64_t rdev,
	const char *target, const struct cred *c, struct node **out, struct attr *a)
{
	struct tree *t = dir->view->t;
	int64_t now = tree_now_ns();
	struct obj *there;
	struct delta *dd = NULL;
	struct log l;
	int r;

	if (tree_hidden(t, dir->obj, name))
		return -EPERM;
	log_init(&l);
	pthread_rwlock_wrlock(&dir->lock);
	r = find(dir, name, &there, NULL, NULL);
	if (!r) {
		obj_put(t, there);
		r = -EEXIST;
	} else if (r == -ENOENT) {
		r = delta_for(dir, PART_NAMES, &l, &dd);
	}
	/* cppcheck-suppress uninitvar ; r is 0 only where delta_for() has set dd */
	if (!r && !dd->a.nlink)
		r = -ENOENT;
	if (!r && S_ISDIR(mode) && dd->a.nlink >= LINKS_MAX)
		r = -EMLINK;
	if (!r) {
		attr_fresh(dd, mode, rdev, target, c, now, a);
		r = make_child(dir, dd, name, a, target, c->umask, &l, out);
	}
	if (!r) {
		*a = (*out)->top->a;
		dd->a.nlink += S_ISDIR(mode) ? 1 : 0;
		touch(dd, now);
		delta_log_inode(dd, &l);
		dirlist_set(dir->list, name, node_ino(*out), (uint8_t)IFTODT(mode));
	}
	r = log_end(t, &l, r);
	pthread_rwlock_unlock(&dir->lock);
	return r;
}

int tree_link(struct node *n, struct node *dir, const char *name, struct attr *a)
{
	struct tree *t = dir->view->t;
	struct delta *d = NULL, *dd = NULL;
	struct locks k = {0};
	struct obj *there;
	struct log l;
	int r;

	if (tree_hidden(t, dir->obj, name))
		return -EPERM;
	log_init(&l);
	do
		locks_begin(&k);
	while (!locks_take(&k, dir) || !locks_take(&k, n));
	r = find(dir, name, &there, NULL, NULL);
	if (!r) {
		obj_put(t, there);
		r = -EEXIST;
	} else if (r == -ENOENT) {
		r = delta_for(n, PART_LINKS, &l, &d);
	}
	/* cppcheck-suppress uninitvar ; r is 0 only where delta_for() has set d */
	if (!r && (!d->a.nlink || S_ISDIR(d->a.mode)))
		r = d->a.nlink ? -EPERM : -ENOENT;
	if (!r && d->a.nlink >= LINKS_MAX)
		r = -EMLINK;
	if (!r)
		r = delta_for(dir, PART_NAMES, &l, &dd);
	if (!r)
		r = delta_set_name(t, dd, name, n->obj, NULL, &l);
	if (!r) {
		d->a.nlink++;
		touch(dd, tree_now_ns());
		d->a.ctime_ns = dd->a.ctime_ns;
		delta_log_inode(d, &l);
		delta_log_inode(dd, &l);
		dirlist_set(dir->list, name, node_ino(n), (uint8_t)IFTODT(d->a.mode));
		*a = d->a;
	}
	r = log_end(t, &l, r);
	locks_end(&k);
	return r;
}

/* --- removing
 * ------------------------------------------------------------------------------ */

static int any_entry(
	void *arg, const char *name, struct obj *o, uint8_t type, uint64_t ino)
{
	return -ENOTEMPTY;
}

static int must_be_empty(struct node *n)
{
	struct stack s;

	node_stack(&s, n);
	return stack_list(n->view->t, &s, any_entry, NULL);
}

/* @n loses one name; a directory loses its only one. Lock held. */
static int drop_link(struct node *n, int64_t now, struct log *l)
{
	struct delta *d;
	int r = delta_for(n, PART_LINKS, l, &d);

	if (r)
		return r;
	d->a.nlink = S_ISDIR(d->a.mode) || !d->a.nlink ? 0 : d->a.nlink - 1;
	d->a.ctime_ns = now;
	if (!d->a.nlink) {
		d->parts |= PART_GONE;
		node_unplace(n);
	}
	delta_log_inode(d, l);
	return 0;
}

static int may_remove(struct node *n, bool is_dir)
{
	struct stack s;
	struct attr a;
	int r;

	node_stack(&s, n);
	r = stack_attr(n->view->t, &s, &a);
	if (r)
		return r;
	if (is_dir && !S_ISDIR(a.mode))
		return -ENOTDIR;
	if (!is_dir && S_ISDIR(a.mode))
		return -EISDIR;
	return is_dir ? must_be_empty(n) : 0;
}

/* Lock @dir and the child that @name means; also where an error is returned some are. */
static int lock_child(
	struct locks *k, struct node *dir, const char *name, struct node **out)
{
	for (;;) {
		int r;

		locks_begin(k);
		if (!locks_take(k, dir))
			continue;
		r = child(dir, name, out);
		if (r || locks_take(k, *out))
			return r;
		node_put(*out);
		*out = NULL;
	}
}

int tree_unlink(struct node *dir, const char *name, bool is_dir)
{
	struct tree *t = dir->view->t;
	int64_t now = tree_now_ns();
	struct node *n = NULL;
	struct locks k = {0};
	struct delta *dd;
	struct log l;
	int r;

	log_init(&l);
	r = lock_child(&k, dir, name, &n);
	if (!r)
		r = may_remove(n, is_dir);
	if (!r)
		r = delta_for(dir, PART_NAMES, &l, &dd);
	if (!r)
		r = delta_set_name(t, dd, name, NULL, n->obj, &l);
	if (!r)
		r = drop_link(n, now, &l);
	if (!r) {
		dd->a.nlink -= is_dir ? 1 : 0;
		touch(dd, now);
		delta_log_inode(dd, &l);
		dirlist_del(dir->list, name);
	}
	r = log_end(t, &l, r);
	locks_end(&k);
	node_put(n);
	return r;
}

/* --- renaming
 * ------------------------------------------------------------------------------ */

struct moving {
	struct node *from, *to, *src, *dst; /* directories and their children */
	const char *name, *to_name;
	unsigned int flags;
};

static int find_children(struct moving *m)
{
	int r = child(m->from, m->name, &m->src);

	if (r)
		return r;
	r = child(m->to, m->to_name, &m->dst);
	if (r == -ENOENT)
		return m->flags & RENAME_EXCHANGE ? r : 0;
	return !r && m->flags & RENAME_NOREPLACE ? -EEXIST : r;
}

/* Everything a rename touches; also where an error is returned some of it is locked. */
static int lock_all(struct locks *k, struct moving *m)
{
	for (;;) {
		int r;

		locks_begin(k);
		if (!locks_take(k, m->from) || !locks_take(k, m->to))
			continue;
		r = find_children(m);
		if (r || (locks_take(k, m->src) && (!m->dst || locks_take(k, m->dst))))
			return r;
		node_put(m->src);
		node_put(m->dst);
		m->src = m->dst = NULL;
	}
}

static bool is_dir(const struct delta *d)
{
	return S_ISDIR(d->a.mode);
}

static int may_replace(struct moving *m, const struct delta *src)
{
	struct stack s;
	struct attr a;
	int r;

	node_stack(&s, m->dst);
	r = stack_attr(m->dst->view->t, &s, &a);
	if (r)
		return r;
	if (S_ISDIR(a.mode) != is_dir(src))
		return is_dir(src) ? -ENOTDIR : -EISDIR;
	return S_ISDIR(a.mode) ? must_be_empty(m->dst) : 0;
}

static int set_entry(struct node *dir, struct delta *dd, const char *name, struct node *n,
	struct node *was, struct delta *d, struct log *l)
{
	int r = delta_set_name(dir->view->t, dd, name, n->obj, was ? was->obj : NULL, l);
	struct node *seen;

	if (r)
		return r;
	seen = node_of(dir->view, n->obj, dir, name); /* moves its place */
	node_put(seen);
	dirlist_set(dir->list, name, node_ino(n), (uint8_t)IFTODT(d->a.mode));
	return seen ? 0 : -ENOMEM;
}

static int do_exchange(struct moving *m, struct delta *fd, struct delta *td,
	struct delta *sd, struct log *l, int64_t now)
{
	struct delta *dd;
	int r = delta_for(m->dst, PART_LINKS | PART_MOVED, l, &dd);

	if (!r)
		r = set_entry(m->to, td, m->to_name, m->src, m->dst, sd, l);
	if (!r)
		r = set_entry(m->from, fd, m->name, m->dst, m->src, dd, l);
	if (r)
		return r;
	td->a.nlink += (uint32_t)is_dir(sd) - (uint32_t)is_dir(dd);
	fd->a.nlink += (uint32_t)is_dir(dd) - (uint32_t)is_dir(sd);
	dd->a.ctime_ns = now;
	delta_log_inode(dd, l);
	return 0;
}

static int do_rename(struct moving *m, struct delta *fd, struct delta *td,
	struct delta *sd, struct log *l, int64_t now)
{
	struct tree *t = m->from->view->t;
	int r = m->dst ? drop_link(m->dst, now, l) : 0;

	if (!r)
		r = delta_set_name(t, fd, m->name, NULL, m->src->obj, l);
	if (r)
		return r;
	dirlist_del(m->from->list, m->name);
	if (is_dir(sd)) {
		fd->a.nlink--;
		td->a.nlink += m->dst ? 0 : 1;
	}
	return set_entry(m->to, td, m->to_name, m->src, m->dst, sd, l);
}

static int rename_locked(struct moving *m, struct log *l)
{
	int64_t now = tree_now_ns();
	struct delta *fd, *td, *sd;
	int r;

	if (m->dst && m->src->obj == m->dst->obj)
		return 0;
	r = delta_for(m->src, PART_LINKS | PART_MOVED, l, &sd);
	if (!r && m->dst && !(m->flags & RENAME_EXCHANGE))
		r = may_replace(m, sd);
	if (!r)
		r = delta_for(m->from, PART_NAMES, l, &fd);
	if (!r)
		r = delta_for(m->to, PART_NAMES, l, &td);
	if (!r && !td->a.nlink)
		r = -ENOENT;
	if (!r)
		r = (m->flags & RENAME_EXCHANGE ? do_exchange : do_rename)(
			m, fd, td, sd, l, now);
	if (r)
		return r;
	touch(fd, now);
	touch(td, now);
	sd->a.ctime_ns = now;
	delta_log_inode(fd, l);
	delta_log_inode(td, l);
	delta_log_inode(sd, l);
	return 0;
}

int tree_rename(struct node *dir, const char *name, struct node *to, const char *to_name,
	unsigned int flags)
{
	struct moving m = {
		.from = dir, .to = to, .name = name, .to_name = to_name, .flags = flags};
	struct view *v = dir->view;
	struct locks k = {0};
	struct log l;
	int r;

	if (flags & ~(unsigned int)(RENAME_EXCHANGE | RENAME_NOREPLACE))
		return -EINVAL;
	if (to->view != v)
		return -EXDEV;
	if (tree_hidden(v->t, to->obj, to_name))
		return -EPERM;
	log_init(&l);
	pthread_mutex_lock(&v->renaming);
	r = lock_all(&k, &m);
	if (!r)
		r = rename_locked(&m, &l);
	r = log_end(v->t, &l, r);
	locks_end(&k);
	pthread_mutex_unlock(&v->renaming);
	node_put(m.src);
	node_put(m.dst);
	return r;
}
