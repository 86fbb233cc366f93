-- Who may come in through the network. Of a secret only its Argon2id hash is kept.
CREATE TABLE token (
    workspace integer NOT NULL,
    project   integer NOT NULL,
    id        text NOT NULL,
    name      text NOT NULL,
    hash      text NOT NULL,
    rights    text NOT NULL,
    leads_to  text,
    created   bigint NOT NULL,
    expires   bigint,
    revoked   bigint,
    PRIMARY KEY (workspace, project, id),
    FOREIGN KEY (workspace, project) REFERENCES project
);
ALTER TABLE token ENABLE ROW LEVEL SECURITY;
ALTER TABLE token FORCE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON token
    USING (workspace = nullif(current_setting('forebay.workspace', true), '')::integer);
