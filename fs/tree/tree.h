/*
 * tree.h: the namespace in memory: objects, views, layers, and what each layer changed.
 *
 * An *object* is an identity shared by all views: a file or directory of the base, or one
 * made since. A *view* is what one transaction (or the main view) shows. A *node* is an
 * object as one view shows it; the kernel knows nodes by ids that are never reused. A
 * *layer* holds *deltas*: what a transaction, savepoint or commit changed of an object.
 *
 * What a view shows of an object is the first answer from this stack (see stack_next):
 *	own      the view's layers, newest first                    (node->top ...)
 *	behind   committed layers the base does not show yet, newest first, up to the
 *snapshot undo     before-images of commits after the snapshot, oldest first base     the
 *real directory
 *
 * Locks, in this order:
 *
 * - tree->gate: shared by every request; exclusive for the moments in which layers move
 * - view->renaming: one rename at a time in a view
 * - node->lock: guards the node's deltas of the top layer and its listing; who holds one
 *   never waits for another (lock.c)
 * - layer->lock, tree->objs_lock, tree->nodes_lock, fdcache, store: leaves
 *
 * Deltas below the top layer, behind and undo lists change only under the exclusive gate,
 * so whoever holds the gate may read them.
 *
 * Errors are -errno. -TREE_AGAIN asks the caller to leave the gate,
 *tree_wait_checkpoint() and do the whole request again: the base was caught in the middle
 *of a checkpoint.
 */
#ifndef FS_TREE_TREE_H
#define FS_TREE_TREE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "common/list.h"
#include "fs/base/base.h"
#include "fs/base/fdcache.h"
#include "fs/block/bmap.h"
#include "fs/block/pool.h"
#include "fs/store/store.h"
#include "txfs/ioctl.h"

#define TREE_DEPTH_MAX \
	100000u		/* a longer way to the root is a fault of ours, not a tree */
#define TREE_AGAIN 4096 /* beyond every errno */
#define TREE_SMALL \
	(64u << 10) /* base files up to this are stored whole at the first write */
#define SEQ_LATEST UINT64_MAX

/* Parts of an object that a layer changed; conflicts are found by these (P5). */
enum part {
	PART_DATA = 1,	 /* content or size */
	PART_ATTR = 2,	 /* mode, owner, times set by hand */
	PART_NAMES = 4,	 /* entries of a directory */
	PART_NEW = 8,	 /* made by this layer */
	PART_GONE = 16,	 /* no name left */
	PART_LINKS = 32, /* number of names; never a conflict by itself */
	PART_XATTR = 64, /* xattrs and ACLs: content, for conflicts */
	PART_MOVED = 128,
};

struct attr {
	uint32_t mode, uid, gid, nlink;
	uint64_t size, rdev;
	int64_t mtime_ns, ctime_ns, atime_ns;
};

struct tree;
struct view;
struct node;
struct layer;
struct delta;

/* ---- objects ------------------------------------------------------------------------
 */

struct obj {
	uint64_t id, st_ino;
	_Atomic uint32_t refs;
	/* under objs_lock: */
	/* the base shows it, at parent/name or, if in_stage, at name in the staging
	 * directory; both are also looked at without the lock */
	_Atomic bool has_base, in_stage;
	bool unlink_last;   /* in_stage: the file there goes with the last reference */
	bool logged;	    /* has a row in the store */
	struct obj *parent; /* holds a reference; NULL for the root */
	char *name;
	struct base_print print;
	int64_t ctime_ns, ctime_left_ns; /* see struct rec_object */
	int64_t watched;      /* directory: watch descriptor + 1, or 0, -1: cannot */
	struct obj *next_row; /* chain of tree->by_row, where logged */
	struct list nodes;    /* nodes of all views (node->by_obj), under nodes_lock */
	/* under the gate: */
	struct list undo;   /* deltas, oldest first */
	struct list behind; /* deltas, newest first */
	/* scratch of the one commit that runs (fs/tx), under its mutex */
	void *plan;
};

struct obj *obj_get(struct obj *o);
void obj_put(struct tree *t, struct obj *o); /* NULL: no-op */

/** obj_new(t): an object that no base shows; one reference; NULL: no memory. */
struct obj *obj_new(struct tree *t);

/** obj_of_base(t, parent, name, st): the object that @st (just read at @parent/@name)
 * shows, known or new; its place and print are refreshed. A reference, or NULL. */
struct obj *obj_of_base(
	struct tree *t, struct obj *parent, const char *name, const struct bstat *st);

/** obj_with_row(t, id): the object with a row of this id; a reference, or NULL.
 * obj_load(t, r): an object from its row, when a store is opened (-EXDEV: the store
 * belongs to another base); parents by obj_load_parent once all are there. */
