/*
 * test-layer.c: savepoints: set, rolled back to, released, nested; what is rolled back is
 * gone and what is released stays, in the view, at commit, and after a remount.
 */
#include "tests/unit/fs/world.h"

#include <errno.h>
#include <string.h>
#include "common/cleanup.h"

/* Before savepoint and after it: rolled back, the view is as before it; released, as
 * after it. */
static const struct save_case {
	const char *base, *before, *after;
} saves[] = {
	{"put f 1", "put f 2", "put f 3"},
	{"put f 1", "", "put f 3"},
	{"put f 1", "put f 2", "rm f"},
	{"put f 1", "rm f", "put f 3"},
	{"", "put f 1", "rm f"},
	{"", "mkdir d; put d/f 1", "rm d/f; rmdir d"},
	{"mkdir d; put d/f 1", "mv d e", "mv e g; put g/f 2; put g/h 3"},
	{"put f 1; put g 2", "xchg f g", "xchg f g; chmod 600 f"},
	{"put f 1", "ln f g", "ln f h; rm g; put h 22"},
	{"put f 1; ln f g", "rm f", "ln g f; rm g"},
	{"big f 300", "at f 1000 one; trunc f 200000", "at f 150000 two; trunc f 1500"},
	{"big f 300", "trunc f 100", "trunc f 300000; at f 250000 x"},
	{"big f 30", "at f 5 x", "punch f 0 8192; at f 20000 y"},
	{"put f 1; setx f user.a 1", "setx f user.b 2; rmx f user.a",
		"setx f user.a 3; rmx f user.b"},
	{"put f 1", "mtime f 7; own 5 f", "mtime f 9; own 6 f; chmod 4755 f"},
	{"mkdir d; mkdir d/e; put d/e/f 1", "mv d/e e",
		"mv e d/x; mv d/x/f f; rmdir d/x"},
	{"sym a l", "rm l; sym b l", "rm l; sym c l; sym d m"},
};
#define SAVES ((int)(sizeof(saves) / sizeof(*saves)))

struct run {
	struct world w;
	struct trans x;
	char *before, *after;
};

static void at_savepoint(struct run *r, const struct save_case *c, bool is_private)
{
	world_make(&r->w, c->base);
	world_open(&r->w);
	trans_begin(&r->w, &r->x, is_private ? TXFS_BEGIN_PRIVATE : 0);
	script_ok(IN_VIEW(r->x.root), c->before);
	r->before = dump(IN_VIEW(r->x.root), DUMP_TIMES);
	ck_assert_int_eq(trans_do(&r->w, &r->x, txm_savepoint, "s"), 0);
	script_ok(IN_VIEW(r->x.root), c->after);
	r->after = dump(IN_VIEW(r->x.root), DUMP_TIMES);
}

/* The view shows @want; and after a remount, once committed, the base does. */
static void is_and_stays(struct run *r, const char *want, bool remount)
{
	auto_free char *view = dump(IN_VIEW(r->x.root), DUMP_TIMES), *base = NULL;

	dump_same(want, view);
	if (remount) {
		world_close(&r->w);
		world_open(&r->w);
	}
	ck_assert_msg(!trans_do(&r->w, &r->x, txm_commit, NULL), "%s", trans_io.message);
	ck_assert_uint_eq(trans_io.behind, 0);
	base = dump(IN_DIR(r->w.base), DUMP_TIMES);
	dump_same(want, base);
	world_close(&r->w);
	free(r->before);
	free(r->after);
}

/* P1 */
START_TEST(a_rollback_gives_the_state_of_the_savepoint)
{
	struct run r;

	at_savepoint(&r, &saves[_i / 4], _i % 2);
	ck_assert_int_eq(trans_do(&r.w, &r.x, txm_rollback, "s"), 0);
	is_and_stays(&r, r.before, _i % 4 > 1);
}
END_TEST

START_TEST(a_release_keeps_what_came_after_the_savepoint)
{
	struct run r;

	at_savepoint(&r, &saves[_i / 4], _i % 2);
	ck_assert_int_eq(trans_do(&r.w, &r.x, txm_release, "s"), 0);
	is_and_stays(&r, r.after, _i % 4 > 1);
}
END_TEST

START_TEST(a_commit_takes_open_savepoints_along)
{
	struct run r;

	at_savepoint(&r, &saves[_i / 4], _i % 2);
	is_and_stays(&r, r.after, _i % 4 > 1);
}
END_TEST

