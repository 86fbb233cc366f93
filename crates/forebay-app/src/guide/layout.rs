//! Lays out sections within a byte budget, each with the call that fetches the rest.

use forebay_domain::event::RecordedEvent;
use forebay_text::cut;

/// A section of a guide or an overview.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) lines: Vec<String>,
    /// The call that fetches the rest; empty to omit it.
    pub(crate) more: &'static str,
    /// Its share of the bytes in percent; what it does not need goes to the others.
    pub(crate) percent: usize,
}

impl Section {
    pub(crate) fn new(title: impl Into<String>, lines: Vec<String>, more: &'static str) -> Self {
        Self { title: title.into(), lines, more, percent: 8 }
    }

    /// Sets its share of the bytes in percent.
    pub(crate) fn with_percent(self, percent: usize) -> Self {
        Self { percent, ..self }
    }

    /// Returns the last line, with a leading line break.
    fn more_line(&self, left_out: usize) -> String {
        match (self.more, left_out) {
            ("", 0) => String::new(),
            ("", count) => format!("\n{count} more"),
            (more, 0) => format!("\nmore: {more}"),
            (more, count) => format!("\n{count} more: {more}"),
        }
    }

    /// Returns the bytes of everything but its lines.
    fn frame_bytes(&self) -> usize {
        // A blank line, the title, and the last line with its count.
        1 + self.title.len() + 1 + self.more_line(9_999).len()
    }

    fn whole_bytes(&self) -> usize {
        self.frame_bytes() + self.lines.iter().map(|line| line.len() + 1).sum::<usize>()
    }

    /// Renders the section within `bytes`; `None` if not even its first line fits.
    fn render(&self, bytes: usize) -> Option<String> {
        let mut room = bytes.checked_sub(self.frame_bytes())?;
        let fits = |line: &&String| match room.checked_sub(line.len() + 1) {
            Some(rest) => {
                room = rest;
                true
            }
            None => false,
        };
        let shown: Vec<&str> = self.lines.iter().take_while(fits).map(String::as_str).collect();
        if shown.is_empty() {
            return None;
        }
        let more = self.more_line(self.lines.len() - shown.len());
        Some(format!("\n{}\n{}{more}", self.title, shown.join("\n")))
    }
}

/// Formats events as list items.
pub(crate) fn list_items<'a>(events: impl Iterator<Item = &'a RecordedEvent>) -> Vec<String> {
    events.map(|recorded| format!("- {}", cut::one_line(&recorded.event.text, 200))).collect()
}

/// Renders head and sections in at most `bytes` bytes; lists the titles of sections without room.
pub(crate) fn lay_out(head: &str, sections: &[Section], bytes: usize) -> String {
    const LEFT_OUT_BYTES: usize = 120;
    let room = bytes.saturating_sub(head.len() + 1);
    let need: usize = sections.iter().map(|section| section.whole_bytes() + 1).sum();
    // If everything fits, the line about omitted sections needs no room.
    let room = if need <= room { room } else { room.saturating_sub(LEFT_OUT_BYTES) };
    let mut text = head.to_owned();
    let mut left_out = Vec::new();
    for (section, bytes) in sections.iter().zip(allocate(sections, room)) {
        match section.render(bytes) {
            Some(part) => {
                text.push('\n');
                text.push_str(&part);
            }
            None => left_out.push(section.title.as_str()),
        }
    }
    if !left_out.is_empty() {
        let names = cut::one_line(&left_out.join(", "), 70);
        text.push_str(&format!("\n\nleft out: {names}; more: ctx_history events=all"));
    }
    cut::prefix(&text, bytes).to_owned()
}

/// Returns the bytes of each section: its percentage, then, in order, what others leave.
fn allocate(sections: &[Section], bytes: usize) -> Vec<usize> {
    let needs: Vec<usize> = sections.iter().map(|section| section.whole_bytes() + 1).collect();
    let mut given: Vec<usize> = sections
        .iter()
        .zip(&needs)
        .map(|(section, need)| (*need).min(bytes * section.percent / 100))
        .collect();
    let mut left = bytes.saturating_sub(given.iter().sum());
    for (given, need) in given.iter_mut().zip(&needs) {
        let extra = (need - *given).min(left);
        *given += extra;
        left -= extra;
    }
    given
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn section(title: &str, lines: usize) -> Section {
        let lines = (0..lines).map(|number| format!("- line {number}")).collect();
        Section::new(title, lines, "ctx_history events=all")
    }

    #[test]
    fn unused_bytes_go_to_other_sections() {
        let text = lay_out("head", &[section("A", 2), section("B", 60)], 600);
        assert!(text.contains("- line 1\nmore: ctx_history"), "{text}");
        assert!(text.contains(" more: ctx_history"), "{text}");
        assert!(text.matches("- line").count() > 20, "{text}");
    }

    #[test]
    fn lists_omitted_sections() {
        let text = lay_out("head", &[section("A", 2), section("B", 3), section("C", 3)], 190);
        assert!(text.contains("left out: ") && text.contains('C'), "{text}");
    }

    proptest! {
        #[test]
        fn stays_within_budget(
            counts in prop::collection::vec(1_usize..40, 0..14),
            bytes in 0_usize..5_000,
        ) {
            let sections: Vec<Section> =
                counts.iter().map(|count| section("A title", *count)).collect();
            prop_assert!(lay_out("the head of it", &sections, bytes).len() <= bytes);
        }
    }
}
