-- What was indexed under a name: a text, a file, a folder, a page of the web.
CREATE TABLE source (
    id            INTEGER PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE,
    kind          TEXT NOT NULL,
    -- The file or folder, or the address; empty for a text.
    path          TEXT NOT NULL,
    -- What was asked for beside the path, as whoever indexed it wrote it down.
    options       TEXT NOT NULL,
    indexed       INTEGER NOT NULL,
    -- When it was last looked whether it has changed.
    checked       INTEGER NOT NULL,
    etag          TEXT,
    last_modified TEXT,
    expires       INTEGER
) STRICT;

-- One row for each entry of a source, with what tells whether it has changed.
CREATE TABLE source_item (
    id       INTEGER PRIMARY KEY,
    source   INTEGER NOT NULL REFERENCES source (id) ON DELETE CASCADE,
    path     TEXT NOT NULL,
    entry    INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
    modified INTEGER NOT NULL,
    size     INTEGER NOT NULL,
    hash     BLOB NOT NULL,
    UNIQUE (source, path)
) STRICT;
CREATE INDEX source_item_entry ON source_item (entry);