struct obj *obj_with_row(struct tree *t, uint64_t id);
int obj_load(struct tree *t, const struct rec_object *r);
int obj_load_parent(struct tree *t, const struct rec_object *r);
/** obj_unlog(t, o): its row is gone. */
void obj_unlog(struct tree *t, struct obj *o);

/** obj_alias(t, o, print): from now on (ino, btime) of @print means @o as well. */
int obj_alias(struct tree *t, struct obj *o, const struct base_print *print);
void obj_unalias(struct tree *t, const struct base_print *print);

/** obj_at_name(t, dir, name, st): the object @st, if it is known to lie at @dir/@name; a
 * reference, or NULL. */
struct obj *obj_at_name(
	struct tree *t, struct obj *dir, const char *name, const struct bstat *st);

/** obj_known_ino(t, dir, name, ino): st_ino shown for base inode @ino, an entry of the
 * base directory @dir. One that is known by number is looked at: numbers come again. */
uint64_t obj_known_ino(struct tree *t, struct obj *dir, const char *name, uint64_t ino);

/** obj_place(t, o, parent, name): @o now lies at @parent/@name in the base; parent NULL
 * and name set: in the staging directory; both NULL: nowhere. */
int obj_place(struct tree *t, struct obj *o, struct obj *parent, const char *name);

/** obj_find_at(t, o, path): @o lies at @path below the base now. -ENOENT: it does not. */
int obj_find_at(struct tree *t, struct obj *o, const char *path);

/** obj_dir(t, o, out): O_PATH descriptor of a base directory, cached. Put by fdcache_put.
 */
int obj_dir(struct tree *t, struct obj *o, struct fdref **out);

/** obj_fd(t, o, out): readable descriptor of a base regular file, cached. */
int obj_fd(struct tree *t, struct obj *o, struct fdref **out);

/** obj_at(t, o, out, name): the directory that holds @o in the base and a copy of its
 * name there ("" for the root), for calls that want both. */
int obj_at(struct tree *t, struct obj *o, struct fdref **out, char name[256]);

/** obj_stat(t, o, st): what the base says of @o now. -ESTALE: another object is there. */
int obj_stat(struct tree *t, struct obj *o, struct bstat *st);

/** obj_path(t, o, out): path below the base, "" for the root; caller frees. -ENOENT. */
int obj_path(struct tree *t, struct obj *o, char **out);

void obj_forget_fds(struct tree *t, struct obj *o);

/* ---- names and xattrs of a delta
 * ------------------------------------------------------- */

struct nent {
	struct nent *next;
	struct obj *obj; /* a reference; NULL: whiteout */
	uint32_t hash;
	struct obj *was; /* what the name means below this layer; a reference, or NULL */
	char name[];
};

struct names {
	struct nent **bucket;
	uint32_t n, cap;
};

struct nent *names_find(const struct names *m, const char *name);
struct nent *names_add(
	struct names *m, const char *name); /* new, not there yet; NULL: memory */
void names_del(struct tree *t, struct names *m, const char *name);
void names_clear(struct tree *t, struct names *m);
uint32_t name_hash(const char *name);
#define names_each(m, i, e)            \
	for (i = 0; i < (m)->cap; i++) \
		for (e = (m)->bucket[i]; e; e = e->next)

struct xent {
	struct xent *next;
	void *value; /* NULL: removed */
	size_t size;
	char name[];
};

/* ---- deltas and layers
 * ------------------------------------------------------------------ */

struct delta {
	struct delta *below; /* own: next older of the same node */
	struct list in_layer;
	struct list in_obj; /* behind, undo */
	struct layer *layer;
	struct obj *obj;   /* a reference */
	struct node *node; /* own: a reference; behind, undo: NULL */
	uint32_t parts;
	bool has_print; /* print: the base as this change found it (bottom delta) */
	bool orphan;	/* own: a removed file somebody has open; in memory only */
	bool terminal;	/* undo: content and xattrs are those of the staged file src */
	struct base_print print;
	struct attr a;
	uint64_t below_bytes; /* content that shows through from below */
	int basefd;	      /* kept open: the base file that lies below, or -1 */
	char *target;	      /* symlink */
	char *src;
	struct names names;
	struct bmap map;
	struct xent *xattrs;
};

