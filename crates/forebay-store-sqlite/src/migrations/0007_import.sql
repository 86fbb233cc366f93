-- How far each transcript was imported; `mark` tells it from another one of the same name.
CREATE TABLE imported (
    transcript TEXT PRIMARY KEY,
    mark       TEXT NOT NULL,
    position   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
