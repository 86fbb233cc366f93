//! How both engines weigh words: BM25.

/// How soon a word that comes again tells nothing more,
pub(crate) const SATURATION: f64 = 1.2;
/// and how much the length of a passage counts.
pub(crate) const LENGTH: f64 = 0.75;
/// A word that stands in most passages tells nearly nothing, but not less than nothing.
pub(crate) const LEAST_WORTH: f64 = 1e-6;
