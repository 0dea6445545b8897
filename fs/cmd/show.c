/*
 * show.c: the verbs that read: status, diff, ls, log. Each row is text or JSON.
 */
#include "fs/cmd/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common/cleanup.h"
#include "common/mem.h"
#include "fs/cmd/out.h"

typedef unsigned long long ull;

/* --- status ----------------------------------------------------------------------------
 */

static void status_json(const struct txfs_ioc_status *st)
{
	out_open();
	out_text("base", st->base);
	out_text("mnt", st->mnt);
	out_text("store", st->store);
	out_text("mode", st->flags & TXFS_STATUS_EXCLUSIVE ? "exclusive" : "shared");
	out_u64("pid", st->pid);
	if (st->open_id) {
		out_u64("id", st->open_id);
		out_text("label", st->open_label);
		out_double("age", age_of(st->open_since_ns));
	} else {
		out_null("id");
		out_null("label");
		out_null("age");
	}
	out_u64("added", st->added);
	out_u64("changed", st->changed);
	out_u64("deleted", st->deleted);
	out_u64("private", st->privates);
	out_u64("suspended", st->suspended);
	out_u64("behind", st->behind);
	out_u64("last_seq", st->last_seq);
	out_u64("pending", st->pending);
	out_u64("requests", st->requests);
	out_u64("store_bytes", st->store_bytes);
	out_close();
}

static void numbers(uint64_t added, uint64_t changed, uint64_t deleted)
{
	printf("%llu added, %llu changed, %llu deleted", (ull)added, (ull)changed,
		(ull)deleted);
}

static void status_text(const struct txfs_ioc_status *st)
{
	fputs("workspace    ", stdout);
	show_name(st->mnt);
	if (strcmp(st->mnt, st->base)) {
		fputs(" (base ", stdout);
		show_name(st->base);
		putchar(')');
	}
	printf(", base=%s\n", st->flags & TXFS_STATUS_EXCLUSIVE ? "exclusive" : "shared");
	fputs("transaction  ", stdout);
	if (st->open_id) {
		show_colour(BOLD);
		printf("%llu", (ull)st->open_id);
		show_colour(PLAIN);
		if (*st->open_label) {
			fputs(" '", stdout);
			show_name(st->open_label);
			putchar('\'');
		}
		fputs(", open for ", stdout);
		show_age(age_of(st->open_since_ns));
		fputs(": ", stdout);
		numbers(st->added, st->changed, st->deleted);
		putchar('\n');
	} else {
		printf("none (autocommit, %llu changes pending)\n", (ull)st->pending);
	}
	printf("others       %llu private, %llu suspended, %llu behind\n",
		(ull)st->privates, (ull)st->suspended, (ull)st->behind);
}

int cmd_status(const struct args *a)
{
	auto_free struct txfs_ioc_status *st = mem_alloc(sizeof(*st));
	struct session s;
	int rc = session_open(a, &s), err;

	if (!rc) {
		err = st ? txfs_status(s.t, st) : -ENOMEM;
		if (err)
			rc = cmd_fail(s.t, err);
		else if (a->json)
			status_json(st);
		else
			status_text(st);
	}
	session_close(&s);
	return rc;
}

/* --- diff ------------------------------------------------------------------------------
 */

static const struct kind {
	enum txfs_change kind;
	const char *word;
	enum colour colour;
} kinds[] = {
	{TXFS_ADDED, "added", GREEN},
	{TXFS_CONTENT, "content", YELLOW},
	{TXFS_ATTR, "attributes", BLUE},
	{TXFS_DELETED, "deleted", RED},
	{TXFS_RENAMED, "renamed", CYAN},
};

