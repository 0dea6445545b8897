/*
 * test-checkpoint.c: a commit reaches the base as a whole, wherever it is cut off.
 *
 * A child commits and is ended at its n-th system call that changes a file, for every n:
 * in the store, in staging, between two steps of the checkpoint. Then this process
 * recovers, which runs the steps from the beginning. The base must be as before or as
 * the view was, and the state of the transaction must say which.
 */
#include "tests/unit/fs/world.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/cleanup.h"

/* What is there before, and what the transaction does. */
static const struct plan_case {
	const char *before, *act;
} plans[] = {
	{"put a 1", "put a 2"},
	{"put a 1; put b 2", "xchg a b"},
	{"put a 1; put b 2; put c 3", "mv a t; mv c a; mv b c; mv t b"},
	{"put a 1; put b 2", "mv a b"},
	{"mkdir d; put d/f 1; mkdir e; put e/g 2", "xchg d e; put d/new 3"},
	{"mkdir d; mkdir d/s; put d/s/f 1", "mv d/s s; mv d s/d; put s/f 2"},
	{"mkdir d; put d/f 1; mkdir d/s; put d/s/g 2",
		"rm d/s/g; rmdir d/s; rm d/f; rmdir d"},
	{"put a 1; ln a b; mkdir d; ln a d/c", "put b 22; ln b e"},
	{"put a 1; ln a b; put x 9", "rm a; ln b c; mv x a"},
	{"put a 1; chmod 640 a; setx a user.k v; mkdir d",
		"chmod 400 a; own 5 d; setx a user.k w; setx d user.n 1; mtime d 77"},
	{"put a 1; mkdir d", "rm a; mkdir a; put a/x 1; rmdir d; put d 2"},
	{"put a 1; sym a l; fifo p", "rm l; sym b l; rm p; sock p; mtime a 5"},
	{"mkdir d; mkdir d/e; put d/e/f 1",
		"mkdir n; mv d/e n/e; put n/e/f 2; mv d n/e/d; chmod 700 n/e"},
	{"big a 300; put b x", "at a 200000 zz; trunc b 5000; punch a 4096 8192"},
};
#define PLANS ((int)(sizeof(plans) / sizeof(*plans)))

static void keep(const struct world *w, const char *name, const char *text)
{
	char path[400];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", w->top, name);
	f = fopen(path, "we");
	fputs(text, f);
	fclose(f);
}

static char *kept(const struct world *w, const char *name)
{
	char path[400], *out = NULL;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", w->top, name);
	f = fopen(path, "re");
	ck_assert_ptr_nonnull(f);
	if (getdelim(&out, &n, 0, f) < 0)
		out[0] = 0;
	fclose(f);
	return out;
}

/* In the child: work, tell what the view shows, commit with the fault armed. */
static void do_and_commit(struct world *w, const char *act, long n)
{
	struct trans x;
	char *want;

	world_open(w);
	trans_begin(w, &x, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(x.root), act);
	ck_assert_int_eq(store_flush(w->store, STORE_WRITTEN), 0);
	want = dump(IN_VIEW(x.root), DUMP_TIMES);
	keep(w, "after", want);
	free(want);
	fault_after(n, FAULT_EXIT);
	ck_assert_int_eq(trans_do(w, &x, txm_commit, NULL), 0);
	ck_assert_uint_eq(trans_io.behind, 0);
	fault_after(-1, 0);
	_exit(0); /* as a kill: nothing is closed */
}

/* What the log of the store says of the one transaction. */
static uint32_t state_of(struct world *w)
{
	static struct txfs_ioc_page io;
	const struct txfs_row_tx *row = (void *)io.rows;

	for (unsigned int flags = 0; flags <= TXFS_LIST_LOG; flags++) {
		io = (struct txfs_ioc_page){.version = TXFS_ABI, .flags = flags};
		txm_list(w->m, &io);
		ck_assert_int_eq(io.error, 0);
		if (io.count)
			return row->state;
	}
	return 0;
}

static void check_whole(struct world *w, const char *before, long n)
{
	auto_free char *after = kept(w, "after"), *got = NULL, *view = NULL;
	uint32_t state;

	world_open(w);
	ck_assert_msg(!w->msg, "n %ld: %s", n, w->msg);
	got = dump(IN_DIR(w->base), DUMP_TIMES);
	state = state_of(w);
	if (state == TXFS_COMMITTED) {
		if (strcmp(after, got))
			ck_abort_msg("n %ld: committed, wanted:\n%s--- got:\n%s", n,
				after, got);
	} else {
		ck_assert_uint_eq(state, TXFS_SUSPENDED);
		if (strcmp(before, got))
			ck_abort_msg("n %ld: not committed, wanted:\n%s--- got:\n%s", n,
				before, got);
	}
	view = dump(IN_VIEW(w->t->main->root), DUMP_TIMES);
	dump_same(got, view);
	world_close(w);
}

/* One world, cut off at call @n. False: the commit came to its end before. */
static bool cut_off(const struct plan_case *p, long n)
{
	auto_free char *before = NULL;
	struct world w;
	int status;
	pid_t pid;

	world_make(&w, p->before);
	before = dump(IN_DIR(w.base), DUMP_TIMES);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		do_and_commit(&w, p->act, n);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && (WEXITSTATUS(status) == FAULT_STATUS ||
						   WEXITSTATUS(status) == 0),
		"child: %x", (unsigned int)status);
	check_whole(&w, before, n);
	remove_tree(w.top);
	return WEXITSTATUS(status) == FAULT_STATUS;
}

/* P2 */
START_TEST(a_commit_that_is_killed_anywhere_is_whole_or_not_there)
{
	long n = 0;

	while (cut_off(&plans[_i], n))
		n++;
	ck_assert_int_gt(n, 10);
}
END_TEST

