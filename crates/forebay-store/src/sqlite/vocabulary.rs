//! The words of a store, as they are written: what a slip is corrected to and a part is a part of.
//!
//! A word that was seen is remembered by its hash, so that a text costs next to nothing once its words are
//! known.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use forebay_domain::text::inner::{self, is_unspaced};
use forebay_domain::text::spelling;
use rusqlite::{Connection, Transaction};

use super::telling::bounded_count;
use crate::contract::SimilarWord;

/// Words whose hashes are remembered.
pub(crate) const REMEMBERED: usize = 1_000_000;
/// Shorter words are not mistaken, longer ones are no words.
pub(crate) const LETTERS: std::ops::RangeInclusive<usize> = 3..=30;
/// Digits a word may end with: `sha256`, `utf8`.
const MOST_DIGITS: usize = 4;
/// Words of the store that are weighed as what was meant.
pub(crate) const MOST_SIMILAR: usize = 12;
/// Passages counted for each of them.
const COUNTED: i64 = 1_000;

#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    purges: i64,
    words: HashSet<u64>,
}

impl Vocabulary {
    /// Begins to learn within a transaction; forgotten again unless it is kept.
    pub(super) fn learning(&self) -> Learning<'_> {
        Learning { vocabulary: self, purges: None, words: HashSet::new() }
    }
}

/// Words that a transaction adds.
pub(super) struct Learning<'a> {
    vocabulary: &'a Vocabulary,
    purges: Option<i64>,
    words: HashSet<u64>,
}

impl Learning<'_> {
    /// Adds the words of a text that the store has not yet.
    pub(super) fn learn(
        &mut self,
        transaction: &Transaction<'_>,
        text: &str,
    ) -> rusqlite::Result<()> {
        let purges = self.purges(transaction)?;
        let mut seen = self.vocabulary.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.purges != purges || seen.words.len() > REMEMBERED {
            *seen = Seen { purges, words: HashSet::new() };
        }
        for run in inner::runs(text) {
            let hash = hash(run);
            if !seen.words.contains(&hash) && self.words.insert(hash) && is_word(run) {
                add(transaction, &run.to_lowercase())?;
            }
        }
        Ok(())
    }

    /// Remembers what was learned, once it is committed.
    pub(super) fn keep(self) {
        let mut seen = self.vocabulary.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if self.purges == Some(seen.purges) {
            seen.words.extend(self.words);
        }
    }

    fn purges(&mut self, connection: &Connection) -> rusqlite::Result<i64> {
        if let Some(purges) = self.purges {
            return Ok(purges);
        }
        let purges = connection
            .prepare_cached("SELECT purges FROM renewal")?
            .query_row([], |row| row.get(0))?;
        self.purges = Some(purges);
        Ok(purges)
    }
}

pub(crate) fn hash(run: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    run.hash(&mut hasher);
    hasher.finish()
}

/// Whether people would type it: letters, and some digits after them. Ids and numbers are no words.
pub(crate) fn is_word(run: &str) -> bool {
    let letters = run.trim_end_matches(|c: char| c.is_ascii_digit());
    let count = letters.chars().count();
    LETTERS.contains(&count)
        && run.len() - letters.len() <= MOST_DIGITS
        && letters.chars().all(|c| c.is_alphabetic() && !is_unspaced(c))
}

fn add(transaction: &Transaction<'_>, word: &str) -> rusqlite::Result<()> {
    let is_new = transaction
        .prepare_cached("INSERT INTO word (text) VALUES (?1) ON CONFLICT (text) DO NOTHING")?
        .execute([word])?;
    if is_new == 0 {
        return Ok(());
    }
    transaction
        .prepare_cached("INSERT INTO word_parts (rowid, text) VALUES (?1, ?2)")?
        .execute((transaction.last_insert_rowid(), word))
        .map(drop)
}

