//! A prompt: where a host compacts in silence, the guide comes with the next request.

use forebay_domain::hook::Reply;

use super::{GUIDE_DUE, Host, room};
use crate::{App, AppError, guide};

pub(super) fn answer(app: &App, host: &Host<'_>) -> Result<Reply, AppError> {
    let is_supported = (host.supports)(&Reply::Context(String::new()));
    if !is_supported || !app.places.own()?.unmark(&app.session, GUIDE_DUE)? {
        return Ok(Reply::Silent);
    }
    let guide = guide::of_session(app, room(host, app.settings.hooks.compact_budget))?;
    Ok(guide.map_or(Reply::Silent, Reply::Context))
}
