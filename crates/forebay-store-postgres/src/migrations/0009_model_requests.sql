-- Requests of hosts to their models, with the tokens they were billed for. `request` is the host's name of it: a
-- request that is reported twice counts once.
CREATE TABLE model_request (
    workspace          integer NOT NULL,
    project            integer NOT NULL,
    id                 bigint GENERATED ALWAYS AS IDENTITY,
    session            bigint NOT NULL,
    request            text NOT NULL,
    model              text NOT NULL,
    input_tokens       bigint NOT NULL,
    cache_read_tokens  bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    output_tokens      bigint NOT NULL,
    created            bigint NOT NULL,
    PRIMARY KEY (workspace, project, id),
    UNIQUE (workspace, project, request),
    FOREIGN KEY (workspace, project, session) REFERENCES session ON DELETE CASCADE
);
CREATE INDEX model_request_session ON model_request (workspace, project, session);

ALTER TABLE model_request ENABLE ROW LEVEL SECURITY;
ALTER TABLE model_request FORCE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON model_request USING
    (workspace = (SELECT nullif(current_setting('forebay.workspace', true), '')::integer));
