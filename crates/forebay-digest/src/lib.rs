//! Turns raw tool output into a small faithful digest within a token budget.
//!
//! A pure function from bytes to text, in these stages:
//!
//! 1. `lines` splits the raw bytes into lines and `terminal` removes terminal noise;
//! 2. a text that fits the budget is returned verbatim, except for long runs of equal lines (`repeats`),
//!    and the later stages are never built;
//! 3. a larger one is reduced (`reducer`): recognizers (`recognizers`, one file per format) bid for
//!    it by its command and first lines, mark the lines that matter and report facts; user-defined
//!    ones (`custom`) come first; `parts` keeps the facts of several formats in one text apart;
//!    `salience` weighs unmarked lines; `ranker` scores lines with trained trees; `quote` folds
//!    repeated lines and quotes the best ones below the facts.
//!
//! Memory is bounded by the budget and a few constants, not by the size of the output.

mod binary;
mod command;
mod comparison;
mod custom;
mod digester;
mod failure_reason;
mod hash;
mod lines;
mod location;
mod log_prefix;
mod parts;
mod quote;
mod ranker;
mod recognizers;
mod reducer;
mod repeats;
mod salience;
mod tally;
mod terminal;

use std::borrow::Cow;

pub use comparison::{Comparison, LineChange, Lines, Sameness, TestChange, compare};
pub use custom::{BadDefinition, CountDefinition, CustomRecognizers, Definition, SampleCheck};
pub use digester::Digester;

/// What training and evaluating the line ranker needs.
#[doc(hidden)]
pub mod training {
    pub use forebay_text::trees::Model;

    pub use crate::ranker::{
        Candidate, FEATURES, FeatureVector, TextKind, candidates, feature_names,
    };
}

/// What is known about the source of a text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hint<'a> {
    pub command: Option<&'a str>,
    pub failed: bool,
    /// User-defined recognizers, which take precedence over built-in ones.
    pub recognizers: Option<&'a CustomRecognizers>,
}

/// The token budget of a digest.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Texts of up to this many tokens are returned verbatim.
    pub verbatim: u64,
    /// Larger texts are reduced to this many tokens.
    pub digest: u64,
}

impl Budget {
    /// Returns a text verbatim if it fits, else reduces it to the same size.
    pub fn exactly(tokens: u64) -> Self {
        Self { verbatim: tokens, digest: tokens }
    }
}

/// The digest of a text, and the lines it omits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// Valid UTF-8 without `\r` or escape sequences, within the budget.
    pub text: String,
    /// True if only terminal noise was removed and runs of equal lines were folded.
    pub verbatim: bool,
    /// Number of lines in the raw text, including a last line without `\n`.
    pub lines: u64,
    /// Number of items if the raw text is a NUL-separated list.
    pub items: Option<u64>,
    /// Size of the raw text in bytes.
    pub bytes: u64,
    /// Raw lines that are not shown, in order; empty if verbatim.
    pub omitted: Vec<OmittedRange>,
    /// The recognizers that understood the text or a part of it, the one with the first facts first; empty if none did,
    /// or if verbatim.
    pub recognizers: Vec<&'static str>,
}

/// A range of raw lines that a digest does not show; numbered from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OmittedRange {
    pub first: u64,
    pub last: u64,
}

/// A recognized format: its name, what its digests keep, and the commands that print it.
#[derive(Debug, Clone, Copy)]
pub struct FormatRow {
    pub name: &'static str,
    pub keeps: &'static str,
    pub commands: &'static [&'static str],
}

impl FormatRow {
    /// Returns true if this command prints the format.
    pub fn is_printed_by(&self, command: &str) -> bool {
        let command = command::Command::parse(command);
        self.commands.iter().any(|pattern| command.matches(pattern))
    }
}

/// Returns every recognized format, for the reference.
pub fn formats() -> impl Iterator<Item = FormatRow> {
    let row = |format: &&'static recognizers::Format| FormatRow {
        name: format.name,
        keeps: format.keeps,
        commands: format.commands,
    };
    recognizers::FORMATS.iter().map(row)
}

/// Returns the digest of a text that is in memory as a whole.
pub fn digest(raw: &[u8], hint: Hint<'_>, intent: Option<&str>, budget: Budget) -> Digest {
    let mut digester = Digester::new(hint, intent, budget);
    digester.push(raw);
    digester.finish()
}

/// Returns everything that a digest of a text may state in its own words, whatever fits its budget.
///
/// For tests, which check each statement against the text.
pub fn statements(raw: &[u8], hint: Hint<'_>) -> Vec<String> {
    let report = report(&clean(raw), hint);
    report.into_iter().flat_map(|report| report.facts).map(|fact| fact.text).collect()
}

/// Returns what a test runner says in a text without terminal noise; nothing if several runs or runners do.
fn test_facts(text: &str, hint: Hint<'_>) -> Option<tally::TestFacts> {
    report(text, hint)?.tests
}

fn report(text: &str, hint: Hint<'_>) -> Option<recognizers::Report> {
    let start = forebay_text::cut::prefix(text, digester::START_BYTES);
    let mut reducer =
        reducer::Reducer::new(hint, start, &salience::IntentText::None, STATEMENTS_TOKENS);
    digester::feed(&mut reducer, text);
    reducer.report(text.lines().count() as u64)
}

/// A budget for which recognizers shorten few lists.
const STATEMENTS_TOKENS: u64 = 6_000;

/// Removes terminal noise: escape sequences, overwritten states of a line, control characters.
///
/// Tabs and newlines stay, `\r\n` becomes `\n`, invalid UTF-8 becomes U+FFFD. Of the states of a
/// line (separated by a lone `\r`), the last visible one stays. Items of a NUL-separated list become lines.
pub fn clean(raw: &[u8]) -> String {
    if binary::is_nul_list(raw) {
        return clean(&binary::items_as_lines(raw));
    }
    let mut text = String::with_capacity(raw.len());
    let mut reader = lines::LineReader::with_max_bytes(usize::MAX);
    let mut keep = |line: lines::Line<'_>| line.append_to(&mut text);
    reader.push(raw, &mut keep);
    reader.finish(&mut keep);
    text
}

/// Like [`clean`], without a copy if there is nothing to remove.
pub fn displayed(raw: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(raw) {
        Ok(text) if !raw.iter().fold(false, |noise, byte| noise | is_hidden(*byte)) => {
            Cow::Borrowed(text)
        }
        _ => Cow::Owned(clean(raw)),
    }
}

/// Whether a byte controls the terminal instead of being shown.
fn is_hidden(byte: u8) -> bool {
    byte < b' ' && byte != b'\t' && byte != b'\n' || byte == 0x7f
}

#[cfg(test)]
mod tests;
