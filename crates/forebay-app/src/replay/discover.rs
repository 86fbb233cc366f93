//! Estimates per tool what Forebay would have saved in past conversations.
//!
//! The digests are computed with the current settings. A transcript contains what the model was shown of a
//! result, possibly cut by the host; nothing beyond that is counted.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use forebay_digest::{Budget, Hint, digest};
use forebay_domain::hook::ToolKind;
use forebay_domain::tokens;
use forebay_platforms::Platform;
use forebay_platforms::platform::Capability;
use forebay_platforms::transcripts::{Item, tool_kind};
use forebay_text::{cut, number};
use serde_json::{Value, json};

use crate::hooks::capture_filter::is_captured_kind;
use crate::hooks::rewrite::is_rewritable;
use crate::ingest::import::find::Transcript;
use crate::ingest::import::{TranscriptSelection, find, read};
use crate::render::frame::RESERVED_TOKENS;
use crate::{Answer, App, AppError, Call};

/// Tools with a row of their own.
const MAX_ROWS: usize = 20;
const NAME_COLUMNS: usize = 24;

/// The totals of one tool.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    calls: u64,
    /// Tokens of all its results.
    shown: u64,
    /// Results that would have been replaced.
    replaced: u64,
    saved: u64,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.shown += other.shown;
        self.replaced += other.replaced;
        self.saved += other.saved;
    }
}

/// Reads the selected transcripts and reports what would have been saved; stores nothing.
pub fn discover(
    app: &App,
    wanted: &TranscriptSelection,
    call: &Call,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Answer, AppError> {
    let found = find::transcripts(app, wanted, call)?;
    let total = found.transcripts.iter().map(|transcript| transcript.bytes).sum();
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut before = 0;
    for transcript in &found.transcripts {
        tally(app, transcript, &mut tallies)?;
        before += transcript.bytes;
        progress(before, total);
    }
    let mut rows: Vec<(String, Tally)> = tallies.into_iter().collect();
    rows.sort_by_key(|(_, tally)| Reverse((tally.saved, tally.shown)));
    let conversations = found.transcripts.len() as u64;
    let text = render(app, &rows, conversations, found.elsewhere);
    Ok(Answer::new(text, data(&rows, conversations, found.elsewhere)))
}

fn tally(
    app: &App,
    transcript: &Transcript,
    tallies: &mut BTreeMap<String, Tally>,
) -> Result<(), AppError> {
    let mut calls: HashMap<String, (String, String)> = HashMap::new();
    let mut items = Vec::new();
    read::lines(transcript, 0, &mut |_, line| {
        if let read::Line::Whole(bytes) | read::Line::Open(bytes) = line {
            // A line that does not parse contains no call.
            let _ = (transcript.format.parse_line)(bytes, &mut items);
        }
        for item in items.drain(..) {
            match item {
                Item::ToolCall { id, tool, input } => drop(calls.insert(id, (tool, input))),
                Item::ToolResult { id, text, is_error, .. } => {
                    if let Some((tool, input)) = calls.remove(&id) {
                        let past = PastCall {
                            platform: transcript.platform,
                            kind: tool_kind(transcript.platform, &tool),
                            tool: &tool,
                            input: &input,
                            failed: is_error,
                        };
                        let one = past.tally(app, &text);
                        tallies.entry(tool).or_default().add(one);
                    }
                }
                _ => {}
            }
        }
        true
    })
}

/// A tool call of a past conversation.
struct PastCall<'a> {
    platform: &'a Platform,
    kind: ToolKind,
    tool: &'a str,
    input: &'a str,
    failed: bool,
}

