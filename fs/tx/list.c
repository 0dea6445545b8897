/*
 * list.c: telling what there is: status, transactions, changed paths, page by page.
 */
#include "fs/tx/impl.h"

#include <stdio.h>

/* The changes of @x as they are now; a suspended one is loaded for the moment. */
/* The rows, or only their numbers. */
struct asked {
	struct change *c;
	size_t n;
	uint64_t *counts;
};

static int ask_net(struct txm *m, struct tx *x, struct asked *q)
{
	struct net *net;
	int r = net_new(m->t, x->view->top, &net);

	if (r)
		return r;
	r = q->counts ? net_count(net, q->counts) : net_changes(net, &q->c, &q->n);
	net_free(net);
	return r;
}

static int ask(struct txm *m, struct tx *x, struct asked *q)
{
	bool load = x->state == TXFS_SUSPENDED;
	int r = load ? recover_load(m, x) : 0;

	if (r || !x->view)
		return r;
	pthread_rwlock_wrlock(&m->t->gate);
	r = ask_net(m, x, q);
	pthread_rwlock_unlock(&m->t->gate);
	if (load)
		recover_unload(m, x);
	return r;
}

static int changes_of(struct txm *m, struct tx *x, struct change **c, size_t *n)
{
	struct asked q = {0};
	int r = ask(m, x, &q);

	*c = q.c;
	*n = q.n;
	return r;
}

static void count_of(struct txm *m, struct tx *x, uint64_t counts[3])
{
	memset(counts, 0, 3 * sizeof(*counts));
	if (ask(m, x, &(struct asked){.counts = counts}))
		memset(counts, 0, 3 * sizeof(*counts));
}

void txm_status(struct txm *m, struct txfs_ioc_status *io)
{
	auto_unlock pthread_mutex_t *l = lock(&m->lock);
	uint64_t counts[3];
	struct tx *x;

	list_for_each (x, &m->txs, link) {
		io->privates += x->state == TXFS_OPEN && x->is_private;
		io->suspended += x->state == TXFS_SUSPENDED;
		io->behind += x->state == TXFS_BEHIND;
	}
	io->last_seq = atomic_load(&m->t->last_seq);
	io->store_bytes = store_bytes(m->t->store);
	x = tx_main(m);
	if (!x) {
		io->pending = layer_count(m->t->main->top);
		return;
	}
	count_of(m, x, counts);
	io->open_id = x->id;
	memcpy(io->open_label, x->label, sizeof(io->open_label));
	io->open_since_ns = (uint64_t)x->begun_ns;
	io->added = counts[0];
	io->changed = counts[1];
	io->deleted = counts[2];
}

/* --- transactions
 * ---------------------------------------------------------------------------- */

static int add_row(struct txm *m, const struct txfs_row_tx *row)
{
	struct txfs_row_tx *p = realloc(m->txrow, (m->txrows + 1) * sizeof(*p));

	if (!p)
		return -ENOMEM;
	m->txrow = p;
	p[m->txrows++] = *row;
	return 0;
}

static int collect_open(struct txm *m)
{
	struct tx *x;
	int r = 0;

	list_for_each (x, &m->txs, link) {
		struct txfs_row_tx row = {
			.bytes = sizeof(row),
			.state = x->state,
			.id = x->id,
			.seq = x->seq,
			.begun_ns = (uint64_t)x->begun_ns,
			.is_private = x->is_private,
			.is_auto = x->is_auto,
		};
		uint64_t counts[3];

		count_of(m, x, counts);
		row.added = counts[0];
		row.changed = counts[1];
		row.deleted = counts[2];
		memcpy(row.label, x->label, sizeof(row.label));
		if (x->state == TXFS_OPEN && x->is_private)
			snprintf(row.view, sizeof(row.view), ".txfs/tx/%llu",
				(unsigned long long)x->id);
		r = r ? r : add_row(m, &row);
	}
	return r;
}

static int log_row(void *arg, const struct rec_layer *l)
{
	struct txfs_row_tx row = {
		.bytes = sizeof(row),
		.state = (uint32_t)l->state,
		.id = l->id,
		.seq = l->seq,
		.begun_ns = l->begun_ns,
		.ended_ns = l->ended_ns,
		.added = l->added,
		.changed = l->changed,
		.deleted = l->deleted,
		.is_private = l->is_private,
		.is_auto = l->kind == LAYER_AUTO,
	};

	if (l->kind != LAYER_TX && l->kind != LAYER_AUTO)
		return 0;
	if (l->state != TXFS_COMMITTED && l->state != TXFS_BEHIND &&
		l->state != TXFS_ABORTED)
		return 0;
	snprintf(row.label, sizeof(row.label), "%s", l->label);
	return add_row(arg, &row);
}

