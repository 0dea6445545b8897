/*
 * world.h: a base directory, a store and everything below fs/fuse over them, without a
 * mount; small scripts that change a view or a real directory in the same words; and
 * dumps of both that can be compared.
 */
#ifndef TESTS_UNIT_FS_WORLD_H
#define TESTS_UNIT_FS_WORLD_H

#include <stdbool.h>
#include <stdint.h>
#include "fs/tx/tx.h"
#include "tests/unit/fs/suites.h"

struct world {
	char top[256], base[280], dir[280]; /* dir: of the store */
	struct store *store;
	struct tree *t;
	struct txm *m;
	char *msg; /* what recovery said, or NULL */
};

/** world_make(w, script): scratch directories; the base filled by @script (may be ""). */
void world_make(struct world *w, const char *script);
/** world_open(w): store, tree and manager; no background thread. */
void world_open(struct world *w);
void world_close(struct world *w);

/* A private transaction, or the main view's. */
struct trans {
	uint64_t id;
	uint8_t token[TXFS_TOKEN_BYTES];
	struct node *root; /* borrowed from the view */
};
/** trans_begin(w, t, flags): flags of the ioctl. */
void trans_begin(struct world *w, struct trans *t, unsigned int flags);
typedef void (*trans_verb)(struct txm *, struct txfs_ioc_end *);
/** trans_do(w, t, verb, name): 0 or -errno of the call; *io (static) holds the answer. */
int trans_do(struct world *w, const struct trans *t, trans_verb verb, const char *name);
extern struct txfs_ioc_end trans_io;

/* Where a script runs: a view (root) or a real directory (dir). */
struct place_at {
	struct node *root;
	const char *dir;
};
#define IN_VIEW(r) ((struct place_at){.root = (r)})
#define IN_DIR(d) ((struct place_at){.dir = (d)})

/** script_run(p, text): commands separated by `;`; the first failure ends it: -errno.
 *	mkdir P · put P TEXT · big P KIB · at P OFF TEXT · trunc P SIZE · punch P OFF LEN
 *	chmod MODE P · own UID P · mtime P SECONDS · setx P NAME VALUE · rmx P NAME
 *	mv A B · xchg A B · ln A B · sym TARGET P · fifo P · sock P · rm P · rmdir P
 */
int script_run(struct place_at p, const char *text);
/** script_ok: as script_run, and must succeed. */
void script_ok(struct place_at p, const char *text);

#define DUMP_TIMES 1u /* mtimes too */
/** dump(p, flags): every entry with type, mode, owner, links, size, content, xattrs, link
 * groups, one a line, sorted. Caller frees. In a view the numbers of readdir are checked
 * against those of lookups. */
char *dump(struct place_at p, unsigned int flags);
/** dump_same(p, q, flags) fails the test with the first line that differs. */
void dump_same(const char *want, const char *got);

/** node_at(root, path): looked up; a reference, or NULL with errno. */
struct node *node_at(struct node *root, const char *path);
/** content_of(root, path, n): whole content, caller frees; -errno in *n where negative.
 */
char *content_of(struct node *root, const char *path, long *n);

/* The n-th system call that changes a file fails or ends the process (see world.c). */
enum fault_how { FAULT_EXIT = -1 }; /* else an errno */
/** fault_after(n, how): let n calls pass. Negative n: never. */
void fault_after(long n, int how);
bool fault_hit(void);
#define FAULT_STATUS 77

/** remove_tree(path): with everything below it. */
void remove_tree(const char *path);

#endif
