/*
 * call.c: the ioctls, one function each.
 *
 * What comes back is not trusted to be well formed: strings are ended, rows are checked
 * against the bytes that hold them.
 */
#include "fs/client/impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include "common/cleanup.h"
#include "common/mem.h"

/* --- one call --------------------------------------------------------------------------
 */

/* The call itself failed: the daemon did not understand it, or is not there. */
static int call_failed(struct txfs *t, int e)
{
	const char *mnt = txfs_mnt(t);

	switch (e) {
	case ENOTCONN:
	case ECONNABORTED:
	case ENODEV:
		return say(t, -ENOTCONN,
			"the daemon of '%s' is gone; mount the workspace again, then "
			"look at "
			"'txfs ls'",
			mnt);
	case ENOTTY:
	case ENOSYS:
		return say(t, -ENOTTY,
			"'%s' does not answer as a txfs mount of this version", mnt);
	default: return say(t, -e, "the daemon of '%s' refused: %s", mnt, strerror(e));
	}
}

/* 0 or the error that the daemon put into its answer, with its line or one of ours. */
static int answer(struct txfs *t, int error, char *message, const char *what)
{
	if (message)
		message[TXFS_MESSAGE_BYTES - 1] = 0;
	if (error == 0)
		return 0;
	if (error < 0)
		return say(t, -EPROTO, "'%s' gave an answer that makes no sense",
			txfs_mnt(t));
	if (message && *message)
		return say(t, -error, "%s", message);
	return say(
		t, -error, "cannot %s at '%s': %s", what, txfs_mnt(t), strerror(error));
}

static int call(struct txfs *t, unsigned long nr, void *arg)
{
	int rc;

	if (t->fd < 0)
		return say(t, -ENOTCONN, "not connected to a workspace");
	do
		rc = ioctl(t->fd, nr, arg);
	while (rc < 0 && errno == EINTR);
	return rc < 0 ? call_failed(t, errno) : 0;
}

static int set_name(struct txfs *t, char to[TXFS_LABEL_BYTES], const char *name)
{
	if (!name)
		name = "";
	if (strlen(name) >= TXFS_LABEL_BYTES)
		return say(t, -ENAMETOOLONG, "name '%.20s..' is longer than %d bytes",
			name, TXFS_LABEL_BYTES - 1);
	strcpy(to, name);
	return 0;
}

/* --- begin and end ---------------------------------------------------------------------
 */

/* A transaction whose token cannot be kept could never be ended: take it back. */
static int undo_begin(struct txfs *t, const struct txfs_ioc_begin *b, int err)
{
	struct txfs_ioc_end e = {.version = TXFS_ABI, .id = b->id};

	memcpy(e.token, b->token, sizeof(e.token));
	call(t, TXFS_IOC_ABORT, &e);
	explicit_bzero(&e, sizeof(e));
	return say(t, err,
		"cannot keep the token of the transaction: %s; check the state directory",
		strerror(-err));
}

int txfs_begin(
	struct txfs *t, unsigned int flags, const char *label, struct txfs_begun *out)
{
	struct txfs_ioc_begin b = {.version = TXFS_ABI, .flags = flags};
	int err;

	memset(out, 0, sizeof(*out));
	err = set_name(t, b.label, label);
	if (!err)
		err = call(t, TXFS_IOC_BEGIN, &b);
	if (err)
		return err;
	out->id = b.id;
	err = answer(t, b.error, b.message, "begin");
	if (err)
		return err;
	err = token_put(t->w->store, b.id, b.token);
	if (err)
		err = undo_begin(t, &b, err);
	explicit_bzero(b.token, sizeof(b.token));
	if (err)
		return err;
	b.view[sizeof(b.view) - 1] = 0;
	snprintf(out->view, sizeof(out->view), "%s%s%s", t->w->mnt, *b.view ? "/" : "",
		b.view);
	return 0;
}

static int current_id(struct txfs *t, uint64_t *id)
{
	auto_free struct txfs_ioc_status *s = NULL;
	int err = 0;

	if (*id)
		return 0;
	s = mem_alloc(sizeof(*s));
	err = s ? txfs_status(t, s) : -ENOMEM;
	if (err)
		return err;
	*id = s->open_id;
	return *id ? 0
		   : say(t, -ENOENT,
			     "no transaction is open on '%s'; begin one with: txfs -C "
			     "'%s' begin",
			     txfs_mnt(t), txfs_mnt(t));
}

/* Calls that need the token. One that is missing is sent as zeros, so that the daemon
 * says what is wrong: no such transaction, or no right to it. */
