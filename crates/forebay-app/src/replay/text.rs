//! A replay as tables for a terminal of 80 columns.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use forebay_text::{cut, number};

use super::{Fate, Gain, NextActions, Replay, Tally};
use crate::render::describe::signed;

/// Tools, and recognizers, with a row of their own.
const MAX_ROWS: usize = 20;
const NAME_COLUMNS: usize = 18;
const BAR_COLUMNS: usize = 12;
/// Transcripts that are not read and named.
const MAX_FAULTS: usize = 5;

/// Renders a replay.
pub fn render(replay: &Replay) -> String {
    let total = replay.total();
    if total.calls == 0 && replay.conversations.is_empty() {
        return no_results(replay);
    }
    let mut lines = tools(replay, &total);
    if total.replaced > 0 {
        lines.push(String::new());
        lines.extend(recognizers(replay, &total));
    }
    lines.push(String::new());
    lines.extend(costs(replay, &total));
    lines.push(String::new());
    lines.extend(remarks(replay, &total));
    lines.join("\n")
}

fn no_results(replay: &Replay) -> String {
    let others = if replay.elsewhere > 0 { "; --all includes other projects" } else { "" };
    let read = number::counted(replay.transcripts, "transcript");
    let mut lines = vec![format!("no tool results in {read}{others}")];
    lines.extend(faults(replay));
    lines.join("\n")
}

/// A row: a name, and the sums of what it names.
type NamedTally<'a> = (&'a str, &'a Tally);

/// The rows of a table in order, and the sum of those that are left out.
pub(super) fn ranked(
    rows: &BTreeMap<String, Tally>,
    key: impl Fn(&Tally) -> u64,
    max: usize,
) -> (Vec<NamedTally<'_>>, Option<(usize, Tally)>) {
    let mut ranked: Vec<NamedTally<'_>> =
        rows.iter().map(|(name, tally)| (name.as_str(), tally)).collect();
    ranked.sort_by_key(|(_, tally)| Reverse((key(tally), tally.shown)));
    let mut rest = Tally::default();
    let more = ranked.len().saturating_sub(max);
    ranked.iter().skip(max).for_each(|(_, tally)| rest.merge(tally));
    ranked.truncate(max);
    (ranked, (more > 0).then_some((more, rest)))
}

fn tools(replay: &Replay, total: &Tally) -> Vec<String> {
    let (rows, rest) = ranked(&replay.tools, Tally::saved, MAX_ROWS);
    let most = rows.iter().map(|(_, tally)| tally.saved()).max().unwrap_or_default();
    let head = ["tool", "calls", "replaced", "shown", "with digests", "saved"];
    let mut lines = vec![tool_line(head.map(str::to_owned))];
    let mut add = |name: &str, tally: &Tally, bar: String| {
        let counts =
            [tally.calls, tally.replaced, tally.shown, tally.with_digests(), tally.saved()];
        let [calls, replaced, shown, delivered, saved] = counts.map(number::grouped);
        let line = tool_line([label(name), calls, replaced, shown, delivered, saved]);
        lines.push(format!("{line} {bar}").trim_end().to_owned());
    };
    for (name, tally) in &rows {
        add(name, tally, bar(tally.saved(), most));
    }
    if let Some((more, rest)) = &rest {
        add(&format!("{more} more"), rest, String::new());
    }
    add("all", total, String::new());
    lines
}

fn tool_line([name, calls, replaced, shown, delivered, saved]: [String; 6]) -> String {
    format!("{name:<NAME_COLUMNS$}{calls:>7}{replaced:>9}{shown:>10}{delivered:>13}{saved:>10}")
}

fn recognizers(replay: &Replay, total: &Tally) -> Vec<String> {
    let head =
        ["recognizer", "replaced", "named", "digest", "later", "1 call", "lost", "next action"];
    let mut lines = vec![recognizer_line(head.map(str::to_owned))];
    let mut add = |name: &str, tally: &Tally| {
        let counts = [
            tally.replaced,
            tally.used_of_replaced(),
            tally.used(Fate::Visible),
            tally.used(Fate::ShownAgain),
            tally.used(Fate::OneCallAway),
            tally.used(Fate::Lost),
        ];
        let [replaced, named, visible, again, away, lost] = counts.map(number::grouped);
        let next = whole_of_named(tally.next_actions);
        let cells = [label(name), replaced, named, visible, again, away, lost, next];
        lines.push(recognizer_line(cells));
    };
    let (rows, rest) = ranked(&replay.recognizers, |tally| tally.replaced, MAX_ROWS);
    for (name, tally) in &rows {
        add(name, tally);
    }
    if let Some((more, rest)) = &rest {
        add(&format!("{more} more"), rest);
    }
    add("all", total);
    lines
}