struct layer {
	uint64_t id, tx; /* tx: id of the transaction it belongs to, and of its pool */
	int kind;	 /* enum layer_kind */
	struct layer *below;
	struct view *view; /* NULL once committed */
	uint64_t seq, snapshot;
	bool is_private;
	char *label;
	uint8_t token_hash[16];
	int64_t begun_ns;
	pthread_mutex_t lock; /* deltas, count, pool */
	struct list deltas;
	uint64_t count;	    /* deltas */
	int64_t first_ns;   /* CLOCK_MONOTONIC of its first change, 0: none */
	struct pool *pool;  /* made at the first write; the transaction's */
	struct pool **kept; /* of other transactions, for orphans */
	size_t nkept;
};

struct view {
	struct tree *t;
	uint64_t id;	   /* transaction id, 0: main */
	uint32_t number;   /* upper bits of st_ino, 0: main */
	bool dead;	   /* under the gate */
	bool hidden;	   /* of a suspended transaction: for our eyes only */
	struct list nodes; /* node->in_view, under nodes_lock */
	uint64_t snapshot; /* SEQ_LATEST: sees every commit */
	struct layer *top; /* under the gate */
	struct node *root;
	pthread_mutex_t renaming;
	struct list link;      /* in tree->views */
	_Atomic uint64_t refs; /* nodes, and one for its owner */
};

struct dent {
	char *name;
	uint64_t ino;
	uint8_t type; /* DT_* */
	bool dead, seen;
};

/* A directory's listing; an entry's cookie is its index + 3 for as long as the node
 * lives. */
struct dirlist {
	struct dent *e;
	size_t n, cap;
	uint32_t *slot; /* hash table of index + 1 */
	size_t slots;
	bool stale;
};

struct node {
	uint64_t id;
	struct view *view;
	struct obj *obj;
	pthread_rwlock_t lock;
	struct delta *top; /* newest own delta */
	struct dirlist *list;
	/* under nodes_lock: */
	struct node *parent; /* where this view shows it, last seen; a reference */
	char *name;
	uint64_t nlookup;
	uint32_t refs;
	bool stale; /* retired: every use answers ESTALE */
	struct dirlist *
		pins; /* directory: ids of base files changed here, by their names then */
	struct node *hash_id, *hash_obj;
	struct list by_obj, in_view;
};

/* ---- the tree
 * ---------------------------------------------------------------------------- */

struct tree_hooks {
	/* A base directory is in use: watch it. Called without locks but the gate. */
	void (*watch)(void *arg, struct obj *dir, int dirfd);
	void *arg;
};

struct tree {
	int rootfd;
	uint64_t dev;
	struct store *store;
	struct fdcache *fds;
	int stagefd;	     /* staging directory, on the base's file system */
	char stage_name[64]; /* its name, if it lies in the base's root; hidden */
	struct obj *root;
	struct view *main;
	struct tree_hooks hooks;
	uint64_t quota_bytes; /* of a transaction's pool, 0: none */
	pthread_rwlock_t gate;
	_Atomic uint64_t last_seq;
	struct list views; /* under the gate */

	pthread_mutex_t ckpt_lock;
	pthread_cond_t ckpt_done;
	bool ckpt_running;

	pthread_mutex_t objs_lock;
	struct obj *by_row[4096];
	struct inokey **by_ino;
	size_t ino_slots, ino_used;

	pthread_mutex_t nodes_lock;
	struct node **by_id, **by_obj;
	size_t node_slots, node_used;
	uint64_t next_node;
	_Atomic uint32_t pinned; /* basefds */
};

/** tree_new(rootfd, store, stagefd, out): over the directory @rootfd (owned from success
 * on); makes the main view with an empty LAYER_AUTO on top. */
int tree_new(int rootfd, struct store *store, int stagefd, struct tree **out);
void tree_free(struct tree *t);

/** tree_wait_checkpoint(t): wait, without the gate, until no checkpoint runs. */
void tree_wait_checkpoint(struct tree *t);
void tree_checkpoint_runs(struct tree *t, bool runs);

int64_t tree_now_ns(void);  /* CLOCK_REALTIME_COARSE, as ext4 stamps */
int64_t tree_mono_ns(void); /* CLOCK_MONOTONIC */

/* ---- groups of records
 * --------------------------------------------------------------------- */

/* Records of one request, logged as one group. */
struct log {
	struct rec *r;
	size_t n, cap;
	struct rec fixed[12];
	struct lstr *strs; /* copies that the records point to */
	int err;
};

/** log_str(l, s): a copy of @s that lives until log_end. */
const char *log_str(struct log *l, const char *s);

void log_init(struct log *l);
/** log_end(t, l, err): write the group, also where @err ended the request: what it holds
 * was done in memory. Frees; returns @err or the failure. */
