//! Lays out sections within a byte budget, each with the call that fetches the rest.

use forebay_text::cut;

use super::quoted;

/// A section of a guide or an overview.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) lines: Vec<String>,
    /// The call that fetches the rest; empty to omit it.
    pub(crate) more: &'static str,
    /// Its share of the bytes in percent; what it does not need goes to the others.
    pub(crate) percent: usize,
    /// The order in which lines are left out, the highest first; without ranks the last line goes first.
    ranks: Option<Vec<usize>>,
}

impl Section {
    /// Returns a section of lines that may quote anybody.
    pub(crate) fn new(title: impl Into<String>, lines: Vec<String>, more: &'static str) -> Self {
        let lines = lines.iter().map(|line| quoted::shown(line)).collect();
        Self { title: title.into(), lines, more, percent: 8, ranks: None }
    }

    /// Returns a section of lines with ranks; `None` without lines.
    pub(crate) fn ranked(
        title: &str,
        lines: impl Iterator<Item = (usize, String)>,
    ) -> Option<Self> {
        let (ranks, lines): (Vec<usize>, Vec<String>) = lines.unzip();
        (!lines.is_empty()).then(|| Self { ranks: Some(ranks), ..Self::new(title, lines, "") })
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

    /// Renders the section within `bytes`; `None` if not even one line fits.
    fn render(&self, bytes: usize) -> Option<String> {
        let room = bytes.checked_sub(self.frame_bytes())?;
        let shown = self.fitting(room);
        if shown.is_empty() {
            return None;
        }
        let more = self.more_line(self.lines.len() - shown.len());
        Some(format!("\n{}\n{}{more}", self.title, shown.join("\n")))
    }

    /// Renders the start of the first line within `bytes`; `None` if there is no room for a sentence.
    fn render_start(&self, bytes: usize) -> Option<String> {
        const MIN_BYTES: usize = 60;
        let room = bytes.checked_sub(self.frame_bytes() + '…'.len_utf8() + 1)?;
        let first = self.lines.first().filter(|_| room >= MIN_BYTES)?;
        Some(format!("\n{}\n{}…", self.title, cut::prefix(first, room).trim_end()))
    }

    /// Returns the lines that fit, in their order.
    fn fitting(&self, mut room: usize) -> Vec<&str> {
        let mut take = |line: &str| match room.checked_sub(line.len() + 1) {
            Some(rest) => {
                room = rest;
                true
            }
            None => false,
        };
        let Some(ranks) = &self.ranks else {
            return self.lines.iter().map(String::as_str).take_while(|line| take(line)).collect();
        };
        let mut order: Vec<usize> = (0..self.lines.len()).collect();
        order.sort_by_key(|at| ranks[*at]);
        let mut fitting: Vec<usize> =
            order.into_iter().filter(|at| take(&self.lines[*at])).collect();
        fitting.sort_unstable();
        fitting.into_iter().map(|at| self.lines[at].as_str()).collect()
    }
}

/// Renders head, sections and the last line in at most `bytes` bytes; small sections are shown whole first.
pub(crate) fn lay_out_quotes(head: &str, sections: &[Section], last: &str, bytes: usize) -> String {
    let room = bytes.saturating_sub(head.len() + last.len() + 3);
    let mut given = shares(sections, room);
    let mut left = room.saturating_sub(given.iter().sum());
    let need = |at: usize| sections[at].whole_bytes() + 1;
    let mut order: Vec<usize> = (0..sections.len()).collect();
    order.sort_by_key(|&at| need(at).saturating_sub(given[at]));
    for at in order {
        let extra = need(at).saturating_sub(given[at]).min(left);
        given[at] += extra;
        left -= extra;
    }
    let mut text = head.to_owned();
    let render = |(section, bytes): (&Section, usize)| {
        section.render(bytes).or_else(|| section.render_start(bytes))
    };
    for part in sections.iter().zip(given).filter_map(render) {
        text.push('\n');
        text.push_str(&part);
    }
    text.push_str(&format!("\n\n{last}"));
    cut::prefix(&text, bytes).to_owned()
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
    let mut given = shares(sections, bytes);
    let mut left = bytes.saturating_sub(given.iter().sum());
    for (given, need) in given.iter_mut().zip(&needs) {
        let extra = (need - *given).min(left);
        *given += extra;
        left -= extra;
    }
    given
}

/// Returns the bytes of each section by its percentage, as far as it needs them.
fn shares(sections: &[Section], bytes: usize) -> Vec<usize> {
    let share = |section: &Section| (section.whole_bytes() + 1).min(bytes * section.percent / 100);
    sections.iter().map(share).collect()
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
    fn the_lowest_ranks_stay_in_their_order() {
        let lines = [(2, "- c"), (0, "- a"), (1, "- b")];
        let lines = lines.map(|(rank, line)| (rank, line.to_owned()));
        let section = Section::ranked("T", lines.into_iter()).unwrap();
        let text = section.render(section.frame_bytes() + 8).unwrap();
        assert_eq!(text, "\nT\n- a\n- b\n1 more");
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
            prop_assert!(lay_out_quotes("the head of it", &sections, "more", bytes).len() <= bytes);
        }
    }
}
