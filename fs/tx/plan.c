/*
 * plan.c: from a net change to the steps that bring the base there.
 *
 * Order: everything that leaves a place is taken out into the staging directory, deepest
 * first, by the paths of before; then everything that gets a place is put there, shallow
 * first, by the paths of after (a new file over an old one in one exchange, so that who
 * looks always finds one of them); then exchanges of content, further hard links,
 * attributes, and the times of directories last, deepest first. Taking out first makes
 * swaps, cycles and moves into each other harmless, and no step depends on more than it
 * can see.
 */
#include "fs/tx/impl.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *own(struct plan *p, char *s)
{
	if (p->strs == p->str_cap) {
		size_t cap = p->str_cap ? p->str_cap * 2 : 64;
		char **q = realloc(p->str, cap * sizeof(*q));

		if (!q) {
			free(s);
			return NULL;
		}
		p->str = q;
		p->str_cap = cap;
	}
	if (s)
		p->str[p->strs++] = s;
	return s;
}

static struct rec_step *add(
	struct plan *p, enum step_op op, struct obj *o, char *path, char *path2)
{
	const char *a = own(p, path), *b = own(p, path2);
	struct rec_step *s;

	if (!a || !b)
		return NULL;
	if (p->n == p->cap) {
		size_t cap = p->cap ? p->cap * 2 : 64;
		struct rec_step *q = realloc(p->step, cap * sizeof(*q));

		if (!q)
			return NULL;
		p->step = q;
		p->cap = cap;
	}
	s = &p->step[p->n];
	*s = (struct rec_step){
		.n = p->n, .op = op, .object = o ? o->id : 0, .path = a, .path2 = b};
	p->n++;
	return s;
}

static void expects(
	struct rec_step *s, const struct base_print *a, const struct base_print *b)
{
	if (a) {
		s->ino = a->ino;
		s->btime_ns = a->btime_ns;
	}
	if (b) {
		s->ino2 = b->ino;
		s->btime2_ns = b->btime_ns;
	}
}

static size_t depth(const char *path)
{
	size_t d = *path != 0;

	for (; *path; path++)
		d += *path == '/';
	return d;
}

static int deepest_first(const void *a, const void *b)
{
	const struct rec_step *x = a, *y = b;
	size_t dx = depth(x->path), dy = depth(y->path);

	if (dx != dy)
		return dx < dy ? 1 : -1;
	return x->n < y->n ? -1 : 1;
}

static int shallow_first(const void *a, const void *b)
{
	const struct rec_step *x = a, *y = b;
	size_t dx = depth(x->path), dy = depth(y->path);

	if (dx != dy)
		return dx < dy ? -1 : 1;
	return x->n < y->n ? -1 : 1;
}

static void sort_from(struct plan *p, size_t from, int (*by)(const void *, const void *))
{
	if (p->n > from)
		qsort(p->step + from, p->n - from, sizeof(*p->step), by);
	for (size_t i = from; i < p->n; i++)
		p->step[i].n = i;
}

/* Where a name lies in the base before the commit. */
static int old_path_of(struct net *n, const struct nname *m, char **out)
{
	auto_free char *dir = NULL;
	int r = obj_path(n->t, m->dir->o, &dir);

	if (r)
		return r;
	return asprintf(out, "%s%s%s", dir, *dir ? "/" : "", m->name) < 0 ? -ENOMEM : 0;
}

/* A new file takes the name of one that goes, as editors and git save: no take, and the
 * place is an exchange that leaves the old file under the new one's staged name. */
static bool replaces(struct net *n, size_t i)
{
	struct nname *k = &n->name[i];
	struct nobj *now = k->now ? k->now->plan : NULL, *was = k->base_now->plan;

	if (!now || now->first_new != i || now->in_base || !now->staged[0] ||
		was->added || S_ISDIR(now->a.mode) || S_ISDIR(was->st.print.mode))
		return false;
	now->swaps = true;
	return true;
}

