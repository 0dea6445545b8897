/*
 * test-tree.c: a view does what a plain directory does: the same changes are made to both
 * and everything compared. Then what only a view has: cookies, ids, ACLs in memory.
 */
#include "tests/unit/fs/world.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/cleanup.h"

/* P6: the last command's answer must be that of the plain directory. */
static const char *const answers[] = {
	"mkdir d; mkdir d",
	"put f 1; mkdir f",
	"put f 1; put f/x 1",
	"put none/x 1",
	"rm none",
	"rmdir none",
	"mkdir d; rm d",
	"put f 1; rmdir f",
	"mkdir d; put d/f 1; rmdir d",
	"mkdir d; put d/f 1; rm d/f; rmdir d",
	"mv none x",
	"put f 1; mkdir d; mv f d",
	"put f 1; mkdir d; mv d f",
	"mkdir d; mkdir e; put e/x 1; mv d e",
	"mkdir d; mkdir e; put d/x 1; mv d e",
	"put f 1; put g 2; mv f g",
	"put f 1; ln f g; mv f g",
	"put f 1; mv f f",
	"put f 1; xchg f none",
	"put f 1; mkdir d; put d/x 2; xchg f d",
	"mkdir d; mkdir e; put d/x 1; put e/y 1; xchg d e",
	"mkdir d; ln d e",
	"put f 1; put g 1; ln f g",
	"sym none l; ln l m",
	"sym a l; sym b l",
	"fifo p; fifo p",
	"fifo p; mv p q; sock p",
	"mkdir d; trunc d 0",
	"mkdir d; put d 1",
	"put f 1; setx f user.a 1; setx f user.a 2; rmx f user.a",
	"put f 1; rmx f user.a",
	"mkdir d; setx d user.a 1; rmx d user.a; rmx d user.a",
	"put f 1; setx f bogus.a 1",
	"put f 1; trunc f 100000; trunc f 3; trunc f 70000",
	"put f 1; chmod 4755 f; own 7 f",
	"put f 1; chmod 6755 f; own 7 f",
	"put f 1; chmod 2644 f; own 7 f",
	"mkdir d; chmod 2775 d; put d/f 1; mkdir d/e",
	"big f 300; at f 1000000 end; punch f 0 4096; punch f 5000 100000",
	"big f 300; trunc f 150000; trunc f 200000; at f 160000 x",
	"big f 40; trunc f 4097; trunc f 9000; at f 8999 xyz",
	"big f 300; put f short",
};
#define ANSWERS ((int)(sizeof(answers) / sizeof(*answers)))

/* Before the same work on top of it: in the base, so that the view copies up. */
static const char *const grounds[] = {
	"",
	"put x0 1; mkdir dd; put dd/x 1",
};

START_TEST(a_view_answers_as_a_plain_directory)
{
	auto_free char *want = NULL, *got = NULL, *base = NULL;
	const char *script = answers[_i / 2], *last = strrchr(script, ';');
	auto_free char *first =
		last ? strndup(script, (size_t)(last - script)) : strdup("");
	struct world w;
	struct trans x;
	char dir[300];
	int r;

	world_make(&w, grounds[_i % 2]);
	if (_i % 2) /* all but the last command in the base */
		script_ok(IN_DIR(w.base), first);
	snprintf(dir, sizeof(dir), "%s/plain", w.top);
	ck_assert_int_eq(mkdir(dir, 0755), 0);
	script_ok(IN_DIR(dir), grounds[_i % 2]);
	script_ok(IN_DIR(dir), first);
	world_open(&w);
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	if (!(_i % 2))
		script_ok(IN_VIEW(x.root), first);
	r = script_run(IN_DIR(dir), last ? last + 1 : script);
	ck_assert_int_eq(script_run(IN_VIEW(x.root), last ? last + 1 : script), r);
	want = dump(IN_DIR(dir), 0);
	got = dump(IN_VIEW(x.root), 0);
	dump_same(want, got);
	ck_assert_int_eq(trans_do(&w, &x, txm_commit, NULL), 0);
	base = dump(IN_DIR(w.base), 0);
	dump_same(want, base);
	world_close(&w);
}
END_TEST

/* --- at random
 * ------------------------------------------------------------------------------- */

static const char *const names[] = {
	"a", "b", "c", "d", "d/a", "d/b", "d/e", "d/e/a", "f", "f/a", "f/b"};
