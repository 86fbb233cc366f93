//! How both engines weigh words: BM25.

/// How soon a word that comes again tells nothing more,
pub const SATURATION: f64 = 1.2;
/// and how much the length of a passage counts.
pub const LENGTH: f64 = 0.75;
/// A word that stands in most passages tells nearly nothing, but not less than nothing.
pub const LEAST_WORTH: f64 = 1e-6;
/// Weight of a word that occurs in the text around a short chunk, relative to one in the chunk itself.
pub const CONTEXT_WEIGHT: f64 = 0.6;
