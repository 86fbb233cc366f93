-- Cache writes that last an hour have their own price. A conversation's requests come from one reporter: the host itself,
-- or the transcript that it wrote.
ALTER TABLE model_request ADD COLUMN cache_write_1h_tokens bigint NOT NULL DEFAULT 0;
ALTER TABLE model_request ADD COLUMN reporter text NOT NULL DEFAULT 'host' CHECK (reporter IN ('host', 'transcript'));

-- When the context of a session was compacted: what stood in it before is not in later requests.
CREATE TABLE compaction (
    workspace integer NOT NULL,
    project   integer NOT NULL,
    id        bigint GENERATED ALWAYS AS IDENTITY,
    session   text NOT NULL,
    at        bigint NOT NULL,
    PRIMARY KEY (workspace, project, id),
    UNIQUE (workspace, project, session, at),
    FOREIGN KEY (workspace, project) REFERENCES project
);

ALTER TABLE compaction ENABLE ROW LEVEL SECURITY;
ALTER TABLE compaction FORCE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON compaction USING
    (workspace = (SELECT nullif(current_setting('forebay.workspace', true), '')::integer));
