/*
 * tx.c: the verbs that change something: begin, commit, abort, savepoints, sync.
 */
#include "fs/cmd/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "fs/cmd/out.h"

typedef unsigned long long ull;

int cmd_begin(const struct args *a)
{
	unsigned int flags = (a->is_private ? TXFS_BEGIN_PRIVATE : 0) |
			     (a->force ? TXFS_BEGIN_FORCE : 0);
	struct txfs_begun b;
	struct session s;
	int rc = session_open(a, &s), err;

	if (!rc) {
		err = txfs_begin(s.t, flags, a->label, &b);
		if (err) {
			rc = cmd_fail(s.t, err);
		} else if (a->json) {
			out_open();
			out_u64("id", b.id);
			out_text("view", b.view);
			out_close();
		} else {
			printf("%llu\n", (ull)b.id);
			if (a->is_private)
				puts(b.view);
			else
				fputs("everybody's changes in this workspace now belong "
				      "to this "
				      "transaction; use --private for a view of your "
				      "own\n",
					stderr);
		}
	}
	session_close(&s);
	return rc;
}

static void show_ended(const struct args *a, const char *what, const struct txfs_ended *e)
{
	if (a->json) {
		out_open();
		out_text("outcome", what);
		out_u64("seq", e->seq);
		out_u64("added", e->added);
		out_u64("changed", e->changed);
		out_u64("deleted", e->deleted);
		out_u64("conflicts", e->conflicts);
		out_u64("behind", e->behind);
		out_double("seconds", (double)e->total_ns / 1e9);
		out_close();
		return;
	}
	printf("%s: %llu added, %llu changed, %llu deleted\n", what, (ull)e->added,
		(ull)e->changed, (ull)e->deleted);
}

static int conflict_row(
	void *arg, const struct txfs_row_change *r, const char *path, const char *to)
{
	const struct args *a = arg;

	if (a->json) {
		out_open();
		out_text("conflict", path);
		out_close();
	} else {
		cmd_error("conflict: %s", path);
	}
	return 0;
}

/* EBUSY is a conflict only when the daemon counted paths; else somebody is in the way. */
static int commit_failed(
	const struct args *a, struct session *s, int err, const struct txfs_ended *e)
{
	if (err != -EBUSY || !e->conflicts)
		return cmd_fail(s->t, err);
	cmd_error("%s", txfs_message(s->t));
	if (a->json)
		show_ended(a, "conflict", e);
	txfs_changes(s->t, s->id, TXFS_CHANGES_CONFLICTS, conflict_row, (void *)a);
	cmd_error(
		"nothing was committed and nothing is lost: the transaction stays open; "
		"keep what you need of it, then abort it");
	return CMD_CONFLICT;
}

int cmd_commit(const struct args *a)
{
	struct txfs_ended e = {0};
	struct session s;
	int rc, err;

	if (a->n) {
		cmd_error("commit of single paths comes later; commit without PATH "
			  "publishes "
			  "the whole transaction");
		return CMD_FAILED;
	}
	rc = session_open(a, &s);
	if (!rc) {
		err = txfs_commit(s.t, s.id, a->dry_run ? TXFS_COMMIT_DRY_RUN : 0, &e);
		if (err) {
			rc = commit_failed(a, &s, err, &e);
		} else {
			show_ended(
				a, a->dry_run ? "would be committed" : "committed", &e);
			if (e.behind) {
				cmd_error("%s", txfs_message(s.t));
				rc = CMD_BEHIND;
			}
		}
	}
	session_close(&s);
	return rc;
}

int cmd_abort(const struct args *a)
{
	struct txfs_ended e = {0};
	struct session s;
	int rc = session_open(a, &s), err;

	if (!rc) {
		err = txfs_abort(s.t, s.id, &e);
		if (err)
			rc = cmd_fail(s.t, err);
		else
			show_ended(a, "aborted", &e);
	}
	session_close(&s);
	return rc;
}

static int named(const struct args *a, int (*f)(struct txfs *, uint64_t, const char *))
{
	struct session s;
	int rc, err;

	if (!*a->pos[0]) {
		cmd_error("%s: the name is empty", a->verb);
		return CMD_USAGE;
	}
	rc = session_open(a, &s);
	err = rc ? 0 : f(s.t, s.id, a->pos[0]);
	if (err)
		rc = cmd_fail(s.t, err);
	session_close(&s);
	return rc;
}

int cmd_savepoint(const struct args *a)
{
	return named(a, txfs_savepoint);
}

int cmd_rollback(const struct args *a)
{
	return named(a, txfs_rollback);
}

int cmd_release(const struct args *a)
{
	return named(a, txfs_release);
}

int cmd_sync(const struct args *a)
{
	struct session s;
	int rc = session_open(a, &s);
	int err = rc ? 0 : txfs_sync(s.t);

	if (err)
		rc = cmd_fail(s.t, err);
	session_close(&s);
	return rc;
}
