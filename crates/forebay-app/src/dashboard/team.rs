//! Who works in a workspace of a server, by token: rights, sessions, notes and savings.

use std::collections::BTreeMap;

use forebay_domain::usage::Totals;
use forebay_domain::{Timestamp, session};
use forebay_store::{NotePage, Token};
use serde_json::{Value, json};

use super::shown;
use crate::render::describe;
use crate::team::tokens;
use crate::{App, AppError};

/// Sessions and notes that are counted; the latest.
const MAX_SESSIONS: usize = 500;
const MAX_NOTES: usize = 5_000;

/// Returns the tokens that lead to the same workspace as that of the viewer, with what was done with each.
pub fn team(app: &App, server: &App, viewer: &Token) -> Result<Value, AppError> {
    let activity = Activity::read(app)?;
    let now = app.now();
    let member = |token: &Token| {
        let did = activity.with(token);
        json!({
            "name": token.name,
            "is_viewer": token.id == viewer.id,
            "rights": token.grants.to_string(),
            "state": state(token, now),
            "created": token.created.0,
            "expires": token.expires.map(|at| at.0),
            "sessions": did.sessions,
            "last_used": did.last_used.map(|at| at.0),
            "age": did.last_used.map(|at| describe::age(at, now)),
            "notes": activity.notes.get(&token.name).copied().unwrap_or_default(),
            "answers": did.totals.answers,
            "host_tokens": did.totals.host_tokens,
            "saved_tokens": did.totals.saved(),
        })
    };
    let all = tokens::list(server)?;
    let members = all.iter().filter(|token| token.workspace == viewer.workspace).map(member);
    Ok(shown::data(json!({
        "workspace": viewer.workspace,
        "members": members.collect::<Vec<_>>(),
        "is_bounded": activity.is_bounded,
    })))
}

fn state(token: &Token, now: Timestamp) -> &'static str {
    if token.revoked.is_some() {
        "revoked"
    } else if token.is_valid(now) {
        "in force"
    } else {
        "expired"
    }
}

/// What was done in a store, by token.
#[derive(Default)]
struct Activity {
    by_token: BTreeMap<String, Done>,
    /// By author.
    notes: BTreeMap<String, u64>,
    is_bounded: bool,
}

#[derive(Default, Clone, Copy)]
struct Done {
    sessions: u64,
    last_used: Option<Timestamp>,
    totals: Totals,
}

impl Activity {
    fn read(app: &App) -> Result<Self, AppError> {
        let store = app.stores.own()?;
        let mut activity = Self::default();
        let sessions = store.sessions(MAX_SESSIONS)?;
        activity.is_bounded = sessions.len() >= MAX_SESSIONS;
        for one in sessions {
            // The sessions of a token start with its id; see `http::caller`.
            let Some((token, _)) = one.key.split_once(':') else { continue };
            let done = activity.by_token.entry(token.to_owned()).or_default();
            done.last_used = done.last_used.max(Some(one.last_used));
            if session::is_subagent(&one.key) {
                continue;
            }
            done.sessions += 1;
            for totals in store.usage(Some(&one.key))?.into_values() {
                done.totals.add(totals);
            }
        }
        let notes = store.notes(&NotePage { limit: MAX_NOTES, ..NotePage::default() })?;
        activity.is_bounded |= notes.len() >= MAX_NOTES;
        for author in notes.iter().filter_map(|one| Some(one.note()?.author.clone())) {
            *activity.notes.entry(author).or_default() += 1;
        }
        Ok(activity)
    }

    fn with(&self, token: &Token) -> Done {
        self.by_token.get(&token.id).copied().unwrap_or_default()
    }
}