static int take(
	struct txm *m, struct net *n, uint64_t layer, struct nname *k, struct plan *p)
{
	struct nobj *b = k->base_now->plan;
	char *path, *to;
	struct rec_step *s;
	int r = old_path_of(n, k, &path);

	if (r)
		return r;
	if (!b->taken[0]) { /* itself, to be put elsewhere or to go */
		snprintf(b->taken, sizeof(b->taken), "t%llu-%llu",
			(unsigned long long)layer, (unsigned long long)b->o->id);
		b->old_path = strdup(path);
		to = strdup(b->taken);
	} else if (asprintf(&to, "d%llu-%llu", (unsigned long long)layer,
			   (unsigned long long)m->stage_no++) < 0) {
		to = NULL;
	}
	s = add(p, STEP_TAKE, b->o, path, to);
	if (!s)
		return -ENOMEM;
	expects(s, &b->st.print, NULL);
	if (b->gone && S_ISDIR(b->st.print.mode))
		s->flags = STEP_MUST_BE_EMPTY;
	return 0;
}

/* What lies at a name that will mean something else goes. */
static int leave(struct txm *m, struct net *n, uint64_t layer, size_t i, struct plan *p)
{
	struct nname *k = &n->name[i];
	struct nobj *was = k->base_now->plan, *now;

	if (!replaces(n, i))
		return take(m, n, layer, k, p);
	now = k->now->plan;
	if (!was->taken[0])
		snprintf(was->taken, sizeof(was->taken), "%s", now->staged);
	return 0;
}

static int take_all(struct txm *m, struct net *n, uint64_t layer, struct plan *p)
{
	size_t from = p->n;

	for (size_t i = 0; i < n->names; i++) {
		struct nname *k = &n->name[i];
		struct nobj *now = k->now ? k->now->plan : NULL;
		int r = 0;

		if (now && k->base_now != k->now && now->first_new == SIZE_MAX)
			now->first_new = i;
		if (k->base_now && k->base_now != k->now && k->base_now->plan)
			r = leave(m, n, layer, i, p);
		if (r)
			return r;
	}
	sort_from(p, from, deepest_first);
	return 0;
}

static int collect_moved(struct net *n)
{
	n->moved = calloc(n->objs + 1, sizeof(struct nobj *));
	if (!n->moved)
		return -ENOMEM;
	for (size_t i = 0; i < n->objs; i++)
		if (n->obj[i]->old_path && S_ISDIR(n->obj[i]->d->a.mode))
			n->moved[n->nmoved++] = n->obj[i];
	return 0;
}

static int place(struct net *n, size_t i, struct plan *p)
{
	struct nobj *b = n->name[i].now->plan;
	struct nobj *was = b->swaps ? n->name[i].base_now->plan : NULL;
	const struct base_print *print = b->staged[0] ? &b->staged_print : &b->st.print;
	struct rec_step *s;
	char *path;
	int r = net_name_path(n, &n->name[i], &path);

	if (r)
		return r;
	b->new_path = strdup(path);
	b->first_add = b->placed = i;
	s = add(p, was ? STEP_SWAP : STEP_PLACE, was ? was->o : b->o, path,
		strdup(b->staged[0] ? b->staged : b->taken));
	if (!s || !b->new_path)
		return -ENOMEM;
	expects(s, was ? &was->st.print : print, was ? print : NULL);
	return 0;
}

/* The first new name of an object whose file waits in the staging directory. */
static int place_all(struct net *n, struct plan *p)
{
	size_t from = p->n;

	for (size_t i = 0; i < n->names; i++) {
		struct nname *k = &n->name[i];
		struct nobj *b = k->now ? k->now->plan : NULL;
		int r = 0;

		if (!b || k->base_now == k->now || b->new_path)
			continue;
		if (b->in_base && !b->taken[0])
			continue; /* it stays; this is a further link */
		if (b->staged[0] || b->taken[0])
			r = place(n, i, p);
		if (r)
			return r;
	}
	sort_from(p, from, shallow_first);
	return 0;
}

