//! `context_status`: the files of the session, and what was delivered of each.

use std::path::Path;

use forebay_domain::tokens;
use forebay_store::{FileState, WorkingFile};
use forebay_text::number::{counted, grouped};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Effect, Tool};
use crate::edit::source_file;
use crate::edit::working_set::SessionFiles;
use crate::render::budgeted::BudgetedText;
use crate::{Answer, App, AppError, Call, Capability};

pub struct ContextStatus;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

impl Tool for ContextStatus {
    const NAME: &'static str = "context_status";
    const DESCRIPTION: &'static str = "Tracked files, and what was delivered of them.";
    const EFFECT: Effect = Effect::ReadOnly;
    const CAPABILITY: Capability = Capability::Files;
    const LISTED_BY_DEFAULT: bool = false;
    type Input = Input;

    fn call(app: &App, _: Input, _: &Call) -> Result<Answer, AppError> {
        let files = SessionFiles::new(app)?;
        let rows: Vec<Row> = files.listed().map(|file| Row::new(app, &files, file)).collect();
        let data = json!({
            "files": rows.iter().map(Row::data).collect::<Vec<_>>(),
            "tokens": total(&rows),
            "resets_reported": files.resets_are_reported(),
        });
        Ok(Answer::new(list(&rows, files.resets_are_reported(), app.settings.files.map), data))
    }
}

/// A tracked file, and what was delivered of it.
struct Row {
    shown: String,
    state: FileState,
    /// Tokens of the whole file as it is now.
    whole: u64,
    /// Lines of the version that the session knows, of how many, and their tokens.
    lines: Vec<(u64, u64)>,
    of_lines: u64,
    text_tokens: u64,
    skeleton_tokens: Option<u64>,
    symbols: Vec<String>,
    has_changed: bool,
    is_gone: bool,
}

impl Row {
    fn new(app: &App, files: &SessionFiles, file: &WorkingFile) -> Self {
        let path = Path::new(&file.path);
        let current = source_file::read_if_text(path);
        let content = if file.delivered.is_empty() { None } else { files.delivered_content(file) };
        let content = content.unwrap_or_default();
        Self {
            shown: source_file::shown(app, path),
            state: file.state,
            whole: current.as_ref().map_or(0, |current| tokens::estimate(current.text())),
            text_tokens: tokens_of_lines(&content, &file.delivered),
            of_lines: content.lines().count() as u64,
            lines: file.delivered.clone(),
            skeleton_tokens: file.skeleton_tokens,
            symbols: file.symbols.clone(),
            is_gone: current.is_none(),
            has_changed: current.is_some_and(|current| current.hash != file.content_hash),
        }
    }

    fn delivered_tokens(&self) -> u64 {
        self.text_tokens + self.skeleton_tokens.unwrap_or(0)
    }

    /// `lines 1-40 of 210, 300 tokens; skeleton, 78 tokens; changed since`
    fn delivered(&self) -> String {
        let mut parts = Vec::new();
        if !self.lines.is_empty() {
            let ranges = self.lines.iter().map(|(first, last)| format!("{first}-{last}"));
            let ranges = ranges.collect::<Vec<_>>().join(", ");
            let of =
                if self.of_lines > 0 { format!(" of {}", self.of_lines) } else { String::new() };
            parts.push(format!("lines {ranges}{of}, {}", counted(self.text_tokens, "token")));
        }
        parts.extend(
            self.skeleton_tokens.map(|tokens| format!("skeleton, {}", counted(tokens, "token"))),
        );
        if !self.symbols.is_empty() {
            parts.push(format!("symbols {}", self.symbols.join(", ")));
        }
        if parts.is_empty() {
            parts.push("nothing delivered from here".to_owned());
        }
        match (self.is_gone, self.has_changed) {
            (true, _) => parts.push("gone".to_owned()),
            (_, true) => parts.push("changed since".to_owned()),
            _ => {}
        }
        parts.join("; ")
    }

