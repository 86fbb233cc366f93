//! The table of secrets: one row a shape, each with the proof of what it finds and what it spares.
//!
//! A new shape is a new row. Rows of the first tables tell more about a secret than those of the last:
//! where several find the same secret, the first names it.

mod assigned;
mod clouds;
mod files;
mod forges;
mod headers;
mod models;
mod services;
mod urls;

use super::class::Class;
use super::spot::{Spot, Take};

/// One shape of secret.
pub(super) struct Row {
    /// What the reader sees in its place, in the singular.
    pub(super) kind: &'static str,
    /// What every such secret has in or before it; looked for in any case.
    pub(super) literals: &'static [&'static str],
    shape: Shape,
    /// Texts with the secret between `«` and `»`; read by the tests.
    #[cfg_attr(not(test), expect(dead_code, reason = "the proof of the row"))]
    pub(super) redacts: &'static [&'static str],
    /// Texts that only look like it; read by the tests.
    #[cfg_attr(not(test), expect(dead_code, reason = "the proof of the row"))]
    pub(super) spares: &'static [&'static str],
}

enum Shape {
    /// The literal, in exactly this case, and from so many to so many bytes of a class.
    Token(&'static Class, usize, usize),
    /// What a function finds around the literal.
    Around(fn(&Spot<'_>, Take<'_>)),
}

/// A length that is open at its end.
const ANY: usize = 8 * 1024;

/// Every row, the most telling first.
pub(super) fn all() -> impl Iterator<Item = &'static Row> {
    [
        forges::ROWS,
        clouds::ROWS,
        models::ROWS,
        services::ROWS,
        files::ROWS,
        urls::ROWS,
        headers::ROWS,
        assigned::ROWS,
    ]
    .into_iter()
    .flatten()
}

impl Row {
    /// Hands on where secrets of this shape stand around the literal.
    pub(super) fn look(&self, spot: &Spot<'_>, take: Take<'_>) {
        match self.shape {
            Shape::Token(class, least, most) => {
                self.look_for_token(spot, class, least..=most, take);
            }
            Shape::Around(look) => look(spot, take),
        }
    }

    fn look_for_token(
        &self,
        spot: &Spot<'_>,
        class: &Class,
        length: std::ops::RangeInclusive<usize>,
        take: Take<'_>,
    ) {
        let exact = self.literals.iter().any(|literal| literal.as_bytes() == spot.literal());
        if exact && spot.starts_word() {
            let run = class.run_up_to(spot.after(), *length.end());
            if length.contains(&run) {
                take(spot.range_literal_on(0..spot.literal().len() + run));
            }
        }
    }
}