/* The path that an old path has after the moves taken so far. -ENOENT: it goes. */
static int moved_path(struct net *n, const char *old, char **out)
{
	const struct nobj *best = NULL;
	size_t best_len = 0;

	for (size_t i = 0; i < n->nmoved; i++) {
		const struct nobj *b = n->moved[i];
		size_t len = strlen(b->old_path);

		if (len > best_len && !strncmp(old, b->old_path, len) &&
			(!old[len] || old[len] == '/')) {
			best = b;
			best_len = len;
		}
	}
	if (best && !best->new_path)
		return -ENOENT;
	if (asprintf(out, "%s%s", best ? best->new_path : "", old + best_len) < 0)
		return -ENOMEM;
	return 0;
}

static bool is_taken_name(struct net *n, const char *path)
{
	for (size_t i = 0; i < n->names; i++) {
		struct nname *k = &n->name[i];
		auto_free char *old = NULL;

		if (k->base_now && k->base_now != k->now && !old_path_of(n, k, &old) &&
			!strcmp(old, path))
			return true;
	}
	return false;
}

/* Where an object that is not placed anew stays: its known name, or, if that one goes,
 * any other of its hard links. */
static int staying_path(struct net *n, struct nobj *b, char **out)
{
	auto_free char *old = NULL;
	char **path = NULL;
	size_t count = 0;
	int r = obj_path(n->t, b->o, &old);

	if (!r && (!b->removed || !is_taken_name(n, old)))
		return moved_path(n, old, out);
	b->place_lost = true;
	r = links_find(n->t, b->st.print.ino, &path, &count);
	if (!r)
		r = -ENOENT;
	for (size_t i = 0; i < count; i++) {
		if (r == -ENOENT && !is_taken_name(n, path[i]))
			r = moved_path(n, path[i], out);
		free(path[i]);
	}
	free(path);
	return r;
}

static int link_all(struct net *n, struct plan *p)
{
	for (size_t i = 0; i < n->names; i++) {
		struct nname *k = &n->name[i];
		struct nobj *b = k->now ? k->now->plan : NULL;
		struct rec_step *s;
		char *path, *from;
		int r;

		if (!b || k->base_now == k->now || b->placed == i)
			continue;
		r = b->new_path ? ((from = strdup(b->new_path)) ? 0 : -ENOMEM)
				: staying_path(n, b, &from);
		if (!r)
			r = net_name_path(n, k, &path);
		if (r)
			return r;
		s = add(p, STEP_LINK, b->o, path, from);
		if (!s)
			return -ENOMEM;
		expects(s, b->staged[0] ? &b->staged_print : &b->st.print, NULL);
	}
	return 0;
}

/* Exchanges touch the directory they happen in, which the transaction may not have. @old:
 * a path of before, of what is exchanged there. */
static int times_of_parent(struct net *n, const char *old, struct plan *p)
{
	auto_free char *dir = strdup(old);
	struct rec_step *s;
	struct bstat was;
	char *after, *slash;
	int fd, r;

	if (!dir)
		return -ENOMEM;
	slash = strrchr(dir, '/');
	*(slash ? slash : dir) = 0;
	if (p->last_dir && !strcmp(p->last_dir, dir))
		return 0;
	p->last_dir = own(p, strdup(dir));
	fd = base_at(n->t->rootfd, dir, O_PATH | O_DIRECTORY);
	if (fd < 0)
		return fd;
	r = base_stat(fd, "", &was);
	close(fd);
	if (!r)
		r = moved_path(n, dir, &after);
	if (r)
		return r;
	s = add(p, STEP_TIMES, NULL, after, strdup(""));
	if (!s)
		return -ENOMEM;
	expects(s, &was.print, NULL);
	s->mtime_ns = was.print.mtime_ns;
	s->atime_ns = was.atime_ns;
	return 0;
}

static int relink(struct net *n, struct nobj *b, const char *path, const char *first,
	struct plan *p)
{
	auto_free char *after = NULL;
	struct rec_step *s;
	int r = moved_path(n, path, &after);

