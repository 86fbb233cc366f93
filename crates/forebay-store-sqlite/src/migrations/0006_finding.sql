-- Words as people write them: a slip is corrected to one of these, a part leads to those that have it.
CREATE TABLE word (
    id   INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
) STRICT;

-- Which words have three letters in a row; what is found is compared with the word itself.
CREATE VIRTUAL TABLE word_parts USING fts5 (
    text,
    content = '', contentless_delete = 1, detail = none,
    tokenize = "trigram"
);

-- Passages from `next` to `last` were stored before their index was what it is now. `purges` grows when
-- words are forgotten, so that nobody believes a word is there because he wrote it once.
CREATE TABLE renewal (
    only   INTEGER PRIMARY KEY CHECK (only = 1),
    next   INTEGER NOT NULL,
    last   INTEGER NOT NULL,
    purges INTEGER NOT NULL
) STRICT;
INSERT INTO renewal SELECT 1, 1, coalesce(max(id), 0), 0 FROM chunk;

-- When a session asked, while that was not long ago.
CREATE TABLE asked (
    id      INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    at      INTEGER NOT NULL
) STRICT;
CREATE INDEX asked_session ON asked (session, at);
