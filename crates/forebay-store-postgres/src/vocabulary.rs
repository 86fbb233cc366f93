//! The words of a project, as they are written: what a slip is corrected to and a part is a part of.
//!
//! Words are learned after what they stand in is stored: two who learn the same words in one transaction each
//! would wait for each other.

use std::collections::{BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use forebay_store::vocabulary::{MAX_SIMILAR, WORD_LENGTHS, is_word};
use forebay_store::{NewChunk, SimilarWord};
use forebay_text::spelling;
use forebay_text::subwords;

use super::connection::Work;
use super::counts;
use super::error::Fault;
use super::lexemes;

/// Passages counted for each word that may be meant.
const COUNTED: i64 = 1_000;
/// Words whose hashes are remembered.
const REMEMBERED: usize = 1_000_000;
/// Words that are compared letter by letter.
const COMPARED: i64 = 20_000;

/// Words this process has written, as long as none were forgotten.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    purges: i64,
    words: HashSet<u64>,
}

/// Words to be written, and what is remembered once they are.
pub(super) struct Lesson {
    purges: i64,
    words: BTreeSet<String>,
    hashes: HashSet<u64>,
}

impl Vocabulary {
    /// Notes how often words were forgotten in this project: those before count no more.
    pub(super) fn follow(&self, purges: i64) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.purges != purges || seen.words.len() > REMEMBERED {
            *seen = Seen { purges, words: HashSet::new() };
        }
    }

    /// The words of passages that this process has not written yet.
    pub(super) fn lesson(&self, chunks: &[&NewChunk]) -> Option<Lesson> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lesson =
            Lesson { purges: seen.purges, words: BTreeSet::new(), hashes: HashSet::new() };
        for text in chunks.iter().flat_map(|chunk| [&chunk.title, &chunk.text]) {
            let within = subwords::subwords(text);
            for run in subwords::runs(text).into_iter().chain(subwords::runs(&within)) {
                let hash = hash(run);
                if !seen.words.contains(&hash) && lesson.hashes.insert(hash) && is_word(run) {
                    lesson.words.insert(run.to_lowercase());
                }
            }
        }
        (!lesson.hashes.is_empty()).then_some(lesson)
    }

    /// Remembers what was learned.
    pub(super) fn keep(&self, lesson: Lesson) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if lesson.purges == seen.purges {
            seen.words.extend(lesson.hashes);
        }
    }
}

/// Writes words, in their order: so nobody waits for somebody who waits for him.
pub(super) fn write(work: &mut Work<'_>, lesson: &Lesson) -> Result<(), Fault> {
    if lesson.words.is_empty() {
        return Ok(());
    }
    let words: Vec<&str> = lesson.words.iter().map(String::as_str).collect();
    let stems: Vec<String> =
        words.iter().map(|word| lexemes::stems(word).pop().unwrap_or_default()).collect();
    work.execute(
        "INSERT INTO word (workspace, project, text, stem)
         SELECT $1, $2, new.* FROM unnest($3::text[], $4::text[]) AS new ON CONFLICT DO NOTHING",
        &[&words, &stems],
    )?;
    Ok(())
}

/// Forgets the words that stand in no passage any more; `stems` are those of the passages that went.
pub(super) fn forget_unused(work: &mut Work<'_>, stems: &[String]) -> Result<(), Fault> {
    for some in stems.chunks(1_000) {
        let unused: Vec<&String> = {
            let left = counts::bounded(work, some, 1)?;
            some.iter().zip(left).filter(|(_, count)| *count == 0).map(|(stem, _)| stem).collect()
        };
        work.execute(
            "DELETE FROM word WHERE workspace = $1 AND project = $2 AND stem = ANY ($3)",
            &[&unused],
        )?;
    }
    count_change(work)
}

/// Tells all processes that some of the words and passages they hold are gone.
pub(super) fn count_change(work: &mut Work<'_>) -> Result<(), Fault> {
    work.execute("UPDATE project SET purges = purges + 1 WHERE workspace = $1 AND id = $2", &[])?;
    Ok(())
}

