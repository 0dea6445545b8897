/*
 * test-conflict.c: which pairs of changes collide (P5), and that a base that changed
 * behind the mount is never overwritten (P3).
 */
#include "tests/unit/fs/world.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/cleanup.h"

/* Before; what the first to commit does; what the second does; a path that the second is
 * told, NULL where both pass (see merges for what is there then). */
static const struct pair {
	const char *before, *first, *second, *path;
} pairs[] = {
	/* content */
	{"put f 1", "put f 2", "put f 3", "f"},
	{"put f 1", "put f 2", "trunc f 0", "f"},
	{"put f 1", "put f 2", "setx f user.a 1", "f"},
	{"put f 1", "setx f user.a 1", "setx f user.b 1", "f"},
	{"put f 1; put g 1", "put f 2", "put g 2", NULL},
	{"big f 200", "at f 0 x", "at f 150000 y", "f"},
	/* attributes */
	{"put f 1", "chmod 600 f", "chmod 640 f", "f"},
	{"put f 1", "chmod 600 f", "own 5 f", "f"},
	{"put f 1", "mtime f 5", "chmod 600 f", "f"},
	{"put f 1", "chmod 600 f", "put f 2", NULL},
	{"put f 1", "put f 2", "chmod 600 f", NULL},
	{"mkdir d", "chmod 700 d", "put d/f 1", NULL},
	{"mkdir d", "put d/f 1", "chmod 700 d", NULL},
	/* against removal */
	{"put f 1", "rm f", "put f 2", "f"},
	{"put f 1", "rm f", "chmod 600 f", "f"},
	{"put f 1", "put f 2", "rm f", "f"},
	{"put f 1", "chmod 600 f", "rm f", "f"},
	{"put f 1", "rm f", "rm f", "f"},
	{"put f 1", "rm f", "mv f g", "f"},
	{"put f 1", "mv f g", "rm f", "f"},
	{"put f 1; put g 2", "mv g f", "put f 2", "f"},
	/* names */
	{"", "put f 1", "put f 1", "f"},
	{"", "put f 1", "mkdir f", "f"},
	{"", "put f 1", "put g 1", NULL},
	{"mkdir d", "put d/f 1", "put d/g 1", NULL},
	{"put f 1", "mv f g", "mv f h", "f"},
	{"put f 1; put g 1", "mv f x", "mv g x", "x"},
	{"put f 1", "mv f g", "put f 2", NULL},
	{"put f 1", "put f 2", "mv f g", NULL},
	{"put f 1; put g 2", "xchg f g", "mv f h", "f"},
	{"put f 1", "mv f g; put f 9", "put f 2", NULL},
	/* directories */
	{"mkdir d", "rmdir d", "put d/f 1", "d/f"},
	{"mkdir d", "put d/f 1", "rmdir d", "d"},
	{"mkdir d; put f 1", "rmdir d", "mv f d/f", "d/f"},
	{"mkdir d; put f 1", "mv f d/f", "rmdir d", "d"},
	{"mkdir d; put d/f 1", "rm d/f; rmdir d", "put d/f 2", "d/f"},
	{"mkdir d; put d/f 1", "put d/f 2", "rm d/f; rmdir d", "d/f"},
	{"mkdir d; mkdir d/e; put d/e/f 1", "rm d/e/f; rmdir d/e; rmdir d", "put d/e/g 2",
		"d/e/g"},
	{"mkdir d", "rmdir d", "chmod 700 d", "d"},
	{"mkdir d; put d/f 1", "mv d e", "put d/f 2", NULL},
	{"mkdir d; put d/f 1", "put d/f 2", "mv d e", NULL},
	{"mkdir d; put d/f 1", "mv d e", "put d/g 2", NULL},
	{"mkdir d; put d/f 1", "put d/g 2", "mv d e", NULL},
	{"mkdir d; put d/f 1", "mv d e", "rm d/f", NULL},
	{"mkdir d; mkdir e", "mv d e/d", "rmdir e", "e"},
	{"mkdir d; mkdir e", "rmdir e", "mv d e/d", "e/d"},
	{"mkdir d; mkdir e", "mv d x", "mv d e/d", "d"},
	/* hard links */
	{"put f 1", "ln f g", "put f 2", NULL},
	{"put f 1", "put f 2", "ln f g", NULL},
	{"put f 1", "ln f g", "ln f h", NULL},
	{"put f 1; ln f g", "rm f", "rm g", NULL},
	{"put f 1; ln f g", "rm f", "put g 2", NULL},
	{"put f 1; ln f g", "put g 2", "rm f", NULL},
	{"put f 1; ln f g", "put g 2", "put f 3", "g"},
	{"put f 1", "rm f", "ln f g", "f"},
	{"put f 1", "ln f g", "rm f", NULL},
	/* links and the rest */
	{"sym a l", "rm l; sym b l", "rm l; sym c l", "l"},
	{"fifo p", "chmod 600 p", "chmod 640 p", "p"},
};
#define PAIRS ((int)(sizeof(pairs) / sizeof(*pairs)))

