/*
 * test-tx.c: who may end a transaction, what others see of it meanwhile, and what is told
 * of it.
 */
#include "fs/tx/impl.h"
#include "tests/unit/fs/world.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/cleanup.h"

/* P9: every verb that changes state. */
static const trans_verb verbs[] = {
	txm_commit, txm_abort, txm_savepoint, txm_rollback, txm_release};
#define VERBS ((int)(sizeof(verbs) / sizeof(*verbs)))

START_TEST(nobody_ends_a_transaction_without_its_token)
{
	auto_free char *before = NULL, *after = NULL;
	struct world w;
	struct trans x, y, none = {0};

	world_make(&w, "put f 1");
	world_open(&w);
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	trans_begin(&w, &y, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(x.root), "put f 2");
	trans_do(&w, &x, txm_savepoint, "s");
	before = dump(IN_VIEW(x.root), DUMP_TIMES);
	none.id = x.id;
	ck_assert_int_eq(trans_do(&w, &none, verbs[_i], "s"), -EPERM);
	memcpy(none.token, y.token, sizeof(none.token)); /* another's */
	ck_assert_int_eq(trans_do(&w, &none, verbs[_i], "s"), -EPERM);
	ck_assert_msg(strstr(trans_io.message, "token"), "%s", trans_io.message);
	memcpy(none.token, x.token, sizeof(none.token));
	none.token[TXFS_TOKEN_BYTES - 1] ^= 1;
	ck_assert_int_eq(trans_do(&w, &none, verbs[_i], "s"), -EPERM);
	none.id = 4711;
	ck_assert_int_eq(trans_do(&w, &none, verbs[_i], "s"), -ENOENT);
	none.id = 0; /* of the main view: there is none */
	ck_assert_int_eq(trans_do(&w, &none, verbs[_i], "s"), -ENOENT);
	after = dump(IN_VIEW(x.root), DUMP_TIMES);
	dump_same(before, after);
	ck_assert_int_eq(trans_do(&w, &x, txm_commit, NULL), 0);
	ck_assert_int_eq(trans_do(&w, &x, verbs[_i], "s"), -ENOENT); /* ended */
	world_close(&w);
}
END_TEST

START_TEST(the_main_view_has_one_transaction_at_a_time)
{
	struct txfs_ioc_begin io = {.version = TXFS_ABI};
	struct world w;
	struct trans x;

	world_make(&w, "");
	world_open(&w);
	trans_begin(&w, &x, 0);
	txm_begin(w.m, &io);
	ck_assert_int_eq(io.error, EBUSY);
	ck_assert_uint_eq(io.id, x.id);
	ck_assert_ptr_nonnull(strstr(io.message, "savepoint"));
	ck_assert_int_eq(trans_do(&w, &x, txm_abort, NULL), 0);
	trans_begin(&w, &x, 0);
	ck_assert_int_eq(trans_do(&w, &x, txm_commit, NULL), 0);
	world_close(&w);
}
END_TEST

/* --- isolation
 * ------------------------------------------------------------------------------- */

/* What is there, and three commits one after the other. */
static const struct history {
	const char *base, *commit[3];
} histories[] = {
	{"put f 1", {"put f 22", "put f 333", "rm f"}},
	{"big f 200", {"at f 0 x", "trunc f 100000", "at f 150000 y"}},
	{"put f 1", {"rm f", "put f 2", "mkdir g"}},
	{"put f 1; put g 2", {"xchg f g", "mv f h", "rm g"}},
	{"mkdir d; put d/f 1", {"mv d e", "put e/f 2; put e/g 1", "mv e/f f"}},
	{"mkdir d; put d/f 1; mkdir d/s", {"rm d/f", "rmdir d/s; rmdir d", "put d 1"}},
	{"put f 1", {"chmod 600 f", "own 5 f", "mtime f 9"}},
	{"put f 1; setx f user.a 1",
		{"setx f user.a 2", "rmx f user.a", "setx f user.b 1; put f 2"}},
	{"put f 1; ln f g", {"rm f", "put g 2", "ln g f; rm g"}},
	{"put f 1", {"ln f g", "put g 2", "rm f"}},
	{"", {"put f 1", "mkdir d; mv f d/f", "rm d/f; rmdir d"}},
	{"sym a l; fifo p", {"rm l; sym b l", "rm p; put p 1", "mv l p"}},
	{"mkdir d; put d/f 1",
		{"chmod 700 d; setx d user.k 1", "put d/g 1", "mtime d 5"}},
	{"put a 1; put b 2; put c 3", {"mv a x", "mv b a", "mv c b; mv x c"}},
};
#define HISTORIES ((int)(sizeof(histories) / sizeof(*histories)))