/// Tells all processes that passages they hold have other words now.
pub(super) fn count_renewal(work: &mut Work<'_>) -> Result<(), Fault> {
    work.execute(
        "UPDATE project SET purges = purges + 1, renewals = renewals + 1 WHERE workspace = $1 AND id = $2",
        &[],
    )?;
    Ok(())
}

/// Words that may be meant by one that the store does not have, best first.
pub(super) fn similar(work: &mut Work<'_>, word: &str) -> Result<Vec<SimilarWord>, Fault> {
    let mut found = containing(work, word)?;
    if found.is_empty() {
        found = misspelt(work, word)?;
    }
    let stems: Vec<String> =
        found.iter().map(|(_, word)| lexemes::stems(word).pop().unwrap_or_default()).collect();
    let counts = counts::bounded(work, &stems, COUNTED)?;
    let counted = found.into_iter().zip(counts);
    // The word of a passage that is gone leads nowhere.
    let mut similar: Vec<SimilarWord> = counted
        .filter(|(_, passages)| *passages > 0)
        .map(|((slips, word), passages)| SimilarWord {
            word,
            edits: slips,
            chunks: passages as u64,
        })
        .collect();
    similar.sort_by(|a, b| (a.edits, b.chunks, &a.word).cmp(&(b.edits, a.chunks, &b.word)));
    Ok(similar)
}

/// Words that have this one in them, the shortest of them.
fn containing(work: &mut Work<'_>, part: &str) -> Result<Vec<(usize, String)>, Fault> {
    if !WORD_LENGTHS.contains(&part.chars().count()) || !part.chars().all(char::is_alphanumeric) {
        return Ok(Vec::new());
    }
    let rows = work.query(
        "SELECT text FROM word WHERE workspace = $1 AND project = $2 AND text LIKE $3
         ORDER BY length(text), text LIMIT $4",
        &[&format!("%{part}%"), &(MAX_SIMILAR as i64)],
    )?;
    rows.iter().map(|row| Ok((0, row.try_get(0)?))).collect()
}

/// Words that this one may be a slip for, those with the fewest slips.
fn misspelt(work: &mut Work<'_>, word: &str) -> Result<Vec<(usize, String)>, Fault> {
    let most = spelling::max_edits(word);
    if most == 0 || !WORD_LENGTHS.contains(&word.chars().count()) || word.contains('\0') {
        return Ok(Vec::new());
    }
    // Most slips leave the first letter where it was, or put it second.
    let initials: Vec<String> = word.chars().take(2).map(|initial| format!("{initial}%")).collect();
    let mut found = slipped(work, word, most, "text LIKE ANY ($6)", &initials)?;
    if found.is_empty() {
        found = slipped(work, word, most, "text % ANY ($6)", &[word.to_owned()])?;
    }
    found.sort();
    found.dedup();
    found.truncate(MAX_SIMILAR);
    Ok(found)
}

fn slipped(
    work: &mut Work<'_>,
    word: &str,
    most: usize,
    condition: &str,
    values: &[String],
) -> Result<Vec<(usize, String)>, Fault> {
    let letters = word.chars().count();
    let lengths = (letters.saturating_sub(most) as i32, (letters + most) as i32);
    // A wildcard among the letters would fit everything.
    let values: Vec<String> = values.iter().map(|value| value.replace(['_', '\\'], "")).collect();
    let rows = work.query(
        &format!(
            "SELECT text FROM word WHERE workspace = $1 AND project = $2
                 AND length(text) BETWEEN $3 AND $4 AND {condition} ORDER BY text LIMIT $5"
        ),
        &[&lengths.0, &lengths.1, &COMPARED, &values],
    )?;
    let mut found = Vec::new();
    for row in &rows {
        let known: &str = row.try_get(0)?;
        if let Some(slips) = spelling::edit_distance(word, known, most) {
            found.push((slips, known.to_owned()));
        }
    }
    Ok(found)
}

fn hash(run: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    run.hash(&mut hasher);
    hasher.finish()
}
