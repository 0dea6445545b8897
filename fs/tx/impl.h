/*
 * impl.h: what the files of fs/tx share.
 */
#ifndef FS_TX_IMPL_H
#define FS_TX_IMPL_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/list.h"
#include "common/log.h"
#include "common/time.h"
#include "fs/tx/tx.h"

struct commit;
struct net;
struct foot;

/* A transaction that is open, suspended or behind; all others live in the store only. */
struct tx {
	struct list link;
	uint64_t id;
	enum txfs_state state;
	bool is_private, is_auto;
	char label[TXFS_LABEL_BYTES];
	uint8_t token_hash[16];
	uint64_t seq, snapshot;
	int64_t begun_ns;
	struct view *view;     /* open; suspended: made while it is looked at */
	struct commit *behind; /* state behind: what is still to be done */
	struct layer *own;     /* its lowest layer, while it has a view */
	char **conflict;       /* paths of the last failed commit */
	size_t conflicts;
};

/* Before-images of one commit, kept while an older snapshot is open. */
struct undo {
	struct list link;
	uint64_t seq;
	struct layer *layer;
	char **staged; /* names in the staging directory that go with it */
	size_t n;
};

struct txm {
	struct tree *t;
	struct txm_opts o;
	struct txm_hooks h;
	pthread_mutex_t lock; /* one boundary at a time; all below */
	struct list txs;
	struct list foots; /* of commits some open snapshot does not see, oldest first */
	struct list undos; /* oldest first */
	uint64_t stage_no;
	uint64_t boot;	/* which start of the machine this is, 0: unknown */
	bool recovered; /* what lies in the staging directory is ours */

	pthread_mutex_t bg_lock; /* leaf: the fields of the background thread */
	pthread_cond_t bg_wake;
	pthread_t bg, fence;
	_Atomic bool stop;
	bool bg_runs, fence_runs;
	struct done { /* layers whose checkpoint is done but not synced */
		uint64_t id, seq;
		bool synced; /* its rows wait for an older snapshot to end */
	} * done;
	size_t ndone, done_cap;
	struct view **dead; /* ended views whose unchanged files are still to be fenced */
	size_t ndead, dead_cap;

	struct change *page; /* rows of the last call of changes, for its next pages */
	size_t pages;
	uint64_t page_id;
	struct txfs_row_tx *txrow;
	size_t txrows;
};

/* --- net.c: what a transaction changed, all its layers together --- */

struct nobj {
	struct obj *o;
	struct delta *d, *bottom; /* newest and oldest delta */
	uint32_t parts;		  /* of all */
	bool is_new, gone, content, attrs;
	size_t added, removed; /* names */
	/* filled by the commit: */
	bool in_base;
	struct bstat st;  /* the base before */
	struct attr a;	  /* what the base is to have */
	size_t first_add; /* index in net->name, SIZE_MAX: none */
	char staged[48];  /* its new content in the staging directory */
	struct base_print staged_print;
	char taken[48]; /* itself, while or after it is moved out */
	char *old_path, *new_path;
	size_t first_new; /* index of its first name that the base lacks */
	bool swaps;	  /* there it replaces a file */
	size_t placed;	  /* index of the name its file is put at, SIZE_MAX: none */
	bool place_lost;  /* its known name goes, another link stays: new_path */
	bool settles;	  /* the checkpoint's end: the base has it */
	int64_t settled_ctime_ns;
	struct delta *image; /* before-image, or NULL */
};

struct nname {
	struct nobj *dir;
	const char *name;
	struct obj *now, *was; /* borrowed from the deltas */
	struct obj *base_now;  /* commit: what the base has there; borrowed */
};

struct net {
	struct tree *t;
	struct nobj **obj;
	size_t objs, obj_cap;
	struct nname *name;
	size_t names, name_cap;
	struct nobj **moved; /* plan: directories that leave their place */
	size_t nmoved;
	uint32_t *slot; /* hash table of index + 1, by directory and name */
	size_t slots;
};

