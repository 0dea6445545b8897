/*
 * acl.c: POSIX ACLs in the form of their xattrs (linux/posix_acl_xattr.h): a version
 * word, then entries of tag, permissions and id, little endian. The kernel checks
 * permissions; what is done here is what a file system does: fold into the mode, follow
 * chmod, inherit.
 */
#include "fs/tree/impl.h"

#include <endian.h>
#include <stdlib.h>

#define ACL_VERSION 2
#define ACL_MAX 65536

enum tag { USER_OBJ = 1, USER = 2, GROUP_OBJ = 4, GROUP = 8, MASK = 16, OTHER = 32 };

struct entry {
	uint16_t tag, perm;
	uint32_t id;
};

struct acl {
	uint32_t version;
	struct entry e[];
};

static int acl_count(const void *v, size_t size)
{
	const struct acl *a = v;

	if (size < sizeof(*a) || (size - sizeof(*a)) % sizeof(struct entry) ||
		le32toh(a->version) != ACL_VERSION)
		return -EINVAL;
	return (int)((size - sizeof(*a)) / sizeof(struct entry));
}

static struct entry *acl_find(void *v, size_t size, uint16_t tag)
{
	struct acl *a = v;
	int n = acl_count(v, size);

	for (int i = 0; i < n; i++)
		if (le16toh(a->e[i].tag) == tag)
			return &a->e[i];
	return NULL;
}

static uint32_t perm_of(void *v, size_t size, uint16_t tag, uint32_t other)
{
	struct entry *e = acl_find(v, size, tag);

	return e ? le16toh(e->perm) & 7u : other;
}

/* The nine bits that an access ACL shows as a mode; the group bits are its mask. */
static uint32_t mode_of(void *v, size_t size)
{
	uint32_t group = perm_of(v, size, GROUP_OBJ, 0);

	return perm_of(v, size, USER_OBJ, 0) << 6 | perm_of(v, size, MASK, group) << 3 |
	       perm_of(v, size, OTHER, 0);
}

int acl_set(struct attr *a, const void *v, size_t size, bool *drop)
{
	auto_free void *copy = malloc(size ? size : 1);
	int n = acl_count(v, size);

	*drop = false;
	if (!copy)
		return -ENOMEM;
	if (n < 0)
		return n;
	if (n == 0) {
		*drop = true;
		return 0;
	}
	memcpy(copy, v, size);
	if (!acl_find(copy, size, USER_OBJ) || !acl_find(copy, size, GROUP_OBJ) ||
		!acl_find(copy, size, OTHER))
		return -EINVAL;
	a->mode = (a->mode & ~0777u) | mode_of(copy, size);
	*drop = n == 3;
	return 0;
}

/* Give an ACL the permissions of a mode. */
static void acl_apply(void *v, size_t size, uint32_t mode)
{
	struct entry *mask = acl_find(v, size, MASK);
	struct entry *group = mask ? mask : acl_find(v, size, GROUP_OBJ);
	struct entry *user = acl_find(v, size, USER_OBJ),
		     *other = acl_find(v, size, OTHER);

	if (user)
		user->perm = htole16(mode >> 6 & 7);
	if (group)
		group->perm = htole16(mode >> 3 & 7);
	if (other)
		other->perm = htole16(mode & 7);
}

static ssize_t acl_read(struct node *n, const char *name, void *buf)
{
	struct stack s;
	ssize_t r;

	node_stack(&s, n);
	r = stack_getxattr(n->view->t, &s, name, buf, ACL_MAX);
	return r == -ENODATA || r == -EOPNOTSUPP ? 0 : r;
}

int acl_chmod(struct node *n, uint32_t mode, struct log *l, struct delta *d)
{
	auto_free char *buf = NULL;
	struct stack s;
	ssize_t size;

	node_stack(&s, n);
	if (S_ISLNK(mode) || stack_getxattr(n->view->t, &s, ACL_ACCESS, NULL, 0) <= 0)
		return 0;
	buf = malloc(ACL_MAX);
	if (!buf)
		return -ENOMEM;
	size = acl_read(n, ACL_ACCESS, buf);
	if (size <= 0 || acl_count(buf, (size_t)size) <= 0)
		return size < 0 ? (int)size : 0;
	acl_apply(buf, (size_t)size, mode);
	d->parts |= PART_XATTR;
	return delta_set_xattr(d, ACL_ACCESS, buf, (size_t)size, l);
}

/* A new object's permissions are those of the default ACL cut by the mode asked for. */
static void acl_create(void *v, size_t size, uint32_t *mode)
{
	uint32_t m = mode_of(v, size) & *mode;

	acl_apply(v, size, m);
	*mode = (*mode & ~0777u) | m;
}

static int copy_of(const void *v, size_t n, void **out)
{
	*out = malloc(n);
	if (!*out)
		return -ENOMEM;
	memcpy(*out, v, n);
	return 0;
}

int acl_inherit(struct node *dir, uint32_t *mode, uint32_t umask, void **access,
	size_t *access_size, void **dflt, size_t *dflt_size)
{
	auto_free char *buf = NULL;
	struct stack s;
	ssize_t size;
	int r = 0;

	*access = *dflt = NULL;
	*access_size = *dflt_size = 0;
	if (S_ISLNK(*mode))
		return 0;
	node_stack(&s, dir);
	size = stack_getxattr(dir->view->t, &s, ACL_DEFAULT, NULL, 0);
	if (size <= 0) {
		*mode &= ~(umask & 0777u);
		return size == -TREE_AGAIN ? (int)size : 0;
	}
	buf = malloc(ACL_MAX);
	if (!buf)
		return -ENOMEM;
	size = acl_read(dir, ACL_DEFAULT, buf);
	if (size <= 0 || acl_count(buf, (size_t)size) < 3)
		return size < 0 ? (int)size : 0;
	if (S_ISDIR(*mode)) {
		r = copy_of(buf, (size_t)size, dflt);
		*dflt_size = (size_t)size;
	}
	acl_create(buf, (size_t)size, mode);
	if (!r && acl_count(buf, (size_t)size) > 3) {
		r = copy_of(buf, (size_t)size, access);
		*access_size = (size_t)size;
	}
	return r;
}
