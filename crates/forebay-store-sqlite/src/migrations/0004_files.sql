-- What each session has of the project's files; `used` orders the uses of all sessions.
CREATE TABLE file_at_work (
    session         TEXT NOT NULL,
    path            TEXT NOT NULL,
    state           TEXT NOT NULL CHECK (state IN ('active', 'skeleton', 'forgotten')),
    seen            BLOB NOT NULL,
    version         TEXT,
    tokens          INTEGER NOT NULL,
    skeleton_tokens INTEGER,
    delivered       TEXT NOT NULL,
    symbols         TEXT NOT NULL,
    used            INTEGER NOT NULL,
    PRIMARY KEY (session, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_at_work_used ON file_at_work (used);

-- Sessions whose host tells when the model's context starts over.
CREATE TABLE told_session (
    session TEXT PRIMARY KEY,
    resets  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What can be made again from files, kept to be quick: skeletons, names of a repository.
CREATE TABLE derived (
    id    INTEGER PRIMARY KEY,
    key   BLOB NOT NULL UNIQUE,
    bytes INTEGER NOT NULL,
    used  INTEGER NOT NULL,
    value BLOB NOT NULL
) STRICT;
CREATE INDEX derived_used ON derived (used, bytes);
