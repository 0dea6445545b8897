/*
 * test-recover.c: the process dies, without a word, at one point or another; what the
 * next one finds is committed or suspended, never half, and can be gone on with.
 */
#include "tests/unit/fs/world.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/cleanup.h"

/* What the dead process leaves in memory for the living one. */
struct left {
	struct trans x, y;
	char view[8192], base[8192];
};
static struct left *left;

static void setup(void)
{
	left = mmap(NULL, sizeof(*left), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(left, MAP_FAILED);
}

/* Do @f in a process that ends in the middle of its life, then open the world here. */
static void die_and_reopen(struct world *w, void (*f)(struct world *w))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		world_open(w);
		f(w);
		_exit(FAULT_STATUS);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(WIFEXITED(status) ? WEXITSTATUS(status) : -1, FAULT_STATUS);
	world_open(w);
}

static void keep_view(struct node *root)
{
	auto_free char *s = dump(IN_VIEW(root), DUMP_TIMES);

	snprintf(left->view, sizeof(left->view), "%s", s);
}

static uint64_t suspended(struct world *w)
{
	struct txfs_ioc_status *st = calloc(1, sizeof(*st));
	uint64_t n;

	txm_status(w->m, st);
	n = st->suspended;
	free(st);
	return n;
}

#define WORK                                                               \
	"put a 2; mkdir d; put d/f 1; mv b d/b; big c 300; rm g; ln a h; " \
	"setx a user.k v; at e 100000 mark; sym x l; chmod 600 d; trunc i 3"
#define GROUND                                                                           \
	"put a 1; put b 1; put g 1; big e 200; put i 12345; mkdir k; put k/f 1; ln k/f " \
	"k/g"

static void begin_only(struct world *w)
{
	trans_begin(w, &left->x, TXFS_BEGIN_PRIVATE);
}

/* P2 */
START_TEST(a_transaction_just_begun_is_suspended)
{
	struct world w;

	world_make(&w, GROUND);
	die_and_reopen(&w, begin_only);
	ck_assert_uint_le(suspended(&w), 1);
	trans_begin(&w, &left->y, TXFS_BEGIN_PRIVATE);
	ck_assert_uint_ne(left->y.id, left->x.id); /* ids come once */
	world_close(&w);
}
END_TEST

static void work_and_flush(struct world *w)
{
	trans_begin(w, &left->x, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(left->x.root), WORK);
	trans_do(w, &left->x, txm_savepoint, "s");
	script_ok(
		IN_VIEW(left->x.root), "put a 3; rm d/f; put d/new 1; mv k kk; rm kk/g");
	keep_view(left->x.root);
	ck_assert_int_eq(store_flush(w->store, STORE_WRITTEN), 0);
}

static void work_in_main(struct world *w)
{
	trans_begin(w, &left->x, 0);
	script_ok(IN_VIEW(left->x.root), WORK);
	keep_view(left->x.root);
	ck_assert_int_eq(store_flush(w->store, STORE_WRITTEN), 0);
}

/* P2: suspended work is there, and commits as it was, also after a further remount. */
START_TEST(suspended_work_can_be_committed)
{
	auto_free char *before = NULL, *main = NULL, *base = NULL;
	struct world w;

	world_make(&w, GROUND);
	before = dump(IN_DIR(w.base), DUMP_TIMES);
	die_and_reopen(&w, _i % 2 ? work_in_main : work_and_flush);
	ck_assert_uint_eq(suspended(&w), 1);
	main = dump(IN_VIEW(w.t->main->root), DUMP_TIMES);
	dump_same(before, main);
	if (_i / 2) {
		world_close(&w);
		world_open(&w);
	}
	ck_assert_msg(!trans_do(&w, &left->x, txm_commit, NULL), "%s", trans_io.message);
	base = dump(IN_DIR(w.base), DUMP_TIMES);
	dump_same(left->view, base);
	ck_assert_uint_eq(suspended(&w), 0);
	world_close(&w);
}
END_TEST

/* P1, P9 */
START_TEST(suspended_work_can_be_aborted)
{
	auto_free char *before = NULL, *base = NULL, *main = NULL;
	struct trans thief = {0};
	struct world w;

	world_make(&w, GROUND);
	before = dump(IN_DIR(w.base), DUMP_TIMES);
	die_and_reopen(&w, _i ? work_in_main : work_and_flush);
	thief.id = left->x.id;
	ck_assert_int_eq(trans_do(&w, &thief, txm_abort, NULL), -EPERM);
	ck_assert_int_eq(trans_do(&w, &left->x, txm_abort, NULL), 0);
	base = dump(IN_DIR(w.base), DUMP_TIMES);
	dump_same(before, base);
	main = dump(IN_VIEW(w.t->main->root), DUMP_TIMES);
	dump_same(before, main);
	world_close(&w);
	world_open(&w);
	ck_assert_uint_eq(suspended(&w), 0);
	ck_assert_int_eq(trans_do(&w, &left->x, txm_commit, NULL), -ENOENT);
	world_close(&w);
}
END_TEST

