//! Text that grows line by line and never exceeds its budget.

use forebay_domain::tokens;
use forebay_text::cut;

/// Collects lines as long as they fit.
pub(crate) struct Budgeted {
    text: String,
    bytes: usize,
    kept_back: usize,
}

impl Budgeted {
    pub(crate) fn new(budget_tokens: u64) -> Self {
        Self::of_bytes(tokens::to_bytes(budget_tokens))
    }

    pub(crate) fn of_bytes(bytes: usize) -> Self {
        Self { text: String::new(), bytes, kept_back: 0 }
    }

    /// Appends a line when it fits; says whether it did.
    pub(crate) fn push(&mut self, line: &str) -> bool {
        let fits = line.len() + usize::from(!self.text.is_empty()) <= self.room();
        if fits {
            self.push_anyway(line);
        }
        fits
    }

    /// Appends as much of a line as fits.
    pub(crate) fn push_cut(&mut self, line: &str) {
        if !self.push(line) {
            let room = self.room().saturating_sub('…'.len_utf8() + 1);
            if room > 0 {
                self.push_anyway(&format!("{}…", cut::prefix(line, room)));
            }
        }
    }

    /// Bytes that are left.
    pub(crate) fn room(&self) -> usize {
        self.bytes.saturating_sub(self.text.len() + self.kept_back)
    }

    /// Keeps `bytes` back for a last line.
    pub(crate) fn keep_back(&mut self, bytes: usize) {
        self.kept_back = bytes;
    }

    /// Gives back what was kept.
    pub(crate) fn release(&mut self) {
        self.kept_back = 0;
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    fn push_anyway(&mut self, line: &str) {
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
        fn never_over_budget(lines in prop::collection::vec(".{0,60}", 0..30), budget in 1_u64..100) {
            let mut text = Budgeted::new(budget);
            text.keep_back(20);
            for line in &lines {
                text.push_cut(line);
            }
            text.release();
            text.push_cut("the last line, which may be cut");
            prop_assert!(tokens::of(&text.into_text()) <= budget);
        }
    }
}
