//! Session start: a new session gets an overview of the project, a resumed one its last state.

use forebay_domain::hook::{Reply, StartReason};

use super::{GUIDE_DUE, Host, max_bytes};
use crate::agents::host_mods;
use crate::{App, AppError, guide};

pub(super) fn answer(app: &App, host: &Host<'_>, reason: StartReason) -> Result<Reply, AppError> {
    if let Some(version) = &host.version {
        host_mods::record_version(app, version)?;
    }
    if host.starts_in_plugin {
        host_mods::record_plugin(app)?;
    }
    let settings = &app.settings.hooks;
    let is_compacted = reason == StartReason::Compact;
    if is_compacted {
        app.stores.own()?.unmark(&app.session, GUIDE_DUE)?;
    }
    if !(host.supports)(&Reply::Context(String::new())) {
        return Ok(Reply::Silent);
    }
    let session = || guide::for_session(app, max_bytes(host, settings.compact_budget));
    let project = || guide::for_project(app, max_bytes(host, settings.start_budget));
    let text = match reason {
        StartReason::Compact | StartReason::Resume => session()?,
        // Context that the user cleared is not restored.
        StartReason::Startup | StartReason::Clear => project()?,
        StartReason::Fork => match session()? {
            Some(guide) => Some(guide),
            None => project()?,
        },
    };
    Ok(text.map_or(Reply::Silent, Reply::Context))
}
