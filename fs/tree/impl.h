/*
 * impl.h: what the files of fs/tree share and nobody else sees.
 */
#ifndef FS_TREE_IMPL_H
#define FS_TREE_IMPL_H

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/time.h"
#include "fs/tree/tree.h"

/* Numbers of objects made here lie above what ext4 uses; a view's number above that. */
#define INO_MADE (1ull << 39)
#define INO_VIEW_SHIFT 40
#define STAGE_KEY (UINT64_MAX - 1) /* of the staging directory in the fdcache */

struct inokey {
	struct inokey *next;
	uint64_t ino;
	int64_t btime_ns;
	struct obj *obj;
};

/** row_add(t, o): @o has a row from now on, and a reference for it. objs_lock held. */
void row_add(struct tree *t, struct obj *o);
void objs_clear(struct tree *t);
void nodes_clear(struct tree *t);

/* --- delta.c: changes of the top layer; node lock held for writing --- */

/** delta_for(n, parts, l, out): @n's delta in the top layer, made if needed. */
int delta_for(struct node *n, uint32_t parts, struct log *l, struct delta **out);

/** delta_log_inode(d, l): its row of attributes as it is now. */
void delta_log_inode(const struct delta *d, struct log *l);

/** delta_log_run(d, put, e, l): one row of its map. */
void delta_log_run(const struct delta *d, bool put, const struct ext *e, struct log *l);

/** delta_set_run(d, e, l), delta_cut_runs(d, block, l): change the map and its rows. */
int delta_set_run(struct delta *d, const struct ext *e, struct log *l);
int delta_cut_runs(struct delta *d, uint64_t block, struct log *l);

/** delta_set_name(d, name, o, was, l): @name is @o (NULL: gone); @was: what it means
 * below this layer. */
int delta_set_name(struct tree *t, struct delta *d, const char *name, struct obj *o,
	struct obj *was, struct log *l);

/** delta_pool(d, out): the pool of its transaction, made at the first write. */
int delta_pool(struct tree *t, struct delta *d, struct pool **out);

/* --- lock.c: locks of several nodes, for writing --- */

/* Zeroed at first: two directories, two children, and one that was busy in vain. */
struct locks {
	struct node *node[5];
	int n;
	struct node *busy; /* a reference: taken first the next time */
};

/** locks_begin(k): before the first locks_take, and again after each that said no.
 * locks_take(k, n): lock @n too, once. False: it was busy, and nothing is locked any
 * more. locks_end(k): unlock all. */
void locks_begin(struct locks *k);
bool locks_take(struct locks *k, struct node *n);
void locks_end(struct locks *k);

/* --- stack of a node --- */
static inline void node_stack(struct stack *s, struct node *n)
{
	stack_init(s, n->view, n->obj, n->top);
}

/** tree_hidden(t, dir, name): a name in the root that is ours and never shown or made. */
bool tree_hidden(const struct tree *t, const struct obj *dir, const char *name);

/* --- attr.c, file.c --- */
void attr_kill_suid(struct attr *a);
/** file_resize(n, d, size, l): truncate or extend; lock held. */
int file_resize(struct node *n, struct delta *d, uint64_t size, struct log *l);
/** delta_kill_caps(n, d, l): security.capability goes with content and owner. */
int delta_kill_caps(struct node *n, struct delta *d, struct log *l);

/* --- dirlist.c --- */
void dirlist_free(struct dirlist *l);
void dirlist_set(struct dirlist *l, const char *name, uint64_t ino, uint8_t type);
void dirlist_del(struct dirlist *l, const char *name);
const struct dent *dirlist_find(struct dirlist *l, const char *name); /* also dead ones */

/** node_pin(n): it was changed where it is seen. node_pinned(dir, name): the object
 * changed under this name, a reference, or NULL. */
int node_pin(struct node *n);
struct obj *node_pinned(struct node *dir, const char *name);

/** node_unplace(n): no name leads to it any more. */
void node_unplace(struct node *n);

/* --- acl.c --- */
int acl_chmod(struct node *n, uint32_t mode, struct log *l, struct delta *d);
/** acl_inherit(dir, mode, umask, access, dflt): ACLs of a new object in @dir; folds into
 * *mode. *access, *dflt are NULL where there is none. */
int acl_inherit(struct node *dir, uint32_t *mode, uint32_t umask, void **access,
	size_t *access_size, void **dflt, size_t *dflt_size);
/** acl_set(d, v, size, drop): an access ACL is being set: fold it into the mode; *drop if
 * it says no more than a mode. -EINVAL where it is malformed. */
int acl_set(struct attr *a, const void *v, size_t size, bool *drop);
#define ACL_ACCESS "system.posix_acl_access"
#define ACL_DEFAULT "system.posix_acl_default"

#endif