    fn data(&self) -> serde_json::Value {
        json!({
            "path": self.shown,
            "state": self.state.as_str(),
            "tokens": self.whole,
            "lines": self.lines,
            "text_tokens": self.text_tokens,
            "skeleton_tokens": self.skeleton_tokens,
            "symbols": self.symbols,
            "changed": self.has_changed,
            "gone": self.is_gone,
        })
    }
}

/// Returns the tokens of these lines of a text.
fn tokens_of_lines(text: &str, ranges: &[(u64, u64)]) -> u64 {
    let is_delivered =
        |number: u64| ranges.iter().any(|(first, last)| (*first..=*last).contains(&number));
    let lines = (1..).zip(text.split_inclusive('\n'));
    let bytes =
        lines.filter(|(number, _)| is_delivered(*number)).map(|(_, line)| line.len() as u64);
    tokens::estimate_bytes(bytes.sum())
}

fn total(rows: &[Row]) -> u64 {
    rows.iter().map(Row::delivered_tokens).sum()
}

fn list(rows: &[Row], resets_are_reported: bool, budget: u64) -> String {
    let mut text = BudgetedText::new(budget);
    if rows.is_empty() {
        text.push("no files yet");
        return text.into_text();
    }
    text.push(&format!("{}, most recent first", counted(rows.len() as u64, "file")));
    let sum = sum(rows, resets_are_reported);
    text.reserve(sum.len() + 40);
    let width = rows.iter().map(|row| row.shown.chars().count()).max().unwrap_or(0).min(40);
    let line = |row: &Row| format!("  {:<width$}  {}", row.shown, row.delivered());
    let shown = rows.iter().take_while(|row| text.push(&line(row))).count();
    text.release();
    if shown < rows.len() {
        text.push(&format!("  and {} more", rows.len() - shown));
    }
    text.push(&sum);
    text.into_text()
}

/// What was delivered in all, as far as Forebay can know.
fn sum(rows: &[Row], resets_are_reported: bool) -> String {
    let tokens = grouped(total(rows));
    if resets_are_reported {
        format!("delivered since the last reset of the context: {tokens} tokens")
    } else {
        format!("delivered: {tokens} tokens; this host reports no resets of its context")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(shown: &str, lines: &[(u64, u64)], skeleton_tokens: Option<u64>) -> Row {
        Row {
            shown: shown.to_owned(),
            state: FileState::Skeleton,
            whole: 2_000,
            lines: lines.to_vec(),
            of_lines: if lines.is_empty() { 0 } else { 210 },
            text_tokens: lines.iter().map(|(first, last)| (last - first + 1) * 10).sum(),
            skeleton_tokens,
            symbols: Vec::new(),
            has_changed: false,
            is_gone: false,
        }
    }

    #[test]
    fn lists_what_was_delivered() {
        let rows = [
            row("src/paged_pool.rs", &[(1, 210)], None),
            Row { has_changed: true, ..row("src/ptr.rs", &[(1, 40), (60, 90)], Some(78)) },
            row("src/raw_page.rs", &[], Some(107)),
            Row { symbols: vec!["take".to_owned()], ..row("src/map.rs", &[], None) },
            row("src/host.rs", &[], None),
        ];
        insta::assert_snapshot!(list(&rows, true, 2_000), @r"
        5 files, most recent first
          src/paged_pool.rs  lines 1-210 of 210, 2,100 tokens
          src/ptr.rs         lines 1-40, 60-90 of 210, 710 tokens; skeleton, 78 tokens; changed since
          src/raw_page.rs    skeleton, 107 tokens
          src/map.rs         symbols take
          src/host.rs        nothing delivered from here
        delivered since the last reset of the context: 2,995 tokens
        ");
        assert!(list(&rows, false, 2_000).ends_with("reports no resets of its context"));
        assert!(tokens::estimate(&list(&rows, true, 60)) <= 60);
    }

    #[test]
    fn counts_the_tokens_of_the_delivered_lines() {
        let text = "1234567\n".repeat(10);
        assert_eq!(tokens_of_lines(&text, &[(1, 2), (10, 10)]), 6);
        assert_eq!(tokens_of_lines(&text, &[]), 0);
    }
}
