//! JSON lines: one record a line, told by its identity.

use super::{Cut, SOFT, identity, lines};

/// Smaller records share a cut with the ones before them.
const SMALL_BYTES: usize = 200;

pub(super) fn cuts(text: &str) -> Vec<Cut> {
    let mut cuts: Vec<Cut> = Vec::new();
    for (at, line) in lines(text) {
        let is_small = line.len() < SMALL_BYTES;
        if is_small && cuts.last().is_some_and(|last| at - last.at < SMALL_BYTES) {
            continue;
        }
        let record = at + line.len() - line.trim_start().len();
        cuts.push(Cut::new(at, SOFT, identity::of_json(text, record)));
    }
    cuts
}

#[cfg(test)]
mod tests {
    use crate::chunk::{Format, passages};

    #[test]
    fn records_are_told_by_their_identity() {
        let record = |id: usize| format!("{{\"id\":{id},\"body\":\"{}\"}}\n", "x".repeat(900));
        let text = format!("{}{}", record(1), record(2));
        let titles: Vec<String> =
            passages(&text, Format::JsonLines).into_iter().map(|piece| piece.title).collect();
        assert_eq!(titles, ["id=1", "id=2"]);
    }
}
