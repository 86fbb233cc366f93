//! The table of what was tried, held and lost.

/// The outcome of one kind of fault.
#[derive(Debug, Default)]
pub(super) struct Row {
    name: &'static str,
    invariant: &'static str,
    tried: usize,
    held: usize,
    lost: usize,
    remark: String,
}

impl Row {
    /// `tried` faults, of which `held` left the invariant true; `lost` acknowledged writes are gone.
    pub(super) fn new(tried: usize, held: usize, lost: usize, remark: impl Into<String>) -> Self {
        Self { tried, held, lost, remark: remark.into(), ..Self::default() }
    }

    /// A fault that cannot be injected here.
    pub(super) fn skipped(reason: impl Into<String>) -> Self {
        Self { remark: format!("skipped: {}", reason.into()), ..Self::default() }
    }

    pub(super) fn named(self, name: &'static str, invariant: &'static str) -> Self {
        Self { name, invariant, ..self }
    }

    pub(super) fn holds(&self) -> bool {
        self.lost == 0 && self.held == self.tried
    }
}

/// Renders the table in Markdown.
pub(super) fn render(rows: &[Row]) -> String {
    let mut text =
        "| fault | invariant | tried | held | lost | |\n|---|---|---|---|---|---|\n".to_owned();
    for row in rows {
        let Row { name, invariant, tried, held, lost, remark } = row;
        text.push_str(&format!(
            "| {name} | {invariant} | {tried} | {held} | {lost} | {remark} |\n"
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_write_or_a_broken_invariant_does_not_hold() {
        assert!(Row::new(5, 5, 0, "").holds());
        assert!(!Row::new(5, 4, 0, "").holds());
        assert!(!Row::new(5, 5, 1, "").holds());
        assert!(Row::skipped("no server").holds());
    }
}
