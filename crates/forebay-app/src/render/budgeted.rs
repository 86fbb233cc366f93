//! A text builder that never exceeds its token budget.

use forebay_domain::tokens;
use forebay_text::cut;

/// Collects lines while they fit.
pub(crate) struct BudgetedText {
    text: String,
    bytes: usize,
    reserved: usize,
}

impl BudgetedText {
    pub(crate) fn new(budget_tokens: u64) -> Self {
        Self::with_bytes(tokens::to_bytes(budget_tokens))
    }

    pub(crate) fn with_bytes(bytes: usize) -> Self {
        Self { text: String::new(), bytes, reserved: 0 }
    }

    /// Appends a line if it fits; returns whether it did.
    pub(crate) fn push(&mut self, line: &str) -> bool {
        let fits = line.len() + usize::from(!self.text.is_empty()) <= self.room();
        if fits {
            self.push_unchecked(line);
        }
        fits
    }

    /// Appends as much of a line as fits.
    pub(crate) fn push_cut(&mut self, line: &str) {
        if !self.push(line) {
            let room = self.room().saturating_sub('…'.len_utf8() + 1);
            if room > 0 {
                self.push_unchecked(&format!("{}…", cut::prefix(line, room)));
            }
        }
    }

    /// Returns the bytes left.
    pub(crate) fn room(&self) -> usize {
        self.bytes.saturating_sub(self.text.len() + self.reserved)
    }

    /// Reserves `bytes` for the last lines.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        self.reserved = bytes;
    }

    /// Makes the reserved bytes available again.
    pub(crate) fn release(&mut self) {
        self.reserved = 0;
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    fn push_unchecked(&mut self, line: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn stays_within_budget(lines in prop::collection::vec(".{0,60}", 0..30), budget in 1_u64..100) {
            let mut text = BudgetedText::new(budget);
            text.reserve(20);
            for line in &lines {
                text.push_cut(line);
            }
            text.release();
            text.push_cut("the last line, which may be cut");
            prop_assert!(tokens::estimate(&text.into_text()) <= budget);
        }
    }
}
