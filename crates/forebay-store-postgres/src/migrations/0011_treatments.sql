-- What became of each long result that hooks could replace by its digest.
CREATE TABLE treatment (
    workspace     integer NOT NULL,
    project       integer NOT NULL,
    id            bigint GENERATED ALWAYS AS IDENTITY,
    at            bigint NOT NULL,
    session       text NOT NULL,
    ref           text NOT NULL,
    tool          text NOT NULL,
    recognizer    text NOT NULL,
    shown         text NOT NULL,
    host_tokens   bigint NOT NULL,
    digest_tokens bigint NOT NULL,
    -- The earlier result of the same command, if the model had it and nothing happened in between.
    repeats       text,
    PRIMARY KEY (workspace, project, id),
    FOREIGN KEY (workspace, project) REFERENCES project
);
CREATE INDEX treatment_session ON treatment (workspace, project, session);

ALTER TABLE treatment ENABLE ROW LEVEL SECURITY;
ALTER TABLE treatment FORCE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON treatment USING
    (workspace = (SELECT nullif(current_setting('forebay.workspace', true), '')::integer));

-- Recognizers whose digests cost more than they saved: their results pass raw.
CREATE TABLE switch_off (
    workspace  integer NOT NULL,
    project    integer NOT NULL,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    at         bigint NOT NULL,
    session    text NOT NULL,
    recognizer text NOT NULL,
    uses       bigint NOT NULL,
    net_tokens bigint NOT NULL,
    PRIMARY KEY (workspace, project, id),
    UNIQUE (workspace, project, recognizer),
    FOREIGN KEY (workspace, project) REFERENCES project
);

ALTER TABLE switch_off ENABLE ROW LEVEL SECURITY;
ALTER TABLE switch_off FORCE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON switch_off USING
    (workspace = (SELECT nullif(current_setting('forebay.workspace', true), '')::integer));

-- The entry that an answer is about: who reads a stored result again.
ALTER TABLE usage ADD COLUMN ref text;