#define NAMES (sizeof(names) / sizeof(*names))

static const char *some_name(void)
{
	return names[(size_t)random() % NAMES];
}

static bool below(const char *a, const char *b)
{
	size_t n = strlen(a);

	return !strncmp(a, b, n) && (!b[n] || b[n] == '/');
}

static void random_command(char out[128])
{
	const char *a = some_name(), *b = some_name();
	long off = random() % 300000;

	while (below(a, b) || below(b, a)) /* the kernel catches these before us */
		b = some_name();
	switch (random() % 17) {
	case 0:
	case 1: snprintf(out, 128, "put %s text%ld", a, off); break;
	case 2: snprintf(out, 128, "mkdir %s", a); break;
	case 3: snprintf(out, 128, "rm %s", a); break;
	case 4: snprintf(out, 128, "rmdir %s", a); break;
	case 5:
	case 6:
	case 7: snprintf(out, 128, "mv %s %s", a, b); break;
	case 8: snprintf(out, 128, "xchg %s %s", a, b); break;
	case 9: snprintf(out, 128, "ln %s %s", a, b); break;
	case 10: snprintf(out, 128, "chmod %lo %s", 0600 + off % 0177, a); break;
	case 11: snprintf(out, 128, "big %s %ld", a, off / 1000); break;
	case 12:
	case 13: snprintf(out, 128, "at %s %ld written", a, off); break;
	case 14: snprintf(out, 128, "trunc %s %ld", a, off); break;
	case 15: snprintf(out, 128, "setx %s user.k%ld v%ld", a, off % 3, off); break;
	case 16: snprintf(out, 128, "fifo %s", a); break;
	}
}

/* Data commands on what is no regular file would wait or follow. */
static bool usable(const char *dir, const char *cmd)
{
	char name[64], path[400];
	struct stat st;

	if (sscanf(cmd, "%*s %63s", name) != 1)
		return true;
	snprintf(path, sizeof(path), "%.256s/%s", dir, name);
	if (strncmp(cmd, "put", 3) && strncmp(cmd, "big", 3) && strncmp(cmd, "at", 2) &&
		strncmp(cmd, "trunc", 5) && strncmp(cmd, "setx", 4))
		return true;
	return lstat(path, &st) < 0 || S_ISREG(st.st_mode);
}

struct both {
	struct world w;
	char dir[300];
};

static void both_make(struct both *b, unsigned int seed)
{
	world_make(&b->w, "");
	snprintf(b->dir, sizeof(b->dir), "%s/plain", b->w.top);
	ck_assert_int_eq(mkdir(b->dir, 0755), 0);
	world_open(&b->w);
	srandom(seed);
}

static void both_do(struct both *b, struct node *root, int n)
{
	char cmd[128];
	int want, got;

	for (int k = 0; k < n; k++) {
		random_command(cmd);
		if (!usable(b->dir, cmd))
			continue;
		want = script_run(IN_DIR(b->dir), cmd);
		got = script_run(IN_VIEW(root), cmd);
		ck_assert_msg(want == got, "'%s': %s, but %s", cmd, strerror(-want),
			strerror(-got));
	}
}

static void both_same(struct both *b, struct place_at p)
{
	auto_free char *want = dump(IN_DIR(b->dir), 0), *got = dump(p, 0);

	dump_same(want, got);
}

/* P2, P6: transaction after transaction, the base follows. */
START_TEST(random_work_has_the_same_result_as_on_a_plain_directory)
{
	struct both b;
	struct trans x;

	both_make(&b, (unsigned int)_i + 1);
	for (int k = 0; k < 8; k++) {
		trans_begin(&b.w, &x, k % 2 ? 0 : TXFS_BEGIN_PRIVATE);
		both_do(&b, x.root, 60);
		both_same(&b, IN_VIEW(x.root));
		ck_assert_int_eq(trans_do(&b.w, &x, txm_commit, NULL), 0);
		ck_assert_uint_eq(trans_io.behind, 0);
		both_same(&b, IN_DIR(b.w.base));
		both_same(&b, IN_VIEW(b.w.t->main->root));
		if (k % 3 == 2) {
			world_close(&b.w);
			world_open(&b.w);
			ck_assert_msg(!b.w.msg, "%s", b.w.msg);
			both_same(&b, IN_VIEW(b.w.t->main->root));
		}
	}
	world_close(&b.w);
}
END_TEST