/* The paths of the last refused commit, one a line. */
static char *conflicts(struct world *w, const struct trans *x)
{
	struct txfs_ioc_page *io = calloc(1, sizeof(*io));
	char *out = NULL;
	size_t n, at = 0;
	FILE *f = open_memstream(&out, &n);

	*io = (struct txfs_ioc_page){
		.version = TXFS_ABI, .flags = TXFS_CHANGES_CONFLICTS, .id = x->id};
	txm_changes(w->m, io);
	ck_assert_int_eq(io->error, 0);
	for (uint32_t i = 0; i < io->count; i++) {
		const struct txfs_row_change *row = (void *)(io->rows + at);

		fprintf(f, "%s\n", row->names);
		at += row->bytes;
	}
	fclose(f);
	free(io);
	return out;
}

static bool has_line(const char *text, const char *line)
{
	size_t n = strlen(line);

	for (const char *p = text; *p; p = strchr(p, '\n') + 1)
		if (!strncmp(p, line, n) && p[n] == '\n')
			return true;
	return false;
}

static void refused(struct world *w, const struct trans *x, const char *path)
{
	auto_free char *before = dump(IN_DIR(w->base), DUMP_TIMES), *after = NULL;
	auto_free char *view = dump(IN_VIEW(x->root), DUMP_TIMES), *still = NULL;
	auto_free char *paths = NULL;

	ck_assert_int_eq(trans_do(w, x, txm_commit, NULL), -EBUSY);
	ck_assert_uint_ge(trans_io.conflicts, 1);
	paths = conflicts(w, x);
	ck_assert_msg(has_line(paths, path), "not told '%s' but: %s", path, paths);
	after = dump(IN_DIR(w->base), DUMP_TIMES);
	dump_same(before, after);
	still = dump(IN_VIEW(x->root), DUMP_TIMES);
	dump_same(view, still);
}

/* P5: also that the first keeps what it did, and that the second loses nothing. */
START_TEST(the_first_to_commit_wins_where_two_change_the_same_part)
{
	const struct pair *p = &pairs[_i];
	auto_free char *got = NULL, *shown = NULL;
	struct trans a, b;
	struct world w;

	world_make(&w, p->before);
	world_open(&w);
	trans_begin(&w, &a, TXFS_BEGIN_PRIVATE);
	trans_begin(&w, &b, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(b.root), p->second);
	script_ok(IN_VIEW(a.root), p->first);
	ck_assert_int_eq(trans_do(&w, &a, txm_commit, NULL), 0);
	if (p->path) {
		refused(&w, &b, p->path);
		ck_assert_int_eq(trans_do(&w, &b, txm_abort, NULL), 0);
	} else {
		ck_assert_msg(
			!trans_do(&w, &b, txm_commit, NULL), "%s", trans_io.message);
		ck_assert_uint_eq(trans_io.behind, 0);
	}
	got = dump(IN_DIR(w.base), DUMP_TIMES);
	shown = dump(IN_VIEW(w.t->main->root), DUMP_TIMES);
	dump_same(got, shown);
	world_close(&w);
}
END_TEST

