/*
 * db.h: one connection to store.db with every statement prepared.
 *
 * Private to fs/store. A connection has no lock of its own: it is used by one thread at a
 * time, and whoever owns it says how. SQLite's codes become errno here and nowhere else.
 */
#ifndef FS_STORE_DB_H
#define FS_STORE_DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include "sql.h"

struct db {
	sqlite3 *h;
	sqlite3_stmt *st[SQL_N];
};

/** db_open(path, db, msg): connect to the store file @path, made if missing or empty;
 * migrate it to this program's schema; prepare all. -EPROTO: newer schema; -EUCLEAN: not
 * a store, or damaged; else as the system says. *msg: the cause in words (caller frees).
 */
int db_open(const char *path, struct db *db, char **msg);

/** db_close(db, keep_wal): disconnect. The last one to do so copies the WAL into the
 * file, unless @keep_wal. Zeroed or closed: no-op. */
void db_close(struct db *db, bool keep_wal);

/** db_errno(db, rc): 0 or -errno for what SQLite returned last on this connection. */
int db_errno(const struct db *db, int rc);

/** db_step(db, s): run a statement that returns no row, and reset it. 0 or -errno. */
int db_step(struct db *db, enum sql_stmt s);

/** db_value(db, s, out): run a statement of one row and take its first column (0 where it
 * is NULL or there is no row). */
int db_value(struct db *db, enum sql_stmt s, int64_t *out);

/** db_rollback(db): end the SQLite transaction, if one is open, without effect. */
void db_rollback(struct db *db);

/** db_durable(db, on): whether the next COMMITs wait for the disk. Outside transactions.
 */
int db_durable(struct db *db, bool on);

/** db_sync_wal(db): wait until all earlier COMMITs are on the disk. */
int db_sync_wal(struct db *db);

/* Binding, by position from 1; errors show at the step. Texts must live until the reset.
 */
void db_u64(struct db *db, enum sql_stmt s, int pos, uint64_t v);
void db_text(struct db *db, enum sql_stmt s, int pos, const char *v);
void db_blob(struct db *db, enum sql_stmt s, int pos, const void *v, uint64_t size);

#endif
