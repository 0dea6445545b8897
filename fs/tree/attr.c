/*
 * attr.c: reading and setting attributes, truncation included.
 */
#include "fs/tree/impl.h"

#include <stdlib.h>

int tree_getattr(struct node *n, struct attr *a)
{
	struct stack s;
	int r;

	pthread_rwlock_rdlock(&n->lock);
	node_stack(&s, n);
	r = stack_attr(n->view->t, &s, a);
	pthread_rwlock_unlock(&n->lock);
	return r;
}

/* Clear what ext4 clears when somebody else's bytes or owner come to a program. */
void attr_kill_suid(struct attr *a)
{
	if (S_ISDIR(a->mode))
		return;
	a->mode &= ~(uint32_t)S_ISUID;
	if (a->mode & S_IXGRP)
		a->mode &= ~(uint32_t)S_ISGID;
}

/* security.capability goes with the same events; looked up only where it can be there. */
int delta_kill_caps(struct node *n, struct delta *d, struct log *l)
{
	struct stack s;

	node_stack(&s, n);
	if (stack_getxattr(n->view->t, &s, "security.capability", NULL, 0) < 0)
		return 0;
	d->parts |= PART_XATTR;
	return delta_set_xattr(d, "security.capability", NULL, 0, l);
}

/* Who may set the setgid bit was checked by the kernel (default_permissions). */
static int set_mode(struct node *n, struct delta *d, uint32_t mode, struct log *l)
{
	d->a.mode = (d->a.mode & S_IFMT) | (mode & 07777);
	return acl_chmod(n, d->a.mode, l, d);
}

static int apply(struct node *n, const struct setattr *s, struct delta *d, struct log *l)
{
	int64_t now = tree_now_ns();
	int r = 0;

	if (s->size) {
		r = file_resize(n, d, s->to.size, l);
		if (r)
			return r;
		r = delta_kill_caps(n, d, l);
		d->a.mtime_ns = now;
		if (s->kill_suid)
			attr_kill_suid(&d->a);
	}
	if (s->uid)
		d->a.uid = s->to.uid;
	if (s->gid)
		d->a.gid = s->to.gid;
	if (s->uid || s->gid) {
		attr_kill_suid(&d->a);
		r = r ? r : delta_kill_caps(n, d, l);
	}
	if (!r && s->mode)
		r = set_mode(n, d, s->to.mode, l);
	if (s->atime)
		d->a.atime_ns = s->atime_now ? now : s->to.atime_ns;
	if (s->mtime)
		d->a.mtime_ns = s->mtime_now ? now : s->to.mtime_ns;
	d->a.ctime_ns = now;
	return r;
}

int tree_setattr(struct node *n, const struct setattr *s, struct attr *a)
{
	struct tree *t = n->view->t;
	uint32_t parts = 0;
	struct delta *d;
	struct log l;
	int r;

	if (s->size)
		parts |= PART_DATA;
	if (s->mode || s->uid || s->gid || s->atime || s->mtime)
		parts |= PART_ATTR;
	log_init(&l);
	pthread_rwlock_wrlock(&n->lock);
	r = delta_for(n, 0, &l, &d);
	if (!r)
		r = apply(n, s, d, &l);
	if (!r) {
		d->parts |= parts;
		delta_log_inode(d, &l);
		*a = d->a;
	}
	r = log_end(t, &l, r);
	pthread_rwlock_unlock(&n->lock);
	return r;
}

int tree_readlink(struct node *n, char **out)
{
	struct stack s;
	int r;

	pthread_rwlock_rdlock(&n->lock);
	node_stack(&s, n);
	r = stack_readlink(n->view->t, &s, out);
	pthread_rwlock_unlock(&n->lock);
	return r;
}

int tree_statfs(struct tree *t, struct statvfs *out)
{
	return fstatvfs(t->rootfd, out) < 0 ? -errno : 0;
}
