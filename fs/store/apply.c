/*
 * apply.c: a record becomes a statement.
 */
#include "fs/store/impl.h"

static const char *text(const char *s)
{
	return s ? s : "";
}

static int put_layer(struct db *db, const struct rec_layer *r)
{
	const enum sql_stmt s = SQL_LAYER_PUT;

	db_u64(db, s, 1, r->id);
	db_u64(db, s, 2, (uint64_t)r->kind);
	db_u64(db, s, 3, (uint64_t)r->state);
	db_u64(db, s, 4, r->parent);
	db_u64(db, s, 5, r->seq);
	db_u64(db, s, 6, r->snapshot);
	db_u64(db, s, 7, r->is_private);
	db_text(db, s, 8, text(r->label));
	db_blob(db, s, 9, r->token_hash, sizeof(r->token_hash));
	db_u64(db, s, 10, r->begun_ns);
	db_u64(db, s, 11, r->ended_ns);
	db_u64(db, s, 12, r->added);
	db_u64(db, s, 13, r->changed);
	db_u64(db, s, 14, r->deleted);
	return db_step(db, s);
}

/* A fingerprint's columns, from the @first on, in the order of the schema. */
static void bind_print(
	struct db *db, enum sql_stmt s, int first, const struct base_print *p)
{
	const uint64_t column[] = {p->dev, p->ino, (uint64_t)p->btime_ns,
		(uint64_t)p->mtime_ns, (uint64_t)p->ctime_ns, p->size, p->mode, p->uid,
		p->gid, p->nlink, p->racy};
	const int n = sizeof(column) / sizeof(*column);

	for (int i = 0; i < n; i++)
		db_u64(db, s, first + i, column[i]);
	db_blob(db, s, first + n, p->content, sizeof(p->content));
}

static int put_object(struct db *db, const struct rec_object *r)
{
	const enum sql_stmt s = SQL_OBJECT_PUT;

	db_u64(db, s, 1, r->id);
	db_u64(db, s, 2, r->st_ino);
	db_u64(db, s, 3, r->has_base);
	db_u64(db, s, 4, r->parent);
	db_text(db, s, 5, text(r->name));
	bind_print(db, s, 6, &r->print);
	db_u64(db, s, 18, (uint64_t)r->ctime_ns);
	db_u64(db, s, 19, (uint64_t)r->ctime_left_ns);
	return db_step(db, s);
}

static int put_print(struct db *db, const struct rec_print *r)
{
	const enum sql_stmt s = SQL_PRINT_PUT;

	db_u64(db, s, 1, r->layer);
	db_u64(db, s, 2, r->object);
	bind_print(db, s, 3, &r->print);
	return db_step(db, s);
}

static int put_inode(struct db *db, const struct rec_inode *r)
{
	const enum sql_stmt s = SQL_INODE_PUT;

	db_u64(db, s, 1, r->layer);
	db_u64(db, s, 2, r->object);
	db_u64(db, s, 3, r->mode);
	db_u64(db, s, 4, r->uid);
	db_u64(db, s, 5, r->gid);
	db_u64(db, s, 6, r->nlink);
	db_u64(db, s, 7, r->size);
	db_u64(db, s, 8, r->rdev);
	db_u64(db, s, 9, (uint64_t)r->mtime_ns);
	db_u64(db, s, 10, (uint64_t)r->ctime_ns);
	db_u64(db, s, 11, (uint64_t)r->atime_ns);
	db_u64(db, s, 12, r->below);
	db_u64(db, s, 13, r->parts);
	db_text(db, s, 14, r->target);
	return db_step(db, s);
}

static void put_id_or_null(struct db *db, enum sql_stmt s, int at, uint64_t id)
{
	if (id)
		db_u64(db, s, at, id);
	else
		db_blob(db, s, at, NULL, 0);
}

static int put_name(struct db *db, const struct rec_name *r)
{
	const enum sql_stmt s = SQL_NAME_PUT;

	db_u64(db, s, 1, r->layer);
	db_u64(db, s, 2, r->dir);
	db_text(db, s, 3, text(r->name));
	put_id_or_null(db, s, 4, r->object);
	put_id_or_null(db, s, 5, r->was);
	return db_step(db, s);
}

static int put_xattr(struct db *db, const struct rec_xattr *r)
{
	const enum sql_stmt s = SQL_XATTR_PUT;

	db_u64(db, s, 1, r->layer);
	db_u64(db, s, 2, r->object);
	db_text(db, s, 3, text(r->name));
	db_blob(db, s, 4, r->value, r->size);
	return db_step(db, s);
}