int log_end(struct tree *t, struct log *l, int err);
/** log_commit(t, l, unsure): the same by store_commit(). */
int log_commit(struct tree *t, struct log *l, bool *unsure);
struct rec *log_add(struct log *l, enum rec_op op); /* zeroed; never NULL */

/** layer_row(l, state, ended, counts, r): the row of @l; counts may be NULL. */
void layer_row(const struct layer *l, int state, int64_t ended_ns,
	const uint64_t counts[3], struct rec *r);

/** delta_log_object(t, o, l): rows for @o and what lies above it, where they have none.
 * delta_log_place(t, o, l): its row anew, after its place or print changed. */
int delta_log_object(struct tree *t, struct obj *o, struct log *l);
/** delta_log_print(d, l): what the base showed when it began; of a bottom delta. */
void delta_log_print(const struct delta *d, struct log *l);
void delta_log_place(struct tree *t, struct obj *o, struct log *l);

/* ---- views and layers (exclusive gate, unless said)
 * ---------------------------------------- */

/** view_new(t, id, snapshot, out): a view with no layer yet. Any lock state. */
int view_new(struct tree *t, uint64_t id, uint64_t snapshot, struct view **out);
void view_put(struct view *v);

/** layer_new(kind, tx): unattached. layer_free frees its deltas, which must be detached.
 */
struct layer *layer_new(int kind, uint64_t id, uint64_t tx);
void layer_free(struct tree *t, struct layer *l);

/** layer_count(l): objects it changed so far; any lock state, as long as @l lives. */
uint64_t layer_count(struct layer *l);

/** layer_push(v, l): @l becomes the top of @v. */
void layer_push(struct view *v, struct layer *l);

/** layer_merge(t, l): move what the top layer holds into the one below and free it. */
int layer_merge_top(struct view *v);

/** layer_detach(v, l, gone): take the deltas of @l, which must be the lowest layer of its
 * view, off their nodes (they keep no node). Used when a commit publishes it. */
void layer_detach_lowest(struct view *v, struct layer *l);

/** layer_keep_orphans(v): removed files that the kernel still holds go on in the top
 * layer, so that the layer below can be committed without them. They are in no row and no
 * commit. */
int layer_keep_orphans(struct view *v);

/** layer_pop(v, f, arg): drop the top layer with all that it holds. f(arg, node, delta)
 * is told of each node before its delta goes. */
void layer_pop(
	struct view *v, void (*f)(void *arg, struct node *n, struct delta *d), void *arg);

/** layer_activate(l): give an automatic layer its id and its row at its first change.
 * Shared gate. */
int layer_activate(struct tree *t, struct layer *l);
int layer_log(struct tree *t, const struct layer *l, int state, int64_t ended_ns,
	const uint64_t counts[3]);

/** delta_new(t, l, o): a delta of @o in @l that belongs to no node; NULL: no memory. */
struct delta *delta_new(struct tree *t, struct layer *l, struct obj *o);
void delta_free(struct tree *t, struct delta *d);

/** delta_set_xattr(d, name, v, n, l): @v NULL: removed; @l NULL: no row is written. */
struct xent *delta_find_xattr(const struct delta *d, const char *name);
int delta_set_xattr(
	struct delta *d, const char *name, const void *v, size_t n, struct log *l);

/** attr_of_base(t, o, st, a): attributes that a base object shows through the mount. */
void attr_of_base(struct tree *t, struct obj *o, const struct bstat *st, struct attr *a);

/* ---- the stack (gate held)
 * ------------------------------------------------------------------ */

struct stack {
	struct view *v;
	struct obj *o;
	struct delta *own; /* where the own deltas begin */
	int phase;
	struct delta *cur;
};

/** stack_init(s, v, o, own): the stack of @o in @v, own deltas from @own (may be NULL).
 */
void stack_init(struct stack *s, struct view *v, struct obj *o, struct delta *own);
/** stack_next(s): the next delta from the top, or NULL: what is left is the base. */
struct delta *stack_next(struct stack *s);

/** stack_read(t, s, size, buf, off, n): content of a regular file of @size bytes. */
int stack_read(struct tree *t, const struct stack *s, uint64_t size, void *buf,
	uint64_t off, size_t n);

/** stack_extent(t, s, size, off, data, end): is @off data or hole, and until where? */
int stack_extent(struct tree *t, const struct stack *s, uint64_t size, uint64_t off,
	bool *data, uint64_t *end);

/** stack_find(t, s, name, out): the object that @name means in a directory; a reference.
 * st (may be NULL) is filled where the base answered (*from_base). -ENOENT. */
int stack_find(struct tree *t, const struct stack *s, const char *name, struct obj **out,
	struct bstat *st, bool *from_base);