/* What becomes of it where one moved what the other changed. */
static const struct merged {
	const char *before, *first, *second, *result;
} merges[] = {
	{"mkdir d; put d/f 1", "mv d e", "put d/f 2", "mkdir e; put e/f 2"},
	{"mkdir d; put d/f 1", "put d/f 2", "mv d e", "mkdir e; put e/f 2"},
	{"mkdir d; put d/f 1", "mv d e", "put d/g 2", "mkdir e; put e/f 1; put e/g 2"},
	{"mkdir d; put d/f 1", "mv d e", "rm d/f", "mkdir e"},
	{"put f 1", "mv f g", "put f 2", "put g 2"},
	{"put f 1", "mv f g; put f 9", "put f 2", "put f 9; put g 2"},
	{"put f 1", "put f 2", "mv f g", "put g 2"},
	{"put f 1", "ln f g", "put f 2", "put f 2; ln f g"},
	{"put f 1", "put f 2", "ln f g", "put f 2; ln f g"},
	{"put f 1", "ln f g", "ln f h", "put f 1; ln f g; ln f h"},
	{"put f 1; ln f g", "rm f", "rm g", ""},
	{"put f 1; ln f g", "rm f", "put g 2", "put g 2"},
	{"put f 1; ln f g", "put g 2", "rm f", "put g 2"},
	{"put f 1", "ln f g", "rm f", "put g 1"},
	{"put f 1", "chmod 600 f", "put f 2", "put f 2; chmod 600 f"},
	{"put f 1", "put f 2", "chmod 600 f", "put f 2; chmod 600 f"},
	{"put f 1; mkdir d", "mv f d/f", "chmod 600 f",
		"mkdir d; put d/f 1; chmod 600 d/f"},
	{"mkdir d; put d/f 1", "mv d e; put e/f 3", "chmod 700 d",
		"mkdir e; put e/f 3; chmod 700 e"},
};
#define MERGES ((int)(sizeof(merges) / sizeof(*merges)))

/* P5 */
START_TEST(changes_of_different_parts_are_both_in_the_base)
{
	const struct merged *p = &merges[_i];
	auto_free char *want = NULL, *got = NULL;
	struct trans a, b;
	struct world w;
	char dir[300];

	world_make(&w, p->before);
	snprintf(dir, sizeof(dir), "%s/plain", w.top);
	ck_assert_int_eq(mkdir(dir, 0755), 0);
	script_ok(IN_DIR(dir), p->result);
	world_open(&w);
	trans_begin(&w, &a, TXFS_BEGIN_PRIVATE);
	trans_begin(&w, &b, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(a.root), p->first);
	script_ok(IN_VIEW(b.root), p->second);
	ck_assert_int_eq(trans_do(&w, &a, txm_commit, NULL), 0);
	ck_assert_int_eq(trans_do(&w, &b, txm_commit, NULL), 0);
	ck_assert_uint_eq(trans_io.behind, 0);
	want = dump(IN_DIR(dir), 0);
	got = dump(IN_DIR(w.base), 0);
	dump_same(want, got);
	world_close(&w);
}
END_TEST

/* --- the base, changed behind the mount
 * ------------------------------------------------------- */

static const struct pair behinds[] = {
	{"put f 1", "put f 2", "put f 3", "f"},
	{"put f 1", "put f 2", "rm f", "f"},
	{"put f 1", "put f 2", "setx f user.a 1", "f"},
	{"put f 1", "chmod 600 f", "put f 3", "f"},
	{"put f 1", "chmod 600 f", "chmod 640 f", "f"},
	{"put f 1", "rm f", "put f 3", "f"},
	{"put f 1", "rm f; put f 1", "put f 3", "f"},
	{"put f 1; put g 2", "mv g f", "put f 3", "f"},
	{"", "put f 1", "put f 3", "f"},
	{"", "mkdir f", "put f 3", "f"},
	{"put g 1", "put f 1", "mv g f", "f"},
	{"mkdir d", "put d/x 1", "rmdir d", "d"},
	{"mkdir d; put d/f 1", "put d/x 1", "rm d/f; rmdir d", "d"},
	{"mkdir d; put d/f 1", "put d/f 2", "rm d/f; rmdir d", "d/f"},
	{"mkdir d", "rmdir d", "put d/f 1", "d"},
	{"mkdir d", "rmdir d", "chmod 700 d", "d"},
	{"mkdir d; put f 1", "rmdir d", "mv f d/f", "d"},
	{"sym a l", "rm l; sym b l", "rm l; sym c l", "l"},
	/* and what is no conflict */
	{"put f 1; put g 1", "put f 2", "put g 3", NULL},
	{"mkdir d", "put d/x 1", "put d/y 1", NULL},
	{"mkdir d", "put d/x 1", "chmod 700 d", NULL},
	{"put f 1", "put f 2", "mv f g", NULL},
};
#define BEHINDS ((int)(sizeof(behinds) / sizeof(*behinds)))