/* P5: each kind of change, committed by another private view or by the main view's own
 * groups; each reader sees the state of its beginning, and still does after remembering
 * nothing of it (the first dump comes late). The staging directory ends empty. */
static void commit_one(struct world *w, const char *script, bool in_main)
{
	struct trans x;

	if (in_main) {
		script_ok(IN_VIEW(w->t->main->root), script);
		ck_assert_int_eq(trans_do(w, &(struct trans){0}, txm_sync, NULL), 0);
		return;
	}
	trans_begin(w, &x, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(x.root), script);
	ck_assert_int_eq(trans_do(w, &x, txm_commit, NULL), 0);
	ck_assert_uint_eq(trans_io.behind, 0);
}

static int count_entries(const char *path)
{
	DIR *d = opendir(path);
	int n = -2;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

START_TEST(a_private_view_sees_the_state_of_its_beginning)
{
	const struct history *h = &histories[_i / 2];
	struct trans reader[4];
	char *state[4], path[400];
	struct world w;

	world_make(&w, h->base);
	world_open(&w);
	for (int k = 0; k < 4; k++) {
		state[k] = dump(IN_DIR(w.base), DUMP_TIMES);
		trans_begin(&w, &reader[k], TXFS_BEGIN_PRIVATE);
		if (k < 3)
			commit_one(&w, h->commit[k], _i % 2);
		for (int i = 0; i <= k; i++) {
			auto_free char *got = dump(IN_VIEW(reader[i].root), DUMP_TIMES);

			dump_same(state[i], got);
		}
	}
	for (int k = 0; k < 4; k++) {
		ck_assert_int_eq(trans_do(&w, &reader[k], txm_abort, NULL), 0);
		for (int i = k + 1; i < 4; i++) {
			auto_free char *got = dump(IN_VIEW(reader[i].root), DUMP_TIMES);

			dump_same(state[i], got);
		}
		free(state[k]);
	}
	world_close(&w);
	snprintf(path, sizeof(path), "%s/stage", w.dir);
	ck_assert_int_eq(count_entries(path), 0);
}
END_TEST

/* P5: what a view changed itself stays as it left it, on top of what it began with. */
START_TEST(a_private_view_keeps_its_own_changes_over_those_of_others)
{
	const struct history *h = &histories[_i];
	auto_free char *own = NULL, *main = NULL, *base = NULL;
	struct world w;
	struct trans x;

	world_make(&w, h->base);
	world_open(&w);
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(x.root), h->commit[0]);
	own = dump(IN_VIEW(x.root), DUMP_TIMES);
	main = dump(IN_VIEW(w.t->main->root), DUMP_TIMES);
	base = dump(IN_DIR(w.base), DUMP_TIMES);
	dump_same(base, main); /* nobody else sees it */
	for (int k = 0; k < 3; k++) {
		auto_free char *got = NULL;

		commit_one(&w, h->commit[k], false);
		got = dump(IN_VIEW(x.root), DUMP_TIMES);
		dump_same(own, got);
	}
	ck_assert_int_eq(trans_do(&w, &x, txm_abort, NULL), 0);
	world_close(&w);
}
END_TEST

/* P4: a view that ended answers no more. */
START_TEST(an_ended_view_is_dead)
{
	struct world w;
	struct trans x;
	struct node *f;
	uint64_t id;

	world_make(&w, "put f 1");
	world_open(&w);
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(x.root), "put f 2");
	f = node_at(x.root, "f");
	id = f->id;
	ck_assert_int_eq(trans_do(&w, &x, _i ? txm_commit : txm_abort, NULL), 0);
	ck_assert(f->view->dead);
	ck_assert_ptr_null(txm_view(w.m, x.id));
	node_put(f);
	f = node_at(w.t->main->root, "f");
	ck_assert_uint_ne(f->id, id);
	node_put(f);
	world_close(&w);
}
END_TEST

/* P7 */
START_TEST(an_empty_transaction_is_free)
{
	struct world w;
	struct trans x;
	char path[400];
	uint64_t seq;

	world_make(&w, "put f 1");
	world_open(&w);
	seq = w.t->last_seq;
	trans_begin(&w, &x, _i ? TXFS_BEGIN_PRIVATE : 0);
	free(dump(IN_VIEW(x.root), 0));
	ck_assert_int_eq(trans_do(&w, &x, txm_commit, NULL), 0);
	ck_assert_uint_eq(trans_io.added + trans_io.changed + trans_io.deleted, 0);
	ck_assert_uint_eq(w.t->last_seq, seq);
	snprintf(path, sizeof(path), "%s/pool/%llu", w.dir, (unsigned long long)x.id);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert_int_eq(script_run(IN_VIEW(w.t->main->root), "put f 2"), 0);
	world_close(&w);
}
END_TEST

