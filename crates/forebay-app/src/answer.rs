//! Answers: the text a model reads, the same as data, and what it cost.

use serde_json::Value;

/// What a tool gives back.
#[derive(Debug, Clone)]
pub struct Answer {
    /// What the model or the person reads; never above the call's budget.
    pub text: String,
    /// The same as data, for `--json` and structured output.
    pub data: Value,
    pub cost: Cost,
}

/// What the answer stands for, for the usage ledger.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Bytes of raw text that the answer replaced.
    pub raw_bytes: u64,
}

impl Answer {
    pub fn new(text: String, data: Value) -> Self {
        Self { text, data, cost: Cost::default() }
    }

    /// An answer that stands in for `raw_bytes` bytes which the host would have shown.
    #[must_use]
    pub fn instead_of(mut self, raw_bytes: u64) -> Self {
        self.cost.raw_bytes = raw_bytes;
        self
    }
}