static int end_call(struct txfs *t, unsigned long nr, const char *what,
	struct txfs_ioc_end *e, struct txfs_ended *out)
{
	uint64_t id = e->id;
	int err;

	e->version = TXFS_ABI;
	if (out)
		memset(out, 0, sizeof(*out));
	err = current_id(t, &id);
	if (err)
		return err;
	e->id = id;
	err = token_get(t->w->store, id, e->token);
	if (err)
		memset(e->token, 0, sizeof(e->token));
	err = call(t, nr, e);
	explicit_bzero(e->token, sizeof(e->token));
	if (err)
		return err;
	if (out)
		*out = (struct txfs_ended){e->seq, e->added, e->changed, e->deleted,
			e->conflicts, e->behind, e->total_ns};
	err = answer(t, e->error, e->message, what);
	if (!err && *e->message)
		say(t, 0, "%s", e->message);
	return err;
}

int txfs_commit(struct txfs *t, uint64_t id, unsigned int flags, struct txfs_ended *out)
{
	struct txfs_ioc_end e = {.id = id, .flags = flags};
	int err = end_call(t, TXFS_IOC_COMMIT, "commit", &e, out);

	if (!err && !(flags & TXFS_COMMIT_DRY_RUN))
		token_del(t->w->store, e.id);
	return err;
}

int txfs_abort(struct txfs *t, uint64_t id, struct txfs_ended *out)
{
	struct txfs_ioc_end e = {.id = id};
	int err = end_call(t, TXFS_IOC_ABORT, "abort", &e, out);

	if (!err)
		token_del(t->w->store, e.id);
	return err;
}

static int named_call(
	struct txfs *t, unsigned long nr, const char *what, uint64_t id, const char *name)
{
	struct txfs_ioc_end e = {.id = id};
	int err = set_name(t, e.name, name);

	return err ? err : end_call(t, nr, what, &e, NULL);
}

int txfs_savepoint(struct txfs *t, uint64_t id, const char *name)
{
	return named_call(t, TXFS_IOC_SAVEPOINT, "make a savepoint", id, name);
}

int txfs_rollback(struct txfs *t, uint64_t id, const char *name)
{
	return named_call(t, TXFS_IOC_ROLLBACK, "roll back", id, name);
}

int txfs_release(struct txfs *t, uint64_t id, const char *name)
{
	return named_call(t, TXFS_IOC_RELEASE, "release a savepoint", id, name);
}

int txfs_sync(struct txfs *t)
{
	struct txfs_ioc_end e = {.version = TXFS_ABI};
	int err = call(t, TXFS_IOC_SYNC, &e);

	return err ? err : answer(t, e.error, e.message, "sync");
}

/* --- reading ---------------------------------------------------------------------------
 */

int txfs_status(struct txfs *t, struct txfs_ioc_status *out)
{
	int err;

	memset(out, 0, sizeof(*out));
	out->version = TXFS_ABI;
	err = call(t, TXFS_IOC_STATUS, out);
	if (err)
		return err;
	out->open_label[sizeof(out->open_label) - 1] = 0;
	out->base[sizeof(out->base) - 1] = 0;
	out->mnt[sizeof(out->mnt) - 1] = 0;
	out->store[sizeof(out->store) - 1] = 0;
	return answer(t, out->error, NULL, "ask for the status");
}

struct pages {
	unsigned long nr;
	const char *what;
	size_t least; /* bytes of the smallest row */
	int (*row)(struct pages *p, const void *row, size_t bytes);
	int (*on_tx)(void *, const struct txfs_row_tx *);
	int (*on_change)(
		void *, const struct txfs_row_change *, const char *, const char *);
	void *arg;
	bool broken; /* row() found the row malformed */
};

static int walk_rows(struct pages *p, const struct txfs_ioc_page *page)
{
	size_t at = 0, used = page->used;

	if (used > sizeof(page->rows) || page->count > used)
		p->broken = true;
	for (__u32 i = 0; i < page->count && !p->broken; i++) {
		__u32 bytes = 0;
		int rc;

		if (used - at >= sizeof(bytes))
			memcpy(&bytes, page->rows + at, sizeof(bytes));
		if (bytes < p->least || bytes > used - at || bytes % 8) {
			p->broken = true;
			break;
		}
		rc = p->row(p, page->rows + at, bytes);
		if (rc)
			return rc;
		at += bytes;
	}
	return 0;
}