/* P1: rolled back, done again, released, and a second time. */
START_TEST(a_savepoint_can_be_rolled_back_to_again_and_again)
{
	const struct save_case *c = &saves[_i];
	struct run r;

	at_savepoint(&r, c, true);
	for (int k = 0; k < 3; k++) {
		auto_free char *view = NULL;

		ck_assert_int_eq(trans_do(&r.w, &r.x, txm_rollback, "s"), 0);
		view = dump(IN_VIEW(r.x.root), DUMP_TIMES);
		dump_same(r.before, view);
		script_ok(IN_VIEW(r.x.root), c->after);
	}
	free(r.after);
	r.after = dump(IN_VIEW(r.x.root), DUMP_TIMES);
	is_and_stays(&r, r.after, true);
}
END_TEST

START_TEST(nested_savepoints_end_with_the_one_they_lie_in)
{
	auto_free char *outer = NULL, *inner = NULL, *got = NULL;
	struct world w;
	struct trans x;

	world_make(&w, "put f 0");
	world_open(&w);
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	outer = dump(IN_VIEW(x.root), DUMP_TIMES);
	trans_do(&w, &x, txm_savepoint, "outer");
	script_ok(IN_VIEW(x.root), "put f 1; put g 1");
	inner = dump(IN_VIEW(x.root), DUMP_TIMES);
	trans_do(&w, &x, txm_savepoint, "inner");
	script_ok(IN_VIEW(x.root), "put f 2; rm g");
	ck_assert_int_eq(trans_do(&w, &x, txm_savepoint, "inner"), -EEXIST);
	ck_assert_int_eq(trans_do(&w, &x, txm_savepoint, ""), -EINVAL);
	ck_assert_int_eq(trans_do(&w, &x, txm_rollback, "inner"), 0);
	got = dump(IN_VIEW(x.root), DUMP_TIMES);
	dump_same(inner, got);
	script_ok(IN_VIEW(x.root), "put f 3");
	ck_assert_int_eq(trans_do(&w, &x, txm_rollback, "outer"), 0);
	free(got);
	got = dump(IN_VIEW(x.root), DUMP_TIMES);
	dump_same(outer, got);
	ck_assert_int_eq(trans_do(&w, &x, txm_rollback, "inner"), -ENOENT);
	ck_assert_int_eq(trans_do(&w, &x, txm_release, "inner"), -ENOENT);
	ck_assert_int_eq(trans_do(&w, &x, txm_release, "outer"), 0);
	ck_assert_int_eq(trans_do(&w, &x, txm_release, "outer"), -ENOENT);
	world_close(&w);
}
END_TEST

/* P4: ids of files that the dead part had changed are retired, those of all others and of
 * directories go on. */
START_TEST(a_rollback_retires_the_ids_of_what_it_takes_back)
{
	struct world w;
	struct trans x;
	struct node *d, *changed, *same, *made, *now;

	world_make(&w, "mkdir d; put d/changed 1; put d/same 1");
	world_open(&w);
	trans_begin(&w, &x, 0);
	d = node_at(x.root, "d");
	changed = node_at(x.root, "d/changed");
	same = node_at(x.root, "d/same");
	trans_do(&w, &x, txm_savepoint, "s");
	script_ok(IN_VIEW(x.root), "put d/changed 2; put d/made 1; chmod 700 d");
	made = node_at(x.root, "d/made");
	ck_assert_int_eq(trans_do(&w, &x, txm_rollback, "s"), 0);
	ck_assert(changed->stale && made->stale && !same->stale && !d->stale);
	now = node_at(x.root, "d/changed");
	ck_assert_uint_ne(now->id, changed->id);
	ck_assert_uint_eq(node_ino(now), node_ino(changed));
	node_put(now);
	node_put(d);
	node_put(changed);
	node_put(same);
	node_put(made);
	world_close(&w);
}
END_TEST

