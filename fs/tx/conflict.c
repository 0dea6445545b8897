/*
 * conflict.c: does a transaction collide with a later commit, or with what happened in
 * the base behind the mount? By object and part (P5), by fingerprint (P3).
 */
#include "fs/tx/impl.h"

#include <stdio.h>
#include <sys/stat.h>

#define CONTENT (PART_DATA | PART_XATTR)

struct foot {
	struct list link;
	uint64_t seq;
	struct fobj {
		struct obj *o;
		uint32_t parts;
	} * obj;
	size_t objs;
	struct fname {
		struct obj *dir;
		char *name;
	} * name;
	size_t names;
};

static int by_obj(const void *a, const void *b)
{
	const struct fobj *x = a, *y = b;

	return x->o->id < y->o->id ? -1 : x->o->id > y->o->id;
}

static int by_name(const void *a, const void *b)
{
	const struct fname *x = a, *y = b;

	if (x->dir->id != y->dir->id)
		return x->dir->id < y->dir->id ? -1 : 1;
	return strcmp(x->name, y->name);
}

uint64_t foot_seq(const struct foot *f)
{
	return f->seq;
}

struct foot *foot_first(struct list *head)
{
	return list_first(head, struct foot, link);
}

struct list *foot_link(struct foot *f)
{
	return &f->link;
}

void foot_free(struct txm *m, struct foot *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->objs; i++)
		obj_put(m->t, f->obj[i].o);
	for (size_t i = 0; i < f->names; i++) {
		obj_put(m->t, f->name[i].dir);
		free(f->name[i].name);
	}
	free(f->obj);
	free(f->name);
	free(f);
}

static void foot_sort(struct foot *f)
{
	if (f->objs)
		qsort(f->obj, f->objs, sizeof(*f->obj), by_obj);
	if (f->names)
		qsort(f->name, f->names, sizeof(*f->name), by_name);
}

struct foot *foot_new(struct net *n, uint64_t seq)
{
	struct foot *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->seq = seq;
	list_init(&f->link);
	f->obj = calloc(n->objs + 1, sizeof(*f->obj));
	f->name = calloc(n->names + 1, sizeof(*f->name));
	if (!f->obj || !f->name)
		goto fail;
	for (size_t i = 0; i < n->objs; i++) {
		uint32_t parts = n->obj[i]->parts & ~(uint32_t)PART_GONE;

		f->obj[f->objs++] = (struct fobj){
			obj_get(n->obj[i]->o), parts | (n->obj[i]->gone ? PART_GONE : 0)};
	}
	for (size_t i = 0; i < n->names; i++) {
		char *name = strdup(n->name[i].name);

		if (!name)
			goto fail;
		f->name[f->names++] = (struct fname){obj_get(n->name[i].dir->o), name};
	}
	foot_sort(f);
	return f;
fail:
	for (size_t i = 0; i < f->objs; i++)
		obj_put(n->t, f->obj[i].o);
	for (size_t i = 0; i < f->names; i++) {
		obj_put(n->t, f->name[i].dir);
		free(f->name[i].name);
	}
	free(f->obj);
	free(f->name);
	free(f);
	return NULL;
}

/* --- from rows
 * ------------------------------------------------------------------------------ */

struct loading {
	struct txm *m;
	struct foot *f;
	size_t obj_cap, name_cap;
};

static int load_inode(void *arg, const struct rec_inode *r)
{
	struct loading *l = arg;
	struct obj *o = obj_with_row(l->m->t, r->object);

	if (!o)
		return 0; /* made and gone since: nobody else can name it */
	if (l->f->objs == l->obj_cap) {
		size_t cap = l->obj_cap ? l->obj_cap * 2 : 64;
		struct fobj *p = realloc(l->f->obj, cap * sizeof(*p));

		if (!p)
			return -ENOMEM;
		l->f->obj = p;
		l->obj_cap = cap;
	}
	l->f->obj[l->f->objs++] = (struct fobj){o, r->parts};
	return 0;
}

static int load_name(void *arg, const struct rec_name *r)
{
	struct loading *l = arg;
	struct obj *dir = obj_with_row(l->m->t, r->dir);
	char *name;

	if (!dir)
		return 0;
	if (l->f->names == l->name_cap) {
		size_t cap = l->name_cap ? l->name_cap * 2 : 64;
		struct fname *p = realloc(l->f->name, cap * sizeof(*p));

		if (!p)
			return -ENOMEM;
		l->f->name = p;
		l->name_cap = cap;
	}
	name = strdup(r->name);
	if (!name)
		return -ENOMEM;
	l->f->name[l->f->names++] = (struct fname){dir, name};
	return 0;
}

struct foot *foot_load(struct txm *m, uint64_t layer, uint64_t seq)
{
	struct loading l = {.m = m, .f = calloc(1, sizeof(*l.f))};

	if (!l.f)
		return NULL;
	l.f->seq = seq;
	list_init(&l.f->link);
	if (store_load_inodes(m->t->store, layer, load_inode, &l) ||
		store_load_names(m->t->store, layer, load_name, &l)) {
		foot_free(m, l.f);
		return NULL;
	}
	foot_sort(l.f);
	return l.f;
}

