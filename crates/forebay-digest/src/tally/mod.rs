//! Counting in bounded memory: values, ranges, test outcomes, diagnostics, columns.

pub(crate) mod count;
mod diagnostics;
mod hasher;
mod key;
mod outcome;
mod range;
mod runs;
mod series;
mod templates;
mod tops;
mod values;

pub(crate) use diagnostics::{Complaint, Diagnostics, Severity, is_rule};
pub(crate) use hasher::Fast;
pub(crate) use outcome::Outcome;
pub(crate) use range::{Range, plain, rounded};
pub(crate) use series::listed;
pub(crate) use templates::Templates;
pub(crate) use tops::Tops;
pub(crate) use values::{Values, looks_like_date};