/* P1: savepoints at random, against dumps taken when they were set. */
static void random_change(struct node *root)
{
	static const char *const names[] = {"a", "b", "d", "d/a", "d/b", "e", "e/a"};
	const char *a = names[random() % 7], *b = names[random() % 7];
	char cmd[100];

	while (!strncmp(a, b, strlen(b)) || !strncmp(a, b, strlen(a)))
		b = names[random() % 7]; /* the kernel catches these before us */
	switch (random() % 12) {
	case 0: snprintf(cmd, sizeof(cmd), "mv %s %s", a, b); break;
	case 1: snprintf(cmd, sizeof(cmd), "ln %s %s", a, b); break;
	case 2: snprintf(cmd, sizeof(cmd), "xchg %s %s", a, b); break;
	case 3: snprintf(cmd, sizeof(cmd), "trunc %s %ld", a, random() % 90000); break;
	case 4: snprintf(cmd, sizeof(cmd), "at %s %ld m", a, random() % 90000); break;
	case 5: snprintf(cmd, sizeof(cmd), "big %s 80", a); break;
	case 6: snprintf(cmd, sizeof(cmd), "mkdir %s", a); break;
	case 7: snprintf(cmd, sizeof(cmd), "rm %s", a); break;
	case 8: snprintf(cmd, sizeof(cmd), "rmdir %s", a); break;
	case 9: snprintf(cmd, sizeof(cmd), "setx %s user.k %ld", a, random()); break;
	case 10: snprintf(cmd, sizeof(cmd), "chmod 6%ld0 %s", random() % 8, a); break;
	default: snprintf(cmd, sizeof(cmd), "put %s %ld", a, random()); break;
	}
	script_run(IN_VIEW(root), cmd);
}

START_TEST(random_savepoints_hold)
{
	char *saved[8], name[16];
	struct world w;
	struct trans x;
	int n = 0;

	srandom((unsigned int)_i + 1);
	world_make(&w, "mkdir d; put d/a 1; big d/b 90; put a 1; ln a b");
	world_open(&w);
	trans_begin(&w, &x, _i % 2 ? 0 : TXFS_BEGIN_PRIVATE);
	for (int k = 0; k < 120; k++) {
		auto_free char *got = NULL;
		long what = random() % 10;

		for (int i = 0; i < 6; i++)
			random_change(x.root);
		if (what < 3 && n < 8) {
			snprintf(name, sizeof(name), "s%d", n);
			saved[n++] = dump(IN_VIEW(x.root), DUMP_TIMES);
			ck_assert_int_eq(trans_do(&w, &x, txm_savepoint, name), 0);
		} else if (what < 6 && n) {
			int to = (int)(random() % n);

			snprintf(name, sizeof(name), "s%d", to);
			ck_assert_int_eq(trans_do(&w, &x, txm_rollback, name), 0);
			got = dump(IN_VIEW(x.root), DUMP_TIMES);
			dump_same(saved[to], got);
			while (n > to + 1)
				free(saved[--n]);
		} else if (what == 6 && n) {
			char *before = dump(IN_VIEW(x.root), DUMP_TIMES);

			snprintf(name, sizeof(name), "s%d", n - 1);
			ck_assert_int_eq(trans_do(&w, &x, txm_release, name), 0);
			got = dump(IN_VIEW(x.root), DUMP_TIMES);
			dump_same(before, got);
			free(before);
			free(saved[--n]);
		}
	}
	while (n)
		free(saved[--n]);
	auto_free char *view = dump(IN_VIEW(x.root), DUMP_TIMES);

	if (_i % 3 == 0) {
		world_close(&w);
		world_open(&w);
	}
	ck_assert_msg(!trans_do(&w, &x, txm_commit, NULL), "%s", trans_io.message);
	auto_free char *base = dump(IN_DIR(w.base), DUMP_TIMES);

	dump_same(view, base);
	world_close(&w);
}
END_TEST

Suite *suite_layer(void)
{
	Suite *s = suite_create("layer");
	TCase *t = tcase_create("layer");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, a_rollback_gives_the_state_of_the_savepoint, 0, 4 * SAVES);
	tcase_add_loop_test(
		t, a_release_keeps_what_came_after_the_savepoint, 0, 4 * SAVES);
	tcase_add_loop_test(t, a_commit_takes_open_savepoints_along, 0, 4 * SAVES);
	tcase_add_loop_test(
		t, a_savepoint_can_be_rolled_back_to_again_and_again, 0, SAVES);
	tcase_add_test(t, nested_savepoints_end_with_the_one_they_lie_in);
	tcase_add_test(t, a_rollback_retires_the_ids_of_what_it_takes_back);
	tcase_add_loop_test(t, random_savepoints_hold, 0, 16);
	suite_add_tcase(s, t);
	return s;
}
