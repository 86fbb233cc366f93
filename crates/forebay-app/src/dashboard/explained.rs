//! Which lines of an entry its digest keeps, which it leaves out, and why.

use forebay_digest::{Budget, Digest, Digester, Hint, OmittedRange};
use forebay_domain::{Entry, EntryKind};
use forebay_store::Store;
use forebay_text::number;
use serde_json::{Value, json};

use super::{entry, live, shown};
use crate::digest_samples::Samples;
use crate::render::frame;
use crate::stores::line_reader::Position;
use crate::{App, AppError};

/// Larger texts are not digested again.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Kept lines that are shown; a digest has fewer, unless its budget is unusual.
const MAX_KEPT_LINES: usize = 1_000;
/// Separates a line of an explained digest from its reason.
const REASON_MARK: &str = "  ← ";

/// Returns the digest of an entry line by line with reasons, and the raw text as kept and left out ranges.
pub fn explained(app: &App, reference: &str) -> Result<Value, AppError> {
    let (store, found) = entry::find(app, reference)?;
    if found.bytes > MAX_BYTES {
        return Err(AppError::bad_input(
            format!("{} is too large to be digested again here", number::bytes(found.bytes)),
            "forebay get --raw REF | forebay digest --explain",
        ));
    }
    let delivered = forebay_digest::displayed(found.digest.as_bytes()).into_owned();
    let budgets = budgets(app);
    let mut chosen = (budgets[0], digest(app, &*store, &found, budgets[0], false)?);
    for budget in &budgets[1..] {
        if chosen.1.text == delivered {
            break;
        }
        let other = digest(app, &*store, &found, *budget, false)?;
        if other.text == delivered {
            chosen = (*budget, other);
        }
    }
    let (budget, now) = chosen;
    let needed = Samples::for_app(app).case(found.reference)?;
    let rows = if now.verbatim {
        Vec::new()
    } else {
        rows(&digest(app, &*store, &found, budget, true)?.text)
    };
    Ok(shown::data(json!({
        "digest": delivered,
        "is_as_delivered": now.text == delivered,
        "is_verbatim": now.verbatim,
        "rows": rows,
        "ranges": ranges(&*store, &found, &now)?,
        "lines": now.lines,
        "recognizers": now.recognizers,
        "command": command(&found),
        "budget_tokens": budget.digest,
        "verbatim_tokens": budget.verbatim,
        "needed": needed.map(|case| case.expect),
        "raw_tokens": forebay_domain::tokens::estimate_bytes(found.bytes),
        "host_tokens": live::host_tokens(&found, live::treatment(&*store, &found)?.as_ref()),
        "digest_tokens": forebay_domain::tokens::estimate(&delivered),
    })))
}

/// The budgets of a command's output and of a captured result.
fn budgets(app: &App) -> [Budget; 2] {
    let settings = &app.settings.digest;
    let usual = Budget { verbatim: settings.verbatim, digest: settings.budget };
    [usual, Budget::exactly(settings.budget.saturating_sub(frame::RESERVED_TOKENS).max(1))]
}

fn digest(
    app: &App,
    store: &dyn Store,
    entry: &Entry,
    budget: Budget,
    explains: bool,
) -> Result<Digest, AppError> {
    let hint = Hint { command: command(entry), ..app.hint("") };
    let mut digester = Digester::new(hint, None, budget);
    if explains {
        digester = digester.explaining();
    }
    store.read(entry.reference, 0, &mut |piece| {
        digester.push(piece);
        true
    })?;
    if entry.run().is_some_and(|run| !run.ending.is_success()) {
        digester.command_failed();
    }
    Ok(digester.finish())
}

/// The command that a recognizer is chosen by.
fn command(entry: &Entry) -> Option<&str> {
    let is_command = matches!(entry.kind, EntryKind::Run | EntryKind::Capture);
    is_command.then_some(entry.title.as_str())
}

/// The lines of an explained digest, each with its reason.
fn rows(explained: &str) -> Vec<Value> {
    let row = |line: &str| match line.rsplit_once(REASON_MARK) {
        Some((text, why)) => json!({ "text": text, "why": why }),
        None => json!({ "text": line, "why": null }),
    };
    explained.lines().map(row).collect()
}

/// The raw lines in order: kept ones with their text, left out ones as a range.
fn ranges(store: &dyn Store, entry: &Entry, digest: &Digest) -> Result<Vec<Value>, AppError> {
    let mut ranges = Vec::new();
    let mut next = 1;
    let mut room = MAX_KEPT_LINES;
    let end = OmittedRange { first: digest.lines + 1, last: digest.lines };
    for gap in digest.omitted.iter().chain([&end]) {
        if next < gap.first {
            let last = gap.first - 1;
            let from = Position { line: next, offset: 0 };
            let page = entry::read(store, entry.reference, from, (room, last))?;
            room -= page.lines.len().min(room);
            let rest = page.next.map(|at| at.line);
            ranges.push(json!({ "first": next, "last": last, "kept": page.lines, "rest": rest }));
        }
        if gap.first <= gap.last {
            ranges.push(json!({ "first": gap.first, "last": gap.last }));
        }
        next = gap.last + 1;
    }
    Ok(ranges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_taken_off_its_line() {
        let rows = rows("a  ← b  ← first line\n… lines 2-9");
        assert_eq!(rows[0], json!({ "text": "a  ← b", "why": "first line" }));
        assert_eq!(rows[1], json!({ "text": "… lines 2-9", "why": null }));
    }
}