/* P6: in autocommit too. */
START_TEST(random_work_outside_transactions_reaches_the_base)
{
	struct both b;

	both_make(&b, (unsigned int)_i + 1000);
	for (int k = 0; k < 10; k++) {
		both_do(&b, b.w.t->main->root, 25);
		ck_assert_int_eq(trans_do(&b.w, &(struct trans){0}, txm_sync, NULL), 0);
		both_same(&b, IN_DIR(b.w.base));
		both_same(&b, IN_VIEW(b.w.t->main->root));
	}
	world_close(&b.w);
}
END_TEST

/* P1: to the time, whatever was done, and after savepoints in it. */
START_TEST(random_work_that_is_aborted_leaves_nothing)
{
	struct both b;
	struct trans x;

	both_make(&b, (unsigned int)_i + 2000);
	both_do(&b, b.w.t->main->root, 100);
	trans_do(&b.w, &(struct trans){0}, txm_sync, NULL);
	for (int k = 0; k < 6; k++) {
		auto_free char *before = dump(IN_DIR(b.w.base), DUMP_TIMES);
		auto_free char *base = NULL, *view = NULL;
		char cmd[128];

		trans_begin(&b.w, &x, k % 2 ? 0 : TXFS_BEGIN_PRIVATE);
		for (int i = 0; i < 80; i++) {
			if (i % 30 == 10)
				trans_do(&b.w, &x, txm_savepoint, i == 10 ? "s" : "t");
			random_command(cmd);
			if (!strncmp(cmd, "fifo", 4))
				continue;
			script_run(IN_VIEW(x.root), cmd);
		}
		ck_assert_int_eq(trans_do(&b.w, &x, txm_abort, NULL), 0);
		base = dump(IN_DIR(b.w.base), DUMP_TIMES);
		view = dump(IN_VIEW(b.w.t->main->root), DUMP_TIMES);
		dump_same(before, base);
		dump_same(before, view);
	}
	world_close(&b.w);
}
END_TEST

/* --- directories
 * ------------------------------------------------------------------------------ */

struct seen {
	char name[600][16];
	uint64_t next;
	int n, stop;
};

static int see(void *arg, const char *name, uint64_t ino, uint8_t type, uint64_t next)
{
	struct seen *s = arg;

	if (s->n == s->stop)
		return 1;
	snprintf(s->name[s->n++], 16, "%.15s", name);
	s->next = next;
	return 0;
}

static int list_from(struct world *w, struct node *dir, struct seen *s, uint64_t from)
{
	int r;

	pthread_rwlock_rdlock(&w->t->gate);
	r = tree_readdir(dir, from, see, s);
	pthread_rwlock_unlock(&w->t->gate);
	return r;
}

/* P6: what stays is seen once, whatever comes and goes while it is read; half of the
 * names are the base's. */
START_TEST(a_directory_is_read_stably_while_it_changes)
{
	struct seen *s = calloc(1, sizeof(*s));
	char cmd[64];
	struct world w;
	struct trans x;
	int kept[400] = {0};

	world_make(&w, "mkdir d");
	for (int i = 0; i < 400; i += 2) {
		snprintf(cmd, sizeof(cmd), "put d/%d x", i);
		script_ok(IN_DIR(w.base), cmd);
	}
	world_open(&w);
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	for (int i = 1; i < 400; i += 2) {
		snprintf(cmd, sizeof(cmd), "put d/%d x", i);
		script_ok(IN_VIEW(x.root), cmd);
	}
	struct node *d = node_at(x.root, "d");

	for (int i = 0; i < 200; i++) {
		s->stop = s->n + 2;
		ck_assert_int_eq(list_from(&w, d, s, s->next), 0);
		if (s->n < s->stop)
			break;
		snprintf(cmd, sizeof(cmd), "put d/new%d x", i);
		script_ok(IN_VIEW(x.root), cmd);
		snprintf(cmd, sizeof(cmd), "rm d/%d", i * 2 % 400);
		if (i * 2 % 10 == 0) /* multiples of ten go */
			script_run(IN_VIEW(x.root), cmd);
		if (i == 50)
			tree_list_stale(d);
	}
	for (int i = 0; i < s->n; i++)
		if (s->name[i][0] != '.' && s->name[i][0] != 'n')
			kept[atoi(s->name[i])]++;
	for (int i = 0; i < 400; i++)
		ck_assert_msg(i % 10 ? kept[i] == 1 : kept[i] <= 1, "%d: %d", i, kept[i]);
	ck_assert_str_eq(s->name[0], ".");
	ck_assert_str_eq(s->name[1], "..");
	node_put(d);
	free(s);
	world_close(&w);
}
END_TEST