/** net_new(t, top, out): of the layers from @top down. The deltas must not change while
 * it lives (frozen, or the gate held). txm->lock held. */
int net_new(struct tree *t, struct layer *top, struct net **out);
void net_free(struct net *n);
struct nobj *net_obj(struct net *n, struct obj *o); /* NULL: untouched */

/** net_path(n, o, out): path of @o as the transaction leaves it. net_name_path: of a
 * name. */
int net_path(struct net *n, struct obj *o, char **out);
int net_name_path(struct net *n, const struct nname *m, char **out);

struct change {
	enum txfs_change kind;
	uint32_t mode;
	uint64_t size;
	char *path, *to;
};
/** net_changes(n, out, count): rows as `txfs diff` shows them, sorted by path. */
int net_changes(struct net *n, struct change **out, size_t *count);
/** net_count(n, counts): how many of them are added, changed, deleted. */
int net_count(struct net *n, uint64_t counts[3]);
void changes_free(struct change *c, size_t count);

/* --- conflict.c --- */

/** foot_new(n, seq): what a commit touched, for later comparisons. NULL: memory. */
struct foot *foot_new(struct net *n, uint64_t seq);
/** foot_load(m, layer, seq): the same, from the rows of a committed layer. */
struct foot *foot_load(struct txm *m, uint64_t layer, uint64_t seq);
void foot_free(struct txm *m, struct foot *f);
uint64_t foot_seq(const struct foot *f);
struct list *foot_link(struct foot *f);
struct foot *foot_first(struct list *head);
/** foot_inval(m, f, v, i): what @v must forget to see this commit. Gate held. */
void foot_inval(struct txm *m, const struct foot *f, struct view *v, struct inval *i);

/** conflicts_find(m, tx, n): compare with later commits and with the base; fills the
 * transaction's list of paths and each object's base state. 0: none; -EBUSY. */
int conflicts_find(struct txm *m, struct tx *x, struct net *n);
int conflict_add(struct tx *x, char *path);
void conflicts_clear(struct tx *x);

/* --- stage.c, plan.c, checkpoint.c --- */

/** stage_all(m, n, v, layer): new content of all that @v shows of it; synced. On error
 * nothing is left behind. */
int stage_all(struct txm *m, struct net *n, struct view *v, uint64_t layer);
void stage_drop(struct txm *m, struct net *n);
/** stage_sweep(m): remove everything in the staging directory. */
void stage_sweep(struct txm *m);
int stage_remove(struct tree *t, const char *name);

enum step_op {
	STEP_TAKE = 1, /* path -> staging/path2 */
	STEP_PLACE,    /* staging/path2 -> path */
	STEP_LINK,     /* a new name path for the file at path2 */
	STEP_SWAP,     /* exchange staging/path2 with path */
	STEP_RELINK,   /* path becomes a link to path2 */
	STEP_ATTR,     /* attributes and xattrs of path */
	STEP_TIMES,    /* times of directory path */
	STEP_DONE,     /* all were done; ino: since which start of the machine */
};
#define STEP_MUST_BE_EMPTY 1u /* take: a directory, not if it has entries */
#define STEP_OWNED 2u	      /* attr: mode and owner too */

struct plan {
	const char *last_dir; /* whose times were planned last */
	struct rec_step *step;
	size_t n, cap;
	char **str; /* what the steps' strings and blobs are made of */
	size_t strs, str_cap;
};

/** links_find(t, ino, path, count): every name of base inode @ino in the workspace, by
 * one search. Caller frees each and the array, also on error. */
int links_find(struct tree *t, uint64_t ino, char ***path, size_t *count);

/** plan_make(m, n, layer, out): the steps, in order. */
int plan_make(struct txm *m, struct net *n, uint64_t layer, struct plan **out);
struct plan *plan_new(void);
/** plan_copy(p, s): append a step with copies of its strings. */
int plan_copy(struct plan *p, const struct rec_step *s);
void plan_free(struct plan *p);