impl PastCall<'_> {
    fn tally(&self, app: &App, text: &str) -> Tally {
        let shown = tokens::estimate(text);
        let mut tally = Tally { calls: 1, shown, ..Tally::default() };
        let hooks = &app.settings.hooks;
        let is_captured = is_captured_kind(self.tool, self.kind, hooks);
        if shown <= hooks.threshold || !is_captured || !self.is_replaceable(hooks.rewrite) {
            return tally;
        }
        let command = (self.kind == ToolKind::Shell).then_some(self.input);
        let budget = app.settings.digest.budget;
        let made = digest(
            text.as_bytes(),
            Hint { command, failed: self.failed, ..app.hint(self.input) },
            None,
            Budget { verbatim: budget, digest: budget.saturating_sub(RESERVED_TOKENS) },
        );
        tally.replaced = 1;
        tally.saved = shown.saturating_sub(tokens::estimate(&made.text) + RESERVED_TOKENS);
        tally
    }

    /// Whether the host lets a hook keep this result out of the context.
    fn is_replaceable(&self, rewrites: bool) -> bool {
        let can = |capability| self.platform.can(capability);
        let is_mcp = self.kind == ToolKind::Mcp;
        let can_replace = can(if is_mcp { Capability::ReplaceMcp } else { Capability::ReplaceOwn });
        if can_replace {
            return !self.failed || can(Capability::ReplaceFailed);
        }
        // A command that runs through Forebay prints its digest itself, even if it fails.
        rewrites
            && self.kind == ToolKind::Shell
            && can(Capability::Rewrite)
            && is_rewritable(self.input)
    }
}

fn render(app: &App, rows: &[(String, Tally)], conversations: u64, elsewhere: u64) -> String {
    if rows.is_empty() {
        let others = if elsewhere > 0 { "; --all includes other projects" } else { "" };
        return format!(
            "no tool results in {}{others}",
            number::counted(conversations, "conversation")
        );
    }
    let threshold = number::grouped(app.settings.hooks.threshold);
    let mut lines = vec![line("", "calls", "replaced", "shown", "with digests", "saved")];
    lines.extend(rows.iter().take(MAX_ROWS).map(|(tool, tally)| row(tool, *tally)));
    let rest = sum(&rows[rows.len().min(MAX_ROWS)..]);
    if rest.calls > 0 {
        lines.push(row(&format!("{} more", rows.len() - MAX_ROWS), rest));
    }
    lines.push(row("all", sum(rows)));
    lines.push(format!(
        "From {}. 1 token = 4 bytes, estimated from what was shown.",
        number::counted(conversations, "conversation")
    ));
    lines.push(format!(
        "Results of more than {threshold} tokens are replaced, where the host allows it;"
    ));
    lines.push("files read or edited never are.".to_owned());
    lines.join("\n")
}

fn sum(rows: &[(String, Tally)]) -> Tally {
    let mut total = Tally::default();
    for (_, tally) in rows {
        total.add(*tally);
    }
    total
}

fn row(name: &str, tally: Tally) -> String {
    let figure = number::grouped;
    line(
        &cut::one_line(name, NAME_COLUMNS - 1),
        &figure(tally.calls),
        &figure(tally.replaced),
        &figure(tally.shown),
        &figure(tally.shown - tally.saved),
        &figure(tally.saved),
    )
}

fn line(
    name: &str,
    calls: &str,
    replaced: &str,
    shown: &str,
    delivered: &str,
    saved: &str,
) -> String {
    format!("{name:<NAME_COLUMNS$}{calls:>7}{replaced:>9}{shown:>13}{delivered:>13}{saved:>13}")
}

fn data(rows: &[(String, Tally)], conversations: u64, elsewhere: u64) -> Value {
    let one = |tally: Tally| {
        json!({
            "calls": tally.calls,
            "replaced": tally.replaced,
            "shown_tokens": tally.shown,
            "with_digests_tokens": tally.shown - tally.saved,
            "saved_tokens": tally.saved,
        })
    };
    let tools: serde_json::Map<String, Value> =
        rows.iter().map(|(tool, tally)| (tool.clone(), one(*tally))).collect();
    json!({
        "conversations": conversations,
        "of_other_projects": elsewhere,
        "tools": tools,
        "all": one(sum(rows)),
    })
}