/* P6: through renames, copying up, commit and remount. */
START_TEST(a_file_keeps_the_number_it_was_first_seen_with)
{
	struct world w;
	struct trans x;
	struct node *n;
	uint64_t base, made;
	struct stat st;
	char path[400];

	world_make(&w, "put f 1");
	world_open(&w);
	snprintf(path, sizeof(path), "%s/f", w.base);
	stat(path, &st);
	n = node_at(w.t->main->root, "f");
	base = node_ino(n);
	ck_assert_uint_eq(base, st.st_ino);
	node_put(n);
	script_ok(IN_VIEW(w.t->main->root), "put new 1; put f 2; mv f g; mkdir d");
	n = node_at(w.t->main->root, "new");
	made = node_ino(n);
	node_put(n);
	for (int k = 0; k < 2; k++) {
		ck_assert_int_eq(trans_do(&w, &(struct trans){0}, txm_sync, NULL), 0);
		n = node_at(w.t->main->root, "g");
		ck_assert_uint_eq(node_ino(n), base);
		node_put(n);
		n = node_at(w.t->main->root, "new");
		ck_assert_uint_eq(node_ino(n), made);
		node_put(n);
		world_close(&w);
		world_open(&w);
		script_ok(IN_VIEW(w.t->main->root), "at g 0 3; at new 0 3");
	}
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	n = node_at(x.root, "g");
	ck_assert_uint_eq(node_ino(n) & 0xffffffff, base & 0xffffffff);
	ck_assert_uint_ne(node_ino(n), base); /* two versions are two files */
	node_put(n);
	world_close(&w);
}
END_TEST

/* --- ACLs and capabilities
 * ------------------------------------------------------------------------ */

static int set_bytes(
	struct world *w, struct node *n, const char *name, const void *v, size_t size)
{
	int r;

	pthread_rwlock_rdlock(&w->t->gate);
	r = tree_setxattr(n, name, v, size, 0);
	pthread_rwlock_unlock(&w->t->gate);
	return r;
}

static ssize_t get_bytes(
	struct world *w, struct node *n, const char *name, void *v, size_t size)
{
	ssize_t r;

	pthread_rwlock_rdlock(&w->t->gate);
	r = tree_getxattr(n, name, v, size);
	pthread_rwlock_unlock(&w->t->gate);
	return r;
}

static uint32_t mode_of(struct world *w, struct node *n)
{
	struct attr a;

	pthread_rwlock_rdlock(&w->t->gate);
	ck_assert_int_eq(tree_getattr(n, &a), 0);
	pthread_rwlock_unlock(&w->t->gate);
	return a.mode & 07777;
}

struct acl5 {
	uint32_t version;
	struct {
		uint16_t tag, perm;
		uint32_t id;
	} e[5];
};

/* user rwx, user 5 rw, group r, mask rw, other - */
static const struct acl5 an_acl = {2, {{1, 7, UINT32_MAX}, {2, 6, 5}, {4, 4, UINT32_MAX},
					      {16, 6, UINT32_MAX}, {32, 0, UINT32_MAX}}};

/* P6 */
START_TEST(an_access_acl_shows_in_the_mode_and_follows_chmod)
{
	struct acl5 got;
	struct world w;
	struct node *n;

	world_make(&w, "put f 1");
	world_open(&w);
	n = node_at(w.t->main->root, "f");
	ck_assert_int_eq(
		set_bytes(&w, n, "system.posix_acl_access", &an_acl, sizeof(an_acl)), 0);
	ck_assert_uint_eq(mode_of(&w, n), 0760);
	script_ok(IN_VIEW(w.t->main->root), "chmod 614 f");
	ck_assert_int_eq(
		get_bytes(&w, n, "system.posix_acl_access", &got, sizeof(got)), 44);
	ck_assert_uint_eq(got.e[0].perm, 6);
	ck_assert_uint_eq(got.e[2].perm, 4); /* the group's own stays; the mask moves */
	ck_assert_uint_eq(got.e[3].perm, 1);
	ck_assert_uint_eq(got.e[4].perm, 4);
	ck_assert_int_eq(set_bytes(&w, n, "system.posix_acl_access", "x", 1), -EINVAL);
	node_put(n);
	world_close(&w);
}
END_TEST