/* P3: the transaction changed it first; then somebody in the base. Both in a base that
 * has been at rest, and in one so young that its ctime proves nothing. */
START_TEST(what_changed_in_the_base_is_never_overwritten)
{
	const struct pair *p = &behinds[_i / 2];
	struct world w;
	struct trans x;

	world_make(&w, p->before);
	if (_i % 2)
		usleep(30000);
	world_open(&w);
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(x.root), p->second);
	script_ok(IN_DIR(w.base), p->first);
	if (p->path)
		refused(&w, &x, p->path);
	else
		ck_assert_int_eq(trans_do(&w, &x, txm_commit, NULL), 0);
	world_close(&w);
}
END_TEST

/* P3: same size, same mtime, and a ctime in the same tick as the one that was seen. */
START_TEST(a_change_within_the_tick_of_the_clock_is_seen_by_content)
{
	struct timespec ts[2];
	char path[400];
	struct world w;
	struct trans x;
	struct stat st;

	for (int round = 0; round < 20; round++) {
		world_make(&w, "");
		world_open(&w);
		snprintf(path, sizeof(path), "%s/f", w.base);
		trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
		script_ok(IN_DIR(w.base), "put f 1111");
		script_ok(IN_VIEW(x.root), "at f 0 2");
		ck_assert_int_eq(stat(path, &st), 0);
		script_ok(IN_DIR(w.base), "at f 0 3333");
		ts[0] = st.st_atim;
		ts[1] = st.st_mtim;
		utimensat(AT_FDCWD, path, ts, 0);
		refused(&w, &x, "f");
		world_close(&w);
		remove_tree(w.top);
	}
}
END_TEST

/* P4: autocommit asks nobody: the base's version stays, ours is kept aside. */
START_TEST(an_automatic_group_that_collides_is_kept_as_a_transaction)
{
	struct txfs_ioc_status *st = calloc(1, sizeof(*st));
	auto_free char *got = NULL;
	struct world w;
	long n;

	world_make(&w, "put f 1; put g 1");
	world_open(&w);
	script_ok(IN_VIEW(w.t->main->root), "put f 22");
	script_ok(IN_DIR(w.base), "put f 333");
	trans_do(&w, &(struct trans){0}, txm_sync, NULL);
	got = content_of(w.t->main->root, "f", &n);
	ck_assert_str_eq(got, "333");
	txm_status(w.m, st);
	ck_assert_uint_eq(st->suspended, 1);
	script_ok(IN_VIEW(w.t->main->root), "put g 2");
	ck_assert_int_eq(trans_do(&w, &(struct trans){0}, txm_sync, NULL), 0);
	free(got);
	got = content_of(w.t->main->root, "f", &n);
	ck_assert_str_eq(got, "333");
	free(st);
	world_close(&w);
}
END_TEST

/* P5: changes of the main view count against an open private transaction. */
START_TEST(autocommitted_changes_are_conflicts_for_a_private_transaction)
{
	struct world w;
	struct trans x;

	world_make(&w, "put f 1; put g 1");
	world_open(&w);
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(x.root), "put f 2");
	script_ok(IN_VIEW(w.t->main->root), "put f 3");
	ck_assert_int_eq(trans_do(&w, &x, txm_commit, NULL), -EBUSY);
	ck_assert_msg(strstr(trans_io.message, "'f'"), "%s", trans_io.message);
	world_close(&w);
}
END_TEST

Suite *suite_conflict(void)
{
	Suite *s = suite_create("conflict");
	TCase *t = tcase_create("conflict");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(
		t, the_first_to_commit_wins_where_two_change_the_same_part, 0, PAIRS);
	tcase_add_loop_test(
		t, changes_of_different_parts_are_both_in_the_base, 0, MERGES);
	tcase_add_loop_test(
		t, what_changed_in_the_base_is_never_overwritten, 0, 2 * BEHINDS);
	tcase_add_test(t, a_change_within_the_tick_of_the_clock_is_seen_by_content);
	tcase_add_test(t, an_automatic_group_that_collides_is_kept_as_a_transaction);
	tcase_add_test(t, autocommitted_changes_are_conflicts_for_a_private_transaction);
	suite_add_tcase(s, t);
	return s;
}
