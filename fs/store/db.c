/*
 * db.c: opening, migrating and stepping one SQLite connection.
 *
 * Checks at open are those whose cost does not grow with the store: the file's magic, the
 * application id, the schema version, that every statement prepares (so every table and
 * column is there), and what SQLite itself checks of the header. Damage deeper in the
 * file shows as -EUCLEAN at the read that meets it.
 */
#define SQL_TABLES /* here the texts of the statements are wanted, too */
#include "fs/store/db.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/mem.h"

#define APPLICATION_ID 0x74786673 /* "txfs" */
#define BUSY_MS 30000

static int system_errno(const struct db *db, int fallback)
{
	int e = db->h ? sqlite3_system_errno(db->h) : 0;

	switch (e) {
	case ENOSPC:
	case EDQUOT:
	case EROFS:
	case EACCES:
	case EPERM:
	case ENOENT:
	case EMFILE:
	case ENFILE: return -e;
	default: return -fallback;
	}
}

int db_errno(const struct db *db, int rc)
{
	switch (rc & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE: return 0;
	case SQLITE_NOMEM: return -ENOMEM;
	case SQLITE_BUSY:
	case SQLITE_LOCKED: return -EBUSY;
	case SQLITE_FULL: return system_errno(db, ENOSPC);
	case SQLITE_READONLY: return -EROFS;
	case SQLITE_PERM:
	case SQLITE_AUTH: return -EACCES;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB: return -EUCLEAN;
	case SQLITE_TOOBIG: return -E2BIG;
	case SQLITE_CANTOPEN: return system_errno(db, EIO);
	case SQLITE_IOERR:
		return rc == SQLITE_IOERR_NOMEM ? -ENOMEM : system_errno(db, EIO);
	case SQLITE_CONSTRAINT:
	case SQLITE_RANGE:
	case SQLITE_MISMATCH: return -EINVAL;
	default: return -EIO;
	}
}

void db_u64(struct db *db, enum sql_stmt s, int pos, uint64_t v)
{
	sqlite3_bind_int64(db->st[s], pos, (sqlite3_int64)v);
}

void db_text(struct db *db, enum sql_stmt s, int pos, const char *v)
{
	sqlite3_bind_text(db->st[s], pos, v, -1, SQLITE_STATIC);
}

void db_blob(struct db *db, enum sql_stmt s, int pos, const void *v, uint64_t size)
{
	if (v)
		sqlite3_bind_blob64(db->st[s], pos, size ? v : "", size, SQLITE_STATIC);
	else
		sqlite3_bind_null(db->st[s], pos);
}

int db_step(struct db *db, enum sql_stmt s)
{
	int rc = sqlite3_step(db->st[s]);
	int err = rc == SQLITE_ROW ? 0 : db_errno(db, rc);

	sqlite3_reset(db->st[s]);
	return err;
}

int db_value(struct db *db, enum sql_stmt s, int64_t *out)
{
	int rc = sqlite3_step(db->st[s]);
	int err = db_errno(db, rc);

	*out = rc == SQLITE_ROW ? sqlite3_column_int64(db->st[s], 0) : 0;
	sqlite3_reset(db->st[s]);
	return err;
}

void db_rollback(struct db *db)
{
	if (!sqlite3_get_autocommit(db->h))
		db_step(db, SQL_ROLLBACK);
}

static int db_exec(struct db *db, const char *sql)
{
	return db_errno(db, sqlite3_exec(db->h, sql, NULL, NULL, NULL));
}