static int newest_first(const void *a, const void *b)
{
	const struct txfs_row_tx *x = a, *y = b;

	if (x->ended_ns != y->ended_ns)
		return x->ended_ns > y->ended_ns ? -1 : 1;
	return x->id > y->id ? -1 : x->id < y->id;
}

static int collect_log(struct txm *m)
{
	int r = store_flush(m->t->store, STORE_WRITTEN);

	if (!r || r == -ENOSPC) /* then the newest lines lack */
		r = store_load_layers(m->t->store, log_row, m);
	if (!r && m->txrows)
		qsort(m->txrow, m->txrows, sizeof(*m->txrow), newest_first);
	return r;
}

void txm_list(struct txm *m, struct txfs_ioc_page *io)
{
	auto_unlock pthread_mutex_t *l = lock(&m->lock);
	size_t i = io->cursor;
	int r = 0;

	if (!io->cursor) {
		free(m->txrow);
		m->txrow = NULL;
		m->txrows = 0;
		r = io->flags & TXFS_LIST_LOG ? collect_log(m) : collect_open(m);
	}
	io->error = -r;
	for (; !r && i < m->txrows && io->used + sizeof(*m->txrow) <= TXFS_PAGE_BYTES;
		i++) {
		memcpy(io->rows + io->used, &m->txrow[i], sizeof(*m->txrow));
		io->used += sizeof(*m->txrow);
		io->count++;
	}
	io->cursor = !r && i < m->txrows ? i : 0;
}

/* --- changed paths
 * -------------------------------------------------------------------------------- */

static int collect_changes(struct txm *m, struct txfs_ioc_page *io)
{
	struct tx *x = io->id ? tx_find(m, io->id) : tx_main(m);
	int r;

	changes_free(m->page, m->pages);
	m->page = NULL;
	m->pages = 0;
	if (!x)
		return -ENOENT;
	m->page_id = x->id;
	if (!(io->flags & TXFS_CHANGES_CONFLICTS) && x->state == TXFS_OPEN &&
		(r = m->h.barrier(m->h.arg)))
		return r; /* what is dirty in a mapping counts too */
	if (!(io->flags & TXFS_CHANGES_CONFLICTS))
		return changes_of(m, x, &m->page, &m->pages);
	m->page = calloc(x->conflicts + 1, sizeof(*m->page));
	if (!m->page)
		return -ENOMEM;
	for (size_t i = 0; i < x->conflicts; i++) {
		m->page[i].kind = TXFS_CONTENT;
		m->page[i].path = strdup(x->conflict[i]);
		if (!m->page[i].path)
			return -ENOMEM;
		m->pages++;
	}
	return 0;
}

static bool add_change(struct txfs_ioc_page *io, const struct change *c)
{
	size_t np = strlen(c->path), nt = c->to ? strlen(c->to) : 0;
	size_t bytes = (sizeof(struct txfs_row_change) + np + nt + 2 + 7) / 8 * 8;
	struct txfs_row_change *row = (void *)(io->rows + io->used);

	if (io->used + bytes > TXFS_PAGE_BYTES)
		return false;
	memset(row, 0, bytes);
	row->bytes = (uint32_t)bytes;
	row->kind = c->kind;
	row->mode = c->mode;
	row->size = c->size;
	row->path_len = (uint32_t)np;
	row->to_len = (uint32_t)nt;
	memcpy(row->names, c->path, np);
	if (nt)
		memcpy(row->names + np + 1, c->to, nt);
	io->used += (uint32_t)bytes;
	io->count++;
	return true;
}

void txm_changes(struct txm *m, struct txfs_ioc_page *io)
{
	auto_unlock pthread_mutex_t *l = lock(&m->lock);
	size_t i = io->cursor;
	int r = io->cursor ? 0 : collect_changes(m, io);

	if (!r && io->cursor && io->id && m->page_id != io->id)
		r = -ESTALE;
	io->error = -r;
	while (!r && i < m->pages && add_change(io, &m->page[i]))
		i++;
	io->cursor = !r && i < m->pages ? i : 0;
}
