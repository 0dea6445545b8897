/*
 * xattr.c: extended attributes; an access ACL is folded into the mode.
 */
#include "fs/tree/impl.h"

#include <stdlib.h>
#include <sys/xattr.h>

ssize_t tree_getxattr(struct node *n, const char *name, void *buf, size_t size)
{
	struct stack s;
	ssize_t r;

	pthread_rwlock_rdlock(&n->lock);
	node_stack(&s, n);
	r = stack_getxattr(n->view->t, &s, name, buf, size);
	pthread_rwlock_unlock(&n->lock);
	return r;
}

ssize_t tree_listxattr(struct node *n, char *buf, size_t size)
{
	struct stack s;
	ssize_t r;

	pthread_rwlock_rdlock(&n->lock);
	node_stack(&s, n);
	r = stack_listxattr(n->view->t, &s, buf, size);
	pthread_rwlock_unlock(&n->lock);
	return r;
}

static bool known_name(const char *name, uint32_t mode)
{
	if (!strncmp(name, "user.", 5))
		return S_ISREG(mode) || S_ISDIR(mode);
	return !strncmp(name, "trusted.", 8) || !strncmp(name, "security.", 9) ||
	       !strcmp(name, ACL_ACCESS) || (!strcmp(name, ACL_DEFAULT) && S_ISDIR(mode));
}

static int check_flags(struct node *n, const char *name, int flags)
{
	struct stack s;
	ssize_t have;

	if (!flags)
		return 0;
	node_stack(&s, n);
	have = stack_getxattr(n->view->t, &s, name, NULL, 0);
	if (have >= 0 && flags & XATTR_CREATE)
		return -EEXIST;
	if (have == -ENODATA && flags & XATTR_REPLACE)
		return -ENODATA;
	return have < 0 && have != -ENODATA ? (int)have : 0;
}

static int set_value(
	struct delta *d, const char *name, const void *v, size_t size, struct log *l)
{
	bool drop = false;
	int r = 0;

	if (v && !strcmp(name, ACL_ACCESS)) {
		r = acl_set(&d->a, v, size, &drop);
		d->parts |= PART_ATTR;
	}
	if (r)
		return r;
	return delta_set_xattr(d, name, drop ? NULL : v, size, l);
}

static int change(struct node *n, const char *name, const void *v, size_t size, int flags)
{
	struct delta *d;
	struct log l;
	int r;

	log_init(&l);
	pthread_rwlock_wrlock(&n->lock);
	r = check_flags(n, name, flags);
	if (!r)
		r = delta_for(n, PART_XATTR, &l, &d);
	if (!r && !known_name(name, d->a.mode))
		r = strncmp(name, "user.", 5) ? -EOPNOTSUPP : -EPERM;
	if (!r)
		r = set_value(d, name, v, size, &l);
	if (!r) {
		d->a.ctime_ns = tree_now_ns();
		delta_log_inode(d, &l);
	}
	r = log_end(n->view->t, &l, r);
	pthread_rwlock_unlock(&n->lock);
	return r;
}

int tree_setxattr(struct node *n, const char *name, const void *v, size_t size, int flags)
{
	if (size > XATTR_SIZE_MAX)
		return -E2BIG;
	return change(n, name, v, size, flags);
}

int tree_removexattr(struct node *n, const char *name)
{
	return change(n, name, NULL, 0, XATTR_REPLACE);
}
