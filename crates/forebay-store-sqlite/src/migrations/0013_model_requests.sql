-- Requests of hosts to their models, with the tokens they were billed for. `request` is the host's name of it: a
-- request that is reported twice counts once.
CREATE TABLE model_request (
    id                 INTEGER PRIMARY KEY,
    session            INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    request            TEXT NOT NULL UNIQUE,
    model              TEXT NOT NULL,
    input_tokens       INTEGER NOT NULL,
    cache_read_tokens  INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    output_tokens      INTEGER NOT NULL,
    created            INTEGER NOT NULL
) STRICT;
CREATE INDEX model_request_session ON model_request (session);
