-- Cache writes that last an hour have their own price. A conversation's requests come from one reporter: the host itself,
-- or the transcript that it wrote.
ALTER TABLE model_request ADD COLUMN cache_write_1h_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE model_request ADD COLUMN reporter TEXT NOT NULL DEFAULT 'host' CHECK (reporter IN ('host', 'transcript'));

-- When the context of a session was compacted: what stood in it before is not in later requests.
CREATE TABLE compaction (
    id      INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    at      INTEGER NOT NULL,
    UNIQUE (session, at)
) STRICT;

-- The ledger of one session is read for its status line.
CREATE INDEX usage_session ON usage (session, at);
