//! JSON lines: one record a line, titled by its identifying fields.

use super::{Cut, SOFT, identity, lines};

/// Smaller records share a cut with their predecessors.
const SMALL_BYTES: usize = 200;

pub(super) fn cuts(text: &str) -> Vec<Cut> {
    let mut cuts: Vec<Cut> = Vec::new();
    for (at, line) in lines(text) {
        let is_small = line.len() < SMALL_BYTES;
        if is_small && cuts.last().is_some_and(|last| at - last.at < SMALL_BYTES) {
            continue;
        }
        let record = at + line.len() - line.trim_start().len();
        cuts.push(Cut::new(at, SOFT, identity::json_identity(text, record)));
    }
    cuts
}

#[cfg(test)]
mod tests {
    use crate::chunk::{Format, chunks};

    #[test]
    fn records_are_titled_by_identity() {
        let record = |id: usize| format!("{{\"id\":{id},\"body\":\"{}\"}}\n", "x".repeat(900));
        let text = format!("{}{}", record(1), record(2));
        let titles: Vec<String> =
            chunks(&text, Format::JsonLines).into_iter().map(|piece| piece.title).collect();
        assert_eq!(titles, ["id=1", "id=2"]);
    }
}
