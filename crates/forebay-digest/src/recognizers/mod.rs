//! Recognizers, one file per format: each extracts what later steps need from its format.
//!
//! A recognizer sees each line once, marks how much it matters, and finally reports facts, which
//! come first in the digest. `quote` selects the lines to quote.
//!
//! `format` decides which recognizer claims a whole text, `embedded` runs those that recognise parts of it. `report`,
//! `path_lead` and `tool_errors` are shared by recognizers.

mod access_log;
mod accessibility;
mod apt;
mod bundler;
mod cargo_build;
mod cargo_test;
mod ci;
mod compiler;
mod csv;
mod ctest;
mod curl;
mod dependencies;
mod diff;
mod diffstat;
mod du;
mod embedded;
mod eslint;
mod findings;
mod format;
mod gh;
mod git_blame;
mod git_branch;
mod git_log;
mod git_log_fields;
mod git_status;
mod git_transfer;
mod go_json;
mod go_test;
mod gradle;
mod grep;
mod grep_count;
mod hexdump;
mod html;
mod jest;
mod json;
mod line_starts;
mod log;
mod ls;
mod make;
mod manual;
mod markdown;
mod maven;
mod ndjson;
mod npm;
mod path_lead;
mod paths;
mod phpunit;
mod pip;
mod plain_diff;
mod pytest;
mod records;
mod report;
mod rows;
mod rspec;
mod rustc;
mod shellcheck;
mod source;
mod sql;
mod sql_schema;
mod stack_trace;
mod strace;
mod table;
mod tap;
mod terraform;
mod toml;
mod tool_errors;
mod tree;
mod unittest;
mod valgrind;
mod warnings;
mod xml;
mod yaml;

pub(crate) use embedded::EmbeddedRecognizers;
pub(crate) use format::{Claim, Format, Scope, Start, first_lines};
pub(crate) use git_log_fields::FieldOrder;
pub(crate) use report::{Quotes, REASON_MARK, Report};
pub(crate) use rows::FORMAT as UNCLAIMED;

use crate::lines::Line;

/// Reads a text of its format line by line.
///
/// What a digest states in its own words must be true of the whole text, so:
///
/// - A recognizer of a whole text accounts for every nonblank line: a line that is not in the
///   grammar of its format is `Mark::Foreign`, and counts nowhere. `parts` tells the reader how many
///   such lines there are, or which lines the counts are about, and offers a block of them to the
///   other formats. The start of a text proves nothing about its end: the grammar is checked for
///   every line, not only in `claims`.
/// - A recognizer of an embedded format counts only lines that no other tool prints, or takes the
///   count that the tool itself printed.
/// - A count is stated if each line it counts was recognized by itself; one that is only likely is
///   not stated. A count in the text takes precedence over one of ours, and if the two differ,
///   neither is stated.
/// - A list that is not complete says so: `Report::add_item` marks items that do not fit,
///   `Report::add_unlisted` counts those that were not kept.
///
/// `tests/truth.rs` checks this for every recorded output, alone, followed by another one, and with
/// another one inside.
pub(crate) trait Recognizer: std::fmt::Debug + Send {
    /// Reads the next line. After `Mark::Foreign`, the state is as if the line were not there.
    fn push_line(&mut self, line: Line<'_>) -> Mark;

    /// Returns the facts; `None` if the text was not understood reliably.
    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report>;

    /// Returns true if its lines may go on after several foreign ones; false if its grammar is so
    /// wide that they may be of another format.
    fn can_resume(&self) -> bool {
        true
    }

    /// Returns true if a blank line shows where the output of one command ends.
    fn ends_at_blank(&self) -> bool {
        false
    }

    /// Returns true if its counts are about lines, not about things that several commands may list.
    fn counts_lines(&self) -> bool {
        false
    }

    /// Returns true if the current lines are output of a test, which other recognizers must ignore.
    fn is_in_test_output(&self) -> bool {
        false
    }

    /// Returns true if it also reads the output of tests, because it only marks lines.
    fn reads_test_output(&self) -> bool {
        false
    }
}

/// How much a line matters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mark {
    /// Not in the grammar of the format, and not counted; for recognizers of a whole text.
    Foreign,
    /// No opinion: the words of the line decide.
    #[default]
    Plain,
    /// Not needed.
    Noise,
    /// Matters this much.
    Weight(u32),
}

impl Mark {
    /// The result.
    pub(crate) const OUTCOME: Self = Self::Weight(70);
    /// What failed.
    pub(crate) const FAILURE: Self = Self::Weight(60);
    /// Why it failed, or where.
    pub(crate) const REASON: Self = Self::Weight(55);
    /// Surrounds a reason.
    pub(crate) const DETAIL: Self = Self::Weight(30);
    /// May be of interest if nothing failed.
    pub(crate) const NOTABLE: Self = Self::Weight(12);
}

/// What is known after the last line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReportContext {
    /// Number of lines that were accepted.
    pub(crate) lines: u64,
    /// Size of the digest.
    pub(crate) max_bytes: usize,
    /// The order of the fields of commits, if the command states it.
    pub(crate) log_order: Option<FieldOrder>,
}

impl ReportContext {
    pub(crate) fn new(lines: u64, max_bytes: usize) -> Self {
        Self { lines, max_bytes, log_order: None }
    }
}

#[cfg(test)]
mod runner_tests;
#[cfg(test)]
mod tests;

macro_rules! recognizers {
    ($($name:ident),+ $(,)?) => {
        /// Every format, the more specific ones first.
        pub(crate) static FORMATS: &[&Format] = &[$(&$name::FORMAT),+];
    };
}

recognizers! {
    source,
    hexdump,
    go_json,
    ndjson,
    json,
    gh,
    accessibility,
    manual,
    html,
    markdown,
    yaml,
    toml,
    xml,
    dependencies,
    valgrind,
    strace,
    curl,
    access_log,
    findings,
    sql_schema,
    sql,
    csv,
    table,
    ls,
    tree,
    du,
    git_status,
    git_log,
    diffstat,
    plain_diff,
    diff,
    git_blame,
    git_branch,
    paths,
    grep_count,
    grep,
    log,
    cargo_test,
    pytest,
    unittest,
    jest,
    go_test,
    maven,
    gradle,
    phpunit,
    rspec,
    ctest,
    tap,
    git_transfer,
    rustc,
    compiler,
    eslint,
    shellcheck,
    make,
    bundler,
    ci,
    npm,
    pip,
    cargo_build,
    apt,
    terraform,
    warnings,
    stack_trace,
    rows,
}