struct outcome {
	size_t behind;	  /* steps that failed: the base is behind */
	size_t conflicts; /* steps left out because the base was neither before nor after
			   */
	char first[512];  /* "PATH: reason" of the first of them */
};
/** checkpoint_run(t, p, n, out): do the steps, from any point of them, again if need be.
 */
void checkpoint_run(
	struct tree *t, const struct rec_step *step, size_t n, struct outcome *out);

/* --- undo.c --- */

/** undo_make(m, n, seq, out): before-images of what @n will replace; not yet published.
 */
int undo_make(struct txm *m, struct net *n, uint64_t seq, struct undo **out);
/** undo_publish: under the exclusive gate. undo_free: also removes what it kept staged,
 * if it was published (then too under the gate). */
void undo_publish(struct txm *m, struct undo *u);
void undo_free(struct txm *m, struct undo *u, bool published);
/** undo_trim(m): drop what no open snapshot needs. Takes the gate. */
void undo_trim(struct txm *m);
/** undo_wanted(m, except): does an open transaction but @except need before-images? */
bool undo_wanted(struct txm *m, const struct tx *except);

/* --- commit.c --- */

/** commit_tx(m, x, io): commit @x (also the automatic group); lock held. */
int commit_tx(struct txm *m, struct tx *x, struct txfs_ioc_end *io);
/** commit_pending(m, io): the main view's automatic group, if there is one; lock held. */
int commit_pending(struct txm *m, struct txfs_ioc_end *io);
/** commit_behind(m, io): try again what the base does not show yet. */
int commit_behind(struct txm *m, struct txfs_ioc_end *io);
/** commit_leave(c): what is behind is left to the next mount; frees. */
void commit_leave(struct commit *c);

/* --- background.c --- */

/** bg_checkpointed(m, layer, seq): the base shows it; drop its payload after the next
 * sync. */
void bg_checkpointed(struct txm *m, uint64_t layer, uint64_t seq);
/** boot_now(): a number for this start of the machine, 0 where the system has none. */
uint64_t boot_now(void);
/** bg_fence(m, v): an ended view, its owner's reference taken over: make what the kernel
 * still holds of it answer ESTALE, then let it go. */
void bg_fence(struct txm *m, struct view *v);
int bg_start(struct txm *m);
void bg_stop(struct txm *m);
/** oldest_snapshot(m, suspended): of open (and suspended) transactions; UINT64_MAX: none.
 */
uint64_t oldest_snapshot(struct txm *m, bool suspended);

/* --- recover.c --- */

int recover_all(struct txm *m, char **msg);
/** recover_load(m, x): the layer of a suspended transaction as a view of its own. */
int recover_load(struct txm *m, struct tx *x);
void recover_unload(struct txm *m, struct tx *x);

/* --- inval.c --- */

void inval_add_entry(struct inval *i, uint64_t parent, const char *name);
void inval_add_inode(struct inval *i, uint64_t node);
void inval_send(struct txm *m, struct inval *i); /* and frees */

/* --- tx.c --- */

struct tx *tx_find(struct txm *m, uint64_t id);
struct tx *tx_main(struct txm *m);
void tx_drop(struct txm *m, struct tx *x);
/** tx_said(m): what was logged of an end survives this process from now on; a disk
 * without room for it is no failure (it is written later). */
int tx_said(struct txm *m);
struct tx *tx_new(struct txm *m, uint64_t id); /* in m->txs; NULL: memory */
/** tx_end_view(m, x, i): the view of a private transaction answers ESTALE from now on.
 * Gate held. tx_bury(m, x): free what it held; without the gate. No-op where there is
 * none. */
void tx_end_view(struct txm *m, struct tx *x, struct inval *i);
void tx_bury(struct txm *m, struct tx *x);
/** tx_main_latest(m, i): the main view shows every commit again. Gate held. */
void tx_main_latest(struct txm *m, struct inval *i);
/** tx_pop(m, v, i): drop the top layer, fence what it had changed. Gate held. */
void tx_pop(struct txm *m, struct view *v, struct inval *i);
int64_t wall_ns(void);
void tx_say(char msg[TXFS_MESSAGE_BYTES], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