/* P7: looking for conflicts changes nothing. */
START_TEST(a_dry_run_of_a_commit_leaves_everything)
{
	auto_free char *view = NULL, *b2 = NULL, *v2 = NULL;
	struct world w;
	struct trans x;

	world_make(&w, "put f 1; put g 1");
	world_open(&w);
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(x.root), "put f 2; mv g h");
	view = dump(IN_VIEW(x.root), DUMP_TIMES);
	for (int k = 0; k < 2; k++) {
		struct txfs_ioc_end io = {
			.version = TXFS_ABI, .id = x.id, .flags = TXFS_COMMIT_DRY_RUN};

		memcpy(io.token, x.token, sizeof(io.token));
		txm_commit(w.m, &io);
		ck_assert_int_eq(io.error, k ? EBUSY : 0);
		if (!k)
			script_ok(IN_DIR(w.base), "put f 3");
		else
			ck_assert_uint_eq(io.conflicts, 1);
	}
	script_ok(IN_DIR(w.base), "put f 1");
	v2 = dump(IN_VIEW(x.root), DUMP_TIMES);
	dump_same(view, v2);
	b2 = dump(IN_DIR(w.base), 0);
	ck_assert_ptr_nonnull(strstr(b2, "/g "));
	world_close(&w);
}
END_TEST

/* --- what is told
 * ---------------------------------------------------------------------------- */

static const struct telling {
	const char *base, *act, *rows;
	uint64_t counts[3]; /* added, changed, deleted */
} tellings[] = {
	{"", "put f 1", "+ f\n", {1, 0, 0}},
	{"put f 1", "put f 2", "~ f\n", {0, 1, 0}},
	{"put f 1", "chmod 600 f", "m f\n", {0, 1, 0}},
	{"put f 1", "rm f", "- f\n", {0, 0, 1}},
	{"put f 1", "mv f g", "> f g\n", {0, 1, 0}},
	{"put f 1", "mv f g; put g 2", "> f g\n~ g\n", {0, 2, 0}},
	{"put f 1", "rm f; put f 2", "~ f\n", {0, 1, 0}},
	{"put f 1", "put g 2; mv g f", "~ f\n", {0, 1, 0}},
	{"", "put f 1; rm f", "", {0, 0, 0}},
	{"mkdir d; put d/f 1", "mv d e", "> d e\n", {0, 1, 0}},
	{"mkdir d; put d/f 1", "mv d e; put e/f 2", "> d e\n~ e/f\n", {0, 2, 0}},
	{"mkdir d; put d/f 1", "rm d/f; rmdir d", "- d\n- d/f\n", {0, 0, 2}},
	{"", "mkdir d; put d/f 1", "+ d\n+ d/f\n", {2, 0, 0}},
	{"put f 1", "ln f g", "+ g\n", {1, 0, 0}},
	{"put f 1; put g 2", "xchg f g", "> f g\n> g f\n", {0, 2, 0}},
	{"put f 1", "rm f; mkdir f", "- f\n+ f\n", {1, 0, 1}},
	{"put f 1", "setx f user.a 1", "m f\n", {0, 1, 0}},
	{"put b 1; put a 1; put c 1", "rm c; put a 2; chmod 600 b", "~ a\nm b\n- c\n",
		{0, 2, 1}},
};
#define TELLINGS ((int)(sizeof(tellings) / sizeof(*tellings)))

static void add_rows(FILE *f, const struct txfs_ioc_page *io)
{
	for (uint32_t i = 0, at = 0; i < io->count; i++) {
		const struct txfs_row_change *r = (void *)(io->rows + at);

		ck_assert_uint_eq(r->bytes % 8, 0);
		fprintf(f, "%c %s%s%s\n", (int)r->kind, r->names, r->to_len ? " " : "",
			r->to_len ? r->names + r->path_len + 1 : "");
		at += r->bytes;
		ck_assert_uint_le(at, io->used);
	}
}

static char *changes(struct world *w, const struct trans *x, unsigned int *pages)
{
	struct txfs_ioc_page *io = calloc(1, sizeof(*io));
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);

	*pages = 0;
	*io = (struct txfs_ioc_page){.version = TXFS_ABI, .id = x->id};
	do {
		io->used = io->count = 0;
		txm_changes(w->m, io);
		ck_assert_int_eq(io->error, 0);
		ck_assert_uint_le(io->used, TXFS_PAGE_BYTES);
		add_rows(f, io);
		++*pages;
	} while (io->cursor);
	fclose(f);
	free(io);
	return out;
}