/* --- what a view must forget
 * ---------------------------------------------------------------- */

void foot_inval(struct txm *m, const struct foot *f, struct view *v, struct inval *i)
{
	for (size_t k = 0; k < f->objs; k++) {
		struct node *n = node_find(v, f->obj[k].o);

		if (n)
			inval_add_inode(i, n->id);
		if (n && n->list)
			n->list->stale = true;
		node_put(n);
	}
	for (size_t k = 0; k < f->names; k++) {
		struct node *n = node_find(v, f->name[k].dir);

		if (n)
			inval_add_entry(i, n->id, f->name[k].name);
		node_put(n);
	}
}

/* --- against a later commit
 * ------------------------------------------------------------------ */

int conflict_add(struct tx *x, char *path)
{
	char **p;

	if (!path)
		return -ENOMEM;
	for (size_t i = 0; i < x->conflicts; i++)
		if (!strcmp(x->conflict[i], path)) {
			free(path);
			return 0;
		}
	p = realloc(x->conflict, (x->conflicts + 1) * sizeof(*p));
	if (!p) {
		free(path);
		return -ENOMEM;
	}
	x->conflict = p;
	x->conflict[x->conflicts++] = path;
	return 0;
}

void conflicts_clear(struct tx *x)
{
	for (size_t i = 0; i < x->conflicts; i++)
		free(x->conflict[i]);
	free(x->conflict);
	x->conflict = NULL;
	x->conflicts = 0;
}

/* Where the transaction's own view shows an object that the base has lost. */
static int view_path(struct tx *x, struct obj *o, char **out)
{
	struct node *node = x->view ? node_find(x->view, o) : NULL;
	int r = node ? node_path(node, out) : -ENOENT;

	node_put(node);
	if (r == -ENOENT)
		r = (*out = strdup("(a removed file)")) ? 0 : -ENOMEM;
	return r;
}

static int name_conflict(struct net *n, const struct nname *m, struct tx *x)
{
	auto_free char *dir = NULL;
	char *path;
	int r = net_path(n, m->dir->o, &dir);

	if (r == -ENOENT)
		r = view_path(x, m->dir->o, &dir);
	if (!r && asprintf(&path, "%s%s%s", dir, *dir ? "/" : "", m->name) < 0)
		r = -ENOMEM;
	return r ? r : conflict_add(x, path);
}

static int obj_conflict(struct net *n, struct nobj *b, struct tx *x)
{
	char *path;
	int r;

	if (b->gone) { /* named by what removed it */
		for (size_t i = 0; i < n->names; i++)
			if (n->name[i].was == b->o) {
				return name_conflict(n, &n->name[i], x);
			}
	}
	r = net_path(n, b->o, &path);
	if (r == -ENOENT)
		r = view_path(x, b->o, &path);
	return r ? r : conflict_add(x, path);
}

static uint32_t foot_parts(const struct foot *f, struct obj *o)
{
	struct fobj key = {.o = o};
	const struct fobj *p =
		f->objs ? bsearch(&key, f->obj, f->objs, sizeof(key), by_obj) : NULL;

	return p ? p->parts : 0;
}

static bool foot_has_name(const struct foot *f, struct obj *dir, const char *name)
{
	struct fname key = {dir, (char *)name};

	return f->names && bsearch(&key, f->name, f->names, sizeof(key), by_name);
}

static bool parts_clash(const struct nobj *b, uint32_t theirs)
{
	uint32_t ours = b->parts;

	if ((ours & CONTENT && theirs & CONTENT) ||
		(ours & PART_ATTR && theirs & PART_ATTR))
		return true;
	if (b->gone && theirs & (CONTENT | PART_ATTR | PART_GONE | PART_NAMES))
		return true;
	return theirs & PART_GONE && (ours & (CONTENT | PART_ATTR) || b->added);
}

static int against_commit(struct net *n, const struct foot *f, struct tx *x)
{
	int r = 0;

	for (size_t i = 0; i < n->objs && !r; i++) {
		struct nobj *b = n->obj[i];

		if (!b->is_new && parts_clash(b, foot_parts(f, b->o)))
			r = obj_conflict(n, b, x);
	}
	for (size_t i = 0; i < n->names && !r; i++) {
		const struct nname *k = &n->name[i];

		if (k->now == k->was)
			continue;
		if (foot_has_name(f, k->dir->o, k->name) ||
			(k->now && foot_parts(f, k->dir->o) & PART_GONE))
			r = name_conflict(n, k, x);
	}
	return r;
}

/* --- against the base
 * -------------------------------------------------------------------------- */

/* Same print, but taken too close to a change for the ctime to prove it. */
static int racy_same(struct txm *m, const struct nobj *b, bool *same)
{
	uint8_t hash[16];
	struct fdref *ref;
	int r;

	*same = true;
	if (!b->bottom->print.racy || !S_ISREG(b->st.print.mode))
		return 0;
	r = obj_fd(m->t, b->o, &ref);
	if (r)
		return r;
	r = base_content(ref->fd, b->st.print.size, hash);
	fdcache_put(m->t->fds, ref);
	*same = !memcmp(hash, b->bottom->print.content, sizeof(hash));
	return r;
}

