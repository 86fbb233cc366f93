-- Raw bytes, each content once; a hash is set when the last part has been written.
CREATE TABLE blob (
    id    INTEGER PRIMARY KEY,
    hash  BLOB UNIQUE,
    bytes INTEGER NOT NULL DEFAULT 0,
    lines INTEGER NOT NULL DEFAULT 0
) STRICT;

-- A blob in independently compressed parts, so that any range is read without the rest.
CREATE TABLE blob_part (
    id    INTEGER PRIMARY KEY,
    blob  INTEGER NOT NULL REFERENCES blob (id) ON DELETE CASCADE,
    start INTEGER NOT NULL,
    line  INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    data  BLOB NOT NULL,
    UNIQUE (blob, start)
) STRICT;

CREATE TABLE session (
    id        INTEGER PRIMARY KEY,
    key       TEXT NOT NULL UNIQUE,
    client    TEXT NOT NULL DEFAULT '',
    started   INTEGER NOT NULL,
    last_used INTEGER NOT NULL
) STRICT;

-- AUTOINCREMENT: ids are creation order and are never given out twice.
-- An entry whose bytes still arrive is not complete: it has no session yet and nobody sees it.
CREATE TABLE entry (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    ref          TEXT NOT NULL UNIQUE,
    complete     INTEGER NOT NULL,
    kind         TEXT NOT NULL,
    title        TEXT NOT NULL,
    source       TEXT NOT NULL,
    session      INTEGER REFERENCES session (id),
    branch       TEXT,
    created      INTEGER NOT NULL,
    blob         INTEGER NOT NULL REFERENCES blob (id),
    digest       TEXT NOT NULL,
    searchable   INTEGER NOT NULL DEFAULT 0,
    indexed_to   INTEGER NOT NULL DEFAULT 0,
    indexed_line INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX entry_session ON entry (session, id);
CREATE INDEX entry_source ON entry (source) WHERE source <> '';
CREATE INDEX entry_blob ON entry (blob);
CREATE INDEX entry_incomplete ON entry (id) WHERE complete = 0;
CREATE INDEX entry_unsearchable ON entry (id) WHERE searchable = 0;

CREATE TABLE run (
    entry  INTEGER PRIMARY KEY REFERENCES entry (id) ON DELETE CASCADE,
    ending TEXT NOT NULL CHECK (ending IN ('exited', 'signalled', 'timed out', 'cancelled')),
    code   INTEGER NOT NULL,
    micros INTEGER NOT NULL,
    cwd    TEXT NOT NULL,
    spans  BLOB NOT NULL
) STRICT;

CREATE TABLE note (
    entry         INTEGER PRIMARY KEY REFERENCES entry (id) ON DELETE CASCADE,
    kind          TEXT NOT NULL,
    topic         TEXT,
    superseded_by INTEGER REFERENCES entry (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX note_topic ON note (topic) WHERE topic IS NOT NULL;
CREATE INDEX note_superseded_by ON note (superseded_by) WHERE superseded_by IS NOT NULL;

-- Entries that a note names; they do not expire while the note lives.
CREATE TABLE link (
    note  INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
    entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
    PRIMARY KEY (note, entry)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_entry ON link (entry);

-- Passages by their place in the blob: the text itself is kept once, compressed.
CREATE TABLE chunk (
    id         INTEGER PRIMARY KEY,
    entry      INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
    start      INTEGER NOT NULL,
    bytes      INTEGER NOT NULL,
    first_line INTEGER NOT NULL,
    last_line  INTEGER NOT NULL,
    title      TEXT NOT NULL,
    key        TEXT,
    created    INTEGER
) STRICT;
CREATE INDEX chunk_entry ON chunk (entry);

CREATE VIRTUAL TABLE chunk_words USING fts5 (
    title, body,
    content = '', contentless_delete = 1,
    tokenize = "porter unicode61 remove_diacritics 2"
);

CREATE TABLE usage (
    id               INTEGER PRIMARY KEY,
    at               INTEGER NOT NULL,
    session          TEXT NOT NULL,
    tool             TEXT NOT NULL,
    raw_tokens       INTEGER NOT NULL,
    host_tokens      INTEGER NOT NULL,
    delivered_tokens INTEGER NOT NULL,
    millis           INTEGER NOT NULL
) STRICT;

-- What was forgotten, so that an old reference is answered with the reason.
CREATE TABLE gone (
    ref TEXT PRIMARY KEY,
    why TEXT NOT NULL,
    at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
