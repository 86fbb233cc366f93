//! Pages separated by form feeds.

use super::{Cut, lines};

const FORM_FEED: char = '\u{c}';

/// Cuts before each page, and soft cuts after blank lines.
pub(super) fn cuts(text: &str) -> Vec<Cut> {
    let mut page = 1;
    let mut cuts = vec![Cut::new(0, 1, "page 1")];
    let mut after_blank = false;
    for (at, line) in lines(text) {
        let is_blank = line.trim().is_empty();
        for (feed, _) in line.match_indices(FORM_FEED) {
            page += 1;
            cuts.push(Cut::new(at + feed, 1, format!("page {page}")));
        }
        if after_blank && !is_blank && !line.contains(FORM_FEED) {
            cuts.push(Cut::within(at));
        }
        after_blank = is_blank;
    }
    cuts
}

#[cfg(test)]
mod tests {
    use crate::chunk::{Format, chunks};

    #[test]
    fn chunks_are_titled_by_page() {
        let body = "word ".repeat(200);
        let text = format!("{body}\n\u{c}{body}\n");
        let titles: Vec<String> =
            chunks(&text, Format::Pages).into_iter().map(|piece| piece.title).collect();
        assert_eq!(titles, ["page 1", "page 2"]);
    }
}
