-- Who may come in through the network. Of a secret only its Argon2id hash is kept.
CREATE TABLE token (
    id        TEXT PRIMARY KEY,
    name      TEXT NOT NULL,
    hash      TEXT NOT NULL,
    rights    TEXT NOT NULL,
    workspace TEXT,
    created   INTEGER NOT NULL,
    expires   INTEGER,
    revoked   INTEGER
) STRICT, WITHOUT ROWID;
