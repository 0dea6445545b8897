#!/bin/bash
# P6: SQLite in WAL mode works in a workspace: two processes write, one reads, the database is
# sound, in the main view and in a private one, and in the base after commit.
# timeout: 40
. "$TESTS/mount/helpers.bash"
requires sqlite3
B=$TMP/base M=$TMP/mnt
mkdir -p "$B"
sqlite3 "$B/old.db" 'PRAGMA journal_mode=wal; CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2);' >/dev/null
mount_ws "$B" "$M"
begin_private "$M"
cat >"$TMP/play.py" <<'END'
import os, sqlite3, sys
def open_db(p):
    db = sqlite3.connect(p, timeout=20, isolation_level=None)
    assert db.execute("PRAGMA journal_mode=wal").fetchone()[0] == "wal"
    return db
for name in ("old.db", "new.db"):
    path = f"{sys.argv[1]}/{name}"
    db = open_db(path)
    db.execute("CREATE TABLE IF NOT EXISTS t(a, b)")
    start = db.execute("SELECT count(*) FROM t").fetchone()[0]
    pids = []
    for w in range(2):
        pid = os.fork()
        if not pid:
            mine = open_db(path)
            for i in range(100):
                mine.execute("BEGIN IMMEDIATE")
                mine.execute("INSERT INTO t VALUES (?, ?)", (w, "x" * (i * 37 % 5000)))
                mine.execute("COMMIT")
            os._exit(0)
        pids.append(pid)
    last = 0
    while pids:
        pid, st = os.waitpid(pids[0], os.WNOHANG)
        now = db.execute("SELECT count(*) FROM t").fetchone()[0]
        assert now >= last, "rows vanish"
        last = now
        if pid:
            assert st == 0, "a writer failed"
            pids.pop(0)
    assert db.execute("SELECT count(*) FROM t").fetchone()[0] == start + 200
    assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
END
python3 "$TMP/play.py" "$VIEW" || fail 'private view'
eq 1 "$(sqlite3 "file:$M/old.db" 'SELECT count(*) FROM t')" 'the main view sees the private rows'
commit_tx "$M" "$ID"
eq 201 "$(sqlite3 "$M/old.db" 'SELECT count(*) FROM t')"
python3 "$TMP/play.py" "$M" || fail 'main view'
txfs -C "$M" sync || fail sync
txfs umount "$M" || fail umount
for f in old new; do
	eq ok "$(sqlite3 "$B/$f.db" 'PRAGMA integrity_check')"
done
eq '401 400' "$(for f in old new; do sqlite3 "$B/$f.db" 'SELECT count(*) FROM t'; done | paste -sd ' ')"
