-- Which passages have a word. A segment holds the words of passages that were written together; it never
-- changes, and is merged with others of its size. `side` is 0 for the words of the passages, 1 for those around.
CREATE TABLE word_segment (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    side       INTEGER NOT NULL,
    passages   INTEGER NOT NULL,
    words      INTEGER NOT NULL,
    first      INTEGER NOT NULL,
    last       INTEGER NOT NULL,
    members    BLOB NOT NULL,
    directory  BLOB NOT NULL,
    vocabulary BLOB NOT NULL
) STRICT;

-- Words in order with their passages; the page's id begins with that of its segment.
CREATE TABLE word_page (
    id    INTEGER PRIMARY KEY,
    terms BLOB NOT NULL
) STRICT;

-- Where the words of the page of the same id stand in each passage.
CREATE TABLE word_places (
    id     INTEGER PRIMARY KEY,
    places BLOB NOT NULL
) STRICT;

-- Passages that were forgotten and still stand in a segment.
CREATE TABLE word_gone (
    side    INTEGER NOT NULL,
    passage INTEGER NOT NULL,
    PRIMARY KEY (side, passage)
) STRICT, WITHOUT ROWID;

-- What was stored before is indexed anew.
DROP TABLE chunk_words;
DROP TABLE chunk_around;
DROP TABLE word_parts;
DROP TABLE word;
UPDATE renewal SET next = 1, last = (SELECT coalesce(max(id), 0) FROM chunk);