static int put_run(struct db *db, const struct rec_run *r)
{
	const enum sql_stmt s = SQL_RUN_PUT;

	db_u64(db, s, 1, r->layer);
	db_u64(db, s, 2, r->object);
	db_u64(db, s, 3, r->block);
	db_u64(db, s, 4, r->count);
	db_u64(db, s, 5, r->pool);
	db_u64(db, s, 6, r->chunk_off);
	db_u64(db, s, 7, r->chunk_bytes);
	db_u64(db, s, 8, r->skip);
	db_blob(db, s, 9, r->hash, sizeof(r->hash));
	return db_step(db, s);
}

static int put_step(struct db *db, const struct rec_step *r)
{
	const enum sql_stmt s = SQL_STEP_PUT;

	db_u64(db, s, 1, r->layer);
	db_u64(db, s, 2, r->n);
	db_u64(db, s, 3, r->op);
	db_u64(db, s, 4, r->object);
	db_u64(db, s, 5, r->ino);
	db_u64(db, s, 6, (uint64_t)r->btime_ns);
	db_u64(db, s, 7, r->ino2);
	db_u64(db, s, 8, (uint64_t)r->btime2_ns);
	db_text(db, s, 9, text(r->path));
	db_text(db, s, 10, text(r->path2));
	db_u64(db, s, 11, r->mode);
	db_u64(db, s, 12, r->uid);
	db_u64(db, s, 13, r->gid);
	db_u64(db, s, 14, (uint64_t)r->mtime_ns);
	db_u64(db, s, 15, (uint64_t)r->atime_ns);
	db_u64(db, s, 16, r->flags);
	db_blob(db, s, 17, r->blob, r->blob_size);
	return db_step(db, s);
}

/* Statements whose parameters are two numbers, and a third or a name. */
static int by_key(struct db *db, enum sql_stmt s, uint64_t a, uint64_t b)
{
	db_u64(db, s, 1, a);
	db_u64(db, s, 2, b);
	return db_step(db, s);
}

static int by_name(
	struct db *db, enum sql_stmt s, uint64_t a, uint64_t b, const char *name)
{
	db_u64(db, s, 1, a);
	db_u64(db, s, 2, b);
	db_text(db, s, 3, text(name));
	return db_step(db, s);
}

static int del_run(struct db *db, const struct rec_run *r)
{
	db_u64(db, SQL_RUN_DEL, 3, r->block);
	return by_key(db, SQL_RUN_DEL, r->layer, r->object);
}

static int by_id(struct db *db, enum sql_stmt s, uint64_t id)
{
	db_u64(db, s, 1, id);
	return db_step(db, s);
}

static int apply(struct db *db, const struct rec *r)
{
	switch (r->op) {
	case REC_LAYER: return put_layer(db, &r->layer);
	case REC_OBJECT: return put_object(db, &r->object);
	case REC_OBJECT_DEL: return by_id(db, SQL_OBJECT_DEL, r->object.id);
	case REC_INODE: return put_inode(db, &r->inode);
	case REC_INODE_DEL:
		return by_key(db, SQL_INODE_DEL, r->inode.layer, r->inode.object);
	case REC_PRINT: return put_print(db, &r->print);
	case REC_NAME: return put_name(db, &r->name);
	case REC_NAME_DEL:
		return by_name(
			db, SQL_NAME_DEL, r->name.layer, r->name.dir, r->name.name);
	case REC_XATTR: return put_xattr(db, &r->xattr);
	case REC_XATTR_DEL:
		return by_name(db, SQL_XATTR_DEL, r->xattr.layer, r->xattr.object,
			r->xattr.name);
	case REC_RUN: return put_run(db, &r->run);
	case REC_RUN_DEL: return del_run(db, &r->run);
	case REC_STEP: return put_step(db, &r->step);
	case REC_STEPS_DEL: return by_id(db, SQL_STEPS_DEL, r->layer.id);
	case REC_PURGE: return by_id(db, SQL_PURGE_PUT, r->layer.id);
	}
	return 0;
}

int apply_group(struct db *db, const struct group *g)
{
	int err = 0;

	for (uint32_t i = 0; i < g->n && !err; i++)
		err = apply(db, &g->rec[i]);
	return err;
}
