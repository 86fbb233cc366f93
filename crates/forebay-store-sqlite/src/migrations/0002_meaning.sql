-- The models that meanings were made with; those of different models never meet.
CREATE TABLE model (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- What a passage means, as its model tells.
CREATE TABLE meaning (
    chunk  INTEGER PRIMARY KEY REFERENCES chunk (id) ON DELETE CASCADE,
    model  INTEGER NOT NULL REFERENCES model (id),
    code   INTEGER NOT NULL,
    vector BLOB NOT NULL
) STRICT;

-- The words that stand around a short passage: a turn is found by what was said before and after it.
CREATE VIRTUAL TABLE chunk_around USING fts5 (
    words,
    content = '', contentless_delete = 1,
    tokenize = "porter unicode61 remove_diacritics 2"
);
