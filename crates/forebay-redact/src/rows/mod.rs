//! The table of secret formats: one row each, with samples it must and must not match.
//!
//! A new format is a new row. Earlier tables are more specific: where several rows match the same secret, the first names
//! it.

mod assigned;
mod clouds;
mod commands;
mod files;
mod forges;
mod headers;
mod models;
mod prefixed;
mod sentences;
mod services;
mod urls;

use super::class::Class;
use super::match_context::{MatchContext, Report};

/// One format of secret.
pub(super) struct Row {
    /// The kind shown in its place, in the singular.
    pub(super) kind: &'static str,
    /// Literals in or before every such secret, matched in any case.
    pub(super) literals: &'static [&'static str],
    shape: Shape,
    /// Samples with the secret between `«` and `»`, for the tests.
    #[cfg_attr(not(test), expect(dead_code, reason = "the proof of the row"))]
    pub(super) redacts: &'static [&'static str],
    /// Samples that must not match, for the tests.
    #[cfg_attr(not(test), expect(dead_code, reason = "the proof of the row"))]
    pub(super) spares: &'static [&'static str],
}

enum Shape {
    /// The literal, case-sensitive, followed by a bounded number of bytes of a class.
    Token(&'static Class, usize, usize),
    /// A function that locates the secret around the literal.
    Around(fn(&MatchContext<'_>, Report<'_>)),
}

/// Upper bound of an open-ended length.
const MAX_LENGTH: usize = 8 * 1024;

/// All rows, most specific first.
pub(super) fn all() -> impl Iterator<Item = &'static Row> {
    [
        forges::ROWS,
        clouds::ROWS,
        models::ROWS,
        services::ROWS,
        prefixed::ROWS,
        files::ROWS,
        urls::ROWS,
        headers::ROWS,
        commands::ROWS,
        sentences::ROWS,
        assigned::ROWS,
    ]
    .into_iter()
    .flatten()
}

impl Row {
    /// Reports the secrets of this format around the literal.
    pub(super) fn locate(&self, context: &MatchContext<'_>, report: Report<'_>) {
        match self.shape {
            Shape::Token(class, least, most) => {
                self.locate_token(context, class, least..=most, report);
            }
            Shape::Around(look) => look(context, report),
        }
    }

    fn locate_token(
        &self,
        context: &MatchContext<'_>,
        class: &Class,
        length: std::ops::RangeInclusive<usize>,
        report: Report<'_>,
    ) {
        let exact = self.literals.iter().any(|literal| literal.as_bytes() == context.literal());
        if exact && context.starts_word() {
            let run = class.run_up_to(context.after(), *length.end());
            if length.contains(&run) {
                report(context.range_at_literal(0..context.literal().len() + run));
            }
        }
    }
}
