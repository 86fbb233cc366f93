-- Every table has row-level security, so that a new one without a policy shows nothing to anybody.
--
-- A chunk is written and deleted only by its own workspace. Reading is not restricted: below a restriction PostgreSQL
-- would not use the index over words. What a chunk quotes is read through `entry` and `blob`, which are restricted.
ALTER TABLE chunk ENABLE ROW LEVEL SECURITY;
ALTER TABLE chunk FORCE ROW LEVEL SECURITY;
CREATE POLICY readable ON chunk FOR SELECT USING (true);
CREATE POLICY own_workspace_inserts ON chunk FOR INSERT WITH CHECK
    (workspace = (SELECT nullif(current_setting('forebay.workspace', true), '')::integer));
CREATE POLICY own_workspace_updates ON chunk FOR UPDATE USING
    (workspace = (SELECT nullif(current_setting('forebay.workspace', true), '')::integer));
CREATE POLICY own_workspace_deletes ON chunk FOR DELETE USING
    (workspace = (SELECT nullif(current_setting('forebay.workspace', true), '')::integer));

-- Names that all workspaces share are added, never changed or removed.
DO $$
DECLARE
    shared text;
BEGIN
    FOREACH shared IN ARRAY ARRAY['workspace', 'model', 'migration']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', shared);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', shared);
        EXECUTE format('CREATE POLICY readable ON %I FOR SELECT USING (true)', shared);
        EXECUTE format('CREATE POLICY extensible ON %I FOR INSERT WITH CHECK (true)', shared);
    END LOOP;
END $$;
