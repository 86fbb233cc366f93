//! Whether the hooks would have replaced a past result, and by which text.

use forebay_digest::{Digester, Hint};
use forebay_domain::hook::ToolKind;
use forebay_domain::{Reference, tokens};
use forebay_platforms::Platform;
use forebay_platforms::platform::Capability;
use forebay_text::words;

use super::conversation::{PastCall, PastResult};
use crate::App;
use crate::hooks::capture;
use crate::hooks::capture_filter::is_captured_kind;
use crate::hooks::rewrite::is_rewritable;
use crate::ledger::NO_RECOGNIZER;
use crate::own_calls::is_own_command;
use crate::render::difference::ComparedDigest;
use crate::render::frame::CaptureFrame;

/// What would have become of a result.
#[derive(Debug)]
pub(super) enum Outcome {
    Kept(KeptBecause),
    Replaced(Replacement),
}

/// Why a result stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeptBecause {
    /// Not longer than the threshold of the settings.
    Short,
    /// Of a tool whose results are never replaced, such as the host's own file tools.
    Tool,
    /// The host does not let a hook replace it.
    Host,
    /// Its digest would not be shorter.
    NoGain,
}

/// The text in place of a result.
#[derive(Debug)]
pub(super) struct Replacement {
    /// What the model would have been shown.
    pub(super) text: String,
    /// What would have been stored; `None` if that is the result itself.
    pub(super) redacted: Option<String>,
    pub(super) recognizer: &'static str,
}

impl Replacement {
    pub(super) fn tokens(&self) -> u64 {
        tokens::estimate(&self.text)
    }
}

/// Replays what the hook after a tool call does with its result. `request` is the user's last one.
pub(super) fn outcome(
    app: &App,
    platform: &Platform,
    call: &PastCall,
    result: &PastResult,
    request: Option<&str>,
) -> Outcome {
    let hooks = &app.settings.hooks;
    let is_own = call.kind == ToolKind::Shell && is_own_command(&call.input);
    if is_own || !is_captured_kind(&call.tool, call.kind, hooks) {
        return Outcome::Kept(KeptBecause::Tool);
    }
    if tokens::estimate(&result.text) <= hooks.threshold {
        return Outcome::Kept(KeptBecause::Short);
    }
    if !is_replaceable(platform, call, result.is_error, hooks.rewrite) {
        return Outcome::Kept(KeptBecause::Host);
    }
    let replacement = replacement(app, call, result, request);
    if replacement.text.len() >= result.text.len() {
        return Outcome::Kept(KeptBecause::NoGain);
    }
    Outcome::Replaced(replacement)
}

/// Whether the host lets a hook keep this result out of the context.
fn is_replaceable(platform: &Platform, call: &PastCall, failed: bool, rewrites: bool) -> bool {
    let can = |capability| platform.can(capability);
    let is_mcp = call.kind == ToolKind::Mcp;
    let can_replace = can(if is_mcp { Capability::ReplaceMcp } else { Capability::ReplaceOwn });
    if can_replace {
        return !failed || can(Capability::ReplaceFailed);
    }
    // A command that runs through Forebay prints its digest itself, even if it fails.
    rewrites
        && call.kind == ToolKind::Shell
        && can(Capability::Rewrite)
        && is_rewritable(&call.input)
}

fn replacement(
    app: &App,
    call: &PastCall,
    result: &PastResult,
    request: Option<&str>,
) -> Replacement {
    let (text, redactions) = app.redaction.redact_cow(&result.text);
    let redacted = (!redactions.is_empty()).then(|| text.clone().into_owned());
    let command = (call.kind == ToolKind::Shell).then_some(call.input.as_str());
    let hint = Hint { command, failed: result.is_error, ..app.hint(&call.input) };
    let mut digester = Digester::new(hint, None, capture::budget(app));
    if let Some(words) = call.description.as_deref().or(request) {
        digester.infer_intent(words);
    }
    digester.push(text.as_bytes());
    let digest = digester.finish();
    let recognizer = digest.recognizers.first().copied().unwrap_or(NO_RECOGNIZER);
    // Any reference has the same length.
    let reference = Reference::from_random([0; 16]);
    let frame =
        CaptureFrame { reference, ending: None, remarks: Vec::new(), redactions: &redactions };
    Replacement { text: frame.around(&ComparedDigest::alone(digest)), redacted, recognizer }
}

/// Whether a prompt tells what is looked for: "yes, go on" does not.
pub(super) fn tells_intent(prompt: &str) -> bool {
    const MIN_WORDS: usize = 3;
    words::significant(prompt, MIN_WORDS).len() >= MIN_WORDS
}
