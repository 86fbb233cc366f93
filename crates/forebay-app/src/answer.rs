//! Answers: text for the reader, the same content as JSON, and its cost.

use forebay_domain::Reference;
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
    /// Bytes of it that would have entered the model's context.
    pub host_bytes: u64,
    /// The stored entry that the answer is about.
    pub entry: Option<Reference>,
}

impl Answer {
    pub fn new(text: String, data: Value) -> Self {
        Self { text, data, cost: Cost::default() }
    }

    /// Sets the bytes that would certainly have entered the model's context without this answer.
    ///
    /// Text that the model might have read, such as a file behind a skeleton or an indexed folder, is not
    /// replaced by an answer.
    #[must_use]
    pub fn instead_of(mut self, raw_bytes: u64) -> Self {
        self.cost = Cost { raw_bytes, host_bytes: raw_bytes, ..self.cost };
        self
    }

    /// Names the stored entry that the answer is about.
    #[must_use]
    pub fn about(mut self, entry: Reference) -> Self {
        self.cost.entry = Some(entry);
        self
    }

    /// Limits the credit to the bytes that the host passes on to its model.
    #[must_use]
    pub fn of_which_shown(mut self, host_bytes: u64) -> Self {
        self.cost.host_bytes = self.cost.host_bytes.min(host_bytes);
        self
    }
}
