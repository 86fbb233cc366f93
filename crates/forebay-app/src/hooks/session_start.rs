//! A session starts: a new one is told what is known of the project, a known one where it stood.

use forebay_domain::hook::{Reply, StartReason};

use super::{GUIDE_DUE, Host, room};
use crate::{App, AppError, guide};

pub(super) fn answer(app: &App, host: &Host<'_>, reason: StartReason) -> Result<Reply, AppError> {
    let settings = &app.settings.hooks;
    let is_compacted = reason == StartReason::Compact;
    if is_compacted {
        app.places.own()?.unmark(&app.session, GUIDE_DUE)?;
    }
    if !(host.supports)(&Reply::Context(String::new())) {
        return Ok(Reply::Silent);
    }
    let budget = if is_compacted { settings.compact_budget } else { settings.start_budget };
    let bytes = room(host, budget);
    let text = match reason {
        StartReason::Compact | StartReason::Resume => guide::of_session(app, bytes)?,
        // What the user cleared away is not brought back.
        StartReason::Startup | StartReason::Clear => guide::of_project(app, bytes)?,
        StartReason::Fork => match guide::of_session(app, bytes)? {
            Some(guide) => Some(guide),
            None => guide::of_project(app, bytes)?,
        },
    };
    Ok(text.map_or(Reply::Silent, Reply::Context))
}
