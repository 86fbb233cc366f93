-- To add passages to the graph takes longer than all else of indexing. A process that asks often holds meanings and
-- compares them all; one that does not has the server compare them, a millisecond for a thousand. So the graph is for
-- projects that are too large for both, and is made when one of them is searched.
DROP INDEX meaning_near;