/** stack_getxattr, stack_listxattr: as the system calls; size 0 asks for the size. */
ssize_t stack_getxattr(
	struct tree *t, const struct stack *s, const char *name, void *buf, size_t size);
ssize_t stack_listxattr(struct tree *t, const struct stack *s, char *buf, size_t size);

/** stack_readlink(t, s, out): target as a new string. */
int stack_readlink(struct tree *t, const struct stack *s, char **out);

/** stack_attr(t, s, a): attributes. */
int stack_attr(struct tree *t, const struct stack *s, struct attr *a);

/** stack_list(t, s, f, arg): f(arg, name, obj or NULL (a base entry), type, ino) for
 * every entry, each once. */
int stack_list(struct tree *t, const struct stack *s,
	int (*f)(void *arg, const char *name, struct obj *o, uint8_t type, uint64_t ino),
	void *arg);

/* ---- nodes
 * ------------------------------------------------------------------------------------ */

/** node_by_id(t, id): the node the kernel means; valid as long as the request. NULL. */
struct node *node_by_id(struct tree *t, uint64_t id);

/** node_of(v, o, parent, name): @v's node of @o, made if needed, seen at @parent/@name
 * (NULL: unknown). A reference, put by node_put. NULL: no memory. */
struct node *node_of(
	struct view *v, struct obj *o, struct node *parent, const char *name);

/** node_find(v, o): as node_of, but only an existing one. A reference or NULL. */
struct node *node_find(struct view *v, struct obj *o);
struct node *node_get(struct node *n);
void node_put(struct node *n);

/** node_lookup(n): count one lookup by the kernel; node_forget takes them back, at any
 * time, without the gate. node_known(n): whether any are left now. */
void node_lookup(struct node *n);
bool node_known(struct node *n);
void node_forget(struct tree *t, uint64_t id, uint64_t nlookup);

/** node_retire(n): answer ESTALE for this id from now on; the view makes a new node. */
void node_retire(struct node *n);

/** node_unseen(n, parent, name): it is not there any more, if that is where it was last
 * seen. */
void node_unseen(struct node *n, struct node *parent, const char *name);

/** node_path(n, out): path in its view, "" for its root. -ENOENT: has none. */
int node_path(struct node *n, char **out);

/** node_ino(n): the st_ino that stat shows. */
uint64_t node_ino(const struct node *n);
uint64_t view_ino(const struct view *v, uint64_t st_ino);

/* ---- requests (shared gate held by the caller; take node locks themselves)
 * ------------------- */

struct cred {
	uint32_t uid, gid, umask;
};

/** tree_lookup: node with a reference (not a lookup count). */
int tree_lookup(struct node *dir, const char *name, struct node **out, struct attr *a);
int tree_getattr(struct node *n, struct attr *a);

struct setattr {
	bool mode, uid, gid, size, atime, mtime, ctime, atime_now, mtime_now, kill_suid;
	struct attr to;
};
int tree_setattr(struct node *n, const struct setattr *s, struct attr *a);

/** tree_make: any type by @mode; @target for a symlink. */
int tree_make(struct node *dir, const char *name, uint32_t mode, uint64_t rdev,
	const char *target, const struct cred *c, struct node **out, struct attr *a);
int tree_unlink(struct node *dir, const char *name, bool is_dir);
int tree_rename(struct node *dir, const char *name, struct node *to, const char *to_name,
	unsigned int flags);
int tree_link(struct node *n, struct node *dir, const char *name, struct attr *a);
int tree_readlink(struct node *n, char **out);

int tree_read(struct node *n, void *buf, uint64_t off, size_t size); /* bytes or -errno */
int tree_write(
	struct node *n, const void *buf, uint64_t off, size_t size, bool kill_suid);
int tree_fallocate(struct node *n, int mode, uint64_t off, uint64_t len);
int64_t tree_seek(struct node *n, int64_t off, int whence);

ssize_t tree_getxattr(struct node *n, const char *name, void *buf, size_t size);
ssize_t tree_listxattr(struct node *n, char *buf, size_t size);
int tree_setxattr(
	struct node *n, const char *name, const void *v, size_t size, int flags);
int tree_removexattr(struct node *n, const char *name);

/** tree_readdir(n, cookie, f, arg): f(arg, name, ino, type, next cookie) from @cookie on
 * (0: the beginning; . and .. come first) until it answers non-zero (not an error). */
int tree_readdir(struct node *n, uint64_t cookie,
	int (*f)(void *arg, const char *name, uint64_t ino, uint8_t type, uint64_t next),
	void *arg);
void tree_list_stale(struct node *n);

int tree_statfs(struct tree *t, struct statvfs *out);

#endif
