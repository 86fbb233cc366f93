//! Reads the recorded outputs and their facts.

use std::fs;
use std::path::{Path, PathBuf};

use forebay_digest::{Budget, Digester, Hint};
use serde::Deserialize;

/// A recorded output, and what its digest should keep.
pub(crate) struct Sample {
    /// `<tool>/<name>`.
    pub(crate) name: String,
    pub(crate) raw: Vec<u8>,
    pub(crate) card: Card,
}

/// The TOML file beside a recorded output.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Card {
    pub(crate) command: String,
    pub(crate) exit: i32,
    pub(crate) origin: String,
    #[serde(rename = "fact")]
    pub(crate) facts: Vec<Fact>,
}

/// A fact that the next step needs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fact {
    pub(crate) kind: Kind,
    /// Alternative spellings.
    pub(crate) any: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Occurs in the output.
    Quoted,
    /// Has to be derived from the output.
    Derived,
}

impl Sample {
    pub(crate) fn tool(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// The digest of the recorded output, as a run of its command gets it.
    pub(crate) fn digest(&self, tokens: u64) -> String {
        let hint = Hint { command: Some(&self.card.command), ..Hint::default() };
        let mut digester = Digester::new(hint, None, Budget::exactly(tokens));
        digester.push(&self.raw);
        if self.card.exit != 0 {
            digester.command_failed();
        }
        digester.finish().text
    }
}

impl Fact {
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.any.iter().any(|spelling| contains_value(text, spelling))
    }

    pub(crate) fn shortest(&self) -> usize {
        self.any.iter().map(String::len).min().unwrap_or_default()
    }
}

/// Returns all samples, sorted by name.
pub(crate) fn all() -> Vec<Sample> {
    all_in(&in_crate("samples"))
}

/// Returns the samples of which a digest must keep every fact, sorted by name.
#[allow(dead_code, reason = "not used by all tests")]
pub(crate) fn complete() -> Vec<Sample> {
    all_in(&in_crate("tests/recorded"))
}

/// Returns the samples in a folder with one folder per tool, sorted by name.
pub(crate) fn all_in(root: &Path) -> Vec<Sample> {
    let tools = entries(root).into_iter().filter(|path| path.is_dir());
    let cards = tools.flat_map(|tool| entries(&tool)).filter(|path| has_extension(path, "toml"));
    cards.map(|card| read(root, &card)).collect()
}

fn in_crate(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

/// Returns recorded outputs without a card, and cards without an output.
pub(crate) fn unpaired_files() -> Vec<PathBuf> {
    let tools = entries(&in_crate("samples")).into_iter().filter(|path| path.is_dir());
    let is_unpaired = |path: &PathBuf| {
        let other = if has_extension(path, "toml") { "txt" } else { "toml" };
        !path.with_extension(other).exists()
    };
    tools.flat_map(|tool| entries(&tool)).filter(is_unpaired).collect()
}

fn read(root: &Path, card: &Path) -> Sample {
    let text = fs::read_to_string(card).unwrap();
    let name = card.strip_prefix(root).unwrap().with_extension("");
    let name = name.to_str().unwrap().replace('\\', "/");
    let parsed = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    Sample { raw: fs::read(card.with_extension("txt")).unwrap(), card: parsed, name }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

/// Returns true if the text contains the spelling, and not just as part of a longer number.
pub(crate) fn contains_value(text: &str, spelling: &str) -> bool {
    text.match_indices(spelling).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + spelling.len()..]);
        is_hash(spelling)
            || !(continues_after(spelling, after) || continues_before(before, spelling))
    })
}

/// Hashes are often shortened, so a prefix is enough.
fn is_hash(spelling: &str) -> bool {
    spelling.len() >= 7
        && spelling.bytes().all(|byte| byte.is_ascii_hexdigit())
        && spelling.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn continues_after(spelling: &str, after: &str) -> bool {
    let mut next = after.bytes();
    spelling.ends_with(|last: char| last.is_ascii_digit())
        && match next.next() {
            Some(b'.' | b',') => next.next().is_some_and(|byte| byte.is_ascii_digit()),
            Some(byte) => byte.is_ascii_digit(),
            None => false,
        }
}

fn continues_before(before: &str, spelling: &str) -> bool {
    let mut previous = before.bytes().rev();
    spelling.starts_with(|first: char| first.is_ascii_digit())
        && match previous.next() {
            Some(b'.' | b',') => previous.next().is_some_and(|byte| byte.is_ascii_digit()),
            Some(byte) => byte.is_ascii_digit(),
            None => false,
        }
}
