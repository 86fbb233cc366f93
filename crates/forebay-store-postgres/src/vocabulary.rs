//! The words of a project as written, for typo correction and substring matches.
//!
//! Words are written after the transaction that stores their chunks: two transactions with the same words could
//! deadlock.

use std::collections::{BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use forebay_store::vocabulary::{MAX_SIMILAR, WORD_LENGTHS, is_word};
use forebay_store::{NewChunk, SimilarWord};
use forebay_text::spelling;
use forebay_text::subwords;

use super::connection::ScopedConn;
use super::counts;
use super::error::PgError;
use super::lexemes;

/// Maximum count of chunks per similar word.
const MAX_COUNTED: i64 = 1_000;
/// Maximum number of cached word hashes.
const MAX_CACHED_HASHES: usize = 1_000_000;
/// Maximum number of words compared by edit distance.
const MAX_COMPARED: i64 = 20_000;

/// Hashes of the words this process has written, valid until the next purge.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    written: Mutex<WrittenWords>,
}

#[derive(Debug, Default)]
struct WrittenWords {
    purges: i64,
    words: HashSet<u64>,
}

/// Words to write, and their hashes to cache afterwards.
pub(super) struct NewWords {
    purges: i64,
    words: BTreeSet<String>,
    hashes: HashSet<u64>,
}

impl Vocabulary {
    /// Clears the cache if the project's purge count has changed.
    pub(super) fn set_purges(&self, purges: i64) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.purges != purges || written.words.len() > MAX_CACHED_HASHES {
            *written = WrittenWords { purges, words: HashSet::new() };
        }
    }

    /// Returns the words of chunks that this process has not written yet.
    pub(super) fn new_words(&self, chunks: &[&NewChunk]) -> Option<NewWords> {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let mut new =
            NewWords { purges: written.purges, words: BTreeSet::new(), hashes: HashSet::new() };
        for text in chunks.iter().flat_map(|chunk| [&chunk.title, &chunk.text]) {
            let within = subwords::subwords(text);
            for run in subwords::runs(text).into_iter().chain(subwords::runs(&within)) {
                let hash = hash(run);
                if !written.words.contains(&hash) && new.hashes.insert(hash) && is_word(run) {
                    new.words.insert(run.to_lowercase());
                }
            }
        }
        (!new.hashes.is_empty()).then_some(new)
    }

    /// Caches words that were written.
    pub(super) fn mark_written(&self, new: NewWords) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if new.purges == written.purges {
            written.words.extend(new.hashes);
        }
    }
}

/// Writes words in sorted order, which prevents deadlocks.
pub(super) fn write(conn: &mut ScopedConn<'_>, new: &NewWords) -> Result<(), PgError> {
    if new.words.is_empty() {
        return Ok(());
    }
    let words: Vec<&str> = new.words.iter().map(String::as_str).collect();
    let stems: Vec<String> =
        words.iter().map(|word| lexemes::stems(word).pop().unwrap_or_default()).collect();
    conn.execute(
        "INSERT INTO word (workspace, project, text, stem)
         SELECT $1, $2, new.* FROM unnest($3::text[], $4::text[]) AS new ON CONFLICT DO NOTHING",
        &[&words, &stems],
    )?;
    Ok(())
}

/// Deletes words that no chunk contains any more; `stems` are those of the deleted chunks.
pub(super) fn delete_unused(conn: &mut ScopedConn<'_>, stems: &[String]) -> Result<(), PgError> {
    for batch in stems.chunks(1_000) {
        let unused: Vec<&String> = {
            let counts = counts::count_up_to(conn, batch, 1)?;
            batch
                .iter()
                .zip(counts)
                .filter(|(_, count)| *count == 0)
                .map(|(stem, _)| stem)
                .collect()
        };
        conn.execute(
            "DELETE FROM word WHERE workspace = $1 AND project = $2 AND stem = ANY ($3)",
            &[&unused],
        )?;
    }
    bump_purges(conn)
}

/// Invalidates the caches of all processes after deletions.
pub(super) fn bump_purges(conn: &mut ScopedConn<'_>) -> Result<(), PgError> {
    conn.execute("UPDATE project SET purges = purges + 1 WHERE workspace = $1 AND id = $2", &[])?;
    Ok(())
}