static int change_row(
	void *arg, const struct txfs_row_change *r, const char *path, const char *to)
{
	const struct args *a = arg;
	const struct kind *k = NULL;
	char kind[2] = {(char)r->kind, 0}, mode[16];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if ((__u32)kinds[i].kind == r->kind)
			k = &kinds[i];
	if (a->json) {
		snprintf(mode, sizeof(mode), "%06o", r->mode);
		out_open();
		out_text("change", kind);
		out_text("what", k ? k->word : "unknown");
		out_text("path", path);
		out_text("to", to);
		out_text("mode", mode);
		out_u64("size", r->size);
		out_close();
		return 0;
	}
	show_colour(k ? k->colour : PLAIN);
	printf("%s ", kind);
	show_name(path);
	if (to) {
		fputs(" -> ", stdout);
		show_name(to);
	}
	show_colour(PLAIN);
	putchar('\n');
	return 0;
}

int cmd_diff(const struct args *a)
{
	struct session s;
	int rc = session_open(a, &s);
	int err = rc ? 0 : txfs_changes(s.t, s.id, 0, change_row, (void *)a);

	if (err)
		rc = cmd_fail(s.t, err);
	session_close(&s);
	return rc;
}

/* --- ls and log ------------------------------------------------------------------------
 */

struct list_arg {
	const struct args *a;
	const char *mnt;
};

static const char *state_word(__u32 state)
{
	switch (state) {
	case TXFS_OPEN: return "open";
	case TXFS_SUSPENDED: return "suspended";
	case TXFS_COMMITTED: return "committed";
	case TXFS_BEHIND: return "behind";
	case TXFS_ABORTED: return "aborted";
	default: return "unknown";
	}
}

static void tx_json(const struct list_arg *l, const struct txfs_row_tx *r)
{
	auto_free char *view = *r->view ? mem_printf("%s/%s", l->mnt, r->view) : NULL;

	out_open();
	out_u64("id", r->id);
	out_text("label", r->label);
	out_text("state", state_word(r->state));
	out_double("age", age_of(r->ended_ns ? r->ended_ns : r->begun_ns));
	out_u64("seq", r->seq);
	out_u64("added", r->added);
	out_u64("changed", r->changed);
	out_u64("deleted", r->deleted);
	out_bool("private", r->is_private);
	out_bool("auto", r->is_auto);
	out_u64("begun_ns", r->begun_ns);
	out_u64("ended_ns", r->ended_ns);
	out_text("view", view);
	out_close();
}

static void tx_text(const struct list_arg *l, const struct txfs_row_tx *r)
{
	show_colour(BOLD);
	printf("%llu", (ull)r->id);
	show_colour(PLAIN);
	printf("  %s  ", state_word(r->state));
	show_age(age_of(r->ended_ns ? r->ended_ns : r->begun_ns));
	fputs("  ", stdout);
	numbers(r->added, r->changed, r->deleted);
	if (r->is_auto)
		fputs("  (autocommit)", stdout);
	if (*r->label) {
		fputs("  '", stdout);
		show_name(r->label);
		putchar('\'');
	}
	if (*r->view) {
		fputs("  ", stdout);
		show_name(l->mnt);
		putchar('/');
		show_name(r->view);
	}
	putchar('\n');
}

static int ls_row(void *arg, const struct txfs_row_tx *r)
{
	const struct list_arg *l = arg;

	if (l->a->json)
		tx_json(l, r);
	else
		tx_text(l, r);
	return 0;
}

static int log_row(void *arg, const struct txfs_row_tx *r)
{
	return r->state == TXFS_OPEN || r->state == TXFS_SUSPENDED ? 0 : ls_row(arg, r);
}

static int list(const struct args *a, unsigned int flags,
	int (*row)(void *, const struct txfs_row_tx *))
{
	struct session s;
	int rc = session_open(a, &s);
	struct list_arg l = {a, s.t ? txfs_mnt(s.t) : ""};
	int err = rc ? 0 : txfs_list(s.t, flags, row, &l);

	if (err)
		rc = cmd_fail(s.t, err);
	session_close(&s);
	return rc;
}

int cmd_ls(const struct args *a)
{
	return list(a, 0, ls_row);
}

int cmd_log(const struct args *a)
{
	return list(a, TXFS_LIST_LOG, log_row);
}
