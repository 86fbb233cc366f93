-- What passages mean as a server's model tells, beside the built-in one. The id tells what was learned since
-- somebody last looked: the newest passages come first. Without a vector the model had nothing to say.
CREATE TABLE embedding (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    model  INTEGER NOT NULL REFERENCES model (id),
    chunk  INTEGER NOT NULL REFERENCES chunk (id) ON DELETE CASCADE,
    vector BLOB
) STRICT;
CREATE UNIQUE INDEX embedding_chunk ON embedding (chunk, model);
CREATE INDEX embedding_model ON embedding (model, id);
