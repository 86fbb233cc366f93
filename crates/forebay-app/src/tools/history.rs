//! `ctx_history`: lists a session's entries or events, newest first.

use forebay_domain::Entry;
use forebay_store::HistoryPage;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Effect, Tool};
use crate::guide::CONVERSATION_SOURCE;
use crate::input;
use crate::next_call::NextCall;
use crate::render::budgeted::BudgetedText;
use crate::render::describe;
use crate::{Answer, App, AppError, Call};

pub struct History;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Default: this one; all: every session
    pub session: Option<String>,
    /// Events instead: conversation, all, or a kind (file, task, error, prompt)
    pub events: Option<String>,
    pub limit: Option<u64>,
    /// From the previous page
    pub cursor: Option<String>,
    pub budget: Option<u64>,
}

const DEFAULT_LIMIT: u64 = 20;
const MAX_LIMIT: u64 = 500;
/// Bytes reserved for the line with the next page's call.
pub(super) const MORE_BYTES: usize = 60;

impl Tool for History {
    const NAME: &'static str = "ctx_history";
    const DESCRIPTION: &'static str =
        "List a session's runs and notes, or its events, newest first.";
    const EFFECT: Effect = Effect::ReadOnly;
    type Input = Input;

    fn call(app: &App, input: Input, _: &Call) -> Result<Answer, AppError> {
        let budget = input::budget(input.budget, app.settings.search.budget)?;
        let is_said = matches!(input.events.as_deref(), Some("conversation" | "prompt" | "answer"));
        let default = if is_said { MAX_LIMIT } else { DEFAULT_LIMIT };
        let limit = input.limit.unwrap_or(default).clamp(1, MAX_LIMIT) as usize;
        let before = input.cursor.as_deref().map(parse_cursor).transpose()?;
        if let Some(word) = input.events.as_deref() {
            let page = Page { before, limit, budget };
            return super::events::list(app, input.session.as_deref(), word, &page);
        }
        let session = Session::choose(app, input.session.as_deref())?;
        let page = HistoryPage {
            session: session.key.clone(),
            before,
            except_source: Some(CONVERSATION_SOURCE.to_owned()),
            limit: limit + 1,
        };
        let mut entries = app.stores.own()?.history(&page)?;
        let has_more = entries.len() > limit;
        entries.truncate(limit);
        Ok(render(app, &session, &entries, has_more, budget))
    }
}

/// The requested part of a list, and its budget.
pub(super) struct Page {
    pub(super) before: Option<i64>,
    pub(super) limit: usize,
    pub(super) budget: u64,
}

/// A session, and its name in the answer.
pub(crate) struct Session {
    pub(super) key: Option<String>,
    pub(super) name: String,
}

impl Session {
    /// Returns the key of the requested session, of this one, or of the latest if this one is still empty.
    pub(crate) fn choose_one(app: &App, requested: Option<&str>) -> Result<String, AppError> {
        let chosen = match requested {
            Some(key) => Self::named(app, key)?,
            None => Self::current_or_latest(app)?,
        };
        Ok(chosen.key.unwrap_or_else(|| app.session.clone()))
    }

    /// Returns the requested session, this one, or the latest if this one is still empty.
    pub(super) fn choose(app: &App, requested: Option<&str>) -> Result<Self, AppError> {
        match requested {
            Some("all") => Ok(Self { key: None, name: "all sessions".to_owned() }),
            Some(key) => Self::named(app, key),
            None => Self::current_or_latest(app),
        }
    }

    fn named(app: &App, key: &str) -> Result<Self, AppError> {
        let sessions = app.stores.own()?.sessions(usize::MAX >> 1)?;
        if sessions.iter().any(|session| session.key == key) {
            return Ok(Self { key: Some(key.to_owned()), name: format!("session {key}") });
        }
        let known: Vec<&str> =
            sessions.iter().take(5).map(|session| session.key.as_str()).collect();
        Err(AppError::not_found(
            format!("unknown session `{}`", key.chars().take(60).collect::<String>()),
            format!("the latest: {}", known.join(", ")),
        ))
    }

    fn current_or_latest(app: &App) -> Result<Self, AppError> {
        let sessions = app.stores.own()?.sessions(usize::MAX >> 1)?;
        let current = sessions.iter().find(|session| session.key == app.session);
        Ok(match (current, sessions.first()) {
            (None, Some(latest)) => Self {
                key: Some(latest.key.clone()),
                name: format!("latest session {}", latest.key),
            },
            _ => Self { key: Some(app.session.clone()), name: "this session".to_owned() },
        })
    }
}

fn render(app: &App, session: &Session, entries: &[Entry], has_more: bool, budget: u64) -> Answer {
    let now = app.now();
    let mut text = BudgetedText::new(budget);
    let head = if entries.is_empty() { "nothing yet" } else { "newest first" };
    text.push_cut(&format!("{} · {head}", session.name));
    text.reserve(MORE_BYTES);
    let mut shown =
        entries.iter().take_while(|entry| text.push(&describe::entry(entry, now))).count();
    if let (0, Some(first)) = (shown, entries.first()) {
        text.push_cut(&describe::entry(first, now));
        shown = 1;
    }
    text.release();
    let last = entries[..shown].last().filter(|_| has_more || shown < entries.len());
    let cursor = last.map(|entry| entry.sequence.to_string());
    if let Some(cursor) = &cursor {
        let older = NextCall::new("ctx_history").with("cursor", cursor);
        text.push(&format!("older: {older}"));
    }
    let data = json!({
        "session": session.key,
        "entries": entries[..shown].iter().map(|entry| json!({
            "ref": entry.reference.as_str(),
            "what": describe::what(entry),
            "title": entry.title,
            "session": entry.session,
            "branch": entry.branch,
            "created": entry.created.0,
            "lines": entry.lines,
            "bytes": entry.bytes,
        })).collect::<Vec<_>>(),
        "cursor": cursor,
    });
    Answer::new(text.into_text(), data)
}

fn parse_cursor(text: &str) -> Result<i64, AppError> {
    text.trim().parse().map_err(|_| {
        AppError::bad_input(
            format!("`{}` is not a cursor", text.chars().take(40).collect::<String>()),
            "copy it from the last line of the previous page",
        )
    })
}
