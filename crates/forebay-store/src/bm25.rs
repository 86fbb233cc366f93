//! Parameters of BM25, shared by the engines.

/// Term frequency saturation.
pub const K1: f64 = 1.2;
/// Length normalization.
pub const B: f64 = 0.75;
/// Lower bound of a term's IDF, which would be negative for a term in most chunks.
pub const MIN_IDF: f64 = 1e-6;
/// Weight of a match in the context of a short chunk, relative to one in the chunk itself.
pub const CONTEXT_WEIGHT: f64 = 0.6;
