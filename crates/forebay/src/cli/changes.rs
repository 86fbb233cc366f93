//! Shows changes of agents' files: in short, line by line, and as data.

use std::path::Path;

use forebay_app::agents::{Change, LeftAlone};
use serde_json::{Value, json};
use similar::TextDiff;

use super::paint;
use super::terminal::{self, Failure};

/// Unchanged lines around a change in a diff.
const CONTEXT_LINES: usize = 3;

/// Shows a line for each change.
pub(super) fn show_summary(changes: &[Change], home: &Path) -> Result<(), Failure> {
    changes.iter().try_for_each(|change| {
        let (what, path) = (kind(change), with_tilde(&change.path, home));
        terminal::print_painted(&format!("  {what:<8} {path} ({})", change.agents.join(", ")))
    })
}

/// Shows each change as a diff.
pub(super) fn show_differences<'a>(
    changes: impl IntoIterator<Item = &'a Change>,
    home: &Path,
) -> Result<(), Failure> {
    changes.into_iter().try_for_each(|change| {
        let (path, what) = (with_tilde(&change.path, home), kind(change));
        terminal::print_painted("")?;
        terminal::print_painted(&paint::heading(&format!("{path} ({what})")))?;
        difference(change)
            .lines()
            .try_for_each(|line| terminal::print_painted(&paint::diff_line(line)))
    })
}

/// Shows the files that cannot be changed.
pub(super) fn show_faults(faults: &[LeftAlone], home: &Path) -> Result<(), Failure> {
    faults.iter().try_for_each(|LeftAlone { path, why }| {
        let (error, path) = (paint::error("error:"), with_tilde(path, home));
        terminal::print_painted(&format!("{error} {path}: {why}; left unchanged"))
    })
}

/// A path, with `~` for the home folder.
pub(super) fn with_tilde(path: &Path, home: &Path) -> String {
    match path.strip_prefix(home) {
        Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Ok(rest) => format!("~/{}", rest.display()),
        Err(_) => path.display().to_string(),
    }
}

/// `1 file`, `2 files`.
pub(super) fn files(count: usize) -> String {
    format!("{count} {}", if count == 1 { "file" } else { "files" })
}

/// Whether a file is there before and after.
pub(super) fn is_edit(change: &Change) -> bool {
    change.before.is_some() && change.after.is_some()
}

fn kind(change: &Change) -> &'static str {
    match (&change.before, &change.after) {
        (None, _) => "new",
        (_, None) => "removed",
        _ => "changed",
    }
}

pub(super) fn as_data(change: &Change) -> Value {
    json!({
        "path": change.path.to_string_lossy(),
        "agents": change.agents,
        "is_new": change.before.is_none(),
        "is_removed": change.after.is_none(),
        "difference": difference(change),
    })
}

/// Files that are left alone, with the reasons.
pub(super) fn left_alone_as_data(files: &[LeftAlone]) -> Vec<Value> {
    let one =
        |LeftAlone { path, why }: &LeftAlone| json!({ "path": path.to_string_lossy(), "why": why });
    files.iter().map(one).collect()
}

/// The change as a unified diff, without a header.
fn difference(change: &Change) -> String {
    let text = |side: &Option<String>| side.clone().unwrap_or_default();
    let (before, after) = (text(&change.before), text(&change.after));
    let diff = TextDiff::from_lines(&before, &after);
    diff.unified_diff().context_radius(CONTEXT_LINES).to_string()
}