/* P6: default ACLs are inherited, in place of the umask, and reach the base. */
START_TEST(a_default_acl_is_inherited)
{
	static const char *const acls[] = {
		"system.posix_acl_access", "system.posix_acl_default"};
	auto_free char *want = NULL, *got = NULL;
	struct world w;
	struct node *d, *n;
	struct acl5 acl;

	world_make(&w, "mkdir d");
	world_open(&w);
	d = node_at(w.t->main->root, "d");
	ck_assert_int_eq(set_bytes(&w, d, acls[1], &an_acl, sizeof(an_acl)), 0);
	ck_assert_uint_eq(mode_of(&w, d), 0755);
	script_ok(IN_VIEW(w.t->main->root), "put d/f 1; mkdir d/e; sym x d/l");
	n = node_at(w.t->main->root, "d/f");
	ck_assert_uint_eq(mode_of(&w, n), 0640); /* 0644 cut by the ACL */
	ck_assert_int_eq(get_bytes(&w, n, acls[0], &acl, sizeof(acl)), 44);
	ck_assert_int_eq(get_bytes(&w, n, acls[1], &acl, sizeof(acl)), -ENODATA);
	node_put(n);
	n = node_at(w.t->main->root, "d/e");
	ck_assert_uint_eq(mode_of(&w, n), 0740);
	ck_assert_int_eq(get_bytes(&w, n, acls[1], &acl, sizeof(acl)), 44);
	ck_assert_mem_eq(&acl, &an_acl, sizeof(acl));
	node_put(n);
	n = node_at(w.t->main->root, "d/l");
	ck_assert_int_eq(get_bytes(&w, n, acls[0], &acl, sizeof(acl)), -ENODATA);
	node_put(n);
	node_put(d);
	want = dump(IN_VIEW(w.t->main->root), DUMP_TIMES);
	ck_assert_int_eq(trans_do(&w, &(struct trans){0}, txm_sync, NULL), 0);
	got = dump(IN_DIR(w.base), DUMP_TIMES);
	dump_same(want, got);
	world_close(&w);
}
END_TEST

/* P6: what takes a file's capabilities away. */
static const char *const killers[] = {
	"at f 0 x", "trunc f 0", "trunc f 1", "own 5 f", "big f 100"};

START_TEST(capabilities_go_with_content_and_owner)
{
	struct world w;
	struct node *n;
	char v[32];

	world_make(&w, "put f 123");
	world_open(&w);
	if (_i % 2) /* written before in the same transaction */
		script_ok(IN_VIEW(w.t->main->root), "at f 0 y");
	n = node_at(w.t->main->root, "f");
	ck_assert_int_eq(
		set_bytes(&w, n, "security.capability", "12345678901234567890", 20), 0);
	script_ok(IN_VIEW(w.t->main->root), killers[_i / 2]);
	ck_assert_int_eq(get_bytes(&w, n, "security.capability", v, sizeof(v)), -ENODATA);
	node_put(n);
	world_close(&w);
}
END_TEST

/* P6: names of every length and byte. */
START_TEST(names_have_255_bytes_of_any_kind)
{
	auto_free char *want = NULL, *got = NULL;
	char name[300], cmd[320];
	struct world w;

	world_make(&w, "");
	world_open(&w);
	for (int c = 1; c < 256; c += 50) {
		memset(name, c == '/' || c == ' ' || c == ';' ? 'x' : c, 255);
		name[255] = 0;
		snprintf(cmd, sizeof(cmd), "put %s %d", name, c);
		script_ok(IN_VIEW(w.t->main->root), cmd);
	}
	memset(name, 'n', 256);
	name[256] = 0;
	struct node *root = w.t->main->root, *n;
	struct attr a;

	pthread_rwlock_rdlock(&w.t->gate);
	ck_assert_int_eq(tree_lookup(root, name, &n, &a), -ENAMETOOLONG);
	ck_assert_int_eq(tree_make(root, ".txfs", S_IFREG, 0, NULL,
				 &(struct cred){0, 0, 0}, &n, &a),
		-EPERM);
	pthread_rwlock_unlock(&w.t->gate);
	want = dump(IN_VIEW(root), DUMP_TIMES);
	ck_assert_int_eq(trans_do(&w, &(struct trans){0}, txm_sync, NULL), 0);
	got = dump(IN_DIR(w.base), DUMP_TIMES);
	dump_same(want, got);
	world_close(&w);
}
END_TEST

