//! `context_status`: the working set, and the tokens that skeletons save.

use std::path::Path;

use forebay_store::{FileState, WorkingFile};
use forebay_text::number::grouped;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Effect, Tool};
use crate::edit::source_file;
use crate::edit::working_set::{SessionFiles, sizes};
use crate::render::budgeted::BudgetedText;
use crate::{Answer, App, AppError, Call, Capability};

pub struct ContextStatus;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

impl Tool for ContextStatus {
    const NAME: &'static str = "context_status";
    const DESCRIPTION: &'static str = "Tracked files, tokens saved.";
    const EFFECT: Effect = Effect::ReadOnly;
    const CAPABILITY: Capability = Capability::Files;
    const LISTED_BY_DEFAULT: bool = false;
    type Input = Input;

    fn call(app: &App, _: Input, _: &Call) -> Result<Answer, AppError> {
        let rows: Vec<Row> =
            SessionFiles::new(app)?.listed().map(|file| Row::new(app, file)).collect();
        let data = json!({
            "files": rows.iter().map(Row::data).collect::<Vec<_>>(),
            "tokens": total(&rows, Row::context_tokens),
            "without_skeletons": total(&rows, |row| row.whole),
        });
        Ok(Answer::new(table(&rows, app.settings.files.map), data))
    }
}

/// A tracked file in its current state.
struct Row {
    shown: String,
    state: FileState,
    whole: u64,
    skeleton: u64,
    has_changed: bool,
    is_gone: bool,
}

impl Row {
    fn new(app: &App, file: &WorkingFile) -> Self {
        let path = Path::new(&file.path);
        let current = source_file::read_if_text(path);
        let sizes = sizes(app, file);
        let is_gone = sizes.is_none();
        let (shown, whole, skeleton) =
            sizes.unwrap_or_else(|| (source_file::shown(app, path), 0, 0));
        let has_changed = current.is_some_and(|current| current.hash != file.content_hash);
        Self { shown, state: file.state, whole, skeleton, has_changed, is_gone }
    }

    /// Tokens that the session's context holds of it.
    fn context_tokens(&self) -> u64 {
        if self.state == FileState::Active { self.whole } else { self.skeleton }
    }

    fn remark(&self) -> &'static str {
        match (self.is_gone, self.has_changed) {
            (true, _) => ", gone",
            (_, true) => ", changed since",
            _ => "",
        }
    }

    fn data(&self) -> serde_json::Value {
        json!({
            "path": self.shown,
            "state": self.state.as_str(),
            "tokens": self.whole,
            "skeleton_tokens": self.skeleton,
            "changed": self.has_changed,
            "gone": self.is_gone,
        })
    }
}

fn total(rows: &[Row], tokens: impl Fn(&Row) -> u64) -> u64 {
    rows.iter().map(tokens).sum()
}

fn table(rows: &[Row], budget: u64) -> String {
    const TITLE: &str = "Context Status";
    let mut text = BudgetedText::new(budget);
    text.push(TITLE);
    text.push(&"=".repeat(TITLE.len()));
    let active = rows.iter().find(|row| row.state == FileState::Active);
    text.push(&match active {
        Some(row) => {
            format!("Active: {} (full, {} tokens{})", row.shown, grouped(row.whole), row.remark())
        }
        None => "Active: none".to_owned(),
    });
    let skeletons: Vec<&Row> = rows.iter().filter(|row| row.state == FileState::Skeleton).collect();
    let sums = sums(rows);
    text.reserve(sums.len() + 40);
    if !skeletons.is_empty() {
        text.push("\nSkeletons:");
    }
    let width = skeletons.iter().map(|row| row.shown.chars().count()).max().unwrap_or(0).min(40);
    let shown = skeletons.iter().take_while(|row| text.push(&line(row, width))).count();
    text.release();
    if shown < skeletons.len() {
        text.push(&format!("  and {} more", skeletons.len() - shown));
    }
    text.push(&sums);
    text.into_text()
}

/// `  src/ptr.rs  78 tokens  (was 525, saved 447)`
fn line(row: &Row, width: usize) -> String {
    let saved = row.whole - row.skeleton;
    format!(
        "  {:<width$}  {:>6} tokens  (was {}, saved {}{})",
        row.shown,
        grouped(row.skeleton),
        grouped(row.whole),
        grouped(saved),
        row.remark()
    )
}

fn sums(rows: &[Row]) -> String {
    let (context_tokens, whole) = (total(rows, Row::context_tokens), total(rows, |row| row.whole));
    let saved = whole - context_tokens;
    let percent = (saved * 100).checked_div(whole).unwrap_or(0);
    format!(
        "\nTotal Context: {} tokens\nWithout Compaction: {} tokens\nSavings: {} tokens ({percent}%)",
        grouped(context_tokens),
        grouped(whole),
        grouped(saved)
    )
}

#[cfg(test)]
mod tests {
    use forebay_domain::tokens;

    use super::*;

    fn row(shown: &str, state: FileState, whole: u64, skeleton: u64) -> Row {
        Row { shown: shown.to_owned(), state, whole, skeleton, has_changed: false, is_gone: false }
    }

    #[test]
    fn table_adds_up() {
        let rows = [
            row("src/paged_pool.rs", FileState::Active, 1_050, 100),
            row("src/ptr.rs", FileState::Skeleton, 525, 78),
            row("src/raw_page.rs", FileState::Skeleton, 850, 107),
        ];
        insta::assert_snapshot!(table(&rows, 2_000), @r"
        Context Status
        ==============
        Active: src/paged_pool.rs (full, 1,050 tokens)

        Skeletons:
          src/ptr.rs           78 tokens  (was 525, saved 447)
          src/raw_page.rs     107 tokens  (was 850, saved 743)

        Total Context: 1,235 tokens
        Without Compaction: 2,425 tokens
        Savings: 1,190 tokens (49%)
        ");
        assert!(tokens::estimate(&table(&rows, 60)) <= 60);
    }
}
