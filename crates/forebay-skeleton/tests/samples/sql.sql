-- Books and who borrowed them.

CREATE TABLE IF NOT EXISTS books (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    author_id INTEGER REFERENCES authors (id),
    pages INTEGER DEFAULT 0
);

-- Readers have cards.
CREATE TABLE readers (
    id SERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    joined DATE
);

CREATE UNIQUE INDEX books_title ON books (title, author_id);

CREATE VIEW borrowed AS
SELECT books.title, readers.name
FROM books
JOIN readers ON readers.id = books.id;

CREATE VIEW titles AS SELECT title FROM books;

CREATE EXTENSION IF NOT EXISTS "uuid-ossp";

CREATE TABLE loans (
    id INTEGER PRIMARY KEY,
    book_id INTEGER NOT NULL,
    CONSTRAINT one_loan UNIQUE (book_id),
    CONSTRAINT loaned FOREIGN KEY (book_id) REFERENCES books (id),
    CHECK (id > 0)
);

-- Counts books.
CREATE FUNCTION count_books(author INTEGER) RETURNS INTEGER AS $$
    SELECT count(*) FROM books WHERE author_id = author;
$$ LANGUAGE sql;

-- Moves a book.
CREATE OR REPLACE PROCEDURE move_book(book INTEGER, INOUT place TEXT)
LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE books SET shelf = place WHERE id = book;
END;
$$;

CREATE POLICY own_loans ON loans USING (reader = current_user);

CREATE TYPE shelf AS ENUM ('low', 'high');

ALTER TABLE books ADD COLUMN shelf TEXT;

INSERT INTO books (id, title) VALUES (1, 'Tides');