/// `3 of 4`: next actions whose things the digest shows, of those that name something.
pub(super) fn whole_of_named(actions: NextActions) -> String {
    let figure = number::grouped;
    format!("{} of {}", figure(actions.whole), figure(actions.named))
}

fn recognizer_line(cells: [String; 8]) -> String {
    let [name, replaced, named, visible, again, away, lost, next] = cells;
    format!(
        "{name:<NAME_COLUMNS$}{replaced:>9}{named:>7}{visible:>8}{again:>7}{away:>8}{lost:>6}{next:>14}"
    )
}

/// A row of the table of costs.
pub(super) struct CostRow {
    pub(super) name: String,
    pub(super) gain: Gain,
}

/// The rows of the table of costs: gains are positive, losses negative.
pub(super) fn cost_rows(replay: &Replay, total: &Tally) -> Vec<CostRow> {
    let row = |name: String, gain: Gain| CostRow { name, gain };
    vec![
        row("gross, by digests".to_owned(), replay.sum(|one| one.total.gross)),
        row("tool list".to_owned(), replay.sum(|one| one.tool_list).negated()),
        row(
            format!("re-reads of {}", number::counted(total.rereads, "result")),
            replay.sum(|one| one.total.reread_cost).negated(),
        ),
        row("net".to_owned(), replay.net()),
    ]
}

fn costs(replay: &Replay, total: &Tally) -> Vec<String> {
    let line = |name: &str, tokens: &str, money: &str| format!("{name:<32}{tokens:>16}{money:>14}");
    let mut lines = vec![line("in all prompts", "tokens", "money")];
    let billed = replay.sum(|one| one.billed);
    let has_usage = replay.conversations.iter().any(|one| one.has_usage);
    let tokens = if has_usage { signed(billed.tokens) } else { UNKNOWN.to_owned() };
    lines.push(line("billed, as it was", &tokens, &money(billed)));
    for CostRow { name, gain } in cost_rows(replay, total) {
        lines.push(line(&name, &signed(gain.tokens), &money(gain)));
    }
    lines
}

/// In place of a figure that nothing recorded tells.
pub(super) const UNKNOWN: &str = "unknown";

/// The money of a gain, where it is known.
pub(super) fn money(gain: Gain) -> String {
    gain.known_money().map_or_else(|| UNKNOWN.to_owned(), |money| money.to_string())
}

fn remarks(replay: &Replay, total: &Tally) -> Vec<String> {
    let mut lines = vec![basis(replay).replace("; ", ";\n") + "."];
    let threshold = number::grouped(replay.threshold);
    lines.extend([
        "1 token = 4 bytes, estimated from what was shown; what was billed is the".to_owned(),
        "provider's count.".to_owned(),
        format!("Results of more than {threshold} tokens are replaced, where the host allows it;"),
        "files read or edited never are.".to_owned(),
    ]);
    if total.replaced > 0 {
        let explained = [
            "named: what later calls name and a replaced result was the first to show:",
            "in its digest, in a later result, one ctx_get away, or lost. next action: how",
            "often the digest shows all that the next edit or command names of the result.",
        ];
        lines.extend(explained.map(str::to_owned));
    }
    lines.extend(faults(replay));
    lines
}

/// `From 3 conversations with 84 requests; usage recorded in 2, prices known in 1`
pub(super) fn basis(replay: &Replay) -> String {
    let rows = &replay.conversations;
    let requests = rows.iter().map(|row| row.requests).sum();
    format!(
        "From {} with {}; usage recorded in {}, prices known in {}",
        number::counted(rows.len() as u64, "conversation"),
        number::counted(requests, "request"),
        rows.iter().filter(|row| row.has_usage).count(),
        rows.iter().filter(|row| row.is_priced()).count(),
    )
}

fn faults(replay: &Replay) -> impl Iterator<Item = String> {
    replay.faults.iter().take(MAX_FAULTS).map(|fault| format!("not read: {fault}"))
}

fn label(name: &str) -> String {
    cut::one_line(name, NAME_COLUMNS - 1)
}

/// A bar in eighths of a column; what is not zero is visible.
fn bar(value: u64, most: u64) -> String {
    const EIGHTHS: [char; 8] = ['█', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    if value == 0 {
        return String::new();
    }
    let eighths = (u128::from(value) * 8 * BAR_COLUMNS as u128).div_ceil(u128::from(most.max(1)));
    let (whole, rest) = ((eighths / 8) as usize, (eighths % 8) as usize);
    let mut bar = "█".repeat(whole);
    bar.extend((rest > 0).then_some(EIGHTHS[rest]));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_show_shares() {
        assert_eq!(bar(0, 10), "");
        assert_eq!(bar(10, 10), "█".repeat(BAR_COLUMNS));
        assert_eq!(bar(5, 10), "█".repeat(BAR_COLUMNS / 2));
        assert_eq!(bar(1, 1_000_000), "▏");
    }
}
