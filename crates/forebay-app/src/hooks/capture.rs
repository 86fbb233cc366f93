//! Captures a tool's result: redacted, stored in full, digested, and compared with an earlier one.

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
use crate::ingest::digesting_upload::{DigestingUpload, note_delivered_digest};
use crate::ledger::TreatedResult;
use crate::render::difference::ComparedDigest;
use crate::render::frame::{self, CaptureFrame};
use crate::{App, AppError};

/// Bytes of the title of a stored result.
pub(super) const MAX_TITLE_BYTES: usize = 200;

/// The raw result of a tool: the texts from the host, or the file in which the host saved the full output.
pub(crate) struct RawResult<'a> {
    result: &'a ToolResult,
    file: Option<PathBuf>,
}

/// A stored result.
pub(crate) struct Captured {
    pub(crate) entry: Entry,
    pub(crate) digest: Digest,
    pub(crate) redactions: Redactions,
    /// The command, if it is one.
    pub(crate) command: Option<NewCommandRun>,
}

impl Captured {
    /// The part that a decision about it needs.
    pub(crate) fn as_treated(&self) -> TreatedResult {
        TreatedResult::new(&self.entry, &self.digest.recognizers, self.command.as_ref())
    }
}

impl<'a> RawResult<'a> {
    pub(crate) fn new(result: &'a ToolResult, folders: &[PathBuf]) -> Self {
        let file =
            result.saved.as_ref().and_then(|saved| saved_output::trusted_file(saved, folders));
        Self { result, file }
    }

    /// Returns a remark if the host passed on only a part, which is all that can be stored.
    pub(crate) fn cut_remark(&self) -> Option<String> {
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
    pub(crate) fn bytes(&self) -> u64 {
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
pub(crate) struct CaptureOptions<'a> {
    pub(crate) budget: Budget,
    pub(crate) moment: CaptureMoment<'a>,
    /// Whether a search finds it.
    pub(crate) is_searchable: bool,
    /// The call with its arguments in one line, if they are known: it is the title, and says which earlier calls are the
    /// same.
    pub(crate) call_line: Option<&'a str>,
}

/// When a result is stored.
#[derive(Clone, Copy)]
pub(crate) enum CaptureMoment<'a> {
    /// When the tool returned it; the model of session `reader` gets the digest, if any.
    AtReturn { reader: &'a str },
    /// Later: the command may have run again since.
    Later,
}

/// The options for a result that a tool just returned.
pub(crate) fn at_return<'a>(app: &App, reader: &'a str) -> CaptureOptions<'a> {
    let moment = CaptureMoment::AtReturn { reader };
    CaptureOptions { budget: budget(app), moment, is_searchable: true, call_line: None }
}

/// Stores a result and digests it.
pub(crate) fn store(
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
    let line = options.call_line.map_or_else(|| title_of(call), str::to_owned);
    let (line, in_title) = app.redaction.redact(&line);
    let title = cut::one_line(&line, MAX_TITLE_BYTES);
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
        CaptureMoment::AtReturn { reader } if can_be_repeated(call, options) => {
            command_run(app, &line, raw, reader)
        }
        _ => None,
    };
    new.command.clone_from(&command);
    let (digest, entry) = upload.finish(new);
    Ok(Captured { entry: entry?, digest, redactions, command })
}

/// Returns the text for the model: the digest, and what has changed since an earlier call.
pub(crate) fn text(
    app: &App,
    agent: &App,
    call: &ToolCall,
    captured: Captured,
    result: &ToolResult,
    cut_remark: Option<String>,
) -> String {
    let Captured { mut entry, digest, redactions, command } = captured;
    let difference =
        command.as_ref().and_then(|command| earlier_runs::difference(app, &entry, command));
    let digest_again = |budget, output: &[u8]| {
        let mut digester = digester(app, agent, call, &entry.title, result, budget);
        digester.push(output);
        digester.finish()
    };
    let compared = ComparedDigest::new(digest, difference.as_ref(), budget(app), digest_again);
    note_delivered_digest(app, &mut entry, &compared);
    let ending = result.exit_code.map(Ending::Exited);
    let remarks = cut_remark.into_iter().collect();
    let reference = entry.reference;
    CaptureFrame { reference, ending, remarks, redactions: &redactions }.around(&compared)
}

/// Whether the line says all that a call depends on, so that a later call with the same line is its repetition.
fn can_be_repeated(call: &ToolCall, options: &CaptureOptions<'_>) -> bool {
    options.call_line.is_some() || matches!(call.action, ToolAction::Shell { .. })
}

/// Describes a call for a comparison with later ones.
fn command_run(app: &App, line: &str, raw: &RawResult<'_>, reader: &str) -> Option<NewCommandRun> {
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
pub(crate) fn budget(app: &App) -> Budget {
    Budget::exactly(app.settings.digest.budget.saturating_sub(frame::RESERVED_TOKENS).max(1))
}

/// Returns a digester for the result of a call.
pub(crate) fn digester(
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
pub(crate) fn title_of(call: &ToolCall) -> String {
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
