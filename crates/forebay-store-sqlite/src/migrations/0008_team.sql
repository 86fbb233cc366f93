-- Pinned notes come first wherever a project is told; personal ones are never shared. An author is who
-- wrote a note, empty where nobody said so.
ALTER TABLE note ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE note ADD COLUMN personal INTEGER NOT NULL DEFAULT 0;
ALTER TABLE note ADD COLUMN author TEXT NOT NULL DEFAULT '';
CREATE INDEX note_pinned ON note (entry) WHERE pinned;

-- Entries that came under a reference which another content had here already: both are kept.
CREATE TABLE twin (
    ref   TEXT NOT NULL,
    entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
    PRIMARY KEY (ref, entry)
) STRICT, WITHOUT ROWID;
CREATE INDEX twin_entry ON twin (entry);

-- Two entries that say different things of the same, written apart from each other.
CREATE TABLE conflict (
    entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
    other INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
    PRIMARY KEY (entry, other)
) STRICT, WITHOUT ROWID;
CREATE INDEX conflict_other ON conflict (other);