START_TEST(changes_are_told_by_path_and_kind)
{
	const struct telling *c = &tellings[_i];
	auto_free char *rows = NULL;
	unsigned int pages;
	struct world w;
	struct trans x;

	world_make(&w, c->base);
	world_open(&w);
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	script_ok(IN_VIEW(x.root), c->act);
	rows = changes(&w, &x, &pages);
	ck_assert_str_eq(rows, c->rows);
	ck_assert_int_eq(trans_do(&w, &x, txm_commit, NULL), 0);
	ck_assert_uint_eq(trans_io.added, c->counts[0]);
	ck_assert_uint_eq(trans_io.changed, c->counts[1]);
	ck_assert_uint_eq(trans_io.deleted, c->counts[2]);
	world_close(&w);
}
END_TEST

/* Suspended ones too; each row once, in order, over many pages. */
START_TEST(many_changes_come_page_by_page)
{
	auto_free char *rows = NULL, *again = NULL;
	unsigned int pages, lines = 0;
	char cmd[300], name[200], last[300] = "";
	struct world w;
	struct trans x;

	world_make(&w, "");
	world_open(&w);
	trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
	memset(name, 'n', sizeof(name));
	name[199] = 0;
	for (int i = 0; i < 300; i++) {
		snprintf(cmd, sizeof(cmd), "put %03d%.*s x", i * 7 % 300, i % 150, name);
		script_ok(IN_VIEW(x.root), cmd);
	}
	rows = changes(&w, &x, &pages);
	ck_assert_uint_gt(pages, 2);
	for (char *p = rows; *p; p = strchr(p, '\n') + 1) {
		char line[300];

		snprintf(line, sizeof(line), "%.*s", (int)strcspn(p, "\n"), p);
		ck_assert_msg(strcmp(last, line) < 0, "%s, then %s", last, line);
		strcpy(last, line);
		lines++;
	}
	ck_assert_uint_eq(lines, 300);
	world_close(&w);
	world_open(&w);
	again = changes(&w, &x, &pages);
	ck_assert_str_eq(rows, again);
	world_close(&w);
}
END_TEST

static uint32_t count_rows(struct world *w, unsigned int flags, uint32_t state)
{
	struct txfs_ioc_page *io = calloc(1, sizeof(*io));
	uint32_t n = 0;

	*io = (struct txfs_ioc_page){.version = TXFS_ABI, .flags = flags};
	do {
		io->used = io->count = 0;
		txm_list(w->m, io);
		ck_assert_int_eq(io->error, 0);
		for (uint32_t i = 0; i < io->count; i++) {
			const struct txfs_row_tx *r = (void *)io->rows;

			ck_assert_uint_eq(r[i].bytes, sizeof(*r));
			n += r[i].state == state;
		}
	} while (io->cursor);
	free(io);
	return n;
}

/* P12 */
START_TEST(every_transaction_is_listed_in_its_state)
{
	struct txfs_ioc_status *st = calloc(1, sizeof(*st));
	struct world w;
	struct trans x, open, main;

	world_make(&w, "");
	world_open(&w);
	for (int i = 0; i < 80; i++) { /* more than a page of rows */
		trans_begin(&w, &x, TXFS_BEGIN_PRIVATE);
		script_ok(IN_VIEW(x.root), i % 2 ? "put f 1" : "put g 1");
		ck_assert_int_eq(
			trans_do(&w, &x, i % 4 ? txm_commit : txm_abort, NULL), 0);
	}
	trans_begin(&w, &open, TXFS_BEGIN_PRIVATE);
	trans_begin(&w, &main, 0);
	script_ok(IN_VIEW(main.root), "put new 1; rm f");
	ck_assert_uint_eq(count_rows(&w, 0, TXFS_OPEN), 2);
	ck_assert_uint_eq(count_rows(&w, TXFS_LIST_LOG, TXFS_ABORTED), 20);
	ck_assert_uint_eq(count_rows(&w, TXFS_LIST_LOG, TXFS_COMMITTED), 60);
	txm_status(w.m, st);
	ck_assert_uint_eq(st->open_id, main.id);
	ck_assert_uint_eq(st->privates, 1);
	ck_assert_uint_eq(st->added, 1);
	ck_assert_uint_eq(st->deleted, 1);
	ck_assert_str_eq(st->open_label, "test");
	world_close(&w);
	world_open(&w);
	ck_assert_uint_eq(count_rows(&w, 0, TXFS_SUSPENDED), 2);
	ck_assert_uint_eq(count_rows(&w, 0, TXFS_OPEN), 0);
	free(st);
	world_close(&w);
}
END_TEST