/* P2: after the last step too, the steps may run again; here with times and links. */
START_TEST(a_commit_equals_the_same_work_on_a_plain_directory)
{
	auto_free char *native = NULL, *got = NULL, *view = NULL, *shown = NULL;
	const struct plan_case *p = &plans[_i];
	struct world w;
	struct trans x;
	char dir[300];

	world_make(&w, p->before);
	snprintf(dir, sizeof(dir), "%s/plain", w.top);
	ck_assert_int_eq(mkdir(dir, 0755), 0);
	script_ok(IN_DIR(dir), p->before);
	script_ok(IN_DIR(dir), p->act);
	world_open(&w);
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(x.root), p->act);
	view = dump(IN_VIEW(x.root), 0);
	native = dump(IN_DIR(dir), 0);
	dump_same(native, view);
	free(view);
	view = dump(IN_VIEW(x.root), DUMP_TIMES);
	ck_assert_int_eq(trans_do(&w, &x, txm_commit, NULL), 0);
	got = dump(IN_DIR(w.base), DUMP_TIMES);
	dump_same(view, got);
	shown = dump(IN_VIEW(w.t->main->root), DUMP_TIMES);
	dump_same(view, shown);
	world_close(&w);
}
END_TEST

/* P1 */
START_TEST(an_abort_leaves_view_and_base_as_they_were)
{
	auto_free char *before = NULL, *got = NULL, *shown = NULL;
	const struct plan_case *p = &plans[_i % PLANS];
	struct world w;
	struct trans x;

	world_make(&w, p->before);
	before = dump(IN_DIR(w.base), DUMP_TIMES);
	world_open(&w);
	trans_begin(&w, &x, _i < PLANS ? TXFS_BEGIN_PRIVATE : 0);
	script_ok(IN_VIEW(x.root), p->act);
	ck_assert_int_eq(trans_do(&w, &x, txm_abort, NULL), 0);
	got = dump(IN_DIR(w.base), DUMP_TIMES);
	dump_same(before, got);
	shown = dump(IN_VIEW(w.t->main->root), DUMP_TIMES);
	dump_same(before, shown);
	world_close(&w);
	world_open(&w);
	free(shown);
	shown = dump(IN_VIEW(w.t->main->root), DUMP_TIMES);
	dump_same(before, shown);
	world_close(&w);
}
END_TEST

/* --- a call that fails
 * ------------------------------------------------------------------- */

/* In the child: the commit meets an error at its n-th call. */
static void commit_with_error(
	struct world *w, const char *act, const char *before, long n, int how)
{
	auto_free char *want = NULL, *plain = NULL, *got = NULL, *shown = NULL;
	struct trans x;
	int r;

	world_open(w);
	trans_begin(w, &x, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(x.root), act);
	ck_assert_int_eq(store_flush(w->store, STORE_WRITTEN), 0);
	want = dump(IN_VIEW(x.root), DUMP_TIMES);
	plain = dump(IN_VIEW(x.root), 0);
	keep(w, "after", want);
	fault_after(n, how);
	r = trans_do(w, &x, txm_commit, NULL);
	if (!fault_hit())
		_exit(r ? 1 : 0);
	fault_after(-1, 0);
	if (!r) { /* committed: the view shows it, also where the base does not */
		bool behind = trans_io.behind;

		shown = dump(IN_VIEW(w->t->main->root), behind ? 0 : DUMP_TIMES);
		dump_same(behind ? plain : want, shown);
		if (behind) {
			trans_do(w, &(struct trans){0}, txm_sync, NULL);
			ck_assert_int_eq(trans_io.error, 0);
			got = dump(IN_DIR(w->base), DUMP_TIMES);
			dump_same(want, got);
		}
		_exit(FAULT_STATUS);
	}
	got = dump(IN_DIR(w->base), DUMP_TIMES);
	dump_same(before, got);
	shown = dump(IN_VIEW(x.root), DUMP_TIMES);
	dump_same(want, shown);
	if (store_error(w->store) == 0) /* only the base failed: tried again it works */
		ck_assert_int_eq(trans_do(w, &x, txm_commit, NULL), 0);
	_exit(FAULT_STATUS);
}

/* P2: not committed and as it was, or committed; and the same after a kill. */
START_TEST(a_commit_that_meets_an_error_is_whole_or_not_there)
{
	const struct plan_case *p = &plans[_i];
	int status = FAULT_STATUS << 8;

	for (long n = 0; WEXITSTATUS(status) == FAULT_STATUS; n++) {
		auto_free char *before = NULL;
		struct world w;
		pid_t pid;

		world_make(&w, p->before);
		before = dump(IN_DIR(w.base), DUMP_TIMES);
		pid = fork();
		if (!pid) {
			commit_with_error(&w, p->act, before, n, n % 2 ? ENOSPC : EIO);
			_exit(1);
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_msg(status == FAULT_STATUS << 8 || !status, "n %ld: child %x",
			n, (unsigned int)status);
		check_whole(&w, before, n);
		remove_tree(w.top);
	}
}
END_TEST

Suite *suite_checkpoint(void)
{
	Suite *s = suite_create("checkpoint");
	TCase *t = tcase_create("checkpoint");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(
		t, a_commit_equals_the_same_work_on_a_plain_directory, 0, PLANS);
	tcase_add_loop_test(t, an_abort_leaves_view_and_base_as_they_were, 0, 2 * PLANS);
	tcase_add_loop_test(
		t, a_commit_that_is_killed_anywhere_is_whole_or_not_there, 0, PLANS);
	tcase_add_loop_test(
		t, a_commit_that_meets_an_error_is_whole_or_not_there, 0, PLANS);
	suite_add_tcase(s, t);
	return s;
}