/// Forgets the words that stand in no passage any more.
pub(super) fn forget_unused(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let unused: Vec<i64> = transaction
        .prepare(
            "SELECT id FROM word WHERE NOT EXISTS
                 (SELECT 1 FROM chunk_words WHERE chunk_words MATCH '\"' || word.text || '\"')",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for id in unused {
        transaction.prepare_cached("DELETE FROM word_parts WHERE rowid = ?1")?.execute([id])?;
        transaction.prepare_cached("DELETE FROM word WHERE id = ?1")?.execute([id])?;
    }
    transaction.execute("UPDATE renewal SET purges = purges + 1", []).map(drop)
}

/// Words that may be meant by one that the store does not have, best first.
pub(super) fn similar(connection: &Connection, word: &str) -> rusqlite::Result<Vec<SimilarWord>> {
    let mut found = containing(connection, word)?;
    if found.is_empty() {
        found = misspelt(connection, word)?;
    }
    let mut similar = Vec::new();
    for (slips, word) in found {
        let passages = bounded_count(connection, &word, COUNTED)? as u64;
        // The word of a passage that is gone leads nowhere.
        if passages > 0 {
            similar.push(SimilarWord { word, slips, passages });
        }
    }
    similar.sort_by(|a, b| (a.slips, b.passages, &a.word).cmp(&(b.slips, a.passages, &b.word)));
    Ok(similar)
}

/// Words that have this one in them, the shortest of them.
fn containing(connection: &Connection, part: &str) -> rusqlite::Result<Vec<(usize, String)>> {
    let letters: Vec<char> = part.chars().collect();
    if !LETTERS.contains(&letters.len()) {
        return Ok(Vec::new());
    }
    let threes: Vec<String> = letters
        .windows(3)
        .map(|three| format!("\"{}\"", three.iter().collect::<String>().replace('"', "\"\"")))
        .collect();
    connection
        .prepare_cached(
            "SELECT word.text FROM word_parts JOIN word ON word.id = word_parts.rowid
             WHERE word_parts MATCH ?1 AND instr(word.text, ?2) ORDER BY length(word.text), 1 LIMIT ?3",
        )?
        .query_map((threes.join(" AND "), part, MOST_SIMILAR as i64), |row| Ok((0, row.get(0)?)))?
        .collect()
}

/// Words that this one may be a slip for, those with the fewest slips.
fn misspelt(connection: &Connection, word: &str) -> rusqlite::Result<Vec<(usize, String)>> {
    let most = spelling::slips_allowed(word);
    if most == 0 || !LETTERS.contains(&word.chars().count()) {
        return Ok(Vec::new());
    }
    // Most slips leave the first letter where it was, or put it second.
    let mut found = Vec::new();
    for initial in word.chars().take(2) {
        found.extend(slipped(connection, word, most, Some(initial))?);
    }
    if found.is_empty() {
        found = slipped(connection, word, most, None)?;
    }
    found.sort();
    found.dedup();
    found.truncate(MOST_SIMILAR);
    Ok(found)
}

fn slipped(
    connection: &Connection,
    word: &str,
    most: usize,
    initial: Option<char>,
) -> rusqlite::Result<Vec<(usize, String)>> {
    let letters = word.chars().count();
    let from = initial.map(String::from).unwrap_or_default();
    let after = initial.and_then(|initial| char::from_u32(u32::from(initial) + 1));
    let to = after.unwrap_or(char::MAX).to_string();
    let mut statement = connection.prepare_cached(
        "SELECT text FROM word WHERE text >= ?1 AND text < ?2 AND length(text) BETWEEN ?3 AND ?4",
    )?;
    let range = (from, to, letters.saturating_sub(most) as i64, (letters + most) as i64);
    let mut rows = statement.query(range)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let known = row.get_ref(0)?.as_str()?;
        if let Some(slips) = spelling::slips(word, known, most) {
            found.push((slips, known.to_owned()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_numbers_are_no_words() {
        for word in ["parser", "sha256", "utf8", "Übergröße", "PATH"] {
            assert!(is_word(word), "{word}");
        }
        for run in ["ab", "9f3a7c21", "12345", "a1b2c3", "日本語", "x".repeat(31).as_str(), "🦀"]
        {
            assert!(!is_word(run), "{run}");
        }
    }
}
