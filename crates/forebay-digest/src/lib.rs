//! Turns raw tool output into a small faithful digest within a token budget.
//!
//! Pure: bytes in, text out, the same for the same input. The path of a byte:
//!
//! 1. `lines` cuts the raw bytes into lines and `terminal` removes what only a terminal needs;
//! 2. a text that fits the budget is shown as it is, and nothing below is ever built;
//! 3. a larger one is reduced (`reducer`): the recognizers (`recognizers`, one file a format) bid for
//!    it by its command and its first lines, look at every line, mark those that matter and report
//!    facts; those a user defines (`custom`) come first; `salience` weighs the lines that nobody marked;
//!    `quote` folds repeated lines and quotes the most telling ones below the facts.
//!
//! Memory is bounded by the budget and a few constants, never by the size of the output.

mod binary;
mod command;
mod custom;
mod digester;
mod hash;
mod lines;
mod location;
mod log_prefix;
mod quote;
mod recognizers;
mod reducer;
mod salience;
mod sha256;
mod tally;
mod terminal;

pub use custom::{BadDefinition, CountDefinition, CustomRecognizers, Definition, SampleCheck};
pub use digester::Digester;

/// What is known about where the text came from.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hint<'a> {
    pub command: Option<&'a str>,
    pub failed: bool,
    /// Recognizers of the user, which are asked before all others.
    pub recognizers: Option<&'a CustomRecognizers>,
}

/// How many tokens a digest may cost.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Texts up to so many tokens pass whole.
    pub verbatim: u64,
    /// Larger ones are reduced to so many tokens.
    pub digest: u64,
}

impl Budget {
    /// Passes a text whole if it fits, and else reduces it to the same size.
    pub fn exactly(tokens: u64) -> Self {
        Self { verbatim: tokens, digest: tokens }
    }
}

/// The small text made from a raw one, and what it leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// Valid UTF-8 without `\r` or escape sequences, within the budget.
    pub text: String,
    /// Nothing but terminal noise was removed.
    pub verbatim: bool,
    /// Lines of the raw text; a last line without `\n` counts.
    pub lines: u64,
    /// Bytes of the raw text.
    pub bytes: u64,
    /// The raw lines not shown, in order; empty when verbatim.
    pub omitted: Vec<OmittedRange>,
}

/// A range of raw lines that a digest does not show, counted from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OmittedRange {
    pub first: u64,
    pub last: u64,
}

/// What a format is called, what a digest of it keeps, and which commands print it.
#[derive(Debug, Clone, Copy)]
pub struct FormatRow {
    pub name: &'static str,
    pub keeps: &'static str,
    pub commands: &'static [&'static str],
}

impl FormatRow {
    /// Whether this command prints the format.
    pub fn is_printed_by(&self, command: &str) -> bool {
        let command = command::Command::parse(command);
        self.commands.iter().any(|pattern| command.matches(pattern))
    }
}

/// Every format that is recognised, for the reference.
pub fn formats() -> impl Iterator<Item = FormatRow> {
    let row = |format: &&'static recognizers::Format| FormatRow {
        name: format.name,
        keeps: format.keeps,
        commands: format.commands,
    };
    recognizers::FORMATS.iter().map(row)
}

/// The digest of a text that is held whole.
pub fn digest(raw: &[u8], hint: Hint<'_>, intent: Option<&str>, budget: Budget) -> Digest {
    let mut digester = Digester::new(hint, intent, budget);
    digester.push(raw);
    digester.finish()
}

/// Removes terminal noise: escape sequences, overwritten states of a line, control characters.
///
/// Tabs and newlines stay, `\r\n` becomes `\n`, invalid UTF-8 becomes U+FFFD. Of the states a line
/// went through (text after a lone `\r`), the last one that shows something stays.
pub fn clean(raw: &[u8]) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut reader = lines::LineReader::with_max_bytes(usize::MAX);
    let mut keep = |line: lines::Line<'_>| line.append_to(&mut text);
    reader.push(raw, &mut keep);
    reader.finish(&mut keep);
    text
}

#[cfg(test)]
mod tests;