/* P2: not the transaction's: what autocommit had not committed is suspended, not lost. */
static void work_outside(struct world *w)
{
	script_ok(IN_VIEW(w->t->main->root), WORK);
	ck_assert_int_eq(store_flush(w->store, STORE_WRITTEN), 0);
}

START_TEST(a_group_that_was_not_committed_is_suspended)
{
	auto_free char *before = NULL, *main = NULL;
	struct world w;

	world_make(&w, GROUND);
	before = dump(IN_DIR(w.base), DUMP_TIMES);
	die_and_reopen(&w, work_outside);
	main = dump(IN_VIEW(w.t->main->root), DUMP_TIMES);
	dump_same(before, main);
	ck_assert_uint_eq(suspended(&w), 1);
	world_close(&w);
}
END_TEST

/* P3, P5: conflicts of suspended work: with the base, changed while nobody served it;
 * with a commit before the death; with one after it. */
static void commit_other(struct world *w)
{
	trans_begin(w, &left->y, TXFS_BEGIN_PRIVATE);
	work_and_flush(w);
	script_ok(IN_VIEW(left->y.root), "put a 9");
	ck_assert_int_eq(trans_do(w, &left->y, txm_commit, NULL), 0);
}

START_TEST(suspended_work_collides_as_open_work_does)
{
	auto_free char *base = NULL, *after = NULL;
	struct world w;
	struct trans z;

	world_make(&w, GROUND);
	die_and_reopen(&w, _i == 1 ? commit_other : work_and_flush);
	if (_i == 0)
		script_ok(IN_DIR(w.base), "put a theirs");
	if (_i == 2) {
		trans_begin(&w, &z, TXFS_BEGIN_PRIVATE);
		script_ok(IN_VIEW(z.root), "put a 9");
		ck_assert_int_eq(trans_do(&w, &z, txm_commit, NULL), 0);
		world_close(&w);
		world_open(&w);
	}
	base = dump(IN_DIR(w.base), DUMP_TIMES);
	ck_assert_int_eq(trans_do(&w, &left->x, txm_commit, NULL), -EBUSY);
	ck_assert_msg(strstr(trans_io.message, "'a'"), "%s", trans_io.message);
	after = dump(IN_DIR(w.base), DUMP_TIMES);
	dump_same(base, after);
	ck_assert_uint_eq(suspended(&w), 1);
	world_close(&w);
}
END_TEST

/* P2: commits one upon the other, and then the death: all are there, and nobody is told
 * of a base that is behind. */
static void commit_twice(struct world *w)
{
	static const char *const acts[] = {"put a 2; put n 1; mkdir d; mv b d/b",
		"put a 3; rm n; mv d/b bb; rmdir d", "put a 4; mv a aa; put a 5"};

	for (int i = 0; i < 3; i++) {
		trans_begin(w, &left->x, TXFS_BEGIN_PRIVATE);
		script_ok(IN_VIEW(left->x.root), acts[i]);
		ck_assert_int_eq(trans_do(w, &left->x, txm_commit, NULL), 0);
	}
	keep_view(w->t->main->root);
}

START_TEST(commits_replayed_together_give_the_last_state)
{
	auto_free char *base = NULL, *main = NULL;
	struct world w;

	world_make(&w, GROUND);
	die_and_reopen(&w, commit_twice);
	base = dump(IN_DIR(w.base), DUMP_TIMES);
	dump_same(left->view, base);
	main = dump(IN_VIEW(w.t->main->root), DUMP_TIMES);
	dump_same(left->view, main);
	ck_assert_msg(!w.msg, "%s", w.msg);
	world_close(&w);
}
END_TEST

Suite *suite_recover(void)
{
	Suite *s = suite_create("recover");
	TCase *t = tcase_create("recover");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_transaction_just_begun_is_suspended);
	tcase_add_loop_test(t, suspended_work_can_be_committed, 0, 4);
	tcase_add_loop_test(t, suspended_work_can_be_aborted, 0, 2);
	tcase_add_test(t, a_group_that_was_not_committed_is_suspended);
	tcase_add_loop_test(t, suspended_work_collides_as_open_work_does, 0, 3);
	tcase_add_test(t, commits_replayed_together_give_the_last_state);
	suite_add_tcase(s, t);
	return s;
}
