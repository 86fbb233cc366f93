-- The transaction that forgot an entry: who remembers what passages are asks whether any were forgotten since, and only
-- then whether each of them is still there.
ALTER TABLE gone ADD COLUMN written xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX gone_written ON gone (workspace, project, written);