/* --- at the same time
 * ------------------------------------------------------------------------- */

struct beside {
	struct world *w;
	int n;
	_Atomic int *stop;
};

static void end_one(struct world *w, const struct txfs_ioc_begin *b, trans_verb verb)
{
	struct txfs_ioc_end io = {.version = TXFS_ABI, .id = b->id};

	memcpy(io.token, b->token, sizeof(io.token));
	verb(w->m, &io);
	ck_assert_msg(!io.error, "%s", io.message);
}

static void *transactions(void *arg)
{
	struct beside *j = arg;
	char cmd[200];

	for (int k = 0; k < 25; k++) {
		struct txfs_ioc_begin b = {
			.version = TXFS_ABI, .flags = TXFS_BEGIN_PRIVATE};
		struct node *root;

		txm_begin(j->w->m, &b);
		ck_assert_int_eq(b.error, 0);
		pthread_rwlock_rdlock(&j->w->t->gate);
		root = txm_view(j->w->m, b.id);
		pthread_rwlock_unlock(&j->w->t->gate);
		snprintf(cmd, sizeof(cmd),
			"put d%d/f %d; big d%d/b%d 80; mv d%d/b%d d%d/c%d; chmod 600 "
			"d%d/f",
			j->n, k, j->n, k, j->n, k, j->n, k, j->n);
		script_ok(IN_VIEW(root), cmd);
		node_put(root);
		end_one(j->w, &b, k % 3 ? txm_commit : txm_abort);
	}
	return NULL;
}

static void *readers(void *arg)
{
	struct beside *j = arg;
	char cmd[64];

	for (int k = 0; !*j->stop; k++) {
		long n;
		char *c = content_of(j->w->t->main->root, k % 2 ? "d0/f" : "d1/f", &n);

		ck_assert_int_ge(n, 1);
		free(c);
		snprintf(cmd, sizeof(cmd), "put own%d %d", k % 5, k);
		script_ok(IN_VIEW(j->w->t->main->root), cmd);
		usleep(500);
	}
	return NULL;
}

/* P5: and nothing waits for anything in a circle. */
START_TEST(transactions_readers_and_autocommit_work_at_the_same_time)
{
	auto_free char *view = NULL, *base = NULL;
	_Atomic int stop = 0;
	struct world w;
	struct beside j[4];
	pthread_t t[4];

	world_make(
		&w, "mkdir d0; mkdir d1; mkdir d2; put d0/f 0; put d1/f 0; put d2/f 0");
	world_open(&w);
	w.m->o.interval_s = 0.02;
	ck_assert_int_eq(txm_start(w.m), 0);
	for (int i = 0; i < 4; i++) {
		j[i] = (struct beside){&w, i, &stop};
		ck_assert_int_eq(pthread_create(&t[i], NULL,
					 i < 3 ? transactions : readers, &j[i]),
			0);
	}
	for (int i = 0; i < 4; i++) {
		stop = i == 3;
		pthread_join(t[i], NULL);
	}
	ck_assert_int_eq(trans_do(&w, &(struct trans){0}, txm_sync, NULL), 0);
	view = dump(IN_VIEW(w.t->main->root), DUMP_TIMES);
	base = dump(IN_DIR(w.base), DUMP_TIMES);
	dump_same(view, base);
	world_close(&w);
}
END_TEST

Suite *suite_tx(void)
{
	Suite *s = suite_create("tx");
	TCase *t = tcase_create("tx");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, nobody_ends_a_transaction_without_its_token, 0, VERBS);
	tcase_add_test(t, the_main_view_has_one_transaction_at_a_time);
	tcase_add_loop_test(
		t, a_private_view_sees_the_state_of_its_beginning, 0, 2 * HISTORIES);
	tcase_add_loop_test(t, a_private_view_keeps_its_own_changes_over_those_of_others,
		0, HISTORIES);
	tcase_add_loop_test(t, an_ended_view_is_dead, 0, 2);
	tcase_add_loop_test(t, an_empty_transaction_is_free, 0, 2);
	tcase_add_test(t, a_dry_run_of_a_commit_leaves_everything);
	tcase_add_loop_test(t, changes_are_told_by_path_and_kind, 0, TELLINGS);
	tcase_add_test(t, many_changes_come_page_by_page);
	tcase_add_test(t, every_transaction_is_listed_in_its_state);
	tcase_add_test(t, transactions_readers_and_autocommit_work_at_the_same_time);
	suite_add_tcase(s, t);
	return s;
}