	if (!r)
		r = times_of_parent(n, path, p);
	if (r)
		return r;
	s = add(p, STEP_RELINK, b->o, steal(&after), strdup(first));
	if (!s)
		return -ENOMEM;
	expects(s, &b->st.print, &b->staged_print);
	return 0;
}

/* A base file with several names gets its new content under all that lie in the
 * workspace. */
static int relink_all(struct net *n, struct nobj *b, const char *first, struct plan *p)
{
	char **path = NULL;
	size_t count = 0;
	int r;

	if (b->st.print.nlink < 2)
		return 0;
	r = links_find(n->t, b->st.print.ino, &path, &count);
	for (size_t i = 0; i < count; i++) {
		auto_free char *after = NULL;

		if (!r && !is_taken_name(n, path[i]) && !moved_path(n, path[i], &after) &&
			strcmp(after, first))
			r = relink(n, b, path[i], first, p);
		free(path[i]);
	}
	free(path);
	return r;
}

static int times_around(struct net *n, struct nobj *b, struct plan *p)
{
	auto_free char *old = NULL;
	int r = obj_path(n->t, b->o, &old);

	return r ? r : times_of_parent(n, old, p);
}

static int swap_all(struct net *n, struct plan *p)
{
	for (size_t i = 0; i < n->objs; i++) {
		struct nobj *b = n->obj[i];
		struct rec_step *s;
		char *path;
		int r;

		if (!b->staged[0] || !b->in_base)
			continue;
		if (!b->new_path) {
			r = staying_path(n, b, &path);
			if (r)
				return r;
			b->new_path = strdup(path);
			s = add(p, STEP_SWAP, b->o, path, strdup(b->staged));
			if (!s || !b->new_path)
				return -ENOMEM;
			expects(s, &b->st.print, &b->staged_print);
			r = b->place_lost ? 0 : times_around(n, b, p);
			if (r)
				return r;
		}
		r = relink_all(n, b, b->new_path, p);
		if (r)
			return r;
	}
	return 0;
}

static void set_attrs(struct rec_step *s, const struct attr *a)
{
	s->mode = a->mode;
	s->uid = a->uid;
	s->gid = a->gid;
	s->mtime_ns = a->mtime_ns;
	s->atime_ns = a->atime_ns;
}

/* xattrs as one blob: name, NUL, 4 bytes of size (all ones: removed), value; repeated. */
static int xattr_blob(struct plan *p, const struct nobj *b, struct rec_step *s)
{
	struct names seen = {0};
	size_t n = 0, cap = 0;
	char *blob = NULL;

	for (const struct delta *d = b->d; d; d = d->below)
		for (const struct xent *x = d->xattrs; x; x = x->next) {
			uint32_t size = x->value ? (uint32_t)x->size : UINT32_MAX;
			size_t len = strlen(x->name) + 1,
			       need = len + 4 + (x->value ? x->size : 0);

			if (names_find(&seen, x->name))
				continue;
			if (!names_add(&seen, x->name))
				goto fail;
			if (n + need > cap) {
				char *q = realloc(blob, cap = (n + need) * 2);

				if (!q)
					goto fail;
				blob = q;
			}
			memcpy(blob + n, x->name, len);
			memcpy(blob + n + len, &size, 4);
			if (x->value && x->size)
				memcpy(blob + n + len + 4, x->value, x->size);
			n += need;
		}
	names_clear(NULL, &seen);
	s->blob = blob;
	s->blob_size = n;
	return !blob || own(p, blob) ? 0 : -ENOMEM;
fail:
	names_clear(NULL, &seen);
	free(blob);
	return -ENOMEM;
}

/* A hard-linked file that loses the name it is known by is found under another. */
static int keep_places(struct net *n)
{
	for (size_t i = 0; i < n->objs; i++) {
		struct nobj *b = n->obj[i];
		int r;

		if (!b->in_base || b->gone || !b->removed || b->new_path)
			continue;
		r = staying_path(n, b, &b->new_path);
		if (r && r != -ENOENT)
			return r;
	}
	return 0;
}

