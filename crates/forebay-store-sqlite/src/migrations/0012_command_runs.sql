-- Entries with the output of the same command, so that a run is compared with the one before it. `session` is that
-- of the model which got the output; `resets` is how often its context had been reset by then, if its host tells.
CREATE TABLE command_run (
    entry   INTEGER PRIMARY KEY REFERENCES entry (id) ON DELETE CASCADE,
    command BLOB NOT NULL,
    failed  INTEGER NOT NULL,
    ending  TEXT NOT NULL,
    session TEXT NOT NULL,
    resets  INTEGER
) STRICT;
CREATE INDEX command_run_command ON command_run (command, entry);
