-- What happened in a session. An event that happens again is written anew, so that ids are the order in
-- which things happened last.
CREATE TABLE event (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    session  INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    kind     TEXT NOT NULL,
    subject  TEXT NOT NULL,
    text     TEXT NOT NULL,
    priority INTEGER NOT NULL,
    times    INTEGER NOT NULL,
    stands   INTEGER NOT NULL,
    branch   TEXT,
    ticket   TEXT,
    created  INTEGER NOT NULL
) STRICT;
CREATE INDEX event_subject ON event (session, kind, subject);
CREATE INDEX event_worth ON event (session, priority, id);

-- What a session was told, or is to be told: advice comes once.
CREATE TABLE mark (
    session TEXT NOT NULL,
    topic   TEXT NOT NULL,
    PRIMARY KEY (session, topic)
) STRICT, WITHOUT ROWID;

ALTER TABLE entry ADD COLUMN ticket TEXT;
CREATE INDEX entry_ticket ON entry (ticket) WHERE ticket IS NOT NULL;
