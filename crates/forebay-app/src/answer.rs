//! Answers: text for the reader, the same content as JSON, and its cost.

use serde_json::Value;

/// A tool's result.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The text for a model or a person; never above the call's budget.
    pub text: String,
    /// The same content as JSON, for `--json` and structured output.
    pub data: Value,
    pub cost: Cost,
}

/// The size of what the answer replaces, for usage statistics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Bytes of raw text that the answer replaced.
    pub raw_bytes: u64,
}

impl Answer {
    pub fn new(text: String, data: Value) -> Self {
        Self { text, data, cost: Cost::default() }
    }

    /// Sets the bytes that the host would have shown without this answer.
    #[must_use]
    pub fn instead_of(mut self, raw_bytes: u64) -> Self {
        self.cost.raw_bytes = raw_bytes;
        self
    }
}
