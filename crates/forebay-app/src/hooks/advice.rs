//! Short advice, at most once per session and topic.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use forebay_domain::hook::{Reply, ToolAction, ToolCall};
use forebay_domain::{Entry, tokens};
use forebay_skeleton::detect_language;
use forebay_text::number;

use super::Host;
use crate::next_call::NextCall;
use crate::{App, AppError};
use forebay_store::regular_file;

/// The advice topic for long output.
const LONG_OUTPUT: &str = "advice: long output";

/// The advice topic for large files.
const LARGE_FILE: &str = "advice: large file";
/// How much of a file shows whether it is text.
const SAMPLE_BYTES: u64 = 4_096;

/// Returns advice before the host reads a whole file that is too long for one answer of our own, once per session.
pub(super) fn on_large_read(
    app: &App,
    host: &Host<'_>,
    call: &ToolCall,
) -> Result<Reply, AppError> {
    let ToolAction::Read { paths } = &call.action else { return Ok(Reply::Silent) };
    // A host without this reply need not look at the files.
    if call.is_partial || !(host.supports)(&Reply::Context(String::new())) {
        return Ok(Reply::Silent);
    }
    let Some(text) = paths.iter().find_map(|path| large_file(app, path)) else {
        return Ok(Reply::Silent);
    };
    let is_new = app.stores.own()?.mark(&app.session, LARGE_FILE)?;
    Ok(if is_new { Reply::Context(text) } else { Reply::Silent })
}

fn large_file(app: &App, path: &str) -> Option<String> {
    let file = app.cwd.join(path);
    let metadata = fs::metadata(&file).ok().filter(fs::Metadata::is_file)?;
    let cost = tokens::estimate_bytes(metadata.len());
    if cost <= app.settings.files.read {
        return None;
    }
    let sample = text_sample(&file).ok().flatten()?;
    let run = NextCall::new("ctx_execute_file");
    let ways = match detect_language(path, &sample) {
        Some(_) => format!("{} shows its structure, {run}", NextCall::new("context_peek")),
        None => run.to_string(),
    };
    Some(format!(
        "Forebay: this file has {} tokens. {ways} runs code over it and returns only what it prints.",
        number::rough(cost)
    ))
}

/// The beginning of a file; `None` if it is no text, such as an image that the host shows.
fn text_sample(file: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut sample = Vec::new();
    regular_file::open_foreign(file)?.take(SAMPLE_BYTES).read_to_end(&mut sample)?;
    let is_text = match str::from_utf8(&sample) {
        Ok(_) => true,
        // The last character may be cut.
        Err(error) => error.error_len().is_none(),
    };
    Ok((is_text && !sample.contains(&0)).then_some(sample))
}

/// Returns advice when output could not be replaced, once per session.
pub(super) fn on_long_output(
    app: &App,
    host: &Host<'_>,
    entry: &Entry,
    cut_remark: Option<&str>,
) -> Result<Reply, AppError> {
    let reply = Reply::Context(long_output(entry, cut_remark));
    if !(host.supports)(&reply) || !app.stores.own()?.mark(&app.session, LONG_OUTPUT)? {
        return Ok(Reply::Silent);
    }
    Ok(reply)
}

fn long_output(entry: &Entry, cut_remark: Option<&str>) -> String {
    let cost = number::rough(tokens::estimate_bytes(entry.bytes));
    let cut = cut_remark.map(|remark| format!(" ({remark})")).unwrap_or_default();
    format!(
        "Forebay: this output has {cost} tokens; it is stored as {}{cut}. Run commands with long output through \
         {}: you get a digest, and {} reads any part of the rest.",
        entry.reference,
        NextCall::new("ctx_execute"),
        NextCall::new("ctx_get")
    )
}