static int walk(struct txfs *t, struct pages *p, uint64_t id, unsigned int flags)
{
	auto_free struct txfs_ioc_page *page = mem_alloc(sizeof(*page));
	uint64_t cursor = 0;
	int err = 0;

	if (!page)
		return say(t, -ENOMEM, "out of memory");
	do {
		memset(page, 0, sizeof(*page));
		page->version = TXFS_ABI;
		page->flags = flags;
		page->id = id;
		page->cursor = cursor;
		err = call(t, p->nr, page);
		if (!err)
			err = answer(t, page->error, NULL, p->what);
		if (!err)
			err = walk_rows(p, page);
		/* a cursor that stands still would go on for ever */
		if (!err && page->cursor == cursor && cursor)
			p->broken = true;
		if (p->broken)
			return say(t, -EPROTO, "'%s' gave an answer that makes no sense",
				txfs_mnt(t));
		cursor = page->cursor;
	} while (!err && cursor);
	return err;
}

static int tx_row(struct pages *p, const void *row, size_t bytes)
{
	struct txfs_row_tx r;

	memcpy(&r, row, sizeof(r));
	r.label[sizeof(r.label) - 1] = 0;
	r.view[sizeof(r.view) - 1] = 0;
	return p->on_tx(p->arg, &r);
}

int txfs_list(struct txfs *t, unsigned int flags,
	int (*row)(void *arg, const struct txfs_row_tx *r), void *arg)
{
	struct pages p = {.nr = TXFS_IOC_LIST,
		.what = "list the transactions",
		.least = sizeof(struct txfs_row_tx),
		.row = tx_row,
		.on_tx = row,
		.arg = arg};

	return walk(t, &p, 0, flags);
}

static int change_row(struct pages *p, const void *row, size_t bytes)
{
	const struct txfs_row_change *r = row;
	size_t room = bytes - sizeof(*r), path = r->path_len, to = r->to_len;
	const char *target = NULL;

	if (path >= room || r->names[path]) {
		p->broken = true;
		return 0;
	}
	if (r->kind == TXFS_RENAMED) {
		target = r->names + path + 1;
		if (to >= room - path - 1 || target[to]) {
			p->broken = true;
			return 0;
		}
	}
	return p->on_change(p->arg, r, r->names, target);
}

int txfs_changes(struct txfs *t, uint64_t id, unsigned int flags,
	int (*row)(void *arg, const struct txfs_row_change *r, const char *path,
		const char *to),
	void *arg)
{
	struct pages p = {.nr = TXFS_IOC_CHANGES,
		.what = "list the changes",
		.least = sizeof(struct txfs_row_change) + 1,
		.row = change_row,
		.on_change = row,
		.arg = arg};

	return walk(t, &p, id, flags);
}

/* --- names of transactions -------------------------------------------------------------
 */

struct wanted {
	const char *label;
	uint64_t id, found;
	unsigned int matches;
};

static int match_row(void *arg, const struct txfs_row_tx *r)
{
	struct wanted *w = arg;

	if (w->id ? r->id == w->id : !strcmp(r->label, w->label)) {
		w->found = r->id;
		w->matches++;
	}
	return 0;
}

static uint64_t number(const char *s)
{
	unsigned long long v;
	char *end;

	errno = 0;
	v = *s >= '1' && *s <= '9' ? strtoull(s, &end, 10) : 0;
	return v && !*end && !errno ? v : 0;
}

/* An id of any transaction, also an ended one; else a label of one that is not ended. */
int txfs_resolve(struct txfs *t, const char *tx, uint64_t *id)
{
	struct wanted by_id = {.id = tx ? number(tx) : 0};
	struct wanted by_label = {.label = tx};
	int err = 0;

	*id = txfs_view_id(t);
	if (!tx)
		return 0;
	if (by_id.id)
		err = txfs_list(t, TXFS_LIST_LOG, match_row, &by_id);
	if (!err && by_id.id && !by_id.matches)
		err = txfs_list(t, 0, match_row, &by_id);
	if (!err && !by_id.matches && *tx)
		err = txfs_list(t, 0, match_row, &by_label);
	if (err)
		return err;
	if (by_label.matches > 1)
		return say(t, -EEXIST,
			"%u transactions at '%s' are labelled '%s'; name one by its id "
			"('txfs ls')",
			by_label.matches, txfs_mnt(t), tx);
	*id = by_id.matches ? by_id.found : by_label.found;
	return *id ? 0
		   : say(t, -ENOENT,
			     "no transaction '%s' at '%s'; 'txfs -C %s ls' shows those "
			     "there are",
			     tx, txfs_mnt(t), txfs_mnt(t));
}
