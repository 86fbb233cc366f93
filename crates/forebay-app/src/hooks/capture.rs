//! Captures a tool's result: redacted, stored in full and digested.

use std::cell::OnceCell;
use std::path::PathBuf;

use forebay_digest::{Budget, Digest, Digester, Hint};
use forebay_domain::hook::{HostCut, ResultPart, ToolAction, ToolCall, ToolResult};
use forebay_domain::{Entry, EntryKind, Stream, tokens};
use forebay_redact::Redactions;
use forebay_text::{cut, number};

use super::saved_output;
use crate::inferred_intent::last_request;
use crate::ingest::digesting_upload::DigestingUpload;
use crate::render::frame;
use crate::{App, AppError};

/// The raw result of a tool: the texts from the host, or the file in which the host saved the full output.
pub(super) struct RawResult<'a> {
    result: &'a ToolResult,
    file: Option<PathBuf>,
}

/// A stored result.
pub(super) struct Captured {
    pub(super) entry: Entry,
    pub(super) digest: Digest,
    pub(super) redactions: Redactions,
}

impl<'a> RawResult<'a> {
    pub(super) fn new(result: &'a ToolResult, folders: &[PathBuf]) -> Self {
        let file =
            result.saved.as_ref().and_then(|saved| saved_output::trusted_file(saved, folders));
        Self { result, file }
    }

    /// Returns a remark if the host passed on only a part, which is all that can be stored.
    pub(super) fn cut_remark(&self) -> Option<String> {
        if self.file.is_some() {
            return None;
        }
        let whole = match self.result.cut {
            Some(HostCut { total: Some(total), .. }) => {
                format!(" of {} matches or lines", number::grouped(total))
            }
            Some(HostCut { bytes: Some(bytes), .. }) => {
                format!(" of {} tokens", number::rough(tokens::estimate_bytes(bytes)))
            }
            Some(HostCut { .. }) => String::new(),
            None if self.result.saved.is_some() => String::new(),
            None => return None,
        };
        Some(format!("cut by the host: it passed on a part{whole}, and only this part is stored"))
    }

    /// Returns the size, as far as it is known without reading.
    pub(super) fn bytes(&self) -> u64 {
        let of_file = |path: &PathBuf| std::fs::metadata(path).map_or(0, |found| found.len());
        let shown = self.result.bytes() as u64;
        self.file.as_ref().map_or(shown, |path| of_file(path).max(shown))
    }

    /// Passes all bytes to `take`, in order.
    fn read(&self, take: &mut dyn FnMut(Stream, &[u8])) -> std::io::Result<()> {
        if let Some(file) = &self.file {
            saved_output::read(file, &mut |bytes| take(Stream::Stdout, bytes))?;
        }
        let mut is_first = true;
        for part in &self.result.parts {
            let (stream, text) = match part {
                // The file also contains this text, as its start.
                ResultPart::Text(_) if self.file.is_some() => continue,
                ResultPart::Text(text) => (Stream::Stdout, text),
                ResultPart::Errors(text) => (Stream::Stderr, text),
                ResultPart::Media => continue,
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

/// Stores a result and digests it.
pub(super) fn store(
    app: &App,
    agent: &App,
    call: &ToolCall,
    raw: &RawResult<'_>,
) -> Result<Captured, AppError> {
    // Digesting takes as long as opening the store, so both run in parallel.
    app.stores.open_own_in_background();
    let opened = OnceCell::new();
    let begin = || app.stores.upload_to_own(&opened);
    let (title, in_title) = app.redaction.redact(&title_of(call));
    let title = cut::one_line(&title, 200);
    let mut streams = app.redaction.streams();
    let mut upload = DigestingUpload::new(begin, digester(app, call, &title, raw.result));
    if let Some(words) = call.description.clone().or_else(|| last_request(agent)) {
        upload.digester.infer_intent(&words);
    }
    let keep = &mut |_: Stream, clean: &[u8]| upload.take(clean);
    raw.read(&mut |stream, bytes| streams.push(stream, bytes, keep)).map_err(unreadable)?;
    let mut redactions = streams.finish(keep);
    redactions.add(&in_title);
    let mut new = app.new_entry(EntryKind::Capture, title);
    new.source = app.redaction.name(&call.name);
    let (digest, entry) = upload.finish(new);
    Ok(Captured { entry: entry?, digest, redactions })
}

fn digester(app: &App, call: &ToolCall, title: &str, result: &ToolResult) -> Digester {
    let tokens = app.settings.digest.budget.saturating_sub(frame::RESERVED_TOKENS).max(1);
    let is_shell = matches!(call.action, ToolAction::Shell { .. });
    let failed = result.is_error || result.exit_code.is_some_and(|code| code != 0);
    let hint = Hint { command: is_shell.then_some(title), failed, ..app.hint(title) };
    Digester::new(hint, None, Budget::exactly(tokens))
}

/// Returns a one-line title of the call.
fn title_of(call: &ToolCall) -> String {
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
    AppError::unavailable(format!("cannot read the output saved by the host: {error}"), None)
}