int db_durable(struct db *db, bool on)
{
	return db_exec(db, on ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
}

int db_sync_wal(struct db *db)
{
	sqlite3_file *f = NULL;
	int rc;

	rc = sqlite3_file_control(db->h, "main", SQLITE_FCNTL_JOURNAL_POINTER, &f);
	if (rc == SQLITE_OK && f && f->pMethods)
		rc = f->pMethods->xSync(f, SQLITE_SYNC_NORMAL);
	return db_errno(db, rc);
}

static int get_pragma(struct db *db, const char *sql, int64_t *out)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(db->h, sql, -1, &st, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	*out = rc == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;
	sqlite3_finalize(st);
	return db_errno(db, rc);
}

/* One step of the schema, its version and the owner of the file, all or nothing. */
static int migrate_step(struct db *db, int step)
{
	char pragmas[128];
	int err;

	snprintf(pragmas, sizeof(pragmas),
		"PRAGMA application_id=%d; PRAGMA user_version=%d; COMMIT",
		APPLICATION_ID, step + 1);
	err = db_exec(db, "BEGIN IMMEDIATE");
	if (!err)
		err = db_exec(db, sql_steps[step]);
	if (!err)
		err = db_exec(db, pragmas);
	if (err && !sqlite3_get_autocommit(db->h))
		sqlite3_exec(db->h, "ROLLBACK", NULL, NULL, NULL);
	return err;
}

static int migrate(struct db *db, char **msg)
{
	int64_t version = 0, owner = 0, tables = 0;
	int err;

	err = get_pragma(db, "PRAGMA user_version", &version);
	if (!err)
		err = get_pragma(db, "PRAGMA application_id", &owner);
	if (!err)
		err = get_pragma(db, "SELECT count(*) FROM sqlite_schema", &tables);
	if (err)
		return err;
	if (owner != APPLICATION_ID && (tables || version)) {
		*msg = mem_printf("it is a database of another program");
		return -EUCLEAN;
	}
	if (version > SQL_STEPS) {
		*msg = mem_printf("its schema %lld is newer than this program's %d",
			(long long)version, SQL_STEPS);
		return -EPROTO;
	}
	for (int i = version < 0 ? 0 : (int)version; i < SQL_STEPS && !err; i++)
		err = migrate_step(db, i);
	return err;
}

/* SQLite stays with a rollback journal, and says nothing, where the filesystem cannot map
 * the WAL's index; our syncs would then reach nothing. */
static int check_wal(struct db *db, char **msg)
{
	int64_t wal = 0;
	int err = get_pragma(
		db, "SELECT journal_mode = 'wal' FROM pragma_journal_mode", &wal);

	if (err || wal)
		return err;
	*msg = mem_printf("its filesystem cannot hold a write-ahead log");
	return -EOPNOTSUPP;
}

static int prepare_all(struct db *db)
{
	for (int i = 0; i < SQL_N; i++) {
		int rc = sqlite3_prepare_v3(db->h, sql_stmts[i].text, -1,
			SQLITE_PREPARE_PERSISTENT, &db->st[i], NULL);

		if (rc == SQLITE_ERROR) /* a table or column is missing */
			return -EUCLEAN;
		if (rc != SQLITE_OK)
			return db_errno(db, rc);
	}
	return 0;
}

int db_open(const char *path, struct db *db, char **msg)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
	int rc, err;

	*msg = NULL;
	memset(db, 0, sizeof(*db));
	rc = sqlite3_open_v2(path, &db->h, flags, NULL);
	err = db_errno(db, rc);
	if (!err) {
		sqlite3_extended_result_codes(db->h, 1);
		sqlite3_busy_timeout(db->h, BUSY_MS);
		err = db_exec(db,
			"PRAGMA page_size=4096; PRAGMA journal_mode=WAL;"
			"PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0;"
			"PRAGMA journal_size_limit=16777216;"
			"PRAGMA cache_size=-8192; PRAGMA temp_store=MEMORY;"
			"PRAGMA foreign_keys=OFF; PRAGMA trusted_schema=OFF");
	}
	if (!err)
		err = check_wal(db, msg);
	if (!err)
		err = migrate(db, msg);
	if (!err)
		err = prepare_all(db);
	if (err && !*msg && db->h)
		*msg = mem_strdup(sqlite3_errmsg(db->h));
	if (err)
		db_close(db, true);
	return err;
}

void db_close(struct db *db, bool keep_wal)
{
	if (!db->h)
		return;
	for (int i = 0; i < SQL_N; i++)
		sqlite3_finalize(db->st[i]);
	if (keep_wal)
		sqlite3_db_config(db->h, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	sqlite3_close(db->h);
	memset(db, 0, sizeof(*db));
}
