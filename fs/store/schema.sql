-- The schema of store.db, as numbered steps.
--
-- A store is brought up to date by running every step above its `PRAGMA user_version`, each
-- in a transaction of its own that also sets the version. A step that was released is never
-- edited: a change is a new step at the end. A line `-- STEP n` begins step n.
--
-- Numbers are signed in SQLite; unsigned 64-bit values are stored by their bits (a hole's
-- chunk_off is -1). Names are TEXT but may be any bytes without NUL. Times are ns since 1970.
-- Hashes are XXH3-128 in canonical form, 16 bytes.

-- STEP 1

-- Single numbers of the store itself.
CREATE TABLE meta(
  key TEXT NOT NULL PRIMARY KEY, -- next_layer, next_object: first ids never handed out
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Transactions, their savepoints, groups of autocommit, before-images. Rows stay for the log.
CREATE TABLE layer(
  id INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,      -- 1 transaction, 2 savepoint, 3 autocommit, 4 before-images
  state INTEGER NOT NULL,     -- 1 open, 2 suspended, 3 committed, 4 behind, 5 aborted,
                              -- 6 merged into its parent, 7 purged
  parent INTEGER NOT NULL,    -- savepoint: the layer below; else 0
  seq INTEGER NOT NULL,       -- place in the order of commits, 0 before
  snapshot INTEGER NOT NULL,  -- seq of the newest commit it saw when it began
  private INTEGER NOT NULL,   -- 1: has a view of its own
  label TEXT NOT NULL,        -- given at begin, may be empty
  token_hash BLOB NOT NULL,   -- hash of the token that may end it
  begun_ns INTEGER NOT NULL,  -- when it began
  ended_ns INTEGER NOT NULL,  -- when it was committed or aborted, 0 before
  added INTEGER NOT NULL,     -- number of paths added
  changed INTEGER NOT NULL,   -- number of paths changed
  deleted INTEGER NOT NULL    -- number of paths deleted
) STRICT;

-- The newest commit is found by its place.
CREATE INDEX layer_seq ON layer(seq);

-- Files and directories that some layer names or changes, or that lie above such a one.
CREATE TABLE object(
  id INTEGER PRIMARY KEY,
  st_ino INTEGER NOT NULL,     -- inode number shown through the mount
  has_base INTEGER NOT NULL,   -- 0: made anew, nothing shows through from the base
  parent INTEGER NOT NULL,     -- has_base: object of the base directory it lies in
  name TEXT NOT NULL,          -- has_base: its name there
  dev INTEGER NOT NULL,        -- what the base showed at first use: device,
  ino INTEGER NOT NULL,        -- inode number,
  btime_ns INTEGER NOT NULL,   -- birth,
  mtime_ns INTEGER NOT NULL,   -- change of content,
  ctime_ns INTEGER NOT NULL,   -- change of anything,
  size INTEGER NOT NULL,       -- bytes,
  mode INTEGER NOT NULL,       -- type and permissions,
  uid INTEGER NOT NULL,        -- owner,
  gid INTEGER NOT NULL,        -- group,
  nlink INTEGER NOT NULL,      -- links
  racy INTEGER NOT NULL,       -- 1: ctime was too young to be trusted, content decides
  content BLOB NOT NULL,       -- hash of the content, where racy and a file
  shown_ctime_ns INTEGER NOT NULL, -- ctime shown through the mount, 0: the base's
  left_ctime_ns INTEGER NOT NULL   -- the base's ctime after our checkpoint; while it is
                                   -- unchanged, shown_ctime_ns is shown
) STRICT;

-- Attributes of an object in a layer.
CREATE TABLE inode(
  layer INTEGER NOT NULL,
  object INTEGER NOT NULL,
  mode INTEGER NOT NULL,      -- type and permissions
  uid INTEGER NOT NULL,       -- owner
  gid INTEGER NOT NULL,       -- group
  nlink INTEGER NOT NULL,     -- links
  size INTEGER NOT NULL,      -- bytes
  rdev INTEGER NOT NULL,      -- device node: its number
  mtime_ns INTEGER NOT NULL,  -- change of content
  ctime_ns INTEGER NOT NULL,  -- change of anything
  atime_ns INTEGER NOT NULL,  -- last read
  below INTEGER NOT NULL,     -- bytes of content that show through from the layers below
  parts INTEGER NOT NULL,     -- bits: what this layer changed, for conflicts
  target TEXT,                -- symbolic link: where to
  PRIMARY KEY(layer, object)
) STRICT, WITHOUT ROWID;

-- What the base showed of an object when a layer's change of it began; compared at commit.
CREATE TABLE print(
  layer INTEGER NOT NULL,
  object INTEGER NOT NULL,
  dev INTEGER NOT NULL,       -- device,
  ino INTEGER NOT NULL,       -- inode number,
  btime_ns INTEGER NOT NULL,  -- birth,
  mtime_ns INTEGER NOT NULL,  -- change of content,
  ctime_ns INTEGER NOT NULL,  -- change of anything,
  size INTEGER NOT NULL,      -- bytes,
  mode INTEGER NOT NULL,      -- type and permissions,
  uid INTEGER NOT NULL,       -- owner,
  gid INTEGER NOT NULL,       -- group,
  nlink INTEGER NOT NULL,     -- links
  racy INTEGER NOT NULL,      -- 1: ctime was too young to be trusted, content decides
  content BLOB NOT NULL,      -- hash of the content, where racy and a file
  PRIMARY KEY(layer, object)
) STRICT, WITHOUT ROWID;

-- Directory entries that a layer adds or takes away.
CREATE TABLE name(
  layer INTEGER NOT NULL,
  dir INTEGER NOT NULL,       -- object of the directory
  name TEXT NOT NULL,
  object INTEGER,             -- what the name means, NULL: nothing (whiteout)
  was INTEGER,                -- what it meant below this layer, NULL: nothing
  PRIMARY KEY(layer, dir, name)
) STRICT, WITHOUT ROWID;

-- Extended attributes that a layer sets or takes away. Values may be 64 KiB, so the table
-- has rowids and the key is an index.
CREATE TABLE xattr(
  layer INTEGER NOT NULL,
  object INTEGER NOT NULL,
  name TEXT NOT NULL,         -- with its namespace, as user.x
  value BLOB                  -- NULL: removed
) STRICT;

-- The key of xattr.
CREATE UNIQUE INDEX xattr_key ON xattr(layer, object, name);

-- Content: blocks of 4 KiB that a layer wrote, as pieces of hashed chunks in pool files.
CREATE TABLE run(
  layer INTEGER NOT NULL,
  object INTEGER NOT NULL,
  block INTEGER NOT NULL,       -- first block in the file
  count INTEGER NOT NULL,       -- number of blocks
  pool INTEGER NOT NULL,        -- pool file, named by the layer that made it
  chunk_off INTEGER NOT NULL,   -- first byte of the chunk in the pool file, -1: a hole
  chunk_bytes INTEGER NOT NULL, -- bytes of the chunk
  skip INTEGER NOT NULL,        -- blocks from the chunk's beginning to the run's
  hash BLOB NOT NULL,           -- hash of the whole chunk
  PRIMARY KEY(layer, object, block)
) STRICT, WITHOUT ROWID;

-- Steps of a checkpoint: how the base is brought to show a commit. May hold blobs, so the
-- table has rowids and the key is an index.
CREATE TABLE step(
  layer INTEGER NOT NULL,
  n INTEGER NOT NULL,         -- order within the layer
  op INTEGER NOT NULL,        -- what to do
  object INTEGER NOT NULL,    -- whom it is about
  ino INTEGER NOT NULL,       -- expected: inode number of what is moved or removed
  btime_ns INTEGER NOT NULL,  -- expected: its birth
  ino2 INTEGER NOT NULL,      -- left or replaced: inode number
  btime2_ns INTEGER NOT NULL, -- left or replaced: birth
  path TEXT NOT NULL,         -- relative to the base
  path2 TEXT NOT NULL,        -- second path, may be empty
  mode INTEGER NOT NULL,      -- to set: permissions,
  uid INTEGER NOT NULL,       -- owner,
  gid INTEGER NOT NULL,       -- group,
  mtime_ns INTEGER NOT NULL,  -- change of content,
  atime_ns INTEGER NOT NULL,  -- last read
  flags INTEGER NOT NULL,     -- bits, meaning by op
  blob BLOB                   -- extended attributes and the like
) STRICT;

-- The key of step.
CREATE UNIQUE INDEX step_key ON step(layer, n);

-- Layers whose rows are being deleted in small slices; a row goes when the last slice did.
CREATE TABLE purge(
  layer INTEGER PRIMARY KEY
) STRICT;

INSERT INTO meta VALUES('next_layer', 1), ('next_object', 1);
