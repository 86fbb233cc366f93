-- Entries with the output of the same command, so that a run is compared with the one before it. `session` is that
-- of the model which got the output; `resets` is how often its context had been reset by then, if its host tells.
CREATE TABLE command_run (
    workspace integer NOT NULL,
    project   integer NOT NULL,
    entry     bigint NOT NULL,
    command   bytea NOT NULL,
    failed    boolean NOT NULL,
    ending    text NOT NULL,
    session   text NOT NULL,
    resets    bigint,
    PRIMARY KEY (workspace, project, entry),
    FOREIGN KEY (workspace, project, entry) REFERENCES entry ON DELETE CASCADE
);
CREATE INDEX command_run_command ON command_run (workspace, project, command, entry);

ALTER TABLE command_run ENABLE ROW LEVEL SECURITY;
ALTER TABLE command_run FORCE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON command_run USING
    (workspace = (SELECT nullif(current_setting('forebay.workspace', true), '')::integer));