/// Invalidates the caches of all processes after chunks were reindexed.
pub(super) fn bump_renewals(conn: &mut ScopedConn<'_>) -> Result<(), PgError> {
    conn.execute(
        "UPDATE project SET purges = purges + 1, renewals = renewals + 1 WHERE workspace = $1 AND id = $2",
        &[],
    )?;
    Ok(())
}

/// Returns words similar to one that the store does not contain, best first.
pub(super) fn similar(conn: &mut ScopedConn<'_>, word: &str) -> Result<Vec<SimilarWord>, PgError> {
    let mut found = containing(conn, word)?;
    if found.is_empty() {
        found = typo_corrections(conn, word)?;
    }
    let stems: Vec<String> =
        found.iter().map(|(_, word)| lexemes::stems(word).pop().unwrap_or_default()).collect();
    let counts = counts::count_up_to(conn, &stems, MAX_COUNTED)?;
    let counted = found.into_iter().zip(counts);
    // A word without chunks is of no use.
    let mut similar: Vec<SimilarWord> = counted
        .filter(|(_, chunks)| *chunks > 0)
        .map(|((edits, word), chunks)| SimilarWord { word, edits, chunks: chunks as u64 })
        .collect();
    similar.sort_by(|a, b| (a.edits, b.chunks, &a.word).cmp(&(b.edits, a.chunks, &b.word)));
    Ok(similar)
}

/// Returns the shortest words that contain this one.
fn containing(conn: &mut ScopedConn<'_>, part: &str) -> Result<Vec<(usize, String)>, PgError> {
    if !WORD_LENGTHS.contains(&part.chars().count()) || !part.chars().all(char::is_alphanumeric) {
        return Ok(Vec::new());
    }
    let rows = conn.query(
        "SELECT text FROM word WHERE workspace = $1 AND project = $2 AND text LIKE $3
         ORDER BY length(text), text LIMIT $4",
        &[&format!("%{part}%"), &(MAX_SIMILAR as i64)],
    )?;
    rows.iter().map(|row| Ok((0, row.try_get(0)?))).collect()
}

/// Returns the words with the smallest edit distance to this one.
fn typo_corrections(
    conn: &mut ScopedConn<'_>,
    word: &str,
) -> Result<Vec<(usize, String)>, PgError> {
    let max_edits = spelling::max_edits(word);
    if max_edits == 0 || !WORD_LENGTHS.contains(&word.chars().count()) || word.contains('\0') {
        return Ok(Vec::new());
    }
    // Most typos keep the first letter or move it to second position.
    let initials: Vec<String> = word.chars().take(2).map(|initial| format!("{initial}%")).collect();
    let mut found = within_distance(conn, word, max_edits, "text LIKE ANY ($6)", &initials)?;
    if found.is_empty() {
        found = within_distance(conn, word, max_edits, "text % ANY ($6)", &[word.to_owned()])?;
    }
    found.sort();
    found.dedup();
    found.truncate(MAX_SIMILAR);
    Ok(found)
}

fn within_distance(
    conn: &mut ScopedConn<'_>,
    word: &str,
    max_edits: usize,
    condition: &str,
    values: &[String],
) -> Result<Vec<(usize, String)>, PgError> {
    let letters = word.chars().count();
    let lengths = (letters.saturating_sub(max_edits) as i32, (letters + max_edits) as i32);
    // A LIKE wildcard would match everything.
    let values: Vec<String> = values.iter().map(|value| value.replace(['_', '\\'], "")).collect();
    let rows = conn.query(
        &format!(
            "SELECT text FROM word WHERE workspace = $1 AND project = $2
                 AND length(text) BETWEEN $3 AND $4 AND {condition} ORDER BY text LIMIT $5"
        ),
        &[&lengths.0, &lengths.1, &MAX_COMPARED, &values],
    )?;
    let mut found = Vec::new();
    for row in &rows {
        let candidate: &str = row.try_get(0)?;
        if let Some(edits) = spelling::edit_distance(word, candidate, max_edits) {
            found.push((edits, candidate.to_owned()));
        }
    }
    Ok(found)
}

fn hash(run: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    run.hash(&mut hasher);
    hasher.finish()
}
