-- Every statement of the store.
--
-- `-- STMT name` begins a statement, which C calls SQL_NAME; the text up to the next one
-- belongs to it. `-- SCAN why` marks a statement that reads a table from end to end on
-- purpose; a test fails on any other that does.

-- STMT begin
BEGIN IMMEDIATE;

-- STMT commit
COMMIT;

-- STMT rollback
ROLLBACK;

-- STMT meta_get
SELECT value FROM meta WHERE key = ?1;

-- STMT meta_put
UPDATE meta SET value = ?2 WHERE key = ?1;

-- STMT layer_put
INSERT OR REPLACE INTO layer(id, kind, state, parent, seq, snapshot, private, label,
  token_hash, begun_ns, ended_ns, added, changed, deleted)
VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14);

-- STMT layer_all
-- SCAN once, at mount
SELECT id, kind, state, parent, seq, snapshot, private, label,
  token_hash, begun_ns, ended_ns, added, changed, deleted
FROM layer ORDER BY id;

-- STMT layer_max
SELECT max(id) FROM layer;

-- STMT layer_max_seq
SELECT max(seq) FROM layer;

-- STMT object_put
INSERT OR REPLACE INTO object(id, st_ino, has_base, parent, name, dev, ino, btime_ns,
  mtime_ns, ctime_ns, size, mode, uid, gid, nlink, racy, content, shown_ctime_ns,
  left_ctime_ns)
VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
  ?19);

-- STMT object_del
DELETE FROM object WHERE id = ?1;

-- STMT object_all
-- SCAN once, at mount
SELECT id, st_ino, has_base, parent, name, dev, ino, btime_ns,
  mtime_ns, ctime_ns, size, mode, uid, gid, nlink, racy, content, shown_ctime_ns,
  left_ctime_ns
FROM object ORDER BY id;

-- STMT object_max
SELECT max(id) FROM object;

-- STMT inode_put
INSERT OR REPLACE INTO inode(layer, object, mode, uid, gid, nlink, size, rdev, mtime_ns,
  ctime_ns, atime_ns, below, parts, target)
VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14);

-- STMT inode_del
DELETE FROM inode WHERE layer = ?1 AND object = ?2;

-- STMT inode_of
SELECT layer, object, mode, uid, gid, nlink, size, rdev, mtime_ns,
  ctime_ns, atime_ns, below, parts, target
FROM inode WHERE layer = ?1 ORDER BY object;

-- STMT print_put
INSERT OR REPLACE INTO print(layer, object, dev, ino, btime_ns, mtime_ns, ctime_ns, size, mode,
  uid, gid, nlink, racy, content)
VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14);

-- STMT print_of
SELECT layer, object, dev, ino, btime_ns, mtime_ns, ctime_ns, size, mode,
  uid, gid, nlink, racy, content
FROM print WHERE layer = ?1 ORDER BY object;

-- STMT name_put
INSERT OR REPLACE INTO name(layer, dir, name, object, was) VALUES(?1, ?2, ?3, ?4, ?5);

-- STMT name_del
DELETE FROM name WHERE layer = ?1 AND dir = ?2 AND name = ?3;

-- STMT name_of
SELECT layer, dir, name, object, was FROM name WHERE layer = ?1 ORDER BY dir, name;

-- STMT xattr_put
INSERT OR REPLACE INTO xattr(layer, object, name, value) VALUES(?1, ?2, ?3, ?4);

-- STMT xattr_del
DELETE FROM xattr WHERE layer = ?1 AND object = ?2 AND name = ?3;

-- STMT xattr_of
SELECT layer, object, name, value FROM xattr WHERE layer = ?1 ORDER BY object, name;

-- STMT run_put
INSERT OR REPLACE INTO run(layer, object, block, count, pool, chunk_off, chunk_bytes, skip,
  hash)
VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9);

-- STMT run_del
DELETE FROM run WHERE layer = ?1 AND object = ?2 AND block = ?3;

-- STMT run_of
SELECT layer, object, block, count, pool, chunk_off, chunk_bytes, skip, hash
FROM run WHERE layer = ?1 ORDER BY object, block;

-- STMT step_put
INSERT OR REPLACE INTO step(layer, n, op, object, ino, btime_ns, ino2, btime2_ns, path,
  path2, mode, uid, gid, mtime_ns, atime_ns, flags, blob)
VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17);

-- STMT step_of
SELECT layer, n, op, object, ino, btime_ns, ino2, btime2_ns, path,
  path2, mode, uid, gid, mtime_ns, atime_ns, flags, blob
FROM step WHERE layer = ?1 ORDER BY n;

-- STMT steps_del
DELETE FROM step WHERE layer = ?1;

-- STMT purge_put
INSERT OR IGNORE INTO purge(layer) VALUES(?1);

-- STMT purge_first
-- SCAN reads one row
SELECT layer FROM purge ORDER BY layer LIMIT 1;

-- STMT purge_done
DELETE FROM purge WHERE layer = ?1;

-- Slices: at most ?2 rows of layer ?1.

-- STMT purge_run
DELETE FROM run WHERE layer = ?1 AND (object, block) IN
  (SELECT object, block FROM run WHERE layer = ?1 ORDER BY object, block LIMIT ?2);

-- STMT purge_name
DELETE FROM name WHERE layer = ?1 AND (dir, name) IN
  (SELECT dir, name FROM name WHERE layer = ?1 ORDER BY dir, name LIMIT ?2);

-- STMT purge_inode
DELETE FROM inode WHERE layer = ?1 AND object IN
  (SELECT object FROM inode WHERE layer = ?1 ORDER BY object LIMIT ?2);

-- STMT purge_print
DELETE FROM print WHERE layer = ?1 AND object IN
  (SELECT object FROM print WHERE layer = ?1 ORDER BY object LIMIT ?2);

-- STMT purge_xattr
DELETE FROM xattr WHERE rowid IN
  (SELECT rowid FROM xattr WHERE layer = ?1 LIMIT ?2);

-- STMT purge_step
DELETE FROM step WHERE rowid IN
  (SELECT rowid FROM step WHERE layer = ?1 LIMIT ?2);
