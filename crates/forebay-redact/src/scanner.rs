//! The scanner: finds every literal of the table in one pass, and asks its rows what stands there.

use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use super::found::Found;
use super::literals::Literals;
use super::rows::{self, Row};
use super::spot::{LEAD, Spot};
use super::values;

/// What is looked for.
pub(super) struct Scanner {
    literals: Literals,
    /// Who waits for each of the literals.
    waiting: Vec<Vec<Waiting>>,
}

enum Waiting {
    /// A row, and how much its kind tells: the lower the more.
    Row(&'static Row, usize),
    /// The value of an environment variable.
    Value(Vec<u8>),
}

impl std::fmt::Debug for Scanner {
    /// Without the values it looks for.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scanner").field("literals", &self.waiting.len()).finish_non_exhaustive()
    }
}

impl Scanner {
    /// Knows the table, and is built once.
    pub(super) fn of_shapes() -> Arc<Self> {
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
            return Self::of_shapes();
        }
        Arc::new(Self::new(rows::all(), values))
    }

    pub(super) fn new(rows: impl Iterator<Item = &'static Row>, values: Vec<String>) -> Self {
        let mut waiting: BTreeMap<String, Vec<Waiting>> = BTreeMap::new();
        for (rank, row) in rows.enumerate() {
            for literal in row.literals {
                let literal = literal.to_ascii_lowercase();
                waiting.entry(literal).or_default().push(Waiting::Row(row, rank));
            }
        }
        for value in values {
            let literal = values::literal(&value).to_ascii_lowercase();
            waiting.entry(literal).or_default().push(Waiting::Value(value.into_bytes()));
        }
        let (literals, waiting) = waiting.into_iter().unzip();
        Self { literals: Literals::new(literals), waiting }
    }

    /// The secrets whose literals begin at `first` or later and end at `last` or before.
    ///
    /// A fault of a row must not cost anybody their output: then nothing is found.
    pub(super) fn scan(&self, text: &[u8], first: usize, last: usize) -> Vec<Found> {
        catch_unwind(AssertUnwindSafe(|| self.find(text, first, last))).unwrap_or_default()
    }

    pub(super) fn find(&self, text: &[u8], first: usize, last: usize) -> Vec<Found> {
        let mut found = Vec::new();
        self.literals.find(&text[..last], &mut |start, number| {
            if start >= first {
                let spot = Spot::around(text, &(start..start + self.literals.text(number).len()));
                self.ask(number, &spot, &mut found);
            }
            true
        });
        found
    }

    /// Asks those who wait for a literal.
    fn ask(&self, number: usize, spot: &Spot<'_>, found: &mut Vec<Found>) {
        let last_start = spot.before().len() + spot.literal().len() + LEAD;
        for waiting in &self.waiting[number] {
            let (kind, rank) = waiting.kind();
            waiting.look(spot, &mut |span| {
                if span.start <= last_start && !span.is_empty() {
                    let span = spot.offset() + span.start..spot.offset() + span.end;
                    found.push(Found { span, kind, rank, counts: true });
                }
            });
        }
    }

    /// Whether a literal stands in an unfinished line, or a value is about to.
    ///
    /// The beginning of any other literal is no secret yet.
    pub(super) fn may_have_begun(&self, line: &[u8]) -> bool {
        let is_value = |waiting: &Waiting| matches!(waiting, Waiting::Value(_));
        let about_to = |(number, waiting): (usize, &Vec<Waiting>)| {
            waiting.iter().any(is_value) && ends_with_start_of(line, self.literals.text(number))
        };
        self.literals.stand_in(line) || self.waiting.iter().enumerate().any(about_to)
    }
}

impl Waiting {
    fn kind(&self) -> (&'static str, usize) {
        match self {
            Self::Row(row, rank) => (row.kind, *rank),
            Self::Value(_) => ("environment-value", usize::MAX),
        }
    }

    fn look(&self, spot: &Spot<'_>, take: &mut dyn FnMut(Range<usize>)) {
        match self {
            Self::Row(row, _) => row.look(spot, take),
            Self::Value(value) if spot.literal_on().starts_with(value) => {
                take(spot.range_literal_on(0..value.len()));
            }
            Self::Value(_) => {}
        }
    }
}

/// Whether `line` ends with the beginning of `literal`, in any case; fewer than three bytes tell nothing.
fn ends_with_start_of(line: &[u8], literal: &[u8]) -> bool {
    (3..literal.len().min(line.len() + 1))
        .any(|count| line[line.len() - count..].eq_ignore_ascii_case(&literal[..count]))
}