/* --- locks
 * ------------------------------------------------------------------------------------ */

static const char *const lockers[] = {
	"rm d/x", "rmdir d/e", "mv d/x y", "mv y d/x", "xchg d/x y", "mv d/x d/e/x"};
#define LOCKERS ((int)(sizeof(lockers) / sizeof(*lockers)))

struct locker {
	struct world *w;
	const char *cmd;
	_Atomic bool runs;
};

static void *lock_several(void *arg)
{
	struct locker *l = arg;

	l->runs = true;
	script_ok(IN_VIEW(l->w->t->main->root), l->cmd);
	return NULL;
}

/* Free at some moment soon: nobody holds it who waits for something else. */
static bool is_free(struct node *n)
{
	int r = EBUSY;

	for (int i = 0; i < 200 && r; i++) {
		usleep(5000);
		r = pthread_rwlock_trywrlock(&n->lock);
	}
	if (!r)
		pthread_rwlock_unlock(&n->lock);
	return !r;
}

/* The order of two directories may change in the base at any time, so an order of locks
 * by it is none. */
START_TEST(who_waits_for_a_child_holds_no_directory)
{
	struct world w;
	struct locker l = {&w, lockers[_i], false};
	bool is_rmdir = !strncmp(lockers[_i], "rmdir", 5);
	pthread_t t;

	world_make(&w, "mkdir d; mkdir d/e; put d/x 1; put y 2");
	world_open(&w);
	struct node *d = node_at(w.t->main->root, "d"),
		    *n = node_at(w.t->main->root, is_rmdir ? "d/e" : "d/x");

	pthread_rwlock_wrlock(&n->lock);
	ck_assert_int_eq(pthread_create(&t, NULL, lock_several, &l), 0);
	while (!l.runs)
		usleep(1000);
	usleep(50000);
	ck_assert(is_free(d));
	pthread_rwlock_unlock(&n->lock);
	pthread_join(t, NULL);
	node_put(d);
	node_put(n);
	world_close(&w);
}
END_TEST

static int see_free(
	void *arg, const char *name, uint64_t ino, uint8_t type, uint64_t next)
{
	struct node *n = arg;

	if (*name != '.')
		ck_assert(is_free(n));
	return 0;
}

START_TEST(a_listing_is_told_without_the_directory_s_lock)
{
	struct world w;

	world_make(&w, "mkdir d; put d/x 1; put d/y 2");
	world_open(&w);
	struct node *d = node_at(w.t->main->root, "d");

	pthread_rwlock_rdlock(&w.t->gate);
	ck_assert_int_eq(tree_readdir(d, 0, see_free, d), 0);
	pthread_rwlock_unlock(&w.t->gate);
	node_put(d);
	world_close(&w);
}
END_TEST

Suite *suite_tree(void)
{
	Suite *s = suite_create("tree");
	TCase *t = tcase_create("tree");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, a_view_answers_as_a_plain_directory, 0, 2 * ANSWERS);
	tcase_add_loop_test(
		t, random_work_has_the_same_result_as_on_a_plain_directory, 0, 20);
	tcase_add_loop_test(t, random_work_outside_transactions_reaches_the_base, 0, 8);
	tcase_add_loop_test(t, random_work_that_is_aborted_leaves_nothing, 0, 8);
	tcase_add_test(t, a_directory_is_read_stably_while_it_changes);
	tcase_add_test(t, a_file_keeps_the_number_it_was_first_seen_with);
	tcase_add_test(t, an_access_acl_shows_in_the_mode_and_follows_chmod);
	tcase_add_test(t, a_default_acl_is_inherited);
	tcase_add_loop_test(t, capabilities_go_with_content_and_owner, 0,
		2 * (int)(sizeof(killers) / sizeof(*killers)));
	tcase_add_test(t, names_have_255_bytes_of_any_kind);
	tcase_add_loop_test(t, who_waits_for_a_child_holds_no_directory, 0, LOCKERS);
	tcase_add_test(t, a_listing_is_told_without_the_directory_s_lock);
	suite_add_tcase(s, t);
	return s;
}
