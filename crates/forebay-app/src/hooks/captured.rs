//! A tool's result on its way to the store: without its secrets, whole, and with a digest.

use std::cell::OnceCell;
use std::path::PathBuf;

use forebay_digest::{Budget, Digest, Digester, Hint};
use forebay_domain::hook::{Part, ToolAction, ToolCall, ToolResult};
use forebay_domain::{Entry, EntryKind, Stream};
use forebay_redact::Redactions;
use forebay_text::cut;

use super::saved;
use crate::ingest::digesting_upload::Keeping;
use crate::render::frame;
use crate::{App, AppError};

/// What there is of a result: the texts the host hands over, or the file it left the whole in.
pub(super) struct Raw<'a> {
    result: &'a ToolResult,
    file: Option<PathBuf>,
}

/// A result that is stored.
pub(super) struct Captured {
    pub(super) entry: Entry,
    pub(super) digest: Digest,
    pub(super) redactions: Redactions,
}

impl<'a> Raw<'a> {
    pub(super) fn of(result: &'a ToolResult, folders: &[PathBuf]) -> Self {
        let file = result.saved.as_ref().and_then(|saved| saved::file(saved, folders));
        Self { result, file }
    }

    /// How many bytes there are, as far as it is known without reading.
    pub(super) fn bytes(&self) -> u64 {
        let of_file = |path: &PathBuf| std::fs::metadata(path).map_or(0, |found| found.len());
        let told = self.result.bytes() as u64;
        self.file.as_ref().map_or(told, |path| of_file(path).max(told))
    }

    /// Hands everything to `take`, in order.
    fn read(&self, take: &mut dyn FnMut(Stream, &[u8])) -> std::io::Result<()> {
        if let Some(file) = &self.file {
            saved::read(file, &mut |bytes| take(Stream::Stdout, bytes))?;
        }
        let mut is_first = true;
        for part in &self.result.parts {
            let (stream, text) = match part {
                // It is the beginning of what stands in the file.
                Part::Text(_) if self.file.is_some() => continue,
                Part::Text(text) => (Stream::Stdout, text),
                Part::Errors(text) => (Stream::Stderr, text),
                Part::Media => continue,
            };
            if !is_first {
                take(stream, b"\n");
            }
            is_first = false;
            take(stream, text.as_bytes());
        }
        Ok(())
    }
}

/// Stores a result and makes its digest.
pub(super) fn store(app: &App, call: &ToolCall, raw: &Raw<'_>) -> Result<Captured, AppError> {
    // The digest takes as long as the store takes to open.
    app.places.open_own_soon();
    let opened = OnceCell::new();
    let begin = || app.places.upload_to_own(&opened);
    let (title, in_title) = app.redaction.text(&title(call));
    let title = cut::one_line(&title, 200);
    let mut streams = app.redaction.streams();
    let mut keeping = Keeping::new(begin, digester(app, call, &title, raw.result));
    let keep = &mut |_: Stream, clean: &[u8]| keeping.take(clean);
    raw.read(&mut |stream, bytes| streams.push(stream, bytes, keep)).map_err(unreadable)?;
    let mut redactions = streams.finish(keep);
    redactions.add(&in_title);
    let mut new = app.new_entry(EntryKind::Capture, title);
    new.source.clone_from(&call.name);
    let (digest, entry) = keeping.finish(new);
    Ok(Captured { entry: entry?, digest, redactions })
}

fn digester(app: &App, call: &ToolCall, title: &str, result: &ToolResult) -> Digester {
    let tokens = app.settings.digest.budget.saturating_sub(frame::RESERVED_TOKENS).max(1);
    let is_shell = matches!(call.action, ToolAction::Shell { .. });
    let failed = result.is_error || result.exit_code.is_some_and(|code| code != 0);
    let hint = Hint { command: is_shell.then_some(title), failed, ..app.hint(title) };
    Digester::new(hint, None, Budget::exactly(tokens))
}

/// What was asked, in a line a person recognises.
fn title(call: &ToolCall) -> String {
    match &call.action {
        ToolAction::Shell { command } => command.clone(),
        ToolAction::Fetch { url } => url.clone(),
        ToolAction::WebSearch { query } => query.clone(),
        ToolAction::Search { pattern, path } => match path {
            Some(path) => format!("{pattern} in {path}"),
            None => pattern.clone(),
        },
        ToolAction::Mcp { server: Some(server), tool } => format!("{server}/{tool}"),
        ToolAction::Mcp { server: None, tool } => tool.clone(),
        _ => call.name.clone(),
    }
}

fn unreadable(error: std::io::Error) -> AppError {
    AppError::unavailable(format!("the output the host saved cannot be read: {error}"), None)
}
