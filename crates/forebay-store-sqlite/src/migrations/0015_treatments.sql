-- What became of each long result that hooks could replace by its digest.
CREATE TABLE treatment (
    id            INTEGER PRIMARY KEY,
    at            INTEGER NOT NULL,
    session       TEXT NOT NULL,
    ref           TEXT NOT NULL,
    tool          TEXT NOT NULL,
    recognizer    TEXT NOT NULL,
    shown         TEXT NOT NULL,
    host_tokens   INTEGER NOT NULL,
    digest_tokens INTEGER NOT NULL,
    -- The earlier result of the same command, if the model had it and nothing happened in between.
    repeats       TEXT
) STRICT;
CREATE INDEX treatment_session ON treatment (session, at);

-- Recognizers whose digests cost more than they saved: their results pass raw.
CREATE TABLE switch_off (
    id         INTEGER PRIMARY KEY,
    at         INTEGER NOT NULL,
    session    TEXT NOT NULL,
    recognizer TEXT NOT NULL UNIQUE,
    uses       INTEGER NOT NULL,
    net_tokens INTEGER NOT NULL
) STRICT;

-- The entry that an answer is about: who reads a stored result again.
ALTER TABLE usage ADD COLUMN ref TEXT;
