//! Stores what was said: the user's prompts, the model's answers, the results of subagents.
//!
//! Each is an entry with the whole text, which search finds, and an event in the order of the session. The event
//! has the text without pastes, and names the entry.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use forebay_domain::event::RecordedEvent;
use forebay_domain::hook::{HookCall, HookEvent, StartReason, ToolAction};
use forebay_domain::{EntryKind, Event, EventKind, Reference};
use forebay_platforms::transcripts::{Item, ParseLine, Role};
use forebay_store::{EventPage, regular_file};
use forebay_text::cut;

use super::Host;
use crate::guide::findings::RESULT;
use crate::guide::{CONVERSATION_SOURCE, words};
use crate::ingest::pending;
use crate::{App, AppError};

/// Shorter texts get no entry: "yes" is not worth a search.
const MIN_ENTRY_BYTES: usize = 25;
/// Bytes of a transcript that are searched for the last answer, from its end.
const MAX_TAIL_BYTES: u64 = 512 * 1024;
/// Bytes at each end of a long text that its event keeps.
const HEAD_BYTES: usize = 1_500;
/// Results of a subagent that a new one is compared with.
const MAX_COMPARED: usize = 20;

/// Returns the event of what was said in a call of the main agent, and stores its text.
pub(super) fn event(
    app: &App,
    host: &Host<'_>,
    call: &HookCall,
) -> Result<Option<Event>, AppError> {
    match &call.event {
        HookEvent::Prompt(text) => message(app, EventKind::Prompt, "user", text),
        HookEvent::Stop(Some(text)) => message(app, EventKind::Answer, "answer", text),
        HookEvent::Stop(None) => {
            let path = call.transcript.as_deref().map(Path::new);
            let answer =
                path.zip(host.transcript).and_then(|(path, parse)| last_answer(path, parse));
            answer.map_or(Ok(None), |text| message(app, EventKind::Answer, "answer", &text))
        }
        HookEvent::SubagentStop(Some(text)) => {
            result(app, call.subagent.as_deref().unwrap_or_default(), text)
        }
        HookEvent::AfterTool(tool, found) if !found.is_error => match &tool.action {
            ToolAction::Task { description, .. } => {
                result(app, description, &found.texts().collect::<Vec<_>>().join("\n"))
            }
            _ => Ok(None),
        },
        HookEvent::SessionStart(StartReason::Clear) => {
            Ok(Some(Event::new(EventKind::Topic, "clear", "the user cleared the conversation")))
        }
        _ => Ok(None),
    }
}

/// Returns the event of a subagent's order: words of the main agent, never the user's.
pub(super) fn order(app: &App, text: &str) -> Option<Event> {
    let text = app.redaction.redact(text).0;
    (!text.trim().is_empty())
        .then(|| Event::new(EventKind::Goal, "order", &ends(&text, EventKind::Goal)))
}

fn message(
    app: &App,
    kind: EventKind,
    speaker: &str,
    text: &str,
) -> Result<Option<Event>, AppError> {
    let text = app.redaction.redact(text).0;
    if text.trim().is_empty() {
        return Ok(None);
    }
    let entry = if text.trim().len() < MIN_ENTRY_BYTES {
        None
    } else {
        let title = format!("{speaker}: {}", cut::one_line(&text, 160));
        Some(store(app, EntryKind::Turn, title, CONVERSATION_SOURCE, &text)?)
    };
    let subject = entry.map_or_else(|| speaker.to_owned(), |entry| entry.to_string());
    Ok(Some(Event::new(kind, &subject, &ends(&words::condense(&text), kind))))
}

/// Returns the event of a subagent's result; hosts may report one twice.
fn result(app: &App, agent: &str, text: &str) -> Result<Option<Event>, AppError> {
    let text = app.redaction.redact(text).0;
    let excerpt = words::condense(&text).split_whitespace().collect::<Vec<_>>().join(" ");
    // A host's own record of a subagent that it started is no result.
    if excerpt.len() < MIN_ENTRY_BYTES || excerpt.starts_with('{') || is_known(app, &excerpt)? {
        return Ok(None);
    }
    let title = format!("subagent: {}", cut::one_line(&text, 160));
    let entry = store(app, EntryKind::Capture, title, "subagent", &text)?;
    let subject = format!("{RESULT} {agent}");
    Ok(Some(Event::new(EventKind::Subagent, &subject, &format!("{entry} {excerpt}"))))
}

fn is_known(app: &App, excerpt: &str) -> Result<bool, AppError> {
    let page = EventPage {
        session: Some(app.session.clone()),
        kinds: vec![EventKind::Subagent],
        limit: MAX_COMPARED,
        ..EventPage::default()
    };
    let start = cut::prefix(excerpt, 200);
    let is_same = |one: &RecordedEvent| one.event.text.contains(start);
    Ok(app.stores.own()?.events(&page)?.iter().any(is_same))
}

fn store(
    app: &App,
    kind: EntryKind,
    title: String,
    source: &str,
    text: &str,
) -> Result<Reference, AppError> {
    let mut new = app.new_entry(kind, title);
    source.clone_into(&mut new.source);
    new.digest = cut::one_line(text, 300);
    Ok(pending::put(&*app.stores.own()?, new, text)?.reference)
}

/// Cuts a text that is too long for its event in the middle.
fn ends(text: &str, kind: EventKind) -> String {
    let most = kind.most_bytes();
    if text.len() <= most {
        return text.to_owned();
    }
    let tail = most.saturating_sub(HEAD_BYTES + 20);
    format!("{}\n…\n{}", cut::prefix(text, HEAD_BYTES), cut::suffix(text, tail))
}

/// Reads the model's last answer from the end of a transcript.
fn last_answer(path: &Path, parse: ParseLine) -> Option<String> {
    let mut file = regular_file::open_foreign(path).ok()?;
    let bytes = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(bytes.saturating_sub(MAX_TAIL_BYTES))).ok()?;
    let mut tail = Vec::new();
    file.take(MAX_TAIL_BYTES).read_to_end(&mut tail).ok()?;
    let mut items = Vec::new();
    for line in tail.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        // The first line may be cut, and others may be of an unknown kind.
        let _ = parse(line, &mut items);
    }
    let mut answer: Option<String> = None;
    for item in items {
        match item {
            Item::Message(message) if message.is_sidechain => {}
            Item::Message(message) if message.role == Role::Assistant => {
                answer = Some(message.text);
            }
            Item::Message(_) => answer = None,
            _ => {}
        }
    }
    answer.filter(|text| !text.trim().is_empty())
}
