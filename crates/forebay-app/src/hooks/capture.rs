//! Captures a tool's result: redacted, stored in full and digested.

use std::cell::OnceCell;
use std::path::PathBuf;

use forebay_digest::{Budget, Digest, Digester, Hint};
use forebay_domain::hook::{HostCut, ResultPart, ToolAction, ToolCall, ToolResult};
use forebay_domain::{Ending, Entry, EntryKind, Stream, tokens};
use forebay_redact::Redactions;
use forebay_store::NewCommandRun;
use forebay_text::{cut, number};

use super::saved_output;
use crate::earlier_runs;
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
    /// The command, if it is one.
    pub(super) command: Option<NewCommandRun>,
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

/// How a result is stored.
pub(super) struct CaptureOptions<'a> {
    pub(super) budget: Budget,
    pub(super) moment: CaptureMoment<'a>,
    /// Whether a search finds it.
    pub(super) is_searchable: bool,
}

/// When a result is stored.
#[derive(Clone, Copy)]
pub(super) enum CaptureMoment<'a> {
    /// When the tool returned it; the model of session `reader` gets the digest, if any.
    AtReturn { reader: &'a str },
    /// Later: the command may have run again since.
    Later,
}

/// The options for a result that a tool just returned.
pub(super) fn at_return<'a>(app: &App, reader: &'a str) -> CaptureOptions<'a> {
    let moment = CaptureMoment::AtReturn { reader };
    CaptureOptions { budget: budget(app), moment, is_searchable: true }
}

/// Stores a result and digests it.
pub(super) fn store(
    app: &App,
    agent: &App,
    call: &ToolCall,
    raw: &RawResult<'_>,
    options: &CaptureOptions<'_>,
) -> Result<Captured, AppError> {
    // Digesting takes as long as opening the store, so both run in parallel.
    app.stores.open_own_in_background();
    let opened = OnceCell::new();
    let begin = || app.stores.upload_to_own(&opened);
    let (line, in_title) = app.redaction.redact(&title_of(call));
    let title = cut::one_line(&line, 200);
    let mut streams = app.redaction.streams();
    let digester = digester(app, agent, call, &title, raw.result, options.budget);
    let mut upload = DigestingUpload::new(begin, digester);
    let keep = &mut |_: Stream, clean: &[u8]| upload.take(clean);
    raw.read(&mut |stream, bytes| streams.push(stream, bytes, keep)).map_err(unreadable)?;
    let mut redactions = streams.finish(keep);
    redactions.add(&in_title);
    let mut new = app.new_entry(EntryKind::Capture, title);
    new.source = app.redaction.name(&call.name);
    new.has_all_chunks = !options.is_searchable;
    let command = match options.moment {
        CaptureMoment::AtReturn { reader } => command_run(app, call, &line, raw, reader),
        CaptureMoment::Later => None,
    };
    new.command.clone_from(&command);
    let (digest, entry) = upload.finish(new);
    Ok(Captured { entry: entry?, digest, redactions, command })
}

/// Describes the run of a command for a comparison with later ones.
fn command_run(
    app: &App,
    call: &ToolCall,
    line: &str,
    raw: &RawResult<'_>,
    reader: &str,
) -> Option<NewCommandRun> {
    let ToolAction::Shell { .. } = call.action else { return None };
    // A part of an output says nothing about the rest.
    if raw.cut_remark().is_some() {
        return None;
    }
    let result = raw.result;
    let ending = result.exit_code.map(|code| Ending::Exited(code).to_string());
    let outcome = (has_failed(result), ending.unwrap_or_default());
    earlier_runs::command_run(app, line, &app.cwd, outcome, reader.to_owned())
}

fn has_failed(result: &ToolResult) -> bool {
    result.is_error || result.exit_code.is_some_and(|code| code != 0)
}

/// Returns the budget of the digest of a result.
pub(super) fn budget(app: &App) -> Budget {
    Budget::exactly(app.settings.digest.budget.saturating_sub(frame::RESERVED_TOKENS).max(1))
}

/// Returns a digester for the result of a call.
pub(super) fn digester(
    app: &App,
    agent: &App,
    call: &ToolCall,
    title: &str,
    result: &ToolResult,
    budget: Budget,
) -> Digester {
    let is_shell = matches!(call.action, ToolAction::Shell { .. });
    let command = is_shell.then_some(title);
    let hint = Hint { command, failed: has_failed(result), ..app.hint(title) };
    let mut digester = Digester::new(hint, None, budget);
    if let Some(words) = call.description.clone().or_else(|| last_request(agent)) {
        digester.infer_intent(&words);
    }
    digester
}

/// Returns a one-line title of the call.
fn title_of(call: &ToolCall) -> String {
    match &call.action {
        ToolAction::Shell { command } => command.clone(),
        ToolAction::Read { paths } | ToolAction::Edit { paths } | ToolAction::Write { paths } => {
            paths.join(" ")
        }
        ToolAction::Fetch { urls } => urls.join(" "),
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
