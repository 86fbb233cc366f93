//! Usage: what answers cost and saved, and what requests to the model cost.

use crate::Reference;

/// Characters of command output that agent hosts show before truncating it themselves.
///
/// Savings beyond this are never credited, because the host would not have shown that text.
pub const HOST_MAX_CHARACTERS: u64 = 30_000;

/// The session of commands that a person runs at a terminal. They are no conversation: no model's context is
/// spared by them, so they neither save nor cost tokens.
pub const TERMINAL_SESSION: &str = "cli";

/// The session of a hook call that names none.
pub const HOOK_SESSION: &str = "hook";

/// The name of the tool list among answers: what a host shows its model of all tools.
pub const TOOL_LIST: &str = "tool list";

/// The name of text that hooks add to the model's context, such as the guide, among answers.
pub const HOOK_CONTEXT: &str = "hook context";

/// One answer delivered to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    pub tool: String,
    pub session: String,
    /// The stored entry that it is about, if it is about one.
    pub entry: Option<Reference>,
    /// Tokens of the raw text behind the answer.
    pub raw_tokens: u64,
    /// Tokens that the host would have shown of it.
    pub host_tokens: u64,
    /// Tokens that were delivered.
    pub delivered_tokens: u64,
    pub millis: u64,
}

impl Answered {
    /// The sums over this answer alone.
    pub const fn totals(&self) -> Totals {
        let Self { raw_tokens, host_tokens, delivered_tokens, .. } = *self;
        Totals { answers: 1, raw_tokens, host_tokens, delivered_tokens }
    }
}

/// Sums over answers, of one tool or of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    pub answers: u64,
    pub raw_tokens: u64,
    pub host_tokens: u64,
    pub delivered_tokens: u64,
}

impl Totals {
    pub fn add(&mut self, other: Self) {
        self.answers += other.answers;
        self.raw_tokens += other.raw_tokens;
        self.host_tokens += other.host_tokens;
        self.delivered_tokens += other.delivered_tokens;
    }

    /// Tokens kept out of the context; negative when Forebay cost more than it saved.
    ///
    /// The tool list is recorded as an answer too, so its cost is subtracted.
    pub fn saved(self) -> i64 {
        self.host_tokens as i64 - self.delivered_tokens as i64
    }
}

/// A request of a host to its model, with what it was billed for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRequest {
    /// The host's name of the request.
    pub id: String,
    pub model: String,
    pub tokens: BilledTokens,
}

/// Tokens as the model's provider counts them, each in one of these numbers only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BilledTokens {
    /// Input that was neither read from the cache nor written to it.
    pub input: u64,
    pub cache_read: u64,
    /// Written to the cache for the provider's default time.
    pub cache_write: u64,
    /// Written to the cache for an hour.
    pub cache_write_1h: u64,
    pub output: u64,
}

impl BilledTokens {
    pub fn add(&mut self, other: Self) {
        self.input += other.input;
        self.cache_read += other.cache_read;
        self.cache_write += other.cache_write;
        self.cache_write_1h += other.cache_write_1h;
        self.output += other.output;
    }

    #[must_use]
    pub const fn times(self, count: u64) -> Self {
        Self {
            input: self.input * count,
            cache_read: self.cache_read * count,
            cache_write: self.cache_write * count,
            cache_write_1h: self.cache_write_1h * count,
            output: self.output * count,
        }
    }

    /// What the model read.
    pub const fn prompt(self) -> u64 {
        self.input + self.cache_read + self.cache_write + self.cache_write_1h
    }

    pub const fn total(self) -> u64 {
        self.prompt() + self.output
    }
}

/// Sums over requests to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RequestTotals {
    pub requests: u64,
    pub tokens: BilledTokens,
}

/// What a host would have shown of an output of `raw_bytes` bytes, in tokens.
pub const fn host_tokens(raw_bytes: u64) -> u64 {
    let shown = if raw_bytes < HOST_MAX_CHARACTERS { raw_bytes } else { HOST_MAX_CHARACTERS };
    crate::tokens::estimate_bytes(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credits_at_most_what_a_host_shows() {
        assert_eq!(host_tokens(4_000), 1_000);
        assert_eq!(host_tokens(200_000_000), 7_500);
    }

    #[test]
    fn savings_can_be_negative() {
        let mut totals =
            Totals { answers: 1, raw_tokens: 10, host_tokens: 10, delivered_tokens: 30 };
        totals.add(Totals { answers: 1, delivered_tokens: 1_700, ..Totals::default() });
        assert_eq!(totals.saved(), -1_720);
    }
}
