//! The scanner: finds every literal of the table in one pass, and lets its rows locate the secret.

use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use super::literals::Literals;
use super::match_context::{MAX_GAP, MatchContext};
use super::rows::{self, Row};
use super::secret_span::SecretSpan;
use super::values;

/// The compiled patterns.
pub(super) struct Scanner {
    literals: Literals,
    /// The matchers of each literal.
    waiting: Vec<Vec<Matcher>>,
}

enum Matcher {
    /// A row and its rank; lower is more specific.
    Row(&'static Row, usize),
    /// The value of an environment variable.
    Value(Vec<u8>),
}

impl std::fmt::Debug for Scanner {
    /// Omits the secret values.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scanner").field("literals", &self.waiting.len()).finish_non_exhaustive()
    }
}

impl Scanner {
    /// The scanner of the built-in table, built once.
    pub(super) fn builtin() -> Arc<Self> {
        static SHAPES: LazyLock<Arc<Scanner>> =
            LazyLock::new(|| Arc::new(Scanner::new(rows::all(), Vec::new())));
        Arc::clone(&SHAPES)
    }

    pub(super) fn with_values<N, V>(variables: impl IntoIterator<Item = (N, V)>) -> Arc<Self>
    where
        N: AsRef<str>,
        V: AsRef<str>,
    {
        let values = values::secret_ones(variables);
        if values.is_empty() {
            return Self::builtin();
        }
        Arc::new(Self::new(rows::all(), values))
    }

    pub(super) fn new(rows: impl Iterator<Item = &'static Row>, values: Vec<String>) -> Self {
        let mut waiting: BTreeMap<String, Vec<Matcher>> = BTreeMap::new();
        for (rank, row) in rows.enumerate() {
            for literal in row.literals {
                let literal = literal.to_ascii_lowercase();
                waiting.entry(literal).or_default().push(Matcher::Row(row, rank));
            }
        }
        for value in values {
            let literal = values::literal(&value).to_ascii_lowercase();
            waiting.entry(literal).or_default().push(Matcher::Value(value.into_bytes()));
        }
        let (literals, waiting) = waiting.into_iter().unzip();
        Self { literals: Literals::new(literals), waiting }
    }

    /// The secrets whose literals lie between `first` and `last`.
    ///
    /// A panic in a row must not lose output: it counts as no match.
    pub(super) fn scan(&self, text: &[u8], first: usize, last: usize) -> Vec<SecretSpan> {
        catch_unwind(AssertUnwindSafe(|| self.find(text, first, last))).unwrap_or_default()
    }

    pub(super) fn find(&self, text: &[u8], first: usize, last: usize) -> Vec<SecretSpan> {
        let mut found = Vec::new();
        self.literals.find(&text[..last], &mut |start, number| {
            if start >= first {
                let context =
                    MatchContext::around(text, &(start..start + self.literals.text(number).len()));
                self.run_matchers(number, &context, &mut found);
            }
            true
        });
        found
    }

    /// Runs the matchers of a literal.
    fn run_matchers(&self, number: usize, context: &MatchContext<'_>, found: &mut Vec<SecretSpan>) {
        let last_start = context.before().len() + context.literal().len() + MAX_GAP;
        for waiting in &self.waiting[number] {
            let (kind, rank) = waiting.kind();
            waiting.locate(context, &mut |span| {
                if span.start <= last_start && !span.is_empty() {
                    let span = context.offset() + span.start..context.offset() + span.end;
                    found.push(SecretSpan { span, kind, rank, counts: true });
                }
            });
        }
    }

    /// Whether an incomplete line contains a literal, or ends with the start of a secret value.
    ///
    /// The start of any other literal is not a secret yet.
    pub(super) fn may_have_begun(&self, line: &[u8]) -> bool {
        let is_value = |waiting: &Matcher| matches!(waiting, Matcher::Value(_));
        let about_to = |(number, waiting): (usize, &Vec<Matcher>)| {
            waiting.iter().any(is_value) && ends_with_start_of(line, self.literals.text(number))
        };
        self.literals.stand_in(line) || self.waiting.iter().enumerate().any(about_to)
    }
}

impl Matcher {
    fn kind(&self) -> (&'static str, usize) {
        match self {
            Self::Row(row, rank) => (row.kind, *rank),
            Self::Value(_) => ("environment-value", usize::MAX),
        }
    }

    fn locate(&self, context: &MatchContext<'_>, report: &mut dyn FnMut(Range<usize>)) {
        match self {
            Self::Row(row, _) => row.locate(context, report),
            Self::Value(value) if context.at_literal().starts_with(value) => {
                report(context.range_at_literal(0..value.len()));
            }
            Self::Value(_) => {}
        }
    }
}

/// Whether `line` ends with a prefix of `literal`, ignoring case; fewer than three bytes do not count.
fn ends_with_start_of(line: &[u8], literal: &[u8]) -> bool {
    (3..literal.len().min(line.len() + 1))
        .any(|count| line[line.len() - count..].eq_ignore_ascii_case(&literal[..count]))
}