static int attrs_all(struct net *n, struct plan *p)
{
	for (size_t i = 0; i < n->objs; i++) {
		struct nobj *b = n->obj[i];
		struct rec_step *s;
		char *path;
		int r;

		if (!b->attrs || !b->in_base || b->gone || b->staged[0])
			continue;
		r = b->new_path ? ((path = strdup(b->new_path)) ? 0 : -ENOMEM)
				: staying_path(n, b, &path);
		if (r)
			return r;
		s = add(p, STEP_ATTR, b->o, path, strdup(""));
		if (!s)
			return -ENOMEM;
		expects(s, &b->st.print, NULL);
		set_attrs(s, &b->a);
		s->flags = STEP_OWNED;
		r = xattr_blob(p, b, s);
		if (r)
			return r;
	}
	return 0;
}

/* The steps that set times so far come after the exchanges, but not after all else. */
static void times_last(struct plan *p)
{
	struct rec_step *t = calloc(p->n + 1, sizeof(*t));
	size_t k = 0, n = 0;

	if (!t)
		return; /* a directory's time may be off; nothing else */
	for (size_t i = 0; i < p->n; i++)
		if (p->step[i].op != STEP_TIMES)
			t[k++] = p->step[i];
	for (size_t i = 0; i < p->n; i++)
		if (p->step[i].op == STEP_TIMES)
			t[k++] = p->step[i];
	for (; n < p->n; n++) {
		p->step[n] = t[n];
		p->step[n].n = n;
	}
	free(t);
}

static int times_all(struct net *n, struct plan *p)
{
	size_t from;
	int r;

	times_last(p);
	from = p->n;
	for (size_t i = 0; i < n->objs; i++) {
		struct nobj *b = n->obj[i];
		struct rec_step *s;
		char *path;

		if (b->gone || !S_ISDIR(b->d->a.mode) || (b->is_new && !b->staged[0]))
			continue;
		r = net_path(n, b->o, &path);
		if (r)
			return r;
		s = add(p, STEP_TIMES, b->o, path, strdup(""));
		if (!s)
			return -ENOMEM;
		expects(s, b->staged[0] ? &b->staged_print : &b->st.print, NULL);
		set_attrs(s, &b->a);
	}
	sort_from(p, from, deepest_first);
	return 0;
}

struct plan *plan_new(void)
{
	return calloc(1, sizeof(struct plan));
}

int plan_copy(struct plan *p, const struct rec_step *s)
{
	struct rec_step *to = add(p, s->op, NULL, strdup(s->path), strdup(s->path2));
	const char *a, *b;
	char *blob = NULL;

	if (!to)
		return -ENOMEM;
	if (s->blob_size) {
		blob = malloc(s->blob_size);
		if (!blob || !own(p, blob))
			return -ENOMEM;
		memcpy(blob, s->blob, s->blob_size);
	}
	a = to->path;
	b = to->path2;
	*to = *s;
	to->path = a;
	to->path2 = b;
	to->blob = blob;
	return 0;
}

int plan_make(struct txm *m, struct net *n, uint64_t layer, struct plan **out)
{
	struct plan *p = plan_new();
	int r;

	if (!p)
		return -ENOMEM;
	r = take_all(m, n, layer, p);
	if (!r)
		r = collect_moved(n);
	if (!r)
		r = place_all(n, p);
	if (!r)
		r = swap_all(n, p);
	if (!r)
		r = keep_places(n);
	if (!r)
		r = link_all(n, p);
	if (!r)
		r = attrs_all(n, p);
	if (!r)
		r = times_all(n, p);
	for (size_t i = 0; i < p->n; i++)
		p->step[i].layer = layer;
	if (r) {
		plan_free(p);
		return r;
	}
	*out = p;
	return 0;
}

void plan_free(struct plan *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->strs; i++)
		free(p->str[i]);
	free(p->str);
	free(p->step);
	free(p);
}
