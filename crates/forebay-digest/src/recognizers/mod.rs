//! One file a format: each knows what of its format a later step will need.
//!
//! A recognizer looks at each line once, says how much the line matters, and in the end reports what
//! it knows: facts that stand first in the digest. Quoting lines within the budget is not its task.

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
mod du;
mod embedded;
mod eslint;
mod format;
mod gh;
mod git_blame;
mod git_branch;
mod git_log;
mod git_status;
mod git_transfer;
mod go_json;
mod go_test;
mod gradle;
mod grep;
mod grep_count;
mod html;
mod jest;
mod json;
mod log;
mod ls;
mod make;
mod markdown;
mod maven;
mod ndjson;
mod npm;
mod paths;
mod phpunit;
mod pip;
mod pytest;
mod report;
mod rspec;
mod rustc;
mod shellcheck;
mod sql;
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
mod xml;
mod yaml;

pub(crate) use embedded::EmbeddedRecognizers;
pub(crate) use format::{Claim, Format, Scope, Start, first_lines};
pub(crate) use report::{Quotes, Report};

use crate::lines::Line;

/// Takes a text of its format line by line.
pub(crate) trait Recognizer: std::fmt::Debug + Send {
    /// Looks at the next line.
    fn push_line(&mut self, line: Line<'_>) -> Mark;

    /// What it knows in the end; `None` where it is not sure to have understood.
    fn report(self: Box<Self>, context: &ReportContext) -> Option<Report>;

    /// Whether the lines at hand are what a test printed: to no other they are a tool's own words.
    fn is_within_test(&self) -> bool {
        false
    }

    /// Whether it reads what a test printed as well, since it only marks lines.
    fn reads_within_tests(&self) -> bool {
        false
    }
}

/// How much a line matters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mark {
    /// No opinion: its words decide.
    #[default]
    Plain,
    /// Nobody will need it.
    Noise,
    /// It matters so much.
    Weight(u32),
}

impl Mark {
    /// How it ended.
    pub(crate) const OUTCOME: Self = Self::Weight(70);
    /// What failed.
    pub(crate) const FAILURE: Self = Self::Weight(60);
    /// Why it failed, or where.
    pub(crate) const REASON: Self = Self::Weight(55);
    /// What stands around a reason.
    pub(crate) const DETAIL: Self = Self::Weight(30);
    /// What may be of interest when nothing failed.
    pub(crate) const NOTABLE: Self = Self::Weight(12);
}

/// What is known when all lines were taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReportContext {
    pub(crate) lines: u64,
    /// The bytes there are for the digest.
    pub(crate) max_bytes: usize,
}

#[cfg(test)]
mod runner_tests;
#[cfg(test)]
mod tests;

macro_rules! recognizers {
    ($($name:ident),+ $(,)?) => {
        /// Every format, the more particular first.
        pub(crate) static FORMATS: &[&Format] = &[$(&$name::FORMAT),+];
    };
}

recognizers! {
    go_json,
    ndjson,
    json,
    gh,
    accessibility,
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
    sql,
    csv,
    table,
    ls,
    tree,
    du,
    git_status,
    git_log,
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
    stack_trace,
}