static int obj_unchanged(struct txm *m, struct nobj *b, bool *same)
{
	const struct base_print *was = &b->bottom->print, *is = &b->st.print;

	*same = true;
	if (!b->bottom->has_print)
		return 0;
	if (!base_same(was, is)) {
		*same = false;
		return 0;
	}
	if (!S_ISDIR(is->mode) && (b->content || b->gone || b->parts & PART_XATTR)) {
		*same = base_unchanged(was, is);
		return *same ? racy_same(m, b, same) : 0;
	}
	if (b->attrs || b->gone)
		*same = was->mode == is->mode && was->uid == is->uid &&
			was->gid == is->gid;
	return 0;
}

struct unknown {
	struct net *n;
	struct nobj *dir;
	bool found;
};

static int is_unknown(void *arg, const char *name, unsigned char type, uint64_t ino)
{
	struct unknown *u = arg;
	struct delta *d;

	for (d = u->dir->d; d; d = d->below)
		if (names_find(&d->names, name))
			return 0;
	u->found = true;
	return 1;
}

/* A directory that goes must hold nothing but what the transaction took out of it. */
static int dir_has_unknown(struct txm *m, struct net *n, struct nobj *b, bool *found)
{
	struct unknown u = {n, b, false};
	struct fdref *dir;
	int r = obj_dir(m->t, b->o, &dir);

	if (r)
		return r;
	r = base_list(dir->fd, is_unknown, &u);
	fdcache_put(m->t->fds, dir);
	*found = u.found;
	return r < 0 ? r : 0;
}

/* What the transaction did not set itself follows what others committed since. */
static int merge_attrs(struct txm *m, struct tx *x, struct nobj *b)
{
	struct attr was, now, *a = &b->a;
	struct stack s;
	int r;

	stack_init(&s, x->view, b->o, NULL);
	r = stack_attr(m->t, &s, &was);
	if (r)
		return r;
	attr_of_base(m->t, b->o, &b->st, &now);
	if (!(b->parts & PART_ATTR)) /* at most suid was taken away by a write */
		a->mode = now.mode & ~(was.mode & ~a->mode);
	else if (a->mode == was.mode)
		a->mode = now.mode;
	if (a->uid == was.uid)
		a->uid = now.uid;
	if (a->gid == was.gid)
		a->gid = now.gid;
	if (a->mtime_ns == was.mtime_ns)
		a->mtime_ns = now.mtime_ns;
	return 0;
}

static int obj_against_base(struct txm *m, struct net *n, struct nobj *b, struct tx *x)
{
	bool same, unknown = false;
	int r;

	if (b->is_new || !b->o->has_base)
		return 0;
	r = obj_stat(m->t, b->o, &b->st);
	if (r == -ESTALE || r == -ENOENT || r == -ENOTDIR)
		return obj_conflict(n, b, x);
	if (r)
		return r;
	b->in_base = true;
	r = obj_unchanged(m, b, &same);
	if (!r && same && b->gone && S_ISDIR(b->st.print.mode))
		r = dir_has_unknown(m, n, b, &unknown);
	if (r)
		return r;
	if (!same || unknown)
		return obj_conflict(n, b, x);
	/* Others made a further link meanwhile: it only loses a name. */
	if (b->gone && !S_ISDIR(b->st.print.mode) && b->st.print.nlink > b->removed)
		b->gone = b->content = b->attrs = false;
	return merge_attrs(m, x, b);
}

static bool is_obj(struct tree *t, const struct bstat *st, struct obj *o)
{
	auto_unlock pthread_mutex_t *l = lock(&t->objs_lock);

	return o && o->has_base && base_same(&o->print, &st->print);
}

static int name_against_base(struct txm *m, struct net *n, struct nname *k, struct tx *x)
{
	struct fdref *dir;
	struct bstat st;
	int r;

	if (!k->dir->in_base)
		return 0;
	r = obj_dir(m->t, k->dir->o, &dir);
	if (r)
		return r;
	r = base_stat(dir->fd, k->name, &st);
	fdcache_put(m->t->fds, dir);
	if (r == -ENOENT)
		return 0;
	if (r)
		return r;
	if (is_obj(m->t, &st, k->was))
		k->base_now = k->was;
	else if (is_obj(m->t, &st, k->now))
		k->base_now = k->now;
	else
		return name_conflict(n, k, x);
	return 0;
}

int conflicts_find(struct txm *m, struct tx *x, struct net *n)
{
	struct foot *f;
	int r = 0;

	conflicts_clear(x);
	list_for_each (f, &m->foots, link) {
		if (f->seq > x->snapshot && !r)
			r = against_commit(n, f, x);
	}
	for (size_t i = 0; i < n->objs && !r; i++)
		r = obj_against_base(m, n, n->obj[i], x);
	for (size_t i = 0; i < n->names && !r; i++)
		r = name_against_base(m, n, &n->name[i], x);
	if (r)
		return r;
	return x->conflicts ? -EBUSY : 0;
}
